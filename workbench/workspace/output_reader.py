"""Reads what a command writes, in a thread of its own: the loop never waits for a pipe or a disk, and the writer never for the loop.

The bytes go three ways: into a log file (in memory while they are few), into the text for the model, and as live lines to
whoever watches, a few times a second.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import select
import threading
import time
from collections.abc import Callable
from pathlib import Path

from workbench.redaction.redactor import RedactingStream
from workbench.workspace.terminal_text import Excerpt, TerminalText

CHUNK_BYTES = 65_536
SPOOL_BYTES = 65_536
CAP_BYTES = 100 * 1024 * 1024
LIVE_EVERY_S = 0.05
LIVE_CHARACTERS = 8_192
PENDING_SHOWN_AFTER_S = 0.5


class OutputReader:
    """The reading end of one command's output.

    Everything public is called from the loop's thread. Callbacks come there too.

    Attributes:
        ended: set when the last writer closed the pipe, or after `stop`.
        last_read_at: `time.monotonic()` of the last bytes.
    """

    def __init__(
        self, read_end: int, log: Path, on_text: Callable[[str], None], *, cap_bytes: int = CAP_BYTES, redacting: RedactingStream | None = None
    ) -> None:
        self.ended = asyncio.Event()
        self.last_read_at = time.monotonic()
        self._read_end = read_end
        self._wake_read, self._wake_write = os.pipe()
        self._log = _Log(log, cap_bytes)
        self._text = TerminalText()
        self._redacting = redacting
        self._live: _LiveLines | None = _LiveLines(on_text)
        self._lock = threading.Lock()
        self._finished = False
        self._on_over_cap: Callable[[], None] | None = None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="command output", daemon=True)
        self._thread.start()

    @property
    def log(self) -> Path:
        """The file that holds the raw output once `keep_log` was called or much came."""
        return self._log.path

    @property
    def is_over_cap(self) -> bool:
        """Whether more than the cap came; the rest is read and dropped, so that the writer does not hang."""
        return not self._log.whole

    @property
    def secrets_replaced(self) -> int:
        """How many secrets were taken out so far: no log, excerpt or live line has them."""
        return self._redacting.replaced if self._redacting else 0

    def when_over_cap(self, callback: Callable[[], None]) -> None:
        """Call `callback` once when more than the cap has come."""
        self._on_over_cap = callback

    def excerpt(self) -> Excerpt:
        """Return what has come so far, as the model may see it; half characters and open lines count as they are."""
        with self._lock:
            return self._text.excerpt()

    def keep_log(self) -> bool:
        """Write the log file even if little came, and go on writing it; False if it cannot be written. Blocking."""
        with self._lock:
            self._log.open()
            return not self._log.failed

    def release(self) -> None:
        """End live text and limits: from now on what comes goes only to the log, as far as its cap."""
        with self._lock:
            self._live = self._on_over_cap = None

    def stop(self) -> None:
        """Stop reading, whoever still holds the pipe; their next write will fail. Returns when the thread is gone (milliseconds)."""
        with self._lock:
            if not self._finished:
                os.write(self._wake_write, b"x")
        if os.name == "posix":
            self._thread.join(timeout=2.0)

    def _run(self) -> None:
        try:
            while self._wait() and (data := self._read()):
                self._take(self._redacting.feed(data) if self._redacting else data)
            if self._redacting:
                self._take(self._redacting.end())
        finally:
            self._finish()

    def _wait(self) -> bool:
        """Wait for bytes, sending live lines meanwhile when they are due; False when reading should stop."""
        if os.name == "nt":
            return True
        poll = select.poll()
        poll.register(self._read_end, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while True:
            ready = poll.poll(self._due_ms())
            if any(descriptor == self._wake_read for descriptor, _ in ready):
                return False
            if ready:
                return True
            self._send_live(time.monotonic())

    def _due_ms(self) -> int | None:
        with self._lock:
            due_s = self._live.due_in_s(time.monotonic()) if self._live else None
        return None if due_s is None else int(due_s * 1000) + 1

    def _read(self) -> bytes:
        try:
            return os.read(self._read_end, CHUNK_BYTES)
        except OSError:
            return b""

    def _take(self, data: bytes) -> None:
        now = time.monotonic()
        with self._lock:
            self.last_read_at = now
            was_whole, whole = self._log.whole, self._log.write(data)
            if self._live is not None and whole:
                self._live.add(self._text.feed(data), self._text.pending, now)
        if was_whole and not whole and self._on_over_cap is not None:
            self._tell(self._on_over_cap)
        self._send_live(now)

    def _send_live(self, now: float) -> None:
        with self._lock:
            text = self._live.take(now) if self._live else ""
            callback = self._live.callback if self._live else None
        if text and callback is not None:
            self._tell(callback, text)

    def _finish(self) -> None:
        with self._lock:
            if self._live is not None:
                self._live.add(self._text.end(), "", time.monotonic())
                if rest := self._live.take(time.monotonic(), everything=True):
                    self._tell(self._live.callback, rest)
            self._log.close()
            self._finished = True
            for descriptor in (self._read_end, self._wake_read, self._wake_write):
                os.close(descriptor)
        self._tell(self.ended.set)

    def _tell(self, callback: Callable[..., object], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            self._loop.call_soon_threadsafe(callback, *arguments)


class _Log:
    """The raw bytes: in memory while they are few, then in a file; never more than the cap.

    Attributes:
        whole: False once something was dropped because of the cap.
        failed: the file could not be written (disk full, folder gone); reading goes on without it.
    """

    def __init__(self, path: Path, cap_bytes: int) -> None:
        self.path = path
        self.whole = True
        self.failed = False
        self._room_bytes = cap_bytes
        self._spool: bytearray | None = bytearray()
        self._file: io.FileIO | None = None
        self._closed = False

    def write(self, data: bytes) -> bool:
        """Take bytes; False when something was dropped."""
        self.whole = self.whole and len(data) <= self._room_bytes
        data = data[: self._room_bytes]
        self._room_bytes -= len(data)
        if self._spool is None:
            self._put(data)
        else:
            self._spool += data
            if len(self._spool) > SPOOL_BYTES:
                self.open()
        return self.whole

    def open(self) -> None:
        """Begin the file with what was held in memory."""
        if self._spool is None:
            return
        held, self._spool = bytes(self._spool), None
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError:
            self.failed = True
            return
        self._file = io.FileIO(descriptor, "wb")
        self._put(held)
        if self._closed:
            self.close()

    def close(self) -> None:
        """End the file, if there is one; one opened later is closed at once."""
        self._closed = True
        if self._file is not None:
            self._file.close()
            self._file = None

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view and self._file is not None:
                view = view[self._file.write(view) or 0 :]
        except OSError:
            self.failed = True
            self.close()


class _LiveLines:
    """Gathers lines for those who watch; hands them out at most every `LIVE_EVERY_S`, and the middle of a flood not at all."""

    def __init__(self, callback: Callable[[str], None]) -> None:
        self.callback = callback
        self._waiting = ""
        self._pending = ""
        self._shown = ""  # of the open line
        self._sent_at = 0.0
        self._changed_at = 0.0

    def add(self, lines: str, pending: str, now: float) -> None:
        """Take finished lines and the line that is open now."""
        if lines and self._shown:
            first = lines.partition("\n")[0]
            lines = lines[len(self._shown) :] if first.startswith(self._shown) else "\n" + lines
            self._shown = ""
        self._waiting += lines
        if len(self._waiting) > 4 * LIVE_CHARACTERS:
            self._waiting = self._shortened()
        if pending != self._pending or lines:
            self._pending, self._changed_at = pending, now

    def due_in_s(self, now: float) -> float | None:
        """Return after how many seconds `take` will have something; None if nothing waits."""
        if self._waiting:
            return max(0.0, self._sent_at + LIVE_EVERY_S - now)
        if self._pending and self._pending != self._shown:
            return max(0.0, self._changed_at + PENDING_SHOWN_AFTER_S - now, self._sent_at + LIVE_EVERY_S - now)
        return None

    def take(self, now: float, *, everything: bool = False) -> str:
        """Return what is due. An open line counts once it stood still for a while, so that progress bars do not flood."""
        if not everything and now < self._sent_at + LIVE_EVERY_S:
            return ""
        text, self._waiting = self._shortened(), ""
        if self._pending and now >= self._changed_at + PENDING_SHOWN_AFTER_S and self._pending != self._shown:
            text += self._pending[len(self._shown) :] if self._pending.startswith(self._shown) else "\n" + self._pending
            self._shown = self._pending
        if text:
            self._sent_at = now
        return text

    def _shortened(self) -> str:
        if len(self._waiting) <= LIVE_CHARACTERS:
            return self._waiting
        half = LIVE_CHARACTERS // 2
        return f"{self._waiting[:half]}\n[...]\n{self._waiting[-half:]}"
