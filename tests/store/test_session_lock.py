"""Tests of the lock of a session and of the number it carries."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from workbench.errors import SessionLocked, StoreError
from workbench.store.session_files import SessionFiles
from workbench.store.session_lock import LockNote, SessionLock, is_locked, read_note


def test_only_one_holds_it(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path)
    lock = SessionLock.acquire(files)
    assert is_locked(files.lock)
    with pytest.raises(SessionLocked) as caught:
        SessionLock.acquire(files)
    assert caught.value.values == {"session": tmp_path.name, "pid": os.getpid()}
    lock.release()
    lock.release()
    assert not is_locked(files.lock)
    SessionLock.acquire(files).release()


def test_the_number_of_the_last_durable_fact_is_handed_on(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path)
    lock = SessionLock.acquire(files)
    assert (lock.settled, read_note(files.lock)) == (0, LockNote(os.getpid(), 0))
    for seq in (7, 123_456, 9):
        lock.note(seq)
        assert read_note(files.lock).settled == seq
    lock.release()
    again = SessionLock.acquire(files)
    assert again.settled == 9
    again.release()


@pytest.mark.parametrize("content", [b"", b"pid=1", b"\0" * 40, b"pid=x settled=y\n", "pid=١ settled=٢\n".encode()])
def test_a_note_that_cannot_be_read_counts_as_none(tmp_path: Path, content: bytes) -> None:
    files = SessionFiles(tmp_path)
    files.lock.write_bytes(content)
    assert read_note(files.lock) == LockNote(0, 0)
    lock = SessionLock.acquire(files)
    assert read_note(files.lock) == LockNote(os.getpid(), 0)
    lock.release()


def test_no_lock_file_is_no_lock(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "none")
    assert read_note(tmp_path / "none") == LockNote(0, 0)


def test_a_look_at_a_lock_does_not_keep_an_opener_out(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path)
    SessionLock.acquire(files).release()
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            is_locked(files.lock)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for _ in range(50):
            SessionLock.acquire(files).release()
    finally:
        stop.set()
        thread.join()


@pytest.mark.skipif(sys.platform == "win32", reason="flock is of POSIX systems")
def test_a_file_system_without_locks_is_refused_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = SessionFiles(tmp_path)
    SessionLock.acquire(files).release()

    def refuse(_handle: int, _operation: int) -> None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    monkeypatch.setattr("fcntl.flock", refuse)
    with pytest.raises(StoreError, match=r"cannot be written in .*: Operation not supported") as caught:
        SessionLock.acquire(files)
    assert not isinstance(caught.value, SessionLocked)
    assert not is_locked(files.lock)


def test_a_lock_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be written in .*: No such file or directory"):
        SessionLock.acquire(SessionFiles(tmp_path / "none"))
