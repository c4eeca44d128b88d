"""Paints the rows of a text that are in sight: washes, numbers, coloured characters, marks for what is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter

from workbench.ui.inspector.text_cells import Glyphs
from workbench.ui.inspector.text_colours import Colours, Span
from workbench.ui.inspector.text_lines import Place, Rows, TextLines
from workbench.ui.inspector.text_search import Matches
from workbench.ui.kit.paint import RIGHT, box, text
from workbench.ui.kit.theme import theme

PAD = 8
"""Space above the first row, and at both sides of text without numbers."""

_NUMBER_RIGHT = 36
_HARMLESS_MARKS = ("⇥", "⏎")


class Metrics:
    """Sizes of the code font; made anew when fonts change.

    Attributes:
        cell: width of a cell, in fractions of a pixel.
        row: height of a row.
    """

    def __init__(self) -> None:
        self.font = theme.font("code")
        metrics = QFontMetricsF(self.font)
        self.cell = metrics.horizontalAdvance("0" * 64) / 64
        self.row = theme.mh
        self.baseline = round((self.row - metrics.height()) / 2 + metrics.ascent())
        self.small = theme.font("tiny", mono=True)
        self.digit = QFontMetricsF(self.small).horizontalAdvance("0")

    def number_right(self, lines: int) -> int:
        """Return where line numbers end."""
        return max(_NUMBER_RIGHT, ceil(len(str(lines)) * self.digit) + PAD)


@dataclass(frozen=True, kw_only=True)
class View:
    """What is in sight.

    Attributes:
        top: the first row.
        left: the first cell of a row that is not wrapped.
        columns: cells across, the last may be cut.
        text_x: where text begins; line numbers end 12 before it, 0 means that there are none.
        selection: chosen bytes (start, end).
        caret: the byte where the keyboard is; None shows none.
        marks: washes of whole lines, token by line.
    """

    top: int
    left: int
    columns: int
    width: int
    height: int
    text_x: int
    numbered: bool
    selection: tuple[int, int]
    focused: bool
    caret: int | None
    marks: Mapping[int, str]


class TextPainter:
    """Paints one text. Only what is in sight is looked at."""

    def __init__(self, lines: TextLines, rows: Rows, colours: Colours, matches: Matches, metrics: Metrics) -> None:
        self._lines, self._rows, self._colours, self._matches, self._metrics = lines, rows, colours, matches, metrics

    def paint(self, p: QPainter, view: View) -> None:
        """Paint all rows of a view."""
        last = min(len(self._rows), view.top + ceil((view.height - PAD) / self._metrics.row))
        for row in range(view.top, last):
            self._row(p, view, row, PAD + (row - view.top) * self._metrics.row)

    def _row(self, p: QPainter, view: View, row: int, y: float) -> None:
        place = self._rows.place_of(row)
        first = place.cell + view.left
        last = self._rows.end_of(row) if self._rows.columns else first + view.columns + 1
        if token := view.marks.get(place.line):
            p.fillRect(QRectF(0, y, view.width, self._metrics.row), theme[token])
        self._washes(p, view, place.line, (first, last), y)
        if view.numbered:
            self._number(p, view, place, y)
        p.save()
        p.setClipRect(QRectF(view.text_x, y, view.width - view.text_x, self._metrics.row))
        self._glyphs(p, view, place.line, (first, last), y)
        p.restore()
        if view.caret is not None:
            self._caret(p, view, row, first, y)

    def _number(self, p: QPainter, view: View, place: Place, y: float) -> None:
        label, font = ("↳", self._metrics.font) if place.cell else (str(place.line + 1), self._metrics.small)
        text(p, QRectF(0, y, view.text_x - 12, self._metrics.row), label, font, "faint", RIGHT)

    def _x(self, view: View, cell: int, first: int) -> float:
        return view.text_x + (cell - first) * self._metrics.cell

    # Behind the text

    def _washes(self, p: QPainter, view: View, line: int, cells: tuple[int, int], y: float) -> None:
        start, end = self._lines.offset(line, cells[0]), self._lines.offset(line, cells[1])
        for match in self._matches.inside(start, end):
            self._wash(p, view, (max(start, match), min(end, match + self._matches.size_bytes)), cells, y, "level2_tint")
        chosen = max(start, view.selection[0]), min(end, view.selection[1])
        token = "select" if view.focused else "select_idle"
        if chosen[0] < chosen[1]:
            self._wash(p, view, chosen, cells, y, token)
        if view.selection[0] <= self._lines.end(line) < view.selection[1] and end == self._lines.end(line):
            x = self._x(view, min(cells[1], self._lines.cells(line)), cells[0])
            p.fillRect(QRectF(max(x, view.text_x), y, self._metrics.cell, self._metrics.row), theme[token])

    def _wash(self, p: QPainter, view: View, span: tuple[int, int], cells: tuple[int, int], y: float, token: str) -> None:
        left = max(self._lines.place(span[0]).cell, cells[0])
        ends_line = span[1] == self._lines.end(self._lines.line_at(span[0]))
        right = self._lines.cells(self._lines.line_at(span[0])) if ends_line else self._lines.place(span[1]).cell
        x = self._x(view, left, cells[0])
        p.fillRect(QRectF(x, y, (min(right, cells[1]) - left) * self._metrics.cell, self._metrics.row), theme[token])

    def _caret(self, p: QPainter, view: View, row: int, first: int, y: float) -> None:
        place = self._lines.place(view.caret or 0)
        if self._rows.row_of(place) == row and place.cell >= first:
            p.fillRect(QRectF(round(self._x(view, place.cell, first)), y + 1, 1, self._metrics.row - 2), theme["text"])

    # The text

    def _glyphs(self, p: QPainter, view: View, line: int, cells: tuple[int, int], y: float) -> None:
        p.setFont(self._metrics.font)
        for piece in self._lines.pieces(line, *cells):
            spans = self._colours.spans(line, piece)
            for glyphs in self._lines.glyphs(piece, *cells):
                if glyphs.cell < cells[0] and self._rows.columns and not glyphs.marked:
                    continue  # a wide character that begins in the last cell of the row above is drawn whole there
                x = self._x(view, glyphs.cell, cells[0])
                if glyphs.marked:
                    self._mark(p, x, y, glyphs.text)
                    continue
                for cell, drawn, token in _coloured(glyphs, spans):
                    p.setPen(theme[token])
                    p.drawText(QPointF(x + cell * self._metrics.cell, y + self._metrics.baseline), drawn)

    def _mark(self, p: QPainter, x: float, y: float, label: str) -> None:
        """Draw what stands for a character that cannot be seen: quiet for a tab, a solid box for all that may deceive."""
        if label[0] in _HARMLESS_MARKS:
            p.setPen(theme["faint"])
        else:
            box(p, QRectF(x, y + 1, len(label) * self._metrics.cell, self._metrics.row - 2), "level4_fill", None, 3)
            p.setPen(theme["on_fill"])
        p.drawText(QPointF(x, y + self._metrics.baseline), label)


def _coloured(glyphs: Glyphs, spans: list[Span]) -> Iterator[tuple[int, str, str]]:
    """Yield (cell from the beginning of the glyphs, text, token); a run of several-byte characters keeps the colour it begins with."""
    size = glyphs.end - glyphs.start
    if size != len(glyphs.text):
        token = next((span.token for span in spans if span.start <= glyphs.start < span.end), "text")
        yield 0, glyphs.text, token
        return
    at = glyphs.start
    for span in spans:
        if span.end <= at or span.start >= glyphs.end:
            continue
        if span.start > at:
            yield at - glyphs.start, glyphs.text[at - glyphs.start : span.start - glyphs.start], "text"
            at = span.start
        end = min(span.end, glyphs.end)
        yield at - glyphs.start, glyphs.text[at - glyphs.start : end - glyphs.start], span.token
        at = end
    if at < glyphs.end:
        yield at - glyphs.start, glyphs.text[at - glyphs.start :], "text"
