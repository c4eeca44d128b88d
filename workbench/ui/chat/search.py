"""Finding words in the chat: in the text of all items, without laying anything out, a few milliseconds at a time. Without Qt."""

from __future__ import annotations

import re
import time
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeAlias

MOST_HITS = 10_000
"""More are not counted: the last is shown with a plus."""

Spans: TypeAlias = tuple[tuple[int, int], ...]


class Hit(NamedTuple):
    """A place where the words stand: the item, by its index, and the offsets in its plain text."""

    item: int
    start: int
    end: int


class Searched(Protocol):
    """What has text."""

    def plain_text(self) -> str:
        """Return all of it."""
        ...


class Search:
    """Where words stand. Upper and lower case are the same.

    Attributes:
        words: what is looked for.
        count: how many hits are known.
        looked_through: how many items, from the first, were looked through.
    """

    def __init__(self, words: str) -> None:
        self.words = words
        self.count = 0
        self._low = words.lower()
        self.looked_through = 0
        self._spans: dict[int, Spans] = {}
        self._items: list[int] = []

    def run(self, items: Sequence[Searched], seconds: float) -> bool:
        """Look through items for about so long; True when all were looked through."""
        until = time.perf_counter() + seconds
        while self.looked_through < len(items) and self.words and self.count < MOST_HITS:
            self._put(self.looked_through, self._find(items[self.looked_through].plain_text()))
            self.looked_through += 1
            if time.perf_counter() > until:
                return self.looked_through >= len(items)
        return True

    def renew(self, items: Sequence[Searched], item: int) -> None:
        """Look through an item that changed."""
        if item < self.looked_through:
            self._put(item, self._find(items[item].plain_text()))

    def cut(self, count: int) -> None:
        """Only the first `count` items are left."""
        for item in [item for item in self._items if item >= count]:
            self._put(item, ())
        self.looked_through = min(self.looked_through, count)

    @property
    def more(self) -> bool:
        """Whether there are more hits than were counted."""
        return self.count >= MOST_HITS

    def of(self, item: int) -> Spans:
        """Return the hits in an item, ascending."""
        return self._spans.get(item, ())

    def number_of(self, hit: Hit) -> int:
        """Return which hit it is, counted from 1; 0 if it is none."""
        if (hit.start, hit.end) not in self.of(hit.item):
            return 0
        before = sum(len(self._spans[item]) for item in self._items[: bisect_left(self._items, hit.item)])
        return before + self.of(hit.item).index((hit.start, hit.end)) + 1

    def after(self, item: int, offset: int) -> Hit | None:
        """Return the first hit at a place or behind it, going on at the beginning; None if there is none."""
        for start, end in self.of(item):
            if start >= offset:
                return Hit(item, start, end)
        if not self._items:
            return None
        place = bisect_left(self._items, item + 1)
        found = self._items[place % len(self._items)]
        return Hit(found, *self._spans[found][0])

    def before(self, item: int, offset: int) -> Hit | None:
        """Return the last hit before a place, going on at the end; None if there is none."""
        for start, end in reversed(self.of(item)):
            if start < offset:
                return Hit(item, start, end)
        if not self._items:
            return None
        found = self._items[bisect_left(self._items, item) - 1]
        return Hit(found, *self._spans[found][-1])

    def _put(self, item: int, spans: Spans) -> None:
        known = self._spans.pop(item, ())
        if known and not spans:
            self._items.remove(item)
        elif spans and not known:
            insort(self._items, item)
        if spans:
            self._spans[item] = spans
        self.count += len(spans) - len(known)

    def _find(self, text: str) -> Spans:
        low = text.lower()
        if len(low) != len(text):  # İ becomes two characters: offsets would not be the text's
            return tuple(hit.span() for hit in re.finditer(re.escape(self.words), text, re.IGNORECASE))
        spans: list[tuple[int, int]] = []
        at = low.find(self._low)
        while at >= 0 and len(spans) < MOST_HITS:
            spans.append((at, at + len(self._low)))
            at = low.find(self._low, at + len(self._low))
        return tuple(spans)
