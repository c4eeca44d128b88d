"""The lock by which one process alone writes a session, and the number of the last fact that process made durable.

The lock dies with its process, however that ends. The number is written behind every commit: if the database holds fewer facts than
it says, durable ones were lost (a missing, cut or damaged write-ahead log, which SQLite passes over in silence).
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

from workbench.errors import SessionLocked, StoreError
from workbench.store.session_files import BYTES_ONLY, PRIVATE_FILE, SessionFiles, unwritable

TRIES = 5
WAIT_S = 0.01
"""A look at whether a session is in use holds its lock for some microseconds; an opener that meets it tries again."""

_LINE = re.compile(rb"pid=(\d{1,10}) settled=(\d{1,19})\n")
_WINDOWS_BYTE = 1 << 30
"""Windows locks ranges of bytes, and locked bytes cannot be read: this one lies behind the text."""


class LockNote(NamedTuple):
    """What the lock file says: the process that wrote last, and the last fact it knew to be durable (0, 0 if unknown)."""

    pid: int
    settled: int


class SessionLock:
    """The lock of a session that this process writes. Made by `acquire`."""

    def __init__(self, handle: int, settled: int) -> None:
        self._handle = handle
        self._settled = settled

    @classmethod
    def acquire(cls, files: SessionFiles) -> SessionLock:
        """Take the lock of a session.

        Raises:
            SessionLocked: another process, or another store of this one, holds it.
            StoreError: the lock file cannot be written.
        """
        try:
            handle = os.open(files.lock, os.O_RDWR | os.O_CREAT | BYTES_ONLY, PRIVATE_FILE)
        except OSError as error:
            raise unwritable(files, error.strerror or str(error)) from error
        try:
            held = _lock_within(handle, TRIES)
        except OSError as error:  # a file system without locks: two writers could not be kept apart
            os.close(handle)
            raise unwritable(files, error.strerror or str(error)) from error
        if not held:
            os.close(handle)
            raise _locked(files)
        lock = cls(handle, read_note(files.lock).settled)
        lock.note(lock.settled)
        return lock

    @property
    def settled(self) -> int:
        """Number of the last fact that was noted as durable."""
        return self._settled

    def note(self, seq: int) -> None:
        """Write that all facts up to `seq` are durable. A note that cannot be written is left out: it only serves to find damage."""
        self._settled = seq
        with contextlib.suppress(OSError):
            os.lseek(self._handle, 0, os.SEEK_SET)
            os.write(self._handle, b"pid=%010d settled=%019d\n" % (os.getpid(), seq))

    def release(self) -> None:
        """Give the lock back; may be called twice."""
        if self._handle >= 0:
            _unlock(self._handle)
            os.close(self._handle)
            self._handle = -1


def read_note(path: Path) -> LockNote:
    """Return what a lock file says, whoever holds it; zeros if there is none or it is not readable as such."""
    try:
        with path.open("rb") as file:
            found = _LINE.match(file.read(64))
    except OSError:
        found = None
    return LockNote(int(found[1]), int(found[2])) if found else LockNote(0, 0)


def is_locked(path: Path) -> bool:
    """Say whether some process holds the lock; changes nothing."""
    try:
        handle = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        if not _try_lock(handle):
            return True
        _unlock(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
    return False


def _locked(files: SessionFiles) -> StoreError:
    pid = read_note(files.lock).pid
    return SessionLocked(
        f"Session {files.name} is open in another window or terminal (process {pid}). "
        f"Close it there first; `workbench inspect {files.name}` reads it meanwhile.",
        message_id="store.locked",
        values={"session": files.name, "pid": pid},
    )


def _lock_within(handle: int, tries: int) -> bool:
    for attempt in range(tries):
        if attempt:
            time.sleep(WAIT_S)
        if _try_lock(handle):
            return True
    return False


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        os.lseek(handle, _WINDOWS_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, _WINDOWS_BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
