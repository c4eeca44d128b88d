"""Searching agrees with looking through the texts one by one, in slices and after changes."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.chat.search import MOST_HITS, Hit, Search

ALPHABET = "aAbBİß \n"
TEXTS = st.lists(st.text(alphabet=ALPHABET, max_size=12), max_size=8)
WORDS = st.text(alphabet="aAbB", min_size=1, max_size=2)


class Text:
    def __init__(self, text: str) -> None:
        self.text = text

    def plain_text(self) -> str:
        return self.text


def expected(texts: list[str], words: str) -> list[Hit]:
    return [Hit(item, *hit.span()) for item, text in enumerate(texts) for hit in re.finditer(re.escape(words), text, re.IGNORECASE)]


def hits(search: Search, count: int) -> list[Hit]:
    return [Hit(item, start, end) for item in range(count) for start, end in search.of(item)]


@given(TEXTS, WORDS)
def test_it_finds_what_is_there(texts: list[str], words: str) -> None:
    search, items = Search(words), [Text(text) for text in texts]
    while not search.run(items, 0):
        pass
    assert hits(search, len(texts)) == expected(texts, words)
    assert search.count == len(expected(texts, words))
    assert [search.number_of(hit) for hit in expected(texts, words)] == list(range(1, search.count + 1))


@given(TEXTS, WORDS, st.integers(0, 8), st.integers(0, 12))
def test_after_and_before_go_round(texts: list[str], words: str, item: int, offset: int) -> None:
    search, items = Search(words), [Text(text) for text in texts]
    search.run(items, 1)
    known = expected(texts, words)
    later = [hit for hit in known if (hit.item, hit.start) >= (item, offset)]
    earlier = [hit for hit in known if (hit.item, hit.start) < (item, offset)]
    assert search.after(item, offset) == next(iter(later or known), None)
    assert search.before(item, offset) == next(reversed(earlier or known), None)


@given(TEXTS, TEXTS, WORDS, st.integers(0, 8))
def test_changes_and_cuts_are_followed(texts: list[str], others: list[str], words: str, count: int) -> None:
    search, items = Search(words), [Text(text) for text in texts]
    search.run(items, 1)
    for item, text in enumerate(others[: len(items)]):
        items[item].text = text
        search.renew(items, item)
    del items[count:]
    search.cut(len(items))
    items += [Text(text) for text in others]
    search.run(items, 1)
    assert hits(search, len(items)) == expected([item.text for item in items], words)


def test_more_hits_than_anyone_counts_are_not_counted() -> None:
    search = Search("a")
    search.run([Text("a" * MOST_HITS * 2), Text("a")], 1)
    assert search.more
    assert search.count == MOST_HITS
