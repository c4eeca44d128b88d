"""Tests of opening: what is taken is given back on failure, looks change nothing, and ids come from the best source there is."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.store.folders import entries, facts, filled
from workbench.conversation.events import Entry, TurnStarted
from workbench.errors import StoreError
from workbench.store.opening import connect_for_writing, exact_damage, give_back, look, open_for_reading, take_lock
from workbench.store.schema import connect_writer
from workbench.store.session_files import SessionFiles
from workbench.store.session_lock import is_locked
from workbench.store.session_store import SessionStore


def test_the_lock_is_given_back_when_a_later_step_fails(tmp_path: Path) -> None:
    filled(tmp_path / "s", 2)
    files = SessionFiles(tmp_path / "s")
    with pytest.raises(StoreError, match="Session s cannot be written"), ExitStack() as on_failure:  # noqa: PT012
        take_lock(files, on_failure)
        assert is_locked(files.lock)
        connect_for_writing(files, _refuse, on_failure)
    assert not is_locked(files.lock)


def test_the_lock_is_kept_when_all_went_well(tmp_path: Path) -> None:
    filled(tmp_path / "s", 2)
    files = SessionFiles(tmp_path / "s")
    with ExitStack() as on_failure:
        lock = take_lock(files, on_failure)
        connection = connect_for_writing(files, connect_writer, on_failure)
        on_failure.pop_all()
    assert is_locked(files.lock)
    connection.close()
    give_back(files, lock)
    assert not is_locked(files.lock)


def test_a_look_does_not_change_the_files(tmp_path: Path) -> None:
    written = filled(tmp_path / "s", 30)
    files = SessionFiles(tmp_path / "s")
    before = files.journal.read_bytes()
    seen = look(files, thorough=True)
    assert (seen.found.in_order(), seen.found.cause) == (written, "")
    assert (seen.summary.session_id, seen.summary.events) == ("s", 30)
    assert files.journal.read_bytes() == before


@pytest.mark.parametrize("named", [True, False])
def test_the_id_comes_from_the_first_fact_else_the_summary_else_the_folder(tmp_path: Path, named: bool) -> None:
    store = SessionStore.create(tmp_path / "folder", "kept")
    store.write(entries(facts(1))[0] if named else Entry(1, 0.0, TurnStarted(turn_id="t")))
    store.close()
    files = SessionFiles(tmp_path / "folder")
    assert look(files, thorough=False).summary.session_id == ("s" if named else "kept")
    with closing(sqlite3.connect(files.journal, isolation_level=None)) as connection:
        connection.execute("DELETE FROM summary")
    assert look(files, thorough=False).summary.session_id == ("s" if named else "folder")


def test_a_damaged_summary_is_no_damage_and_is_mended_by_the_next_fact(tmp_path: Path) -> None:
    filled(tmp_path / "s", 3)
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE summary SET data = 'x'")
    store = SessionStore.open(tmp_path / "s")
    store.write(Entry(4, 0.0, TurnStarted(turn_id="t")))
    store.close()
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite")) as connection:
        (data,) = connection.execute("SELECT data FROM summary").fetchone()
    assert b'"events":4' in data


def test_a_sound_session_has_no_damage_to_tell(tmp_path: Path) -> None:
    filled(tmp_path / "s", 3)
    assert exact_damage(SessionFiles(tmp_path / "s")) is None
    readable = open_for_reading(SessionFiles(tmp_path / "s"))
    assert (readable.damage, len(readable.entries)) == (None, 3)
    readable.reader.close()


def _refuse(_path: Path) -> sqlite3.Connection:
    raise sqlite3.OperationalError("unable to open database file")
