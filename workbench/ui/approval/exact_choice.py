"""One of several choices whose words are foreign: a round mark and the text, wrapped and exact."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.approval.exact_text import face
from workbench.ui.kit.paint import box, focus_ring
from workbench.ui.kit.theme import theme

LEFT = 24


class ExactChoice(QAbstractButton):
    """A choice; of those with the same parent one is chosen."""

    def __init__(self, string: str, *, on: bool) -> None:
        super().__init__()
        self._string = string
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setChecked(on)
        self.setAccessibleName(visible(string))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @override
    def text(self) -> str:
        """Return what a screen reader says; nothing in it is a mnemonic."""
        return self.accessibleName()

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return max(theme.row, len(face().pieces(self._string, width - LEFT - 4)) * (theme.mh + 1) + 6)

    @override
    def sizeHint(self) -> QSize:
        return QSize(LEFT + 320, theme.row)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            side = QRectF(1, (theme.row - 16) // 2, 16, 16)
            if self.isChecked():
                box(p, side, "accent_fill", None, 8)
                box(p, side.adjusted(5, 5, -5, -5), "on_fill", None, 3)
            else:
                box(p, side, "base", "field", 8)
            top, one = ceil((theme.row - theme.mh - 1) / 2), face()
            for n, piece in enumerate(one.pieces(self._string, self.width() - LEFT - 4)):
                one.paint(p, QPointF(LEFT, top + n * (theme.mh + 1)), theme.mh + 1, self._string, piece)
            if self.hasFocus():
                focus_ring(p, QRectF(self.rect()))

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
