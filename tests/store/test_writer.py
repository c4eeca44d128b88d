"""Tests of the writer: groups, barriers, and a disk that fails at any statement."""

from __future__ import annotations

import asyncio
import itertools
import queue
import sqlite3
import threading
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from tests.store.faulty import Fault
from tests.store.folders import entries, facts, filled, settle
from workbench.conversation.events import Entry, TurnStarted
from workbench.conversation.exchange import Chunk
from workbench.conversation.journal import Journal
from workbench.errors import StoreError, StoreFailed
from workbench.store.schema import connect_writer, create_tables
from workbench.store.session_store import SessionStore
from workbench.store.writer import Job, Writer


class Watched:
    """A writer on a fresh database, with a count of its commits."""

    def __init__(self, path: Path, *, group_wait_s: float = 0.02) -> None:
        path.touch()
        self.path = path
        self.commits = 0
        connection = connect_writer(path)
        create_tables(connection)
        self.writer = Writer(connection, name="s", after_commit=self._count, group_wait_s=group_wait_s)

    def insert(self, number: int) -> None:
        """Have a row written."""
        self.writer.submit(Job(lambda connection: _insert(connection, number)))

    def rows(self) -> list[int]:
        """Return the rows that are on the disk."""
        with closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)) as connection:
            return [number for (number,) in connection.execute("SELECT id FROM summary ORDER BY id")]

    def _count(self) -> None:
        self.commits += 1


def test_what_comes_in_a_short_time_is_one_commit(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "db", group_wait_s=5.0)
    for number in range(500):
        watched.insert(number)
    watched.writer.flush()
    assert (watched.rows(), watched.commits) == (list(range(500)), 1)
    watched.writer.close()


def test_a_barrier_does_not_wait_for_the_group(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "db", group_wait_s=600.0)
    watched.insert(1)
    started = time.monotonic()
    watched.writer.flush()
    assert time.monotonic() - started < 60
    assert watched.rows() == [1]
    watched.writer.close()


def test_without_a_barrier_the_group_is_committed_after_its_time(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "db", group_wait_s=0.001)
    done: queue.SimpleQueue[None] = queue.SimpleQueue()
    watched.writer.submit(Job(lambda connection: _insert(connection, 1), partial(done.put, None)))
    done.get(timeout=30)
    assert watched.rows() == [1]
    watched.writer.close()


def test_a_barrier_with_nothing_before_it_is_answered(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "db")
    watched.writer.flush()
    assert watched.commits == 0
    watched.writer.close()


def test_closing_commits_what_is_left(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "db", group_wait_s=600.0)
    watched.insert(1)
    watched.writer.close()
    watched.writer.close()
    assert watched.rows() == [1]
    with pytest.raises(RuntimeError, match="closed"):
        watched.insert(2)


def test_a_mistake_in_a_job_leaves_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    died: queue.SimpleQueue[object] = queue.SimpleQueue()
    monkeypatch.setattr(threading, "excepthook", lambda args: died.put(args.exc_type))
    watched = Watched(tmp_path / "db", group_wait_s=600.0)
    watched.insert(1)
    watched.writer.flush()
    watched.writer.submit(Job(lambda _connection: [][1]))
    with pytest.raises(StoreFailed, match="unexpected end"):
        watched.writer.flush()
    assert died.get(timeout=30) is IndexError
    with pytest.raises(StoreFailed):
        watched.insert(2)
    watched.writer.close()
    assert watched.rows() == [1]


def test_whichever_statement_fails_settled_facts_are_kept_and_the_rest_is_refused(tmp_path: Path) -> None:
    written = entries(facts(6))
    for failing in itertools.count(1):
        fault = Fault(lambda number, _sql, failing=failing: number >= failing)  # type: ignore[misc]
        folder = tmp_path / f"s{failing}"
        filled(folder, 2)
        store = SessionStore.open(folder, connect=fault.connect)
        settled, failed = _write_all(store, written[2:])
        assert (store.failure is not None) == failed
        _close(store)
        store = SessionStore.open(folder)
        assert store.entries() == written[: len(store.entries())]
        assert len(store.entries()) >= settled
        store.close()
        if not failed:
            break
    assert failing > 10


