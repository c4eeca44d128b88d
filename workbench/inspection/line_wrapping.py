"""Wraps lines of laid-out JSON at a number of cells, and knows which rows begin inside a string."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

FEWEST_COLUMNS = 16
"""Lines are never wrapped narrower than this."""

HANGING = 2
"""Rows of a line behind the first stand in so much further, as far as there is room."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?')


def wrapped(text: str, columns: int) -> list[tuple[str, bool]]:
    """Return the rows of a line: the text of each, and whether it begins inside a JSON string."""
    columns = max(FEWEST_COLUMNS, columns)
    if (len(text) if text.isascii() else cells(text)) <= columns:
        return [(text, False)]
    indent = min(len(text) - len(text.lstrip(" ")) + HANGING, columns // 2)
    inside = [(hit.start(), hit.end()) for hit in _STRING.finditer(text)]
    rows: list[tuple[str, bool]] = []
    at, room = 0, columns
    while at < len(text):
        end = _end_of_row(text, at, room)
        starts_inside = any(start < at < stop for start, stop in inside)
        rows.append(((" " * indent if rows else "") + text[at:end], starts_inside))
        at, room = end, columns - indent
    return rows


def _end_of_row(text: str, at: int, room: int) -> int:
    """Return where a row ends that begins at a character: behind a blank if there is one in its second half, never inside an escape."""
    end = min(len(text), at + room)
    if not text[at:end].isascii():
        used, end = 0, at
        while end < len(text) and used + width(text[end]) <= room:
            used += width(text[end])
            end += 1
    if end >= len(text):
        return len(text)
    blank = text.rfind(" ", at + room // 2, end)
    end = blank + 1 if blank > at else end
    slashes = len(text[at:end]) - len(text[at:end].rstrip("\\"))
    return max(at + 1, end - slashes % 2)


def cells(text: str) -> int:
    """Return how many cells a text takes."""
    return sum(map(width, text))


@lru_cache(maxsize=1 << 14)
def width(character: str) -> int:
    """Return how many cells a character takes: two if it is a wide one, none if it is put on the one before."""
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
