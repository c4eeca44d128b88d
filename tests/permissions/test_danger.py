"""Levels are ordered, marks have a fixed order, and a claim can only raise."""

from __future__ import annotations

import pytest

from workbench.permissions.danger import Badge, Danger, in_order, raised


def test_levels_are_those_people_see() -> None:
    assert [level.value for level in Danger] == [0, 1, 2, 3, 4]
    assert Danger.LOOK < Danger.EDIT < Danger.RUN < Danger.REACH < Danger.DESTROY


def test_marks_are_shown_once_in_a_fixed_order() -> None:
    assert in_order([Badge.SECRET, Badge.OUTSIDE, Badge.SECRET, Badge.DESTROYS]) == (Badge.DESTROYS, Badge.OUTSIDE, Badge.SECRET)


@pytest.mark.parametrize(
    ("computed", "claimed", "expected"),
    [
        (Danger.RUN, None, Danger.RUN),
        (Danger.RUN, 0, Danger.RUN),
        (Danger.RUN, 3, Danger.REACH),
        (Danger.RUN, 99, Danger.DESTROY),
        (Danger.DESTROY, -5, Danger.DESTROY),
    ],
)
def test_claim_raises_and_never_lowers(computed: Danger, claimed: int | None, expected: Danger) -> None:
    assert raised(computed, claimed) is expected
