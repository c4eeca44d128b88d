"""A row of small labels that wraps: marks of a call, and how it is confined. They say something; they do nothing."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.ui.kit.paint import pill, pill_width
from workbench.ui.kit.theme import theme
from workbench.words import strung

GAP = 6


class Pill(NamedTuple):
    """One label: words of ours, a tone, an icon."""

    words: str
    tone: str = "plain"
    icon: str = ""
    outline: bool = False


class Pills(QWidget):
    """Some labels; the accessible name has their words."""

    def __init__(self, pills: Sequence[Pill] = ()) -> None:
        super().__init__()
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.show_pills(pills)

    def show_pills(self, pills: Sequence[Pill]) -> None:
        """Show others."""
        self._pills = tuple(pills)
        self.setAccessibleName(strung(*(one.words for one in pills)))
        if not pills or self.parentWidget() is not None:  # without a parent it would be shown as a window of its own
            self.setVisible(bool(pills))
        self.updateGeometry()
        self.update()

    def _places(self, width: int) -> list[QRect]:
        places, x, y, tall = [], 0, 0, theme.lh + 4
        for one in self._pills:
            wide = ceil(pill_width(one.words, one.icon or None))
            if x and x + wide > width:
                x, y = 0, y + tall + 2
            places.append(QRect(x, y, wide, tall))
            x += wide + GAP
        return places

    @override
    def sizeHint(self) -> QSize:
        wide = sum(ceil(pill_width(one.words, one.icon or None)) + GAP for one in self._pills)
        return QSize(wide, theme.lh + 4)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(max((ceil(pill_width(one.words, one.icon or None)) for one in self._pills), default=0), theme.lh + 4)

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return max((place.bottom() + 1 for place in self._places(width)), default=0)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            for one, place in zip(self._pills, self._places(self.width()), strict=True):
                pill(p, place.x(), place.y() + place.height() / 2, one.words, one.tone, one.icon or None, one.outline)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
