"""Areas, panes, thin scroll bars, and the two functions that stack widgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QBoxLayout, QFrame, QHBoxLayout, QScrollBar, QSplitter, QSplitterHandle, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.kit.paint import box, fill

Stacked: TypeAlias = QWidget | tuple[QWidget, int] | int | None
"""A widget, a widget and how much it stretches, that many pixels, or a stretch."""
Margins: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""

BAR = 10
"""Width of a scroll bar."""
SHORTEST_THUMB = 24


class Ground(QWidget):
    """A plain area of one token, with hairlines on the named sides (letters of ``tblr``)."""

    def __init__(self, token: str = "base", lines: str = "", line_token: str = "line") -> None:
        super().__init__()
        self.token, self.lines, self.line_token = token, lines, line_token

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        w, h = self.width(), self.height()
        sides = {"t": QRectF(0, 0, w, 1), "b": QRectF(0, h - 1, w, 1), "l": QRectF(0, 0, 1, h), "r": QRectF(w - 1, 0, 1, h)}
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), self.token)
            for side in self.lines:
                fill(p, sides[side], self.line_token)


class _Handle(QSplitterHandle):
    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), "line")


class Panes(QSplitter):
    """Panes with a 1-pixel line between them (Qt widens the grab area to 5 by itself)."""

    def __init__(self, *widgets: QWidget, sizes: list[int] | None = None, vertical: bool = False) -> None:
        super().__init__(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for widget in widgets:
            self.addWidget(widget)
        if sizes:
            self.setSizes(sizes)

    @override
    def createHandle(self) -> QSplitterHandle:
        return _Handle(self.orientation(), self)


class Scroll(QScrollBar):
    """A thin bar without arrows: 10 pixels wide, a 6-pixel thumb; darker (3:1) while the pointer is on it."""

    @override
    def sizeHint(self) -> QSize:
        return QSize(BAR, BAR)

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @override
    def enterEvent(self, event: QEnterEvent) -> None:
        self.update()
        super().enterEvent(event)

    @override
    def leaveEvent(self, event: QEvent) -> None:
        self.update()
        super().leaveEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() <= self.minimum():
            return
        with QPainter(self) as p:
            box(p, self._thumb(), "field" if self.underMouse() or self.isSliderDown() else "edge", None, 3)

    def _thumb(self) -> QRectF:
        upright = self.orientation() == Qt.Orientation.Vertical
        length = self.height() if upright else self.width()
        span = self.maximum() - self.minimum()
        size = max(SHORTEST_THUMB, length * self.pageStep() / (span + self.pageStep()))
        start = (length - size) * (self.value() - self.minimum()) / span
        return QRectF(2, start + 2, 6, size - 4) if upright else QRectF(start + 2, 2, size - 4, 6)


def scrolls(area: QAbstractScrollArea) -> None:
    """Give a scroll area the thin bars and no frame. They step as its own ones did: by one unit unless the area says more."""
    area.setVerticalScrollBar(Scroll(Qt.Orientation.Vertical))
    area.setHorizontalScrollBar(Scroll(Qt.Orientation.Horizontal))
    area.setFrameShape(QFrame.Shape.NoFrame)


def column(*items: Stacked, margins: Margins = (0, 0, 0, 0), gap: int = 0, ground: str | None = None, lines: str = "") -> QWidget:
    """Stack widgets; an int adds that many pixels, None stretches, (widget, n) stretches the widget."""
    holder = Ground(ground, lines) if ground else QWidget()
    _fill(QVBoxLayout(holder), items, margins, gap)
    return holder


def line(*items: Stacked, margins: Margins = (0, 0, 0, 0), gap: int = 8, ground: str | None = None, lines: str = "") -> QWidget:
    """Set widgets side by side; an int adds that many pixels, None stretches, (widget, n) stretches the widget."""
    holder = Ground(ground, lines) if ground else QWidget()
    _fill(QHBoxLayout(holder), items, margins, gap)
    return holder


def _fill(layout: QBoxLayout, items: Sequence[Stacked], margins: Margins, gap: int) -> None:
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    for item in items:
        match item:
            case None:
                layout.addStretch(1)
            case int():
                layout.addSpacing(item)
            case (widget, stretch):
                layout.addWidget(widget, stretch)
            case _:
                layout.addWidget(item)
