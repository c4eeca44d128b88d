"""Tests of several processes on one session: killed at any moment, locked out, reading along, without space."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.store.processes import child, line, tell
from workbench.conversation.events import Entry, ExchangeClosed, ExchangeOpened, Notice
from workbench.errors import SessionLocked
from workbench.store.session_store import SessionStore
from workbench.store.sessions import list_sessions


@pytest.mark.parametrize("seed", range(3))
def test_after_kill_9_everything_that_was_settled_is_there(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    folder = tmp_path / "sessions" / "s"
    for _ in range(4):  # the same session is killed again and again
        settled = _killed_after(folder, chance.randrange(1, 40))
        assert [summary.state for summary in list_sessions(tmp_path)] == ["idle"]
        reader = SessionStore.open(folder, read_only=True)
        assert reader.damage is None
        _check(reader, settled)
        reader.close()
        store = SessionStore.open(folder)  # the lock died with its process
        _check(store, settled)
        store.write(Entry(store.last_seq + 1, 0.0, Notice(message_id="m", text="resumed")))
        store.close()


def test_torn_tail(tmp_path: Path) -> None:
    """Bug case `torn-tail`: a crash in the middle of a write costs only what was not settled, and writing goes on behind it."""
    folder = tmp_path / "s"
    with child("append", folder) as process:
        assert line(process) == "ready"
        settled = int(line(process))
    wal = folder / "journal.sqlite-wal"
    with wal.open("ab") as file:  # the beginning of a frame that never became whole
        file.write(wal.read_bytes()[32:2000])
    store = SessionStore.open(folder)
    first = store.entries()
    assert len(first) >= settled
    store.write(Entry(len(first) + 1, 0.0, Notice(message_id="m", text="after")))
    store.close()
    store = SessionStore.open(folder)
    assert store.entries() == [*first, Entry(len(first) + 1, 0.0, Notice(message_id="m", text="after"))]
    store.close()


def test_two_windows_one_session(tmp_path: Path) -> None:
    """Bug case `two-windows-one-session`: the second may only read, loses nothing, and can write when the first was killed."""
    folder = tmp_path / "sessions" / "s"
    with child("hold", folder) as first:
        assert line(first) == "ready"
        with pytest.raises(SessionLocked, match=rf"Session s is open in another window or terminal \(process {first.pid}\)"):
            SessionStore.open(folder)
        with child("hold", folder) as second:
            assert "it can be read here" in line(second)
            assert second.wait(30) == 3
        for number in range(1, 6):
            tell(first)
            assert line(first) == str(number)
            reader = SessionStore.open(folder, read_only=True)
            assert len(reader.entries()) == number
            reader.close()
        assert [summary.state for summary in list_sessions(tmp_path)] == ["in_use"]
        first.kill()
        first.wait(30)
        store = SessionStore.open(folder)
        store.write(Entry(6, 0.0, Notice(message_id="m", text="from three")))
        store.close()
    assert [summary.events for summary in list_sessions(tmp_path)] == [6]


def test_a_reader_does_not_disturb_the_writer(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with child("append", folder) as process:
        assert line(process) == "ready"
        seen = 0
        for _ in range(15):
            settled = int(line(process))
            reader = SessionStore.open(folder, read_only=True)
            assert reader.damage is None
            assert len(reader.entries()) >= max(settled, seen)
            seen = len(reader.entries())
            reader.close()


def test_orphan_call_on_resume(tmp_path: Path) -> None:
    """Bug case `orphan-call-on-resume`, the store's side: all facts up to the crash are there, and opening changes none of them."""
    folder = tmp_path / "s"
    with child("hold", folder) as process:
        assert line(process) == "ready"
        for _ in range(3):
            tell(process)
            line(process)
        process.kill()
    reader = SessionStore.open(folder, read_only=True)
    before = reader.entries()
    reader.close()
    store = SessionStore.open(folder)
    assert store.entries() == before
    store.close()
    assert len(before) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot limit the size of files for a process")
def test_when_the_system_refuses_to_write_settled_facts_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    with child("starve", folder, 300_000) as process:
        settled, _, sentence = line(process).partition(" ")
        assert process.wait(30) == 0
    assert sentence.startswith("Session s is not being saved any more: ")
    store = SessionStore.open(folder)
    assert int(settled) <= len(store.entries())
    assert int(settled) > 10
    store.close()


def _killed_after(folder: Path, lines: int) -> int:
    """Let a child append, kill it after so many settled facts, return the last number it said."""
    settled = 0
    with child("append", folder) as process:
        assert line(process) == "ready"
        for _ in range(lines):
            settled = int(line(process))
        process.kill()
        rest = process.stdout.read().split() if process.stdout else []
    complete = [int(word) for word in rest if word.isdigit()][:-1]  # the last one may be cut
    return max([settled, *complete])


def _check(store: SessionStore, settled: int) -> None:
    entries = store.entries()
    assert len(entries) >= settled
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    for entry in entries:
        if isinstance(entry.event, ExchangeOpened) and entry.seq <= settled:
            assert len(store.body(entry.event.body)) == entry.event.body.size_bytes
        if isinstance(entry.event, ExchangeClosed) and entry.seq <= settled:
            number = int(entry.event.exchange_id[2:])
            assert len(store.chunks(entry.event.exchange_id)) >= number % 5
