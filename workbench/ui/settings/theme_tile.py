"""A small picture of the window in a theme, to choose it by."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath
from typing_extensions import override

from workbench.ui.kit.buttons import Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, focus_ring, text
from workbench.ui.kit.theme import TOKENS, Name, theme

WIDE, PICTURE = 11, 6.5
"""Width of a tile and height of its picture, in lines of text: 176 and 104 pixels at 100 %."""
BELOW = 8
"""Pixels between the picture and the words."""
DRAWN_TALL = 104
"""The height for which `BLOCKS` are given."""

Block = tuple[float, float, float, float, str]
"""Left, top, width, height and token; left, and a width up to 1, are shares of the width, the others pixels at 100 %."""

BLOCKS: tuple[Block, ...] = (
    (0.28, 22, 0.36, 12, "accent_tint"),
    (0.28, 42, 0.34, 3, "edge"),
    (0.28, 51, 0.29, 3, "edge"),
    (0.28, 60, 0.24, 3, "edge"),
    (0.28, 72, 0.36, 14, "card"),
    (0.28, 72, 2, 14, "level2"),
    (0.72, 22, 0.10, 4, "role_system"),
    (0.72, 30, 0.16, 4, "role_tools"),
    (0.72, 38, 0.22, 4, "role_result"),
)


class ThemeTile(Painted):
    """One of the themes that can be chosen; the chosen one has a ring and a tick.

    Args:
        label: what it is called.
        names: the theme, or those between which the desktop chooses.
        chosen: whether it is the one in force.
    """

    def __init__(self, label: str, names: Sequence[Name], chosen: bool) -> None:
        self._names = tuple(names)
        super().__init__(label)
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setChecked(chosen)

    @override
    def tall(self) -> int:
        return self._picture() + BELOW + theme.lh + 6

    @override
    def measure(self) -> float:
        return WIDE * theme.lh

    def _picture(self) -> int:
        return round(PICTURE * theme.lh)

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        tall = self._picture()
        area = QRectF(3, 3, rect.width() - 6, tall - 4)
        shape = QPainterPath()
        shape.addRoundedRect(area, 6, 6)
        p.save()
        p.setClipPath(shape)
        share = area.width() / len(self._names)
        for place, name in enumerate(self._names):
            _window(p, QRectF(area.x() + place * share, area.y(), share, area.height()), name)
        p.restore()
        box(p, area, None, "field" if self.state("hover") else "edge", 6)
        line = QRectF(0, tall + BELOW - 2, rect.width(), theme.lh + 6)
        if self.isChecked():
            box(p, area.adjusted(-3, -3, 3, 3), None, "accent_fill", 8, 2)
            draw_icon(p, "check", 4, line.center().y() - 8, "accent")
        words = line.adjusted(26 if self.isChecked() else 4, 0, -4, 0)
        text(p, words, self.text(), theme.font("body", "medium" if self.isChecked() else "regular"))
        if self.state("focus"):
            focus_ring(p, line)


def _window(p: QPainter, area: QRectF, name: Name) -> None:
    colours, wide, scale = TOKENS[name], area.width(), area.height() / DRAWN_TALL
    p.fillRect(area, QColor(colours["base"]))
    p.fillRect(QRectF(area.x(), area.y(), wide, 12 * scale), QColor(colours["window"]))
    p.fillRect(QRectF(area.x(), area.y() + 12 * scale, wide * 0.22, area.height()), QColor(colours["window"]))
    p.fillRect(QRectF(area.x() + wide * 0.68, area.y() + 12 * scale, 1, area.height()), QColor(colours["line"]))
    for left, top, width, height, token in BLOCKS:
        across = wide * width if width <= 1 else width * scale
        p.fillRect(QRectF(area.x() + wide * left, area.y() + top * scale, across, height * scale), QColor(colours[token]))
