"""A label for foreign text: wrapped anywhere rather than cut, hidden characters as boxes, never HTML."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.approval.exact_text import Face, face
from workbench.ui.kit.theme import theme

WIDEST_HINT = 600


def line_height(size: str, weight: str = "regular", *, mono: bool = False) -> int:
    """Return how high a line of an `ExactLabel` is, in pixels."""
    return ceil(theme.metrics(size, weight, mono).height()) + 1


class ExactLabel(QWidget):
    """Text of a model, a file or a server, exactly.

    Args:
        string: the text.
        size, token, weight, mono: how it is drawn, by the names of the theme.
        lines: line breaks in it begin new lines; else they are boxes like other hidden characters.
        name: accessible name; the text itself is the description then. Without it the text is the name.
    """

    def __init__(
        self, string: str = "", size: str = "body", token: str = "text", *, weight: str = "regular", mono: bool = False, lines: bool = False, name: str = ""
    ) -> None:
        super().__init__()
        self._size, self._token, self._weight, self._mono, self._breaks, self._name = size, token, weight, mono, lines, name
        self._lines: list[str] = []
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.show_text(string)

    def text(self) -> str:
        """Return the text as it was given."""
        return "\n".join(self._lines)

    def show_text(self, string: str, token: str = "") -> None:
        """Show another text; an empty token leaves the colour."""
        self._token = token or self._token
        self._lines = string.split("\n") if self._breaks else [string]
        shown = visible(string, keep="\n" if self._breaks else "")
        self.setAccessibleName(self._name or shown)
        self.setAccessibleDescription(shown if self._name else "")
        self.updateGeometry()
        self.update()

    def _face(self) -> Face:
        return face(self._size, self._weight, mono=self._mono)

    def _tall(self) -> int:
        return line_height(self._size, self._weight, mono=self._mono)

    @override
    def heightForWidth(self, width: int) -> int:
        return sum(len(self._face().pieces(line, width)) for line in self._lines) * self._tall()

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def sizeHint(self) -> QSize:
        one = self._face()
        wide = max((one.x_at(line, piece, piece.end, is_end=True) for line in self._lines for piece in one.pieces(line, WIDEST_HINT)), default=0.0)
        return QSize(ceil(wide) + 1, self.heightForWidth(ceil(wide) + 1))

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), 4 * theme.lh), self._tall())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        one, tall = self._face(), self._tall()
        y = max(0, (self.height() - self.heightForWidth(self.width())) // 2)
        with QPainter(self) as p:
            for line in self._lines:
                for piece in one.pieces(line, self.width()):
                    one.paint(p, QPointF(0, y), tall, line, piece, token=self._token)
                    y += tall

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
