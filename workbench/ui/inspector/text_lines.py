"""The lines of a text of any size, kept as the bytes they are, and the rows they take on a screen. No Qt; may be built in a thread.

Positions are byte offsets in the whole text. A long line has a table of short pieces, so that nothing ever walks through a megabyte to
draw what is in sight; no single step holds the interpreter for longer than a few milliseconds.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterator
from itertools import accumulate, islice, pairwise
from typing import Generic, NamedTuple, TypeVar

from workbench.ui.inspector.text_cells import Glyphs, Stretch, cells_in, is_plain

LONG_BYTES = 1024
"""A line of more bytes is cut into pieces of about this size."""

FEWEST_COLUMNS = 24
"""Lines are never wrapped narrower than this."""

MOST_BYTES_OF_WORDS = 1 << 18
"""Larger texts are wrapped at the edge: where their words end would take too long to find."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_BLOCK_BYTES = 1 << 18
_NOT_PLAIN = re.compile(rb"[^\x20-\x7e\n]")


class Recent(Generic[K, V]):
    """Keeps the last values of a function by their keys.

    Unlike a cached method it makes no circle with its owner, which may hold fifty megabytes that are to go at once.
    """

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._kept: dict[K, V] = {}

    def get(self, key: K, make: Callable[[K], V]) -> V:
        """Return what is kept for a key, or make it."""
        if key in self._kept:
            value = self._kept.pop(key)
        else:
            value = make(key)
            if len(self._kept) >= self._most:
                del self._kept[next(iter(self._kept))]
        self._kept[key] = value
        return value


class Place(NamedTuple):
    """A cell of a line; both count from 0."""

    line: int
    cell: int


class Piece(NamedTuple):
    """A stretch of a line that is laid out at once.

    Attributes:
        start, end: its bytes in the text.
        cell: the cell of the line at which it begins.
        in_string: in JSON, whether it begins inside a string.
    """

    start: int
    end: int
    cell: int
    in_string: bool = False


