"""Tests of several processes on one session: killed at any moment, locked out, reading along, without space."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from tests.store.processes import child, line
from workbench.conversation.events import Entry, ExchangeClosed, ExchangeOpened, Notice
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
