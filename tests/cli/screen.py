"""A person at a real terminal: a pseudo-terminal with the program behind it, what is on it, and what is typed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from types import TracebackType

from tests.cli.program import Home

LIMIT_S = 20.0
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
TAKE_TERMINAL = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
"""Makes the terminal the process's own, so that Ctrl+C reaches it; a function between fork and exec would not be safe beside threads."""


class Screen:
    """A process on a terminal of its own.

    Attributes:
        raw: every byte the terminal was sent.
    """

    def __init__(self, home: Home, *words: str, columns: int = 100, environment: Mapping[str, str] | None = None, anywhere: bool = False) -> None:
        self._terminal, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        self.raw = b""
        self._seen = 0
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", TAKE_TERMINAL, *home.command(*words, anywhere=anywhere)],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=home.environment({"TERM": "xterm-256color"} | dict(environment or {})),
            start_new_session=True,
        )
        os.close(inner)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._terminal)

    @property
    def text(self) -> str:
        """Everything shown so far, without colours."""
        return _COLOURS.sub("", self.raw.decode("utf-8", "replace").replace("\r\n", "\n"))

    def wait_for(self, text: str, *, limit_s: float = LIMIT_S) -> str:
        """Return what was shown since the last call up to and with `text`, as soon as it is there."""
        until = time.monotonic() + limit_s
        while True:
            new = self.text[self._seen :]
            if text in new:
                shown = new[: new.index(text) + len(text)]
                self._seen += len(shown)
                return shown
            assert time.monotonic() < until, f"{text!r} did not appear:\n{self.text}"
            assert self._read(until), f"{text!r} did not appear before the program ended:\n{self.text}"

    def type(self, text: str) -> None:
        """Type keys."""
        os.write(self._terminal, text.encode())

    def enter(self, text: str) -> None:
        """Type a line and Enter."""
        self.type(text + "\n")

    def interrupt(self) -> None:
        """Press Ctrl+C."""
        self.type("\x03")

    def kill(self) -> None:
        """End the process as nothing can be prevented from ending."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self, *, limit_s: float = LIMIT_S) -> int:
        """Read until the program ends by itself, and return its status."""
        until = time.monotonic() + limit_s
        while self._read(until):
            assert time.monotonic() < until, f"the program goes on:\n{self.text}"
        return self.process.wait(timeout=max(0.1, until - time.monotonic()))

    def _read(self, until: float) -> bool:
        """Take what comes next; False at the end."""
        ready, _, _ = select.select([self._terminal], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return True
        try:
            piece = os.read(self._terminal, 65_536)
        except OSError:  # Linux: nobody has the other end open any more
            return False
        self.raw += piece
        return bool(piece)
