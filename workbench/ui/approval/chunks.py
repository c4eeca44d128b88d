"""A text of any length cut into rows: one a line, and a very long line into several. No Qt."""

from __future__ import annotations

from array import array

CHUNK = 2_000
"""Characters of a line that stand in one row; a longer line goes on in the next."""


class ChunkedText:
    """A text by rows, of which only the offsets are kept.

    Attributes:
        text: the whole.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts, self._goes_on = array("q"), set[int]()
        at = 0
        while at >= 0:
            end = text.find("\n", at)
            self._cut(at, len(text) if end < 0 else end)
            at = end + 1 if end >= 0 else -1

    def _cut(self, start: int, end: int) -> None:
        self._starts.append(start)
        for chunk in range(start + CHUNK, end, CHUNK):
            self._goes_on.add(len(self._starts))
            self._starts.append(chunk)

    def __len__(self) -> int:
        return len(self._starts)

    def start(self, row: int) -> int:
        """Return the offset at which a row begins."""
        return self._starts[row]

    def goes_on(self, row: int) -> bool:
        """Say whether a row continues the line of the row before."""
        return row in self._goes_on

    def row(self, row: int) -> str:
        """Return the text of a row, without a line break."""
        start = self._starts[row]
        if row + 1 == len(self._starts):
            return self.text[start:]
        following = self._starts[row + 1]
        return self.text[start : following if self.goes_on(row + 1) else following - 1]
