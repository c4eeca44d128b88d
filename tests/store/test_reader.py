"""Tests of the reader: rows for any thread, one file out of a database, and errors in a sentence."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.folders import filled
from workbench.errors import StoreError
from workbench.store.reader import Reader
from workbench.store.schema import connect_reader


def test_many_threads_may_read_at_once(tmp_path: Path) -> None:
    filled(tmp_path / "s", 200)
    reader = Reader(connect_reader(tmp_path / "s" / "journal.sqlite"), name="s")
    counts: list[int] = []

    def read() -> None:
        counts.extend(len(reader.rows("SELECT * FROM event WHERE seq > ?", (50,))) for _ in range(30))

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reader.close()
    reader.close()
    assert counts == [150] * 120


def test_a_copy_is_complete_in_one_file_while_somebody_writes(tmp_path: Path) -> None:
    filled(tmp_path / "s", 20)
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM event WHERE seq > 5")
        reader = Reader(connect_reader(tmp_path / "s" / "journal.sqlite"), name="s")
        reader.copy_to(tmp_path / "copy.sqlite")
        reader.close()
        writer.execute("ROLLBACK")
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as copy:
        assert copy.execute("SELECT count(*) FROM event").fetchone() == (20,)


def test_what_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    filled(tmp_path / "s", 3)
    reader = Reader(connect_reader(tmp_path / "s" / "journal.sqlite"), name="s")
    with pytest.raises(StoreError, match=r"A part of session s cannot be read: no such table: missing\. The rest can"):
        reader.rows("SELECT * FROM missing")
    with pytest.raises(StoreError, match="A part of session s cannot be read"):
        reader.copy_to(tmp_path / "none" / "copy.sqlite")
    reader.close()
    with pytest.raises(StoreError, match="closed database"):
        reader.rows("SELECT 1")
