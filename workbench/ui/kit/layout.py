"""Areas, panes, thin scroll bars, and the two helpers that stack widgets."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollBar, QSplitter, QSplitterHandle, QVBoxLayout, QWidget

from workbench.ui.kit.paint import box, fill
from workbench.ui.kit.theme import theme


class Ground(QWidget):
    """A plain area of one token, with hairlines on the named sides."""

    def __init__(self, token: str = "base", lines: str = "", line_token: str = "line"):
        super().__init__()
        self.token, self.lines, self.line_token = token, lines, line_token

    def paintEvent(self, event):
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), self.token)
            w, h = self.width(), self.height()
            for side in self.lines:
                area = {
                    "t": QRectF(0, 0, w, 1),
                    "b": QRectF(0, h - 1, w, 1),
                    "l": QRectF(0, 0, 1, h),
                    "r": QRectF(w - 1, 0, 1, h),
                }[side]
                p.fillRect(area, theme[self.line_token])


class _Handle(QSplitterHandle):
    def paintEvent(self, event):
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), "line")


class Panes(QSplitter):
    """Panes with a 1-pixel line between them (Qt widens the grab area to 5 by itself)."""

    def __init__(self, *widgets: QWidget, sizes: list[int] | None = None, vertical: bool = False):
        super().__init__(Qt.Orientation.Vertical if vertical else Qt.Orientation.Horizontal)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        for widget in widgets:
            self.addWidget(widget)
        if sizes:
            self.setSizes(sizes)

    def createHandle(self):
        return _Handle(self.orientation(), self)


class Scroll(QScrollBar):
    """A thin bar without arrows: 10 pixels wide, a 6-pixel thumb; darker (3:1) while the pointer is on it."""

    def sizeHint(self):
        return QSize(10, 10)

    def paintEvent(self, event):
        if self.maximum() <= self.minimum():
            return
        with QPainter(self) as p:
            upright = self.orientation() == Qt.Orientation.Vertical
            length = self.height() if upright else self.width()
            span = self.maximum() - self.minimum() + self.pageStep()
            size = max(24, length * self.pageStep() / span)
            start = (length - size) * (self.value() - self.minimum()) / max(1, self.maximum() - self.minimum())
            rect = QRectF(2, start + 2, 6, size - 4) if upright else QRectF(start + 2, 2, size - 4, 6)
            box(p, rect, "field" if self.underMouse() else "edge", None, 3)


def scrolls(area) -> None:
    """Give a scroll area the thin bars and no frame."""
    area.setVerticalScrollBar(Scroll(Qt.Orientation.Vertical))
    area.setHorizontalScrollBar(Scroll(Qt.Orientation.Horizontal))
    area.setFrameShape(QFrame.Shape.NoFrame)


def column(*items, margins=(0, 0, 0, 0), gap: int = 0, ground: str | None = None, lines: str = "") -> QWidget:
    """Stack widgets; an int adds that many pixels, None stretches."""
    return _stack(QVBoxLayout, items, margins, gap, ground, lines)


def line(*items, margins=(0, 0, 0, 0), gap: int = 8, ground: str | None = None, lines: str = "") -> QWidget:
    """Set widgets side by side; an int adds that many pixels, None stretches."""
    return _stack(QHBoxLayout, items, margins, gap, ground, lines)


def _stack(kind, items, margins, gap, ground, lines) -> QWidget:
    holder = Ground(ground, lines) if ground else QWidget()
    layout = kind(holder)
    layout.setContentsMargins(*margins)
    layout.setSpacing(gap)
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, tuple):
            layout.addWidget(item[0], item[1])
        else:
            layout.addWidget(item)
    return holder
