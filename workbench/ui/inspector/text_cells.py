"""Text on a grid of equal cells: how a stretch of UTF-8 bytes is drawn, and which byte stands in which cell. No Qt.

Every character that cannot be seen becomes a mark, every byte that is no UTF-8 becomes ``⟨0xFF⟩``, so that what is shown tells the
bytes apart. An East Asian character takes two cells, a combining one none.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from workbench.permissions.visible import TAB_MARK, is_hidden, visible

TAB_CELLS = 4
_NOT_PLAIN = re.compile(rb"[^\x20-\x7e]")
_FIRST_LONE_BYTE, _LAST_LONE_BYTE = "\udc80", "\udcff"  # what surrogateescape makes of bytes that are no UTF-8


class Glyphs(NamedTuple):
    """Characters that are drawn together.

    Attributes:
        cell: the first cell, counted from the beginning of the stretch.
        text: what is drawn.
        start, end: the bytes, counted from the beginning of the stretch.
        marked: it is a mark that stands for a hidden character or a lone byte.
    """

    cell: int
    text: str
    start: int
    end: int
    marked: bool = False


def is_plain(data: bytes, start: int, end: int) -> bool:
    """Say whether all bytes of a stretch are printable ASCII: then byte, character and cell are the same."""
    return _NOT_PLAIN.search(data, start, end) is None


def decoded(data: bytes) -> str:
    """Return the characters of UTF-8; a byte that is none becomes a lone surrogate, so that nothing is lost."""
    return data.decode("utf-8", "surrogateescape")


def size_of(character: str) -> int:
    """Return how many bytes a character of `decoded` was."""
    return 1 if character.isascii() else len(character.encode("utf-8", "surrogateescape"))


@lru_cache(maxsize=1 << 16)
def shown(character: str) -> str:
    """Return what is drawn for a character."""
    if character == "\t":
        return TAB_MARK.ljust(TAB_CELLS)
    if _FIRST_LONE_BYTE <= character <= _LAST_LONE_BYTE:
        return f"⟨0x{ord(character) & 0xFF:02X}⟩"
    return visible(character)


@lru_cache(maxsize=1 << 16)
def cells_of(character: str) -> int:
    """Return how many cells a character takes."""
    if is_hidden(character):
        return len(shown(character))
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cells_in(data: bytes, start: int, end: int) -> int:
    """Return how many cells a stretch of bytes takes. Fast for any content, as it counts each different character once."""
    if is_plain(data, start, end):
        return end - start
    bare = data[start:end].replace(b"\t", b"")
    if is_plain(bare, 0, len(bare)):
        return len(bare) + TAB_CELLS * (end - start - len(bare))
    return sum(cells_of(character) * count for character, count in Counter(decoded(data[start:end])).items())


class Stretch:
    """A short piece of a line that is not plain, laid out character by character.

    Attributes:
        text: its characters.
        offsets, cells: the byte and the cell at which each character begins, and at last where all end.
    """

    def __init__(self, data: bytes) -> None:
        self.text = decoded(data)
        self.offsets = [0]
        self.cells = [0]
        for character in self.text:
            self.offsets.append(self.offsets[-1] + size_of(character))
            self.cells.append(self.cells[-1] + cells_of(character))

    def cell_at(self, offset: int) -> int:
        """Return the cell of the character that holds a byte."""
        return self.cells[bisect_right(self.offsets, offset) - 1]

    def offset_at(self, cell: int) -> int:
        """Return the first byte of the character that stands in a cell; the end behind the last."""
        if cell >= self.cells[-1]:
            return self.offsets[-1]
        place = bisect_right(self.cells, cell) - 1
        while place and self.cells[place] == self.cells[place - 1]:
            place -= 1
        return self.offsets[place]

    def glyphs(self, first: int, last: int) -> Iterator[Glyphs]:
        """Yield what is to be drawn in the cells from `first` up to `last`, in order."""
        place = max(0, bisect_right(self.cells, first) - 1)
        while place and self.cells[place] == self.cells[place - 1]:
            place -= 1
        while place < len(self.text) and self.cells[place] < last:
            character = self.text[place]
            if is_hidden(character):
                yield self._glyphs(place, place + 1, marked=True)
                place += 1
                continue
            end = self._run_end(place, last)
            yield self._glyphs(place, end)
            place = end

    def _run_end(self, place: int, last: int) -> int:
        """Return where the run that begins here ends: a wide character stands alone with its combining ones, as fonts differ in its width."""
        alone = self.cells[place + 1] - self.cells[place] == 2
        end = place + 1
        while end < len(self.text) and not is_hidden(self.text[end]):
            width = self.cells[end + 1] - self.cells[end]
            if width and (alone or width == 2 or self.cells[end] >= last):
                break
            end += 1
        return end

    def _glyphs(self, place: int, end: int, *, marked: bool = False) -> Glyphs:
        text = shown(self.text[place]) if marked else self.text[place:end]
        return Glyphs(self.cells[place], text, self.offsets[place], self.offsets[end], marked)
