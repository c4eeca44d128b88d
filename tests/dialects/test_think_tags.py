"""Reasoning between tags, cut anywhere, and text that only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.dialects.think_tags import ThinkTags


def split(pieces: list[str]) -> tuple[str, str]:
    """Return text and reasoning."""
    tags = ThinkTags()
    found = [piece for text in pieces for piece in tags.feed(text)] + tags.finish()
    assert all(piece.text for piece in found)
    return "".join(piece.text for piece in found if not piece.reasoning), "".join(piece.text for piece in found if piece.reasoning)


@pytest.mark.parametrize(
    ("whole", "text", "reasoning"),
    [
        ("<think>secret plan</think>Is a < b and c <d? yes", "Is a < b and c <d? yes", "secret plan"),
        ("\n\n<think>\nplan\n</think>\n\nanswer", "\n\n\n\nanswer", "\nplan\n"),
        ("<think>a</think> <think>b</think>c", " c", "ab"),
        ("<think></think>answer", "answer", ""),
        ("<think>never closed </thin", "", "never closed </thin"),
        ("answer <think>no</think>", "answer <think>no</think>", ""),
        ("<thi", "<thi", ""),
        ("<thinking hard", "<thinking hard", ""),
        ("<b>bold</b>", "<b>bold</b>", ""),
        ("", "", ""),
    ],
)
def test_tags_are_told_apart_wherever_they_are_cut(whole: str, text: str, reasoning: str) -> None:
    assert split([whole]) == (text, reasoning)
    assert split(list(whole)) == (text, reasoning)
    for place in range(len(whole)):
        assert split([whole[:place], whole[place:]]) == (text, reasoning)


@given(st.lists(st.sampled_from(["<", "<think>", "</think>", "</th", "ink>", "\n", "a", "<a"]), max_size=8).map("".join), st.integers(0, 40))
def test_no_letter_is_lost_or_moved(whole: str, place: int) -> None:
    text, reasoning = split([whole])
    assert split([whole[:place], whole[place:]]) == (text, reasoning)
    tagless = whole.replace("<think>", "").replace("</think>", "")
    assert len(text + reasoning) >= len(tagless)


def test_ordinary_text_is_given_out_at_once() -> None:
    tags = ThinkTags()
    assert [piece.text for piece in tags.feed("a <")] == ["a <"]
    assert tags.done
    assert [piece.text for piece in tags.feed("think>")] == ["think>"]


def test_only_the_beginning_of_a_tag_is_held_back() -> None:
    tags = ThinkTags()
    assert tags.feed("<think>") == []
    assert [piece.text for piece in tags.feed("if a < b")] == ["if a < b"]
    assert [piece.text for piece in tags.feed(" then </")] == [" then "]
    assert [piece.text for piece in tags.feed("b>")] == ["</b>"]


def test_endless_blanks_are_not_held_back_for_ever() -> None:
    tags = ThinkTags()
    assert "".join(piece.text for piece in tags.feed(" " * 100)) == " " * 100
    assert [piece.reasoning for piece in tags.feed("<think>a")] == [True]
