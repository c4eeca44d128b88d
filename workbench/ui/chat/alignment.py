"""Which character of Markdown each character of its rendering comes from, so that a place in a laid-out paragraph is a place in the text.

What is selected, found and copied is counted in the text that the model sent; what is seen has no `**` and no addresses. Without Qt,
but positions in a rendering are UTF-16 units, as Qt counts them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

_PIECES = re.compile(r"\w+|\s+|.", re.DOTALL)
_UNSEEN = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"\n]*\")?\s*\)|^ {0,3}(?:#{1,6}|>+|[-*+]|\d{1,9}[.)])(?=[ \t])", re.MULTILINE)
"""Addresses of links, and marks at the front of a line: their characters are not seen, and would be mistaken for ones that are."""
_FURTHEST_WORD, _FURTHEST_SIGN = 3_000, 12


class Alignment:
    """Places in a rendering and in its source.

    Attributes:
        rendered: what is seen.
    """

    def __init__(self, rendered: str, source: str) -> None:
        self.rendered = rendered
        self._wide = not rendered.isascii() and max(rendered, default="") > "\uffff"
        self._places = places_of(rendered, source)

    def source_of(self, position: int) -> int:
        """Return the offset in the source for a position (UTF-16) in the rendering."""
        return self._places[min(max(position, 0), len(self._places) - 1)]

    def position_of(self, offset: int) -> int:
        """Return the first position in the rendering that comes from `offset` or later."""
        return min(bisect_left(self._places, offset), len(self._places) - 1)

    def seen(self, start: int, end: int) -> str:
        """Return the rendered characters that come from a range of the source."""
        first, last = self.position_of(start), self.position_of(end)
        if not self._wide:
            return self.rendered[first:last]
        return self.rendered.encode("utf-16-le", "surrogatepass")[2 * first : 2 * last].decode("utf-16-le", "replace")


def places_of(rendered: str, source: str) -> Sequence[int]:
    """Return for each UTF-16 unit of the rendering, and for its end, an offset in the source; they never go back."""
    masked = _UNSEEN.sub(lambda unseen: "\0" * len(unseen[0]), source)
    places: list[int] = []
    at = 0
    for piece in _PIECES.finditer(rendered):
        at = _place(places, piece[0], masked, at)
    places.append(len(source))
    return places


def _place(places: list[int], piece: str, masked: str, at: int) -> int:
    """Place one piece at `at` or soon after; return where the next may begin."""
    if piece.isspace():
        for character in piece:
            places += [at] * _units(character)
        return at
    word = piece[0].isalnum() or piece[0] == "_"
    found = masked.find(piece, at, at + len(piece) + (_FURTHEST_WORD if word else _FURTHEST_SIGN))
    if found < 0 and len(piece) > 1:  # marks stand inside the word
        for character in piece:
            at = _place(places, character, masked, at)
        return at
    for number, character in enumerate(piece):
        places += [at if found < 0 else found + number] * _units(character)
    return at if found < 0 else found + len(piece)


def _units(character: str) -> int:
    return 2 if character > "\uffff" else 1
