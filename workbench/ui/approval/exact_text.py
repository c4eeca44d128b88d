"""Foreign text drawn so that nothing hides: each character in its own place and order, hidden ones as boxes with their code point.

Qt's own text widgets obey direction marks, leave zero-width characters out and cut what is too long. Here a line is taken apart into cells,
measured, and wrapped to a width; no character may move, cover or swallow another one.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple, TypeAlias

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from workbench.permissions.visible import TAB_MARK, is_hidden
from workbench.ui.kit.paint import CENTRE, box, text
from workbench.ui.kit.theme import theme

TAB_COLUMNS = 4
NARROWEST = 80.0
"""Pixels; a narrower place is treated as this wide, so that every cell fits."""

_MARKS_AT_MOST = 3  # more accents on one letter would climb over its neighbours
_RIGHT_TO_LEFT_AT_MOST = 16  # letters that are shaped together, as one cell

Kind: TypeAlias = Literal["text", "hidden", "tab", "insert"]


class Insert(NamedTuple):
    """Something of ours that stands in a line before a character: the number of a part (`round`), or a word such as a line end's name."""

    label: str
    token: str
    round: bool = False


class Cell(NamedTuple):
    """What is drawn as one: a letter with its accents, a box for a hidden character, a tab, or an insert (which covers no character)."""

    kind: Kind
    start: int
    end: int
    width: float
    label: str = ""
    token: str = ""


class Piece(NamedTuple):
    """One row of a wrapped line: its characters, and its cells if they are not simply one character each."""

    start: int
    end: int
    cells: tuple[Cell, ...] | None = None


class Span(NamedTuple):
    """Characters of a line in one colour."""

    start: int
    end: int
    token: str


class _Kinds(dict[str, str]):
    """What each character is: ``text``, ``mark``, ``rtl``, ``tab`` or ``hidden``."""

    def __missing__(self, character: str) -> str:
        self[character] = kind = _kind_of(character)
        return kind


class _Widths(dict[str, float]):
    """How wide each cluster of characters is drawn, in pixels."""

    def __init__(self, metrics: QFontMetricsF) -> None:
        self._metrics = metrics

    def __missing__(self, cluster: str) -> float:
        self[cluster] = width = self._metrics.horizontalAdvance(cluster)
        return width


def _kind_of(character: str) -> str:
    if character == "\t":
        return "tab"
    if is_hidden(character):
        return "hidden"
    if unicodedata.category(character).startswith("M"):
        return "mark"
    return "rtl" if unicodedata.bidirectional(character) in {"R", "AL"} else "text"


_KINDS = _Kinds()
_ONLY_TEXT = frozenset({"text"})


