"""Heights as prefix sums agree with adding them up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.chat.heights import Heights

SOME = st.lists(st.integers(0, 500), max_size=40)
CHANGES = st.lists(st.tuples(st.sampled_from(["set", "append", "truncate"]), st.integers(0, 60), st.integers(0, 500)), max_size=40)


def check(heights: Heights, expected: list[int]) -> None:
    assert [heights[place] for place in range(len(heights))] == expected
    assert heights.total == sum(expected)
    assert [heights.top(place) for place in range(len(expected) + 1)] == [sum(expected[:place]) for place in range(len(expected) + 1)]


@given(SOME, CHANGES)
def test_every_change_leaves_the_sums_true(first: list[int], changes: list[tuple[str, int, int]]) -> None:
    heights, expected = Heights(first), list(first)
    for what, place, height in changes:
        if what == "append":
            heights.append(height)
            expected.append(height)
        elif what == "truncate":
            heights.truncate(min(place, len(expected)))
            del expected[place:]
        elif place < len(expected):
            heights[place] = height
            expected[place] = height
        check(heights, expected)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30))
def test_what_is_at_a_place_contains_it(each: list[int]) -> None:
    heights = Heights(each)
    for y in range(heights.total):
        found = heights.at(y)
        assert heights.top(found) <= y < heights.top(found) + each[found]
    assert heights.at(-5) in (0, next((place for place, height in enumerate(each) if height), len(each) - 1))
    assert heights.at(heights.total + 100) == len(each) - 1


def test_nothing_has_no_place() -> None:
    with pytest.raises(IndexError):
        Heights().at(0)
