"""Foreign text on one line: hidden characters made visible, elided to its place, whole in the tool tip and for screen readers."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.kit.paint import text, width_of
from workbench.ui.kit.theme import theme

TIP_CHARACTERS = 1_000


def plain_tip(words: str) -> str:
    """Return words for `setToolTip` so that Qt shows them as they are: it reads what looks like HTML as HTML."""
    shown = visible(words[:TIP_CHARACTERS], keep="\n")
    return f"<qt>{html.escape(shown).replace(chr(10), '<br>')}</qt>" if shown else ""


class ElidedText(QWidget):
    """One line of foreign text that gives way: it takes the width it needs and shrinks to nothing, elided in the middle."""

    def __init__(self, words: str = "", size: str = "body", token: str = "text", weight: str = "regular", *, elide: str = "middle") -> None:
        super().__init__()
        self._shown, self._size, self._token, self._weight, self._elide = "", size, token, weight, elide
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_words(words)

    @property
    def words(self) -> str:
        """What is shown, before it is elided."""
        return self._shown

    def set_words(self, words: str, token: str = "") -> None:
        """Show other words, and in another colour if `token` is given."""
        self._shown, self._token = visible(words), token or self._token
        self.setAccessibleName(self._shown)
        self.updateGeometry()
        self._tell_whole()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(int(self._wide() + 1), theme.lh + 4)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(0, theme.lh + 4)

    @override
    def resizeEvent(self, event: QEvent) -> None:
        self._tell_whole()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            text(p, QRectF(self.rect()), self._shown, theme.font(self._size, self._weight), self._token, elide=self._elide)

    def _wide(self) -> float:
        return width_of(self._shown, theme.font(self._size, self._weight)) if self._shown else 0.0

    def _tell_whole(self) -> None:
        """Put the whole text into the tool tip only where it is cut."""
        self.setToolTip(plain_tip(self._shown) if self._wide() > self.width() + 1 else "")
