"""Tests of the list of sessions: cheap, complete with damaged ones, and finding by the beginning of an id."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.folders import entries, facts, filled, settle
from tests.store.processes import child, line
from workbench.conversation.events import Entry, ModelChosen, TitleSet, TurnStarted, UserMessageAdded
from workbench.conversation.messages import text_message
from workbench.errors import StoreError, UsageError
from workbench.store.session_store import SessionStore
from workbench.store.sessions import SessionSummary, find_session, last_model, list_sessions, new_session_id, sessions_folder


def test_a_session_is_listed_as_it_is_now(tmp_path: Path) -> None:
    folder = sessions_folder(tmp_path) / "s1"
    store = SessionStore.create(folder, "s1")
    created_at = list_sessions(tmp_path)[0].created_at
    for entry in entries([*facts(5), ModelChosen(profile="practice", model="practice-1", dialect="anthropic")]):
        store.write(entry)
    settle(store)
    expected = SessionSummary(
        session_id="s1",
        folder=folder,
        title="question 1 question 1 question 1 question 1 question 1 question 1 question 1 qu…",
        workspace="/work",
        created_at=created_at,
        updated_at=1_700_000_006.0,
        events=6,
        turns=1,
        model="practice-1",
        state="in_use",
    )
    assert list_sessions(tmp_path) == [expected]
    store.write(Entry(7, 1_800_000_000.0, TitleSet(title="A title")))
    store.write(Entry(8, 1_800_000_001.0, UserMessageAdded(turn_id="t", message=text_message("user", "not the title"))))
    store.close()
    (after,) = list_sessions(tmp_path)
    assert (after.title, after.events, after.updated_at, after.state) == ("A title", 8, 1_800_000_001.0, "idle")


def test_the_last_model_is_the_one_chosen_last(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    assert last_model(tmp_path / "s") is None
    chosen = [ModelChosen(profile="practice", model=f"practice-{number}", dialect="chat_completions") for number in (1, 2)]
    for entry in entries([*chosen, *facts(3)]):
        store.write(entry)
    store.close()
    assert last_model(tmp_path / "s") == chosen[1]
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite")) as connection, connection:
        connection.execute("DELETE FROM summary")
    assert last_model(tmp_path / "s") == chosen[1]


def test_the_last_model_of_a_session_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="session"):
        last_model(tmp_path / "s")


def test_the_summary_is_the_same_whether_kept_or_folded_anew(tmp_path: Path) -> None:
    filled(sessions_folder(tmp_path) / "s", 11)
    before = list_sessions(tmp_path)
    store = SessionStore.open(sessions_folder(tmp_path) / "s")
    store.write(Entry(12, 1_700_000_012.0, TurnStarted(turn_id="x")))
    store.close()
    (after,) = list_sessions(tmp_path)
    assert (after.title, after.created_at, after.turns) == (before[0].title, before[0].created_at, before[0].turns + 1)


def test_a_new_session_without_facts_is_listed(tmp_path: Path) -> None:
    SessionStore.create(sessions_folder(tmp_path) / "s", "s").close()
    (summary,) = list_sessions(tmp_path)
    assert (summary.session_id, summary.events, summary.state, summary.title) == ("s", 0, "idle", "")
    assert abs(summary.created_at - time.time()) < 600


def test_a_session_whose_turn_was_cut_off_is_interrupted(tmp_path: Path) -> None:
    folder = sessions_folder(tmp_path) / "s"
    store = SessionStore.create(folder, "s")
    store.write(Entry(1, 0.0, TurnStarted(turn_id="t")))
    settle(store)
    assert _states(tmp_path) == {"s": "in_use"}
    store.close()
    assert _states(tmp_path) == {"s": "interrupted"}


def test_the_one_used_last_comes_first(tmp_path: Path) -> None:
    for number, name in enumerate(("b", "c", "a")):
        store = SessionStore.create(sessions_folder(tmp_path) / name, name)
        store.write(Entry(1, 100.0 - number, TurnStarted(turn_id="t")))
        store.close()
    assert [summary.session_id for summary in list_sessions(tmp_path)] == ["b", "c", "a"]


def test_no_data_folder_is_an_empty_list(tmp_path: Path) -> None:
    assert list_sessions(tmp_path / "none") == []


def test_damaged_sessions_are_listed_and_never_stop_the_list(tmp_path: Path) -> None:
    sessions = sessions_folder(tmp_path)
    for name in ("sound", "empty", "noise", "cut", "zero", "old"):
        filled(sessions / name, 30)
    (sessions / "empty" / "journal.sqlite").write_bytes(b"")
    (sessions / "noise" / "journal.sqlite").write_bytes(os.urandom(9000))
    _cut(sessions / "cut" / "journal.sqlite", 3000)
    (sessions / "zero" / "journal.sqlite").write_bytes(bytes(40_000))
    shutil.copy(filled_elsewhere(tmp_path), sessions / "old" / "journal.sqlite")  # an older copy was put back
    (sessions / "nothing").mkdir()
    (sessions / "folder" / "journal.sqlite").mkdir(parents=True)
    (sessions / "stray file").write_text("x")
    (sessions / ".hidden").mkdir()
    damaged = {"empty", "noise", "cut", "zero", "old", "nothing", "folder"}
    assert _states(tmp_path) == {"sound": "interrupted", **dict.fromkeys(damaged, "damaged")}


def test_a_session_killed_with_facts_in_the_log_is_listed_right(tmp_path: Path) -> None:
    folder = sessions_folder(tmp_path) / "s"
    with child("append", folder) as process:
        assert line(process) == "ready"
        settled = int(line(process))
    (summary,) = list_sessions(tmp_path)
    assert summary.state == "idle"
    assert summary.events >= settled


def test_listing_leaves_no_files_behind(tmp_path: Path) -> None:
    filled(sessions_folder(tmp_path) / "s", 3)
    before = sorted(tmp_path.rglob("*"))
    list_sessions(tmp_path)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_thousand_sessions_are_listed_without_reading_journals(tmp_path: Path) -> None:
    first = sessions_folder(tmp_path) / "s0"
    filled(first, 400)
    for number in range(1, 1000):
        (sessions_folder(tmp_path) / f"s{number}").mkdir()
        for name in ("journal.sqlite", "journal.lock"):
            os.link(first / name, sessions_folder(tmp_path) / f"s{number}" / name)
    started = time.monotonic()
    summaries = list_sessions(tmp_path)
    assert {summary.events for summary in summaries} == {400}
    assert len(summaries) == 1000
    assert time.monotonic() - started < 10, "about 0.2 s where nothing else runs"


def test_a_session_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    for name in ("20260101-a", "20260101-ab", "20260102-c"):
        filled(sessions_folder(tmp_path) / name, 2)
    assert find_session(tmp_path, "20260102").session_id == "20260102-c"
    assert find_session(tmp_path, "20260101-a").session_id == "20260101-a", "a whole id wins over longer ones"
    with pytest.raises(UsageError, match="2 sessions begin with '20260101' \\(such as 20260101-a, 20260101-ab\\); give more of the id"):
        find_session(tmp_path, "20260101")
    for wrong in ("", "x", "../sessions", "20260102-cc"):
        with pytest.raises(UsageError, match="There is no session whose id begins with"):
            find_session(tmp_path, wrong)


def test_ids_sort_by_time_and_never_repeat() -> None:
    ids = [new_session_id() for _ in range(3000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 3000
    assert all(re.fullmatch(r"\d{8}-\d{6}-\d{3}-[0-9a-f]{6}", session_id) for session_id in ids)


def filled_elsewhere(tmp_path: Path) -> Path:
    """Return the database of a session with fewer facts."""
    filled(tmp_path / "elsewhere", 5)
    return tmp_path / "elsewhere" / "journal.sqlite"


def _states(data_folder: Path) -> dict[str, str]:
    return {summary.folder.name: summary.state for summary in list_sessions(data_folder)}


def _cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])
