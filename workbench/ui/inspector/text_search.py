"""Finding words in a text of any size, block by block. No Qt.

Lower-case words are found in any case, as far as ASCII goes; a capital letter in them makes the search exact.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

MOST_MATCHES = 100_000
"""More are not counted, but still found one after the other."""

_BLOCK_BYTES = 1 << 20


class Matches:
    """Where words stand in a text.

    Attributes:
        size_bytes: length of a match; 0 if nothing is looked for.
        starts: the offsets known so far, ascending.
        complete: all are known (or as many as are counted).
    """

    def __init__(self, data: bytes, words: str) -> None:
        self._data = data
        self._needle = words.encode("utf-8", "surrogateescape")
        self._any_case = words == words.lower()
        self._at = 0
        self.size_bytes = len(self._needle)
        self.starts = array("Q")
        self.complete = not self._needle

    def work(self) -> bool:
        """Look through the next block (about a millisecond); False when all is known."""
        if not self.complete:
            end = min(len(self._data), self._at + _BLOCK_BYTES)
            self.starts.extend(self._within(self._at, end))
            self._at = end
            self.complete = end == len(self._data) or len(self.starts) >= MOST_MATCHES
        return not self.complete

    def inside(self, start: int, end: int) -> Iterator[int]:
        """Yield the matches that touch a stretch of the text."""
        if self.size_bytes:
            yield from self._within(max(0, start - self.size_bytes + 1), end)

    def after(self, offset: int) -> int | None:
        """Return the first match at `offset` or behind it, going on at the beginning; None if there is none at all."""
        place = bisect_left(self.starts, offset)
        if place < len(self.starts):
            return self.starts[place]
        return self._outer(0) if self._all_known() else self._first(max(offset, self._at), len(self._data))

    def before(self, offset: int) -> int | None:
        """Return the last match before `offset`, going on at the end; None if there is none at all."""
        place = bisect_left(self.starts, offset)
        if place and self._at >= offset:
            return self.starts[place - 1]
        if self._all_known():
            return self._outer(-1)
        found = self._last(0, offset)
        return self._last(offset, len(self._data)) if found is None else found

    def number_of(self, offset: int) -> int:
        """Return the place of a match among all, from 1; 0 if it is not known yet."""
        place = bisect_right(self.starts, offset)
        return place if place and self.starts[place - 1] == offset else 0

    def _all_known(self) -> bool:
        return not self.size_bytes or (self.complete and self._at == len(self._data))

    def _outer(self, place: int) -> int | None:
        return self.starts[place] if self.starts else None

    def _first(self, start: int, end: int) -> int | None:
        for at in range(start, end, _BLOCK_BYTES):
            found = next(self._within(at, min(end, at + _BLOCK_BYTES)), None)
            if found is not None:
                return found
        return self._first(0, start) if start else None

    def _last(self, start: int, end: int) -> int | None:
        for at in range(end, start, -_BLOCK_BYTES):
            found = list(self._within(max(start, at - _BLOCK_BYTES), at))
            if found:
                return found[-1]
        return None

    def _within(self, start: int, end: int) -> Iterator[int]:
        """Yield the matches that begin in a stretch; overlapping ones count once."""
        block = self._data[start : end + self.size_bytes - 1]
        if self._any_case:
            block = block.lower()
        at = block.find(self._needle)
        while 0 <= at < end - start:
            yield start + at
            at = block.find(self._needle, at + self.size_bytes)
