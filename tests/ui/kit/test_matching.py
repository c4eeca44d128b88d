"""A few letters find a name; the better fit comes first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.kit.matching import INSIDE, SCATTERED, START, WHOLE, WORD, fit


@pytest.mark.parametrize(
    ("query", "name", "rank", "offsets"),
    [
        ("send", "Send", WHOLE, (0, 1, 2, 3)),
        ("rev", "Review waiting calls", START, (0, 1, 2)),
        ("wait", "Review waiting calls", WORD, (7, 8, 9, 10)),
        ("view", "Review waiting calls", INSIDE, (2, 3, 4, 5)),
        ("rwc", "Review waiting calls", SCATTERED, (0, 5, 15)),
        ("calls rev", "Review waiting calls", WORD, (0, 1, 2, 15, 16, 17, 18, 19)),
        ("", "anything", WHOLE, ()),
        ("ap", "a map of apples", WORD, (9, 10)),
        ("模型", "选择模型", INSIDE, (2, 3)),
        ("straße", "Hauptstraße", INSIDE, (5, 6, 7, 8, 9, 10)),
    ],
)
def test_a_name_that_fits(query: str, name: str, rank: int, offsets: tuple[int, ...]) -> None:
    assert fit(query, name) == (rank, offsets)


@pytest.mark.parametrize(("query", "name"), [("rx", "Review"), ("wiever", "Review"), ("rev nothing", "Review"), ("ri", "Review")])
def test_a_name_that_does_not(query: str, name: str) -> None:
    assert fit(query, name) is None


@given(st.text(max_size=12), st.text(max_size=40))
def test_offsets_are_places_of_the_name_in_order(query: str, name: str) -> None:
    found = fit(query, name)
    if found is not None:
        assert list(found.offsets) == sorted(set(found.offsets))
        assert all(0 <= offset < len(name) for offset in found.offsets)