class Face:
    """A font of the theme, measured, in which exact text is drawn.

    Attributes:
        font: without kerning, so that widths add up.
        step: width of each printable ASCII character if they are all the same, else 0.
    """

    def __init__(self, size: str, weight: str = "regular", *, mono: bool = True) -> None:
        self.font = QFont(theme.font(size, weight, mono=mono))
        self.font.setKerning(False)
        metrics = QFontMetricsF(self.font)
        self._widths = _Widths(metrics)
        self._ascent, self._line = metrics.ascent(), metrics.height()
        self.step = self._widths["0"] if abs(self._widths["i"] - self._widths["W"]) < 0.01 else 0.0
        self._label = QFont(theme.font("tiny", "bold", mono=True))
        self._label_widths = _Widths(QFontMetricsF(self._label))

    def pieces(self, line: str, width: float, inserts: Mapping[int, Insert] | None = None) -> list[Piece]:
        """Return the rows into which a line (without its line break) is wrapped; at least one.

        Args:
            line: the text.
            width: pixels of a row.
            inserts: what of ours stands before which character; at the length of the line it stands at the end.
        """
        width = max(width, NARROWEST)
        if not inserts and self._is_plain(line):
            return _columns(line, max(1, int(width / self.step)))
        if not inserts and self._is_quiet(line):
            return _by_edges(line, list(accumulate(map(self._widths.__getitem__, line), initial=0.0)), width)
        return _by_cells(line, self._cells(line, inserts or {}), width)

    def x_at(self, line: str, piece: Piece, offset: int, *, is_end: bool = False) -> float:
        """Return how far from the left edge of its row the character at `offset` begins; with `is_end`, where the one before it ends."""
        offset = min(max(offset, piece.start), piece.end)
        if piece.cells is not None:
            return sum(cell.width for cell in piece.cells if cell.start < offset or (cell.kind == "insert" and cell.start == offset and not is_end))
        if self.step and line.isascii():
            return (offset - piece.start) * self.step
        return sum(map(self._widths.__getitem__, line[piece.start : offset]))

    def paint(self, p: QPainter, at: QPointF, height: float, line: str, piece: Piece, *, token: str = "text", spans: Sequence[Span] = ()) -> float:
        """Paint one row with its upper left corner at `at`; return the x reached. What no span colours is in `token`."""
        baseline = at.y() + (height - self._line) / 2 + self._ascent
        x = at.x()
        p.setFont(self.font)
        if piece.cells is not None:
            cells = _coloured(piece.cells, spans, token)
            for cell, cell_token in _joined(line, cells) if self.step else cells:
                x = self._cell(p, QPointF(x, at.y()), height, baseline, line, cell, cell_token)
            return x
        for start, end, run_token in _runs(piece.start, piece.end, spans, token):
            x = self._run(p, x, baseline, line[start:end], run_token)
        return x

    # Measuring

    def _is_plain(self, line: str) -> bool:
        return self.step > 0 and line.isascii() and line.isprintable()

    def _is_quiet(self, line: str) -> bool:
        return _ONLY_TEXT.issuperset(map(_KINDS.__getitem__, line))

    def _cells(self, line: str, inserts: Mapping[int, Insert]) -> list[Cell]:
        """Return the cells of a line, measured."""
        found: list[Cell] = []
        for at, character in enumerate(line):
            if at in inserts:
                found.append(self._insert(at, inserts[at]))
            kind = _KINDS[character]
            if found and _joins(found[-1], at, kind, line):
                found[-1] = found[-1]._replace(end=at + 1)
            elif kind in {"hidden", "mark"}:
                found.append(self._box(at, character))
            else:
                found.append(Cell("tab" if kind == "tab" else "text", at, at + 1, 0.0))
        if len(line) in inserts:
            found.append(self._insert(len(line), inserts[len(line)]))
        return [cell if cell.width else cell._replace(width=self._width(line, cell)) for cell in found]

    def _width(self, line: str, cell: Cell) -> float:
        return TAB_COLUMNS * self._widths["0"] if cell.kind == "tab" else self._widths[line[cell.start : cell.end]]

    def _box(self, at: int, character: str) -> Cell:
        label = f"U+{ord(character):04X}"
        return Cell("hidden", at, at + 1, self._label_widths[label] + 10, label)

    def _insert(self, at: int, insert: Insert) -> Cell:
        width = self._line + 2 if insert.round and len(insert.label) == 1 else self._label_widths[insert.label] + 12
        return Cell("insert", at, at, width, insert.label, insert.token)

    # Painting

    def _run(self, p: QPainter, x: float, baseline: float, string: str, token: str) -> float:
        p.setPen(theme[token])
        p.drawText(QPointF(x, baseline), string)
        return x + (len(string) * self.step if self.step and string.isascii() else sum(map(self._widths.__getitem__, string)))

    def _cell(self, p: QPainter, at: QPointF, height: float, baseline: float, line: str, cell: Cell, token: str) -> float:
        x = at.x()
        match cell.kind:
            case "text":
                p.setFont(self.font)
                p.setPen(theme[token])
                p.drawText(QPointF(x, baseline), line[cell.start : cell.end])
            case "tab":
                p.setFont(self.font)
                p.setPen(theme["faint"])
                p.drawText(QPointF(x, baseline), TAB_MARK)
            case "hidden":
                area = QRectF(x + 1, at.y() + 2, cell.width - 2, height - 4)
                box(p, area, "level4_fill", None, 3)
                text(p, area, cell.label, self._label, "on_fill", CENTRE)
            case "insert":
                self._paint_insert(p, QRectF(x, at.y(), cell.width, height), cell)
        return x + cell.width

    def _paint_insert(self, p: QPainter, area: QRectF, cell: Cell) -> None:
        """Paint a number in a circle, or a word in a thin outline."""
        side = self._line - 2
        mark = QRectF(area.x() + 1, area.y() + (area.height() - side) / 2, area.width() - 4, side)
        box(p, mark, None, cell.token, side / 2 if cell.width <= self._line + 2 else 4)
        text(p, mark.adjusted(-2, 0, 2, 0), cell.label, theme.font("tiny", "bold"), cell.token, CENTRE)


