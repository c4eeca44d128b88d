"""A block of code, painted: only the rows in sight, plain at first and coloured soon after. Long lines go on in the next row, after a ↳.

Also what is too wild for a text document (a megabyte without a blank) is shown this way, as it was sent.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator
from functools import cached_property
from math import ceil, floor

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from typing_extensions import override

from workbench.ui.chat.blocks import Block, Shade, Shared, Source, Spot
from workbench.ui.chat.colours import Span, Spans
from workbench.ui.chat.item_view import ClickTarget
from workbench.ui.chat.rows import Row, Rows, drawn, grow_starts
from workbench.ui.chat.segments import Segment
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import RIGHT, box, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

INSET_X, INSET_Y = 12, 10
CONTINUED = "↳"
_COPY = 26
"""From the right edge to the copy sign."""


class CodeBlock(Block):
    """Code, or any text as it was sent.

    Attributes:
        language: Pygments' alias of the language; empty for none.
        spans: the colours of its lines.
        coloured: the revision they are of.
        rests_until: see `colours.Coloured`.
    """

    def __init__(self, segment: Segment, source: Source, shared: Shared) -> None:
        super().__init__(segment, source)
        self.language = segment.language
        self.spans: Spans = []
        self.coloured = -1
        self.rests_until = 0.0
        self._shared = shared
        self._rows = Rows(words=True)
        self._starts: list[int] = []
        self._laid: tuple[int, float] | None = None

    # What is shown

    def revision(self) -> int:
        """Return what counts up when the code changes."""
        return self.segment.revision

    def code(self) -> str:
        """Return all of it, without the fence."""
        if self.segment.kind != "code":
            return self.source.text[self.segment.start : self.segment.end]
        return "\n".join(self.segment.line(self.source.text, number).text for number in range(len(self.segment.lines)))

    @property
    def begins(self) -> int:
        """Offset of the first character that is shown."""
        return self.segment.lines[0] if self.segment.lines else self.segment.start

    @property
    def ends(self) -> int:
        """Offset after the last character that is shown."""
        return self.segment.body_end if self.segment.kind == "code" else self.segment.end

    def _lay_out(self, width: float) -> Rows:
        wanted = (self.segment.revision, width)
        if self._laid == wanted:
            return self._rows
        if self._laid is None or self._laid[1] != width:
            cells = theme.metrics("code").horizontalAdvance("x")
            self._rows.reset(floor((width - 2 * INSET_X) / cells), floor((width - 2 * INSET_X - self._label_width) / cells))
        lines = self.segment.lines
        if self.segment.kind != "code":
            grow_starts(self._starts, self.source.text, self.segment.start, self.segment.end)
            lines = self._starts
        self._rows.update(self.source.text, lines, self.ends)
        self._laid = wanted
        return self._rows

    @cached_property
    def _label_width(self) -> float:
        return width_of(self.language, theme.font("tiny")) + _COPY + 8

    @override
    def estimate(self, width: float) -> int:
        return self.height(width)

    @override
    def height(self, width: float) -> int:
        return max(1, self._lay_out(width).count) * theme.mh + 2 * INSET_Y

    @override
    def drop(self) -> None:
        self._laid = None
        self.__dict__.pop("_label_width", None)

    # Painting

    @override
    def paint(self, p: QPainter, spot: Spot, shade: Shade) -> None:
        rows = self._lay_out(spot.width)
        area = QRectF(spot.x, spot.y, spot.width, self.height(spot.width))
        box(p, area, "sunken", "line", 6)
        self._shared.colours.want(self)
        first = max(0, floor((spot.top - spot.y - INSET_Y) / theme.mh))
        last = min(rows.count, ceil((spot.bottom - spot.y - INSET_Y) / theme.mh))
        p.save()
        p.setClipRect(area.adjusted(1, 1, -1, -1), Qt.ClipOperation.IntersectClip)
        for number in range(first, last):
            self._paint_row(p, spot.x + INSET_X, spot.y + INSET_Y + number * theme.mh, rows.row(number), shade)
        p.restore()
        self._paint_label(p, spot)

    @override
    def look(self) -> Hashable:
        self._shared.colours.want(self)
        return (self.segment.revision, self.coloured, len(self.spans))

    def _paint_label(self, p: QPainter, spot: Spot) -> None:
        text(p, QRectF(spot.x, spot.y + 6, spot.width - _COPY - 8, theme.lh), self.language, theme.font("tiny"), "faint", RIGHT)
        draw_icon(p, "copy", spot.x + spot.width - _COPY, spot.y + 8, "faint", 12)

    def _paint_row(self, p: QPainter, x: float, y: float, row: Row, shade: Shade) -> None:
        piece = _Piece(self.source.text, row, self._text_start(row))
        p.setFont(theme.font("code"))
        if not row.first:
            p.setPen(theme["faint"])
            p.drawText(QPointF(x - (INSET_X + width_of(CONTINUED, theme.font("code"))) / 2, y + piece.ascent), CONTINUED)
        own = shade.within(row.start, row.end + 1)
        for start, end in own.marks:
            p.fillRect(piece.area(x, y, start, end), theme["level2_tint"])
        spans = self.spans[row.line] if row.line < len(self.spans) else []
        piece.draw(p, x, y, spans, self._line_start(row.line))
        if own.selection:
            piece.draw_over(p, x, y, own.selection, ("select", "text"))
        if own.mark:
            piece.draw_over(p, x, y, own.mark, ("accent_fill", "on_fill"))

    def _line_start(self, line: int) -> int:
        return self.segment.line(self.source.text, line).start if self.segment.indent else self._lines_of_rows[line]

    def _text_start(self, row: Row) -> int:
        return max(row.start, self._line_start(row.line)) if row.first else row.start

    @property
    def _lines_of_rows(self) -> list[int]:
        return self.segment.lines if self.segment.kind == "code" else self._starts

    # Places

    @override
    def offset_at(self, x: float, y: float, width: float) -> int:
        rows = self._lay_out(width)
        if not rows.count:
            return self.begins
        row = rows.row(min(rows.count - 1, max(0, floor((y - INSET_Y) / theme.mh))))
        return _Piece(self.source.text, row, self._text_start(row)).offset_at(x - INSET_X)

    @override
    def top_of(self, offset: int, width: float) -> float:
        rows = self._lay_out(width)
        return INSET_Y + min(rows.row_at(offset), max(0, rows.count - 1)) * theme.mh if rows.count else 0.0

    @override
    def seen(self, start: int, end: int) -> str:
        first, last = max(start, self.begins), min(end, self.ends)
        text = self.source.text[first:last]
        if self.segment.kind != "code" or not (self.segment.indent or "\r" in text):
            return text
        return "\n".join(self._seen_lines(first, last))

    def _seen_lines(self, first: int, last: int) -> Iterator[str]:
        """Yield what a range has of each line, without what belongs to the fence or to the line break."""
        lines = self.segment.lines
        for number in range(max(0, bisect_right(lines, first) - 1), bisect_right(lines, last)):
            start, text = self.segment.line(self.source.text, number)
            yield text[max(0, first - start) : max(0, last - start)]

    @override
    def targets(self, width: float) -> tuple[ClickTarget, ...]:
        area = QRectF(width - _COPY - 8, 2, 28, theme.lh + 8)
        return (ClickTarget(area=area, action="copy", argument=str(self.segment.start), name=_("Copy this block")),)

    @override
    def end_of_text(self, width: float) -> QRectF:
        rows = self._lay_out(width)
        if not rows.count:
            return QRectF(INSET_X, INSET_Y, 0, theme.mh)
        row = rows.row(rows.count - 1)
        piece = _Piece(self.source.text, row, self._text_start(row))
        return QRectF(INSET_X + piece.x_of(row.end), INSET_Y + (rows.count - 1) * theme.mh, 0, theme.mh)


class _Piece:
    """The characters of one row, measured."""

    def __init__(self, whole: str, row: Row, start: int) -> None:
        self.start = start
        self.raw = whole[start : row.end].removesuffix("\r")
        self.end = start + len(self.raw)
        self.shown = drawn(self.raw)
        self._plain = self.raw.isascii() and self.shown is self.raw
        self._metrics: QFontMetricsF = theme.metrics("code")
        self._cell = self._metrics.horizontalAdvance("x")
        self.ascent = (theme.mh - self._metrics.height()) / 2 + self._metrics.ascent()

    def x_of(self, offset: int) -> float:
        """Return where a character begins, from the left of the row."""
        offset = min(max(offset, self.start), self.end) - self.start
        return offset * self._cell if self._plain else self._metrics.horizontalAdvance(drawn(self.raw[:offset]))

    def offset_at(self, x: float) -> int:
        """Return the offset between characters that is nearest to an x."""
        if self._plain:
            return self.start + min(len(self.raw), max(0, round(x / self._cell)))
        low, high = 0, len(self.raw)
        while low < high:
            middle = (low + high) // 2
            if (self.x_of(self.start + middle) + self.x_of(self.start + middle + 1)) / 2 < x:
                low = middle + 1
            else:
                high = middle
        return self.start + low

    def area(self, x: float, y: float, start: int, end: int) -> QRectF:
        """Return the ground of some characters; a line break at the end of them is a few pixels wide."""
        left, right = self.x_of(start), self.x_of(end)
        return QRectF(x + left, y, right - left + (4 if end > self.end else 0), theme.mh)

    def draw(self, p: QPainter, x: float, y: float, spans: list[Span], line_start: int) -> None:
        """Draw the row; `spans` are colours of its line, which begins at `line_start`."""
        at = self.start
        for span in spans:
            start, end = max(line_start + span.start, self.start), min(line_start + span.end, self.end)
            if start >= end:
                continue
            self._draw_part(p, x, y, at, start, "text")
            self._draw_part(p, x, y, start, end, span.token)
            at = end
        self._draw_part(p, x, y, at, self.end, "text")

    def draw_over(self, p: QPainter, x: float, y: float, span: tuple[int, int], tokens: tuple[str, str]) -> None:
        """Draw some characters again on another ground."""
        area = self.area(x, y, *span)
        p.save()
        p.setClipRect(area, Qt.ClipOperation.IntersectClip)
        p.fillRect(area, theme[tokens[0]])
        self._draw_part(p, x, y, self.start, self.end, tokens[1])
        p.restore()

    def _draw_part(self, p: QPainter, x: float, y: float, start: int, end: int, token: str) -> None:
        if start >= end:
            return
        part = self.shown if end - start == len(self.raw) else self._shown_part(start, end)
        p.setPen(theme[token])
        p.drawText(QPointF(x + self.x_of(start), y + self.ascent), part)

    def _shown_part(self, start: int, end: int) -> str:
        if self._plain:
            return self.raw[start - self.start : end - self.start]
        return drawn(self.raw[: end - self.start])[len(drawn(self.raw[: start - self.start])) :]
