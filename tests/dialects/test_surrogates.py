"""Characters that were cut in half."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.conversation.values import clean_text
from workbench.dialects.surrogates import HalfJoiner


def joined(pieces: list[str]) -> str:
    joiner = HalfJoiner()
    return "".join([*map(joiner.feed, pieces), joiner.finish()])


def test_two_halves_in_two_pieces_are_one_character() -> None:
    assert joined(["a\ud83d", "\ude00b"]) == "a\U0001f600b"


@pytest.mark.parametrize("pieces", [["\ud83d"], ["\ud83d", "x"], ["b\ude00"], ["\ud83d", "\ud83d", "\ude00"]])
def test_a_half_alone_becomes_a_mark(pieces: list[str]) -> None:
    assert "\ufffd" in joined(pieces)
    joined(pieces).encode()


@given(st.lists(st.text(st.sampled_from("a\ud83d\ude00\u4e0a"), max_size=3), max_size=6))
def test_cuts_do_not_matter(pieces: list[str]) -> None:
    assert joined(pieces) == clean_text("".join(pieces))


def test_waiting_says_whether_a_half_is_held() -> None:
    states = []
    joiner = HalfJoiner()
    for text in ("a", "\ud83d", "b"):
        joiner.feed(text)
        states.append(joiner.waiting)
    assert states == [False, True, False]
