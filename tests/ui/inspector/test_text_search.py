"""Words are found in any text, forwards, backwards and counted, whatever stands at the borders of blocks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.inspector import text_search
from workbench.ui.inspector.text_search import Matches

DATA = st.binary(max_size=60).map(lambda data: bytes(b"abAB "[byte % 5] for byte in data))


def all_matches(data: bytes, words: str) -> list[int]:
    flags = re.IGNORECASE if words == words.lower() else 0
    return [found.start() for found in re.finditer(re.escape(words.encode()), data, flags)]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every text have many borders of blocks."""
    monkeypatch.setattr(text_search, "_BLOCK_BYTES", 7)


@given(DATA, st.sampled_from(["a", "ab", "Ab", "b a", "aba"]))
def test_single_matches_are_found_and_counted(data: bytes, words: str) -> None:
    matches = Matches(data, words)
    while matches.work():
        pass
    expected = all_matches(data, words)
    if words != "aba":  # matches that overlap may be counted from another one on at the border of a block
        assert list(matches.starts) == expected
        assert [matches.number_of(start) for start in expected] == list(range(1, len(expected) + 1))
    assert matches.number_of(len(data) + 1) == 0


@given(DATA, st.sampled_from(["a", "ab", "Ab"]), st.integers(0, 60), st.booleans())
def test_next_and_previous_go_round(data: bytes, words: str, offset: int, counted: bool) -> None:
    offset = min(offset, len(data))
    matches = Matches(data, words)
    while counted and matches.work():
        pass
    expected = all_matches(data, words)
    behind, before = [n for n in expected if n >= offset], [n for n in expected if n < offset]
    assert matches.after(offset) == next(iter([*behind, *before]), None)
    assert matches.before(offset) == next(iter([*reversed(before), *reversed(behind)]), None)


def test_lower_case_finds_any_case_and_a_capital_is_exact() -> None:
    assert Matches(b"Error error ERROR", "error").after(0) == 0
    assert Matches(b"error Error ERROR", "Error").after(0) == 6


def test_nothing_is_found_where_nothing_is_looked_for() -> None:
    matches = Matches(b"abc", "")
    assert matches.complete
    assert (matches.after(0), matches.before(3), list(matches.inside(0, 3))) == (None, None, [])


@given(DATA, st.integers(0, 60), st.integers(0, 60))
def test_matches_in_sight_are_those_that_touch_it(data: bytes, start: int, end: int) -> None:
    found = set(Matches(data, "ab").inside(start, end))
    assert found == {at for at in all_matches(data, "ab") if at < end and at + 2 > start}


def test_count_stops_at_its_bound_and_the_search_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_search, "MOST_MATCHES", 10)
    data = b"a " * 50
    matches = Matches(data, "a")
    while matches.work():
        pass
    assert 10 <= len(matches.starts) < 20
    assert matches.after(90) == 90
    assert matches.before(90) == 88
