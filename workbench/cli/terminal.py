"""A person at a terminal: lines typed, asked for without blocking the loop; nothing typed before a question counts as its answer."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import sys
from collections.abc import Iterator
from typing import TextIO

from workbench.cli.output import say

GUARD_S = 0.4
"""How long a question must be there before an answer counts."""


class Terminal:
    """Reads lines from a terminal (standard input, if it is one).

    One reader at a time. Cancelling a read leaves the terminal as it was.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream: TextIO = stream or sys.stdin
        self._ready = asyncio.Event()
        self._interrupted = False

    @property
    def present(self) -> bool:
        """Whether a person can be asked: questions go to stderr, answers come from the stream, both must be a terminal."""
        return all(stream is not None and stream.isatty() for stream in (self._stream, sys.stderr))

    async def guard(self) -> None:
        """Wait for the guard time after a question has appeared; what is typed until `ask` was meant for something else."""
        await asyncio.sleep(GUARD_S)

    async def ask(self, prompt: str) -> str | None:
        """Show a question and return the answer without its line end; None at the end of input.

        What was typed before is thrown away first, so that it does not answer what nobody had seen.
        """
        self._discard_typed()
        return await self.read_line(prompt)

    async def read_line(self, prompt: str) -> str | None:
        """Show a prompt and return the next line without its end; None at the end of input, an empty line after `interrupt`."""
        say(prompt, end="")
        line = await (self._when_readable() if os.name == "posix" else asyncio.to_thread(self._stream.readline))
        return line.removesuffix("\n").removesuffix("\r") if line else None

    async def read_secret(self, prompt: str) -> str:
        """Show a prompt and return what is typed, which the terminal does not show; empty at the end of input and after `interrupt`."""
        if os.name != "posix":
            return await asyncio.to_thread(getpass.getpass, prompt)
        with self._without_echo():
            line = await self.read_line(prompt)
        say("")
        return (line or "").strip()

    @contextlib.contextmanager
    def _without_echo(self) -> Iterator[None]:
        import termios

        number = self._stream.fileno()
        before = termios.tcgetattr(number)
        silent = [*before]
        silent[3] &= ~termios.ECHO
        termios.tcsetattr(number, termios.TCSAFLUSH, silent)
        try:
            yield
        finally:
            termios.tcsetattr(number, termios.TCSAFLUSH, before)

    def interrupt(self) -> None:
        """Take back the line that is being typed: the waiting `read_line` returns an empty one."""
        self._discard_typed()
        self._interrupted = True
        self._ready.set()

    async def _when_readable(self) -> str:
        loop = asyncio.get_running_loop()
        number = self._stream.fileno()
        self._ready.clear()
        self._interrupted = False
        loop.add_reader(number, self._ready.set)
        try:
            await self._ready.wait()
        finally:
            loop.remove_reader(number)
        return "\n" if self._interrupted else self._line(number)

    def _line(self, number: int) -> str:
        """Read one line; a terminal in its usual mode gives whole lines, so this does not wait."""
        data = b""
        while not data.endswith(b"\n"):
            piece = os.read(number, 65_536)
            if not piece:
                break
            data += piece
        return data.decode(self._stream.encoding or "utf-8", "replace")

    def _discard_typed(self) -> None:
        if os.name != "posix":
            return
        import termios

        with contextlib.suppress(termios.error, OSError, ValueError):
            termios.tcflush(self._stream.fileno(), termios.TCIFLUSH)