def test_a_full_disk_is_told_in_one_sentence_and_freezes_the_session(tmp_path: Path) -> None:
    fault = Fault()
    store = SessionStore.create(tmp_path / "s", "s", connect=fault.connect)
    journal = Journal(store)
    journal.append(TurnStarted(turn_id="kept"))
    settle(store)
    fault.fails = lambda _number, sql: sql == "COMMIT"
    journal.append(TurnStarted(turn_id="lost?"))
    with pytest.raises(StoreFailed, match=r"Session s is not being saved any more: the disk is full\. What was done until then is kept"):
        settle(store)
    for refused in (
        lambda: journal.append(TurnStarted(turn_id="later")),
        lambda: store.keep_chunk("e", Chunk(0.0, b"x")),
        lambda: store.keep_body([b"new piece"]),
        lambda: settle(store),
    ):
        with pytest.raises(StoreFailed, match="the disk is full"):
            refused()
    assert store.failure is not None
    store.close()
    assert _events(tmp_path / "s") == ["kept"]


def test_what_was_settled_before_the_failure_still_counts_as_settled(tmp_path: Path) -> None:
    fault = Fault()
    store = SessionStore.create(tmp_path / "s", "s", connect=fault.connect)
    store.write(Entry(1, 0.0, TurnStarted(turn_id="kept")))
    settle(store)
    fault.fails = lambda _number, _sql: True
    store.write(Entry(2, 0.0, TurnStarted(turn_id="lost")))
    with pytest.raises(StoreFailed):
        settle(store)
    asyncio.run(store.settled(1))
    store.close()


def test_a_failure_that_only_closing_meets_is_told_then(tmp_path: Path) -> None:
    fault = Fault()
    store = SessionStore.create(tmp_path / "s", "s", connect=fault.connect)
    fault.fails = lambda _number, _sql: True
    store.write(Entry(1, 0.0, TurnStarted(turn_id="lost")))
    with pytest.raises(StoreFailed):
        store.close()
    store.close()
    assert _events(tmp_path / "s") == []


def test_a_database_that_may_not_grow_fails_like_a_full_disk(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s", connect=_small)
    settled, failed = _write_all(store, entries(facts(200)))
    assert failed
    assert store.failure is not None
    assert "the disk is full" in store.failure.text
    _close(store)
    kept = len(_events(tmp_path / "s"))
    assert settled <= kept < 200


def test_a_session_cannot_be_made_on_a_full_disk_and_leaves_nothing(tmp_path: Path) -> None:
    fault = Fault(lambda _number, _sql: True)
    with pytest.raises(StoreError, match="Session s cannot be written"):
        SessionStore.create(tmp_path / "s", "s", connect=fault.connect)
    assert not (tmp_path / "s").exists()


def _insert(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("INSERT INTO summary VALUES (?, ?, ?)", (number, b"", 0))


def _small(path: Path) -> sqlite3.Connection:
    connection = connect_writer(path)
    connection.execute("PRAGMA max_page_count = 14")
    return connection


def _write_all(store: SessionStore, written: list[Entry]) -> tuple[int, bool]:
    """Write and settle each fact; return the last that was settled, and whether the store failed."""
    settled = 0
    try:
        for entry in written:
            store.write(entry)
            settle(store)
            settled = entry.seq
    except StoreFailed:
        return settled, True
    return settled, False


def _close(store: SessionStore) -> None:
    try:
        store.close()
    except StoreFailed:
        return


def _events(folder: Path) -> list[str]:
    store = SessionStore.open(folder, read_only=True)
    try:
        assert store.damage is None
        return [getattr(entry.event, "turn_id", "") for entry in store.entries()]
    finally:
        store.close()
