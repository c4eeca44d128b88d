"""The newest facts of other sessions are read without touching them; what cannot be read is left out."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.store.folders import entries, facts, filled
from workbench.store.last_facts import last_facts, sessions_of
from workbench.store.session_store import SessionStore
from workbench.store.sessions import sessions_folder


def test_the_last_facts_come_in_order(tmp_path: Path) -> None:
    written = filled(tmp_path / "s", 30)
    assert list(last_facts(tmp_path / "s", 7)) == written[-7:]
    assert list(last_facts(tmp_path / "s", 100)) == written


def test_a_session_that_is_written_now_can_be_read_and_is_left_alone(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    for entry in entries(facts(5)):
        store.write(entry)
    store.close()
    before = sorted(path.name for path in (tmp_path / "s").iterdir())
    assert len(last_facts(tmp_path / "s", 10)) == 5
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == before


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    assert last_facts(tmp_path / "none", 5) == ()
    filled(tmp_path / "s", 6)
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite")) as connection, connection:
        connection.execute("UPDATE event SET crc = crc + 1 WHERE seq = 6")
    assert [entry.seq for entry in last_facts(tmp_path / "s", 3)] == [4, 5]
    (tmp_path / "s" / "journal.sqlite").write_bytes(b"no database")
    assert last_facts(tmp_path / "s", 3) == ()


def test_other_sessions_of_a_workspace_are_found_the_newest_first(tmp_path: Path) -> None:
    folder = sessions_folder(tmp_path)
    for name in ("a", "b", "c"):
        filled(folder / name, 5)
    found = sessions_of(tmp_path, "/work", except_session="b", at_most=5)
    assert {path.name for path in found} == {"a", "c"}
    assert sessions_of(tmp_path, "/elsewhere", except_session="", at_most=5) == ()
    assert len(sessions_of(tmp_path, "/work", except_session="", at_most=1)) == 1
    assert sessions_of(tmp_path / "nothing", "/work", except_session="", at_most=5) == ()
