"""Small labels in the composer, each with a cross that takes it away: pictures that go along, and texts that wait to go out."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme

WIDEST = 280
GAP = 4


class Pill(QWidget):
    """One label: icon, words, a quiet note, and a cross.

    Signals:
        removed: the cross was pressed.
    """

    removed = Signal()

    def __init__(self, icon_name: str, words: str, note: str, remove_name: str) -> None:
        super().__init__()
        self.words = visible(words)
        self.setAccessibleName(self.words)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(6, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(Icon(icon_name, "muted", 12))
        layout.addWidget(Label(self.words, "tiny", weight="medium", elide="middle"))
        if note:
            layout.addWidget(Label(note, "tiny", "faint"))
        cross = IconButton("cross", remove_name, small=True)
        cross.clicked.connect(self.removed)
        layout.addWidget(cross)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @override
    def sizeHint(self) -> QSize:
        return QSize(min(super().sizeHint().width(), WIDEST), theme.lh + 8)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "level0_tint", None, 4)


class PillRow(QWidget):
    """Pills side by side, on as many lines as they need."""

    def __init__(self) -> None:
        super().__init__()
        self._pills: list[QWidget] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.hide()

    def show_pills(self, pills: Sequence[QWidget]) -> None:
        """Show these pills instead of those before."""
        for pill in self._pills:
            pill.hide()
            pill.deleteLater()
        self._pills = list(pills)
        for pill in self._pills:
            pill.setParent(self)
            pill.show()
        self.setVisible(bool(pills))
        self._arrange()
        self.updateGeometry()

    @override
    def heightForWidth(self, width: int) -> int:
        places = self._places(width)
        return places[-1].bottom() + 1 + self.contentsMargins().bottom() if places else 0

    @override
    def sizeHint(self) -> QSize:
        return QSize(100, self.heightForWidth(max(self.width(), 100)))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._arrange()

    def _arrange(self) -> None:
        for pill, place in zip(self._pills, self._places(self.width()), strict=True):
            pill.setGeometry(place)
        self.setMinimumHeight(self.heightForWidth(self.width()))

    def _places(self, width: int) -> list[QRect]:
        places: list[QRect] = []
        margins = self.contentsMargins()
        left, right = margins.left(), width - margins.right()
        at = QPoint(left, margins.top())
        for pill in self._pills:
            size = pill.sizeHint()
            size.setWidth(min(size.width(), max(right - left, 1)))
            if at.x() > left and at.x() + size.width() > right:
                at = QPoint(left, at.y() + size.height() + GAP)
            places.append(QRect(at, size))
            at += QPoint(size.width() + GAP, 0)
        return places
