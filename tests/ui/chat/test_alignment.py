"""Every character that is seen knows where in the Markdown it comes from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.chat.alignment import Alignment

CASES = [
    ("The **pattern** takes `two`.", "The pattern takes two."),
    ("See [the docs](http://x.y/docs/more \"more\") for more", "See the docs for more"),
    ("## A heading", "A heading"),
    ("- one\n- two `x`", "one\ntwo x"),
    ("a &lt; b & c", "a < b & c"),
    ("smile \U0001f600 **after**", "smile \U0001f600 after"),
    ("中文 **粗体** 结束", "中文 粗体 结束"),
]


@pytest.mark.parametrize(("source", "rendered"), CASES)
def test_words_are_found_where_they_stand(source: str, rendered: str) -> None:
    alignment = Alignment(rendered, source)
    for word in rendered.replace("\n", " ").split():
        if word.isalpha():
            position = len(rendered[: rendered.index(word)].encode("utf-16-le")) // 2
            offset = alignment.source_of(position)
            assert source[offset : offset + len(word)] == word
            assert alignment.seen(offset, offset + len(word)) == word


def test_marks_inside_a_word_are_stepped_over() -> None:
    alignment = Alignment("abc *d*", "a**b**c \\*d\\*")
    assert [alignment.source_of(position) for position in range(3)] == [0, 3, 6]
    assert alignment.seen(0, 7) == "abc"
    assert alignment.source_of(5) == 10


def test_a_word_after_a_link_is_not_looked_for_in_its_address() -> None:
    source = "[a](http://more.example/end) more end"
    alignment = Alignment("a more end", source)
    assert alignment.source_of(2) == source.index(" more end") + 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_places_never_go_back_whatever_the_texts(rendered: str, source: str) -> None:
    alignment = Alignment(rendered, source)
    units = len(rendered.encode("utf-16-le", "surrogatepass")) // 2
    places = [alignment.source_of(position) for position in range(units + 1)]
    assert places == sorted(places)
    assert places[-1] == len(source)
    assert 0 <= places[0] <= len(source)


@given(st.text(alphabet="ab \n`*", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_what_is_seen_of_a_range_is_what_is_highlighted(source: str, one: int, other: int) -> None:
    start, end = sorted((min(one, len(source)), min(other, len(source))))
    rendered = source.replace("*", "").replace("`", "")
    alignment = Alignment(rendered, source)
    assert alignment.seen(start, end) == rendered[alignment.position_of(start) : alignment.position_of(end)]