def _joins(last: Cell, at: int, kind: str, line: str) -> bool:
    """Say whether a character is drawn together with the cell before it: an accent with its letter, letters written from right to left."""
    if last.kind != "text" or last.end != at:
        return False
    if kind == "mark":
        return at - last.start <= _MARKS_AT_MOST or (_KINDS[line[last.start]] == "rtl" and _KINDS[line[at - 1]] == "rtl")
    return kind == "rtl" and _KINDS[line[last.start]] == "rtl" and at - last.start < _RIGHT_TO_LEFT_AT_MOST


def _columns(line: str, columns: int) -> list[Piece]:
    """Wrap plain text: every character is as wide as the others."""
    if len(line) <= columns:
        return [Piece(0, len(line))]
    pieces, start = [], 0
    while len(line) - start > columns:
        end = line.rfind(" ", start + columns // 2, start + columns) + 1 or start + columns
        pieces.append(Piece(start, end))
        start = end
    pieces.append(Piece(start, len(line)))
    return pieces


def _by_edges(line: str, edges: Sequence[float], width: float) -> list[Piece]:
    """Wrap text whose characters begin at `edges`, which has one more entry for the end."""
    pieces, start, last = [], 0, len(edges) - 1
    while edges[last] - edges[start] > width:
        limit = max(bisect_right(edges, edges[start] + width) - 1, start + 1)
        end = line.rfind(" ", start + (limit - start) // 2, limit) + 1 or limit
        pieces.append(Piece(start, end))
        start = end
    pieces.append(Piece(start, last))
    return pieces


def _by_cells(line: str, cells: Sequence[Cell], width: float) -> list[Piece]:
    """Wrap cells; the number of a part stays with what it numbers."""
    if not cells:
        return [Piece(0, 0, ())]
    edges = list(accumulate((cell.width for cell in cells), initial=0.0))
    starts = [cell.start for cell in cells]
    pieces, first, last = [], 0, len(cells)
    while edges[last] - edges[first] > width:
        limit = max(bisect_right(edges, edges[first] + width) - 1, first + 1)
        space = line.rfind(" ", starts[first + (limit - first) // 2], starts[limit]) + 1
        end = bisect_left(starts, space) if space else limit
        if end - 1 > first and cells[end - 1].kind == "insert" and cells[end - 1].start < len(line):
            end -= 1
        pieces.append(Piece(starts[first], starts[end], tuple(cells[first:end])))
        first = end
    pieces.append(Piece(starts[first], cells[-1].end, tuple(cells[first:])))
    return pieces


def _runs(start: int, end: int, spans: Sequence[Span], token: str) -> list[Span]:
    """Return the stretch from `start` to `end` cut where its colour changes."""
    runs, at = [], start
    for span in spans:
        first, last = max(span.start, at), min(span.end, end)
        if first >= last:
            continue
        if at < first:
            runs.append(Span(at, first, token))
        runs.append(Span(first, last, span.token))
        at = last
    if at < end:
        runs.append(Span(at, end, token))
    return runs


def _coloured(cells: Sequence[Cell], spans: Sequence[Span], token: str) -> list[tuple[Cell, str]]:
    """Return each cell with its colour."""
    coloured, place = [], 0
    for cell in cells:
        while place < len(spans) and spans[place].end <= cell.start:
            place += 1
        inside = place < len(spans) and spans[place].start <= cell.start < spans[place].end
        coloured.append((cell, spans[place].token if inside else token))
    return coloured


def _joined(line: str, cells: Sequence[tuple[Cell, str]]) -> list[tuple[Cell, str]]:
    """Return cells with ASCII letters of one colour that stand side by side as one, to be drawn in one go; they must all be equally wide."""
    joined: list[tuple[Cell, str]] = []
    for cell, token in cells:
        last, last_token = joined[-1] if joined else (None, "")
        if last is not None and last.kind == cell.kind == "text" and last_token == token and (line[last.end - 1] + line[cell.start : cell.end]).isascii():
            joined[-1] = (last._replace(end=cell.end, width=last.width + cell.width), token)
        else:
            joined.append((cell, token))
    return joined


@lru_cache(maxsize=64)
def _face(size: str, weight: str, mono: bool, language: str, zoom: float) -> Face:
    del language, zoom  # they decide which font the theme gives
    return Face(size, weight, mono=mono)


def face(size: str = "code", weight: str = "regular", *, mono: bool = True) -> Face:
    """Return a font of the theme for exact text, measured once."""
    return _face(size, weight, mono, theme.language, theme.zoom)