class _Pieces:
    """The table of a long line: where its pieces begin, in bytes and in cells, and which of them begin inside a JSON string."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self.starts = array("Q", [start])
        self.cells = array("Q", [0])
        self.in_string = bytearray(1)
        while self.starts[-1] < end:
            border = _border(data, self.starts[-1], self.starts[-1] + LONG_BYTES, end)
            self._add(data, self.starts[-1], border)

    def _add(self, data: bytes, start: int, end: int) -> None:
        self.starts.append(end)
        self.cells.append(self.cells[-1] + cells_in(data, start, end))
        quotes = data[start:end].replace(b"\\\\", b"").replace(b'\\"', b"").count(b'"')
        self.in_string.append(self.in_string[-1] ^ (quotes & 1))

    def piece(self, place: int) -> Piece:
        return Piece(self.starts[place], self.starts[place + 1], self.cells[place], bool(self.in_string[place]))


class TextLines:
    """A text as numbered lines; only a line feed ends one.

    Attributes:
        data: the text as UTF-8 (other bytes are shown as what they are).
        longest_bytes: length of the longest line.
        wide_lines: numbers of the lines that may need more than `FEWEST_COLUMNS` cells, ascending.
        wide_cells: how many cells each of those takes.
    """

    def __init__(self, text: str | bytes = b"") -> None:
        self.data = text if isinstance(text, bytes) else _encoded(text)
        self._starts = _starts_of(self.data)
        self._pieces: dict[int, _Pieces] = {}
        self.longest_bytes = 0
        self.wide_lines = array("Q")
        self.wide_cells = array("Q")
        self._measure()
        self._stretches: Recent[Piece, Stretch | None] = Recent()

    def __len__(self) -> int:
        return len(self._starts) - 1

    def start(self, line: int) -> int:
        """Return the offset of a line's first byte."""
        return self._starts[line]

    def end(self, line: int) -> int:
        """Return the offset behind a line's last byte, its line feed not counted."""
        return self._starts[line + 1] - 1

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds a byte; a line feed belongs to the line it ends."""
        return min(len(self), max(1, bisect_right(self._starts, offset))) - 1

    def cells(self, line: int) -> int:
        """Return how many cells a line takes."""
        if line in self._pieces:
            return self._pieces[line].cells[-1]
        return cells_in(self.data, self.start(line), self.end(line))

    def place(self, offset: int) -> Place:
        """Return the cell in which a byte stands."""
        line = self.line_at(offset)
        piece = self._piece_at(line, offset=offset)
        inside = min(offset, piece.end) - piece.start
        stretch = self._stretch(piece)
        return Place(line, piece.cell + (inside if stretch is None else stretch.cell_at(inside)))

    def offset(self, line: int, cell: int) -> int:
        """Return the first byte of the character in a cell; the line's end for a cell behind it."""
        piece = self._piece_at(line, cell=cell)
        inside = max(0, cell - piece.cell)
        stretch = self._stretch(piece)
        return piece.start + (min(inside, piece.end - piece.start) if stretch is None else stretch.offset_at(inside))

    def pieces(self, line: int, first: int, last: int) -> Iterator[Piece]:
        """Yield the pieces of a line that have something in the cells from `first` up to `last`."""
        table = self._pieces.get(line)
        if table is None:
            yield Piece(self.start(line), self.end(line), 0)
            return
        place = max(0, bisect_right(table.cells, first) - 1)
        while place < len(table.starts) - 1 and table.cells[place] < last:
            yield table.piece(place)
            place += 1

    def glyphs(self, piece: Piece, first: int, last: int) -> Iterator[Glyphs]:
        """Yield what is to be drawn of a piece in the cells from `first` up to `last`; cells count in the line, bytes in the text."""
        stretch = self._stretch(piece)
        if stretch is None:
            start, end = max(piece.start, piece.start + first - piece.cell), min(piece.end, piece.start + last - piece.cell)
            if start < end:
                yield Glyphs(piece.cell + start - piece.start, self.data[start:end].decode("ascii"), start, end)
            return
        for run in stretch.glyphs(first - piece.cell, last - piece.cell):
            yield run._replace(cell=run.cell + piece.cell, start=run.start + piece.start, end=run.end + piece.start)

    def step(self, offset: int, count: int) -> int:
        """Return the offset `count` characters (1 or -1) away, over line ends too; the same at the ends of the text."""
        offset += count
        while 0 < offset < len(self.data) and self.data[offset] & 0xC0 == 0x80:
            offset += count
        return min(max(offset, 0), len(self.data))

    def _measure(self) -> None:
        """Find the lines that are long or wide. Lines that are neither, nor hold a special character, are only counted."""
        for first in range(0, len(self), 1 << 14):
            last = min(len(self), first + (1 << 14))
            special = self._special_lines(first, last)
            borders = self._starts[first : last + 1]
            lengths = [after - before - 1 for before, after in pairwise(borders)]
            self.longest_bytes = max(self.longest_bytes, *lengths)
            for line in sorted(special.union(first + n for n, length in enumerate(lengths) if length > FEWEST_COLUMNS)):
                self._measure_line(line)

    def _special_lines(self, first: int, last: int) -> set[int]:
        found: set[int] = set()
        at, end = self.start(first), self.end(last - 1)
        while at < end:
            hit = _NOT_PLAIN.search(self.data, at, min(end, at + _BLOCK_BYTES))
            if hit is None:
                at += _BLOCK_BYTES
                continue
            line = self.line_at(hit.start())
            found.add(line)
            at = self._starts[line + 1]
        return found

    def _measure_line(self, line: int) -> None:
        start, end = self.start(line), self.end(line)
        if end - start > LONG_BYTES:
            self._pieces[line] = _Pieces(self.data, start, end)
        cells = self.cells(line)
        if cells > FEWEST_COLUMNS:
            self.wide_lines.append(line)
            self.wide_cells.append(cells)

    def _piece_at(self, line: int, *, offset: int | None = None, cell: int = 0) -> Piece:
        table = self._pieces.get(line)
        if table is None:
            return Piece(self.start(line), self.end(line), 0)
        found = bisect_right(table.starts, offset) if offset is not None else bisect_right(table.cells, cell)
        return table.piece(min(max(found, 1), len(table.starts) - 1) - 1)

    def _stretch(self, piece: Piece) -> Stretch | None:
        return self._stretches.get(piece, self._laid_out)

    def _laid_out(self, piece: Piece) -> Stretch | None:
        return None if is_plain(self.data, piece.start, piece.end) else Stretch(self.data[piece.start : piece.end])


