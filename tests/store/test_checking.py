"""Tests of the look at a session's facts: gaps, and the sentences that say what is lost."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store.folders import entries, facts
from workbench.store.checking import Found, Gap, is_damage

FACTS = entries(facts(12))


@settings(deadline=None, database=None)
@given(st.sets(st.integers(1, 12)), st.integers(0, 15))
def test_facts_gaps_and_what_is_behind_them_make_up_the_whole(missing: set[int], settled: int) -> None:
    found = Found({entry.seq: entry for entry in FACTS if entry.seq not in missing}, "")
    damage = found.damage("s", settled)
    newest = max([settled, *found.entries])
    if damage is None:
        assert sorted(found.entries) == list(range(1, newest + 1))
        return
    lost = [number for first, last in damage.lost for number in range(first, last + 1)]
    before, after = found.in_order(), damage.after
    assert sorted([*lost, *(entry.seq for entry in (*before, *after))]) == list(range(1, newest + 1))
    assert len(before) == damage.sound_until == damage.error().seq
    assert damage.lost[0].first == damage.sound_until + 1
    assert damage.text.startswith("Session s is damaged: event")


@pytest.mark.parametrize(
    ("missing", "settled", "sentence"),
    [
        ([5], 0, "Session s is damaged: event 5 cannot be read; the other events can be read and exported, but it cannot be continued."),
        ([3, 4, 8], 0, "Session s is damaged: events 3–4, 8 cannot be read; the other events can be read and exported, but it cannot be continued."),
        ([], 14, "Session s is damaged: events 13–14 cannot be read; the other events can be read and exported, but it cannot be continued."),
        (
            [1, 3, 5, 7, 9, 11],
            0,
            "Session s is damaged: events 1, 3, 5, 7, 9 and more cannot be read; the other events can be read and exported, but it cannot be continued.",
        ),
        (
            range(1, 13),
            12,
            "Session s is damaged: events 1–12 cannot be read; what is left of it can be exported, but it cannot be continued.",
        ),
    ],
)
def test_the_sentence_says_what_is_lost(missing: list[int], settled: int, sentence: str) -> None:
    damage = Found({entry.seq: entry for entry in FACTS if entry.seq not in missing}, "").damage("s", settled)
    assert damage is not None
    assert damage.text == str(damage.error()) == sentence


def test_a_broken_structure_is_damage_even_if_all_facts_are_there() -> None:
    damage = Found({entry.seq: entry for entry in FACTS}, "row 3 missing from index").damage("s", 0)
    assert damage is not None
    assert (damage.lost, damage.after, damage.sound_until) == ((), (), 12)
    assert "its file is not whole (row 3 missing from index)" in damage.text


def test_a_sound_session_has_no_damage() -> None:
    assert Found({entry.seq: entry for entry in FACTS}, "").damage("s", 12) is None
    assert Found({}, "").damage("s", 0) is None
    assert Found({}, "").damage("s", 2) is not None


def test_a_lock_or_a_missing_right_is_no_damage() -> None:
    for code, expected in (
        (sqlite3.SQLITE_CORRUPT, True),
        (sqlite3.SQLITE_NOTADB, True),
        (sqlite3.SQLITE_IOERR | 2 << 8, True),
        (sqlite3.SQLITE_BUSY, False),
        (sqlite3.SQLITE_CANTOPEN, False),
        (sqlite3.SQLITE_IOERR, False),
    ):
        error = sqlite3.OperationalError("x")
        error.sqlite_errorcode = code
        assert is_damage(error) is expected


def test_gaps_count_both_ends() -> None:
    assert Gap(3, 3) == (3, 3)
