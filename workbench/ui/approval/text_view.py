"""A text of any length, exactly, as a scrolling view."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.approval.chunks import ChunkedText
from workbench.ui.approval.colouring import Colouring
from workbench.ui.approval.exact_text import face
from workbench.ui.approval.rows_view import RowsView
from workbench.ui.approval.seen import Seen
from workbench.ui.kit.paint import CENTRE, RIGHT, fill, text
from workbench.ui.kit.theme import theme
from workbench.words import _

LEFT, PAD = 38, 12


class TextView(RowsView):
    """Shows one text; code in colours if its language is told."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._chunks = ChunkedText("")
        self._line_of: list[int] = [0]
        self._colours = Colouring(self)
        self._colours.grown.connect(self.viewport().update)

    def show_text(self, string: str, language: str = "", seen: Seen | None = None) -> None:
        """Show a text from its beginning; `seen` is what a person has seen of it before."""
        self._chunks = ChunkedText(string)
        self._colours.begin(string, language)
        self._line_of = []
        for row in range(len(self._chunks)) if language else ():
            self._line_of.append(self._line_of[-1] + (0 if self._chunks.goes_on(row) else 1) if row else 0)
        self.reset(seen)

    def plain_text(self) -> str:
        """Return the text as it is shown, for screen readers and tests."""
        return visible(self._chunks.text, keep="\n")

    @override
    def row_count(self) -> int:
        return len(self._chunks) if self._chunks.text else 0

    @override
    def row_height(self, row: int, width: int) -> int:
        return len(face().pieces(self._chunks.row(row), width - LEFT - PAD)) * (theme.mh + 1)

    @override
    def paint_ground(self, p: QPainter, area: QRectF) -> None:
        fill(p, area, self.ground)
        if not self._chunks.text:
            text(p, area.adjusted(20, 0, -20, 0), _("It is empty."), theme.font("body"), "muted", CENTRE)

    @override
    def paint_row(self, p: QPainter, row: int, area: QRectF) -> None:
        line, tall, one, sight = self._chunks.row(row), theme.mh + 1, face(), p.clipBoundingRect()
        spans = () if self._chunks.goes_on(row) or not self._line_of else self._colours.lines.get(self._line_of[row], ())
        for n, piece in enumerate(one.pieces(line, area.width() - LEFT - PAD)):
            y = area.y() + n * tall
            if y + tall < sight.top() or y > sight.bottom():
                continue
            one.paint(p, QPointF(LEFT, y), tall, line, piece, spans=spans)
            if n or self._chunks.goes_on(row):
                text(p, QRectF(0, y, LEFT - 8, tall), "↳", theme.font("tiny"), "faint", RIGHT)