class Rows:
    """The rows that lines take on a screen: one each, or as many as it needs when lines are wrapped.

    Args:
        lines: the text.
        columns: cells of a row; None does not wrap.
        words: rows end between words where they can, for texts of at most `MOST_BYTES_OF_WORDS`.
    """

    def __init__(self, lines: TextLines, columns: int | None, *, words: bool = False) -> None:
        self._lines = lines
        self.columns = max(FEWEST_COLUMNS, columns) if columns is not None else None
        self._begins: dict[int, array[int]] = {}
        counts: list[int] = []
        if self.columns is not None and words and len(lines.data) <= MOST_BYTES_OF_WORDS:
            self._begins = {line: _begins(lines, line, cells, self.columns) for line, cells in zip(lines.wide_lines, lines.wide_cells, strict=True)}
            counts = [len(begins) - 1 for begins in self._begins.values()]
        elif self.columns is not None:
            counts = [(cells - 1) // self.columns for cells in lines.wide_cells]
        self._wide = lines.wide_lines
        self._extra = array("Q", accumulate(counts, initial=0))

    def __len__(self) -> int:
        return len(self._lines) + self._extra[-1]

    def first_row(self, line: int) -> int:
        """Return the number of a line's first row."""
        return line + self._extra[min(bisect_left(self._wide, line), len(self._extra) - 1)]

    def row_of(self, place: Place) -> int:
        """Return the row that shows a cell; the end of a line stands in its last row."""
        if self.columns is None:
            return place.line
        count = self.first_row(place.line + 1) - self.first_row(place.line)
        begins = self._begins.get(place.line)
        inside = bisect_right(begins, place.cell) - 1 if begins else place.cell // self.columns
        return self.first_row(place.line) + min(inside, count - 1)

    def end_of(self, row: int) -> int:
        """Return the cell behind the last that a row has room for; only where lines are wrapped."""
        place = self.place_of(row)
        begins = self._begins.get(place.line)
        after = bisect_right(begins, place.cell) if begins else 0
        return begins[after] if begins and after < len(begins) else place.cell + (self.columns or 0)

    def place_of(self, row: int) -> Place:
        """Return the line of a row, and the cell with which it begins."""
        if self.columns is None:
            return Place(row, 0)
        wide = self._wide
        at = bisect_right(range(len(wide)), row, key=lambda n: int(wide[n] + self._extra[n])) - 1
        if at < 0:
            return Place(row, 0)
        inside = row - int(wide[at] + self._extra[at])
        more = self._extra[at + 1] - self._extra[at]
        if inside > more:
            return Place(wide[at] + inside - more, 0)
        begins = self._begins.get(wide[at])
        return Place(wide[at], begins[inside] if begins else inside * self.columns)


def _begins(lines: TextLines, line: int, cells: int, columns: int) -> array[int]:
    """Return the cells at which the rows of a line begin, behind blanks where there are any in a row's second half."""
    begins = array("Q", [0])
    while cells - begins[-1] > columns:
        first = begins[-1]
        middle, limit = lines.offset(line, first + columns // 2), lines.offset(line, first + columns)
        blank = lines.data.rfind(b" ", middle, limit)
        begins.append(lines.place(blank + 1).cell if blank >= 0 else first + columns)
    return begins


def _encoded(text: str) -> bytes:
    """Return a text's bytes; half characters, which no UTF-8 has, become the three bytes that stand for them elsewhere."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _starts_of(data: bytes) -> array[int]:
    """Return where lines begin, and at last where one behind the last would."""
    starts = array("Q", [0])
    for at in range(0, len(data), _BLOCK_BYTES):
        lines = data[at : at + _BLOCK_BYTES].split(b"\n")
        lines.pop()
        starts.extend(islice(accumulate((len(line) + 1 for line in lines), initial=at), 1, None))
    starts.append(len(data) + 1)
    return starts


def _border(data: bytes, start: int, end: int, limit: int) -> int:
    """Return where a piece of about `end` - `start` bytes may end: not inside a character, not behind the backslash of an escape."""
    if end >= limit:
        return limit
    back = next((n for n in range(4) if data[end - n] & 0xC0 != 0x80), 0)
    end -= back
    tail = data[max(start, end - 64) : end]
    return end + (len(tail) - len(tail.rstrip(b"\\"))) % 2
