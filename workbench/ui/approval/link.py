"""Words that open something in place."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.ui.kit.buttons import Painted
from workbench.ui.kit.paint import fill, focus_ring, text, width_of
from workbench.ui.kit.theme import theme


class Link(Painted):
    """A quiet button in the colour of links."""

    @override
    def tall(self) -> int:
        return theme.lh + 4

    @override
    def measure(self) -> float:
        return width_of(self.text(), theme.font("small")) + 8

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        used = text(p, rect.adjusted(4, 0, 0, 0), self.text(), theme.font("small"), "accent")
        if self.state("hover"):
            fill(p, QRectF(4, rect.height() - 4, used, 1), "accent")
        if self.state("focus"):
            focus_ring(p, rect, 4)
