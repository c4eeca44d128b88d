"""The model's words: no box, no colour, and a caret while they arrive."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.inspection.timeline_items import TextItem
from workbench.ui.chat.blocks import Shared
from workbench.ui.chat.documents import Look
from workbench.ui.chat.item_view import Place
from workbench.ui.chat.prose import estimated
from workbench.ui.chat.stack_view import StackView
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import fill, focus_ring, text
from workbench.ui.kit.theme import theme
from workbench.words import _

CARET_WIDTH = 7
LOOK = Look()
_FENCE_HEIGHT = 20
"""What a block of code is higher than its lines, about."""


class AnswerView(StackView):
    """Text of the model, Markdown."""

    before = 8

    def __init__(self, item: TextItem, shared: Shared) -> None:
        super().__init__(item, shared, LOOK)
        self._text_item = item

    @override
    def plain_text(self) -> str:
        return self._text_item.text

    @override
    def estimate(self, width: float) -> int:
        words = self._text_item.text
        if not words or words.isspace():
            return 0
        return estimated(words, width) + _FENCE_HEIGHT * (words.count("```") // 2) + self._note_height()

    @override
    def measure(self, width: float) -> int:
        height = self.measured_stack(width)
        return height + self._note_height() if height else 0

    def _note_height(self) -> int:
        return theme.lh + 6 if self._text_item.cut else 0

    @override
    def paint(self, p: QPainter, place: Place) -> None:
        self.paint_stack(p, place)
        height = self.measure(place.width)
        if not self._text_item.done and place.caret_on:
            end = self.stack.end_of_text(place.width).translated(place.x, place.y)
            tall = round(min(end.height(), theme.lh - 2))
            fill(p, QRectF(end.x() + 2, round(end.center().y() - tall / 2), CARET_WIDTH, tall), "accent_fill")
        if self._text_item.cut:
            y = place.y + height - theme.lh
            draw_icon(p, "warning", place.x, round(y + theme.lh / 2 - 6), "level2", 12)
            text(p, QRectF(place.x + 18, y, place.width - 18, theme.lh), _("The answer breaks off here."), theme.font("small"), "muted")
        if place.focused:
            focus_ring(p, QRectF(place.x - 6, place.y - 4, place.width + 12, height + 8), 6)

    @override
    def moves(self) -> bool:
        return not self._text_item.done

    @override
    def accessible_name(self) -> str:
        return _("The model: {words}").format(words=super().accessible_name())
