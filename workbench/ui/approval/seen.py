"""What of a content was in sight: by id, so that it is still known when the same lines are laid out in another way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

Ids: TypeAlias = tuple[int, ...]
"""Names of what a row shows: a row is seen when all of them are."""


class Seen:
    """Which lines a person has had before their eyes.

    Attributes:
        total: rows that count.
        count: how many of them were seen.
        whole: the last row that matters was seen; stays true while the content is the same.
    """

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self._ids_of: Callable[[int], Ids] = _none
        self._done = bytearray()
        self.total = 0
        self.count = 0
        self.whole = False

    def lay_out(self, rows: int, total: int, ids_of: Callable[[int], Ids]) -> None:
        """Take the rows that are shown now.

        Args:
            rows: how many there are.
            total: how many of them count.
            ids_of: what a row shows; nothing if it does not count.
        """
        self._ids_of, self.total = ids_of, total
        self._done = bytearray(rows)
        if self._ids:
            self._done = bytearray(bool(ids := ids_of(row)) and self._ids.issuperset(ids) for row in range(rows))
        self.count = sum(self._done)

    def mark(self, rows: Iterable[int]) -> bool:
        """Note that rows were in sight; return whether any of them is new."""
        before = self.count
        for row in rows:
            if not self._done[row] and (ids := self._ids_of(row)):
                self._ids.update(ids)
                self._done[row] = 1
                self.count += 1
        return self.count != before

    def reach_end(self) -> bool:
        """Note that the last row that matters was in sight; return whether that is new."""
        new, self.whole = not self.whole, True
        return new


def _none(_row: int) -> Ids:
    return ()
