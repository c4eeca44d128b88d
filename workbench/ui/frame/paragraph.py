"""Running text of the program itself, with the line height of the chat."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.ui.kit.theme import theme

LINE = 1.3
"""Distance of lines, in heights of the font."""


class Paragraph(QWidget):
    """Words on as many lines as they need."""

    def __init__(self, words: str = "", token: str = "muted") -> None:
        super().__init__()
        self._words, self._token = "", token
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self._restyle)
        self.set_words(words)

    def set_words(self, words: str) -> None:
        """Show other words."""
        self._words = words
        self.setAccessibleName(words)
        self._restyle()

    @override
    def heightForWidth(self, width: int) -> int:
        return round(self._laid_out(width).lineCount() * self._line_height())

    @override
    def sizeHint(self) -> QSize:
        return QSize(self.width(), self.heightForWidth(self.width()))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            p.setPen(theme[self._token])
            self._laid_out(self.width()).draw(p, QPointF(0, 0))

    def _restyle(self) -> None:
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self.updateGeometry()
        self.update()

    def _line_height(self) -> float:
        return theme.metrics("prose").height() * LINE

    def _laid_out(self, width: int) -> QTextLayout:
        layout = QTextLayout(self._words, theme.font("prose"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
            line.setPosition(QPointF(0, y + (self._line_height() - line.height()) / 2))
            y += self._line_height()
        layout.endLayout()
        return layout
