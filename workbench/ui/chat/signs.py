"""Two small things over the chat: the bar that repeats the prompt when it has scrolled away, and the button that leads to the end."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from workbench.ui.kit.buttons import Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, fill, focus_ring, hline, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _


class StickyPrompt(Painted):
    """One line with the beginning of a prompt; a click leads back to it."""

    def __init__(self, parent: QWidget) -> None:
        self._words, self._left, self._width = "", 0.0, 100.0
        super().__init__("", parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def show_words(self, words: str, left: float, width: float) -> None:
        """Show a prompt's beginning, in the column that begins at `left` and is so wide."""
        if (words, left, width) == (self._words, self._left, self._width):
            return
        self._words, self._left, self._width = words, left, width
        self.setAccessibleName(_("Back to the prompt: {words}").format(words=words[:200]))
        self.update()

    @override
    def tall(self) -> int:
        return theme.bar

    @override
    def measure(self) -> float:
        return self._width

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        fill(p, rect, "hover" if self.state("hover") else "base")
        hline(p, 0, rect.width(), rect.height() - 1)
        draw_icon(p, "user", self._left, (rect.height() - 17) / 2, "accent")
        text(p, QRectF(self._left + 24, 0, self._width - 24, rect.height() - 1), self._words, theme.font("body"))
        if self.state("focus"):
            focus_ring(p, rect, 0)


class EndButton(Painted):
    """Leads to the end, while something new is there that is not in sight."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(_("Jump to the end"), parent)
        self.hide()

    @override
    def tall(self) -> int:
        return theme.compact

    @override
    def measure(self) -> float:
        return ceil(width_of(self.text(), theme.font("small", "medium"))) + 38

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        box(p, rect, self.pointer_ground("raised"), "edge", rect.height() / 2)
        draw_icon(p, "chevron-down", 10, (rect.height() - 12) / 2, "accent", 12)
        text(p, QRectF(28, 0, rect.width() - 28, rect.height()), self.text(), theme.font("small", "medium"))
        if self.state("focus"):
            focus_ring(p, rect, rect.height() / 2)
