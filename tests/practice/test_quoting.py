"""Quoted pieces leave a sentence and come back as they were."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.practice.quoting import Quoted


@pytest.mark.parametrize(
    ("sentence", "inside"),
    [
        ('say "a b" now', "a b"),
        ("say 'a b' now", "a b"),
        ("say `a b` now", "a b"),
        ("说“两位”吧", "两位"),
        ("说「两位」吧", "两位"),
        ("write:\n```python\na = 1\nb = '2'\n```", "a = 1\nb = '2'"),
        ('say "" now', ""),
    ],
)
def test_inside_of_a_quoted_piece_is_its_value(sentence: str, inside: str) -> None:
    quoted = Quoted(sentence)
    mark = next(word for word in quoted.text.replace("说", " ").replace("吧", " ").split() if "\ue000" in word)
    assert quoted.is_quoted(mark)
    assert quoted.value(mark) == inside


@pytest.mark.parametrize("sentence", ["don't read it", "it is the dogs' house", 'say "open', "5 o'clock and the cat's"])
def test_apostrophes_and_open_quotes_stay(sentence: str) -> None:
    assert Quoted(sentence).text == sentence


@given(st.text(alphabet=st.sampled_from("ab \n\"'`“”‘’「」 \\"), max_size=40))
def test_putting_back_gives_the_sentence(sentence: str) -> None:
    quoted = Quoted(sentence)
    assert quoted.back(quoted.text) == sentence


def test_private_characters_of_a_sentence_cannot_be_taken_for_marks() -> None:
    quoted = Quoted("read \ue0000\ue001 \ue0009\ue001")
    assert quoted.text == "read 0 9"


def test_content_keeps_its_indentation() -> None:
    assert Quoted("x").content("\n    a\n  b\n") == "    a\n  b"
