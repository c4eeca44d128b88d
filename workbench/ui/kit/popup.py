"""The ground of everything that pops up."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme


class Popup(QWidget):
    """Something over the window: outline, soft edge made of three rings, nothing blurred."""

    PAD = 8

    def __init__(self, parent: QWidget, query: str, hint: str, mode: str = "", placeholder: str = ""):
        super().__init__(parent)
        self.query, self.hint, self.mode, self.placeholder = query, hint, mode, placeholder

    def paintEvent(self, event):
        with QPainter(self) as p:
            rect = QRectF(self.rect())
            shade = QColor(0, 0, 0, 4 if theme.name == "light" else 22)
            p.setRenderHint(QPainter.RenderHint.Antialiasing)
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(shade)
            for n in range(self.PAD):
                p.drawRoundedRect(rect.adjusted(n, n + 2, -n, -n + (0 if n else -1)), 10, 10)
            card = rect.adjusted(self.PAD, self.PAD, -self.PAD, -self.PAD)
            box(p, card, "raised", "edge", 8)
            p.translate(card.x(), card.y())
            self._query(p, card.width())
            self.rows(p, card.width(), theme.lh + 30, card.height())

    def _query(self, p, w):
        h = theme.lh + 28
        draw_icon(p, "search", 16, (h - 16) / 2, "muted")
        x = 44.0
        if self.mode:
            x += pill(p, x, h / 2, self.mode, "you") + 8
        font = theme.font("prose")
        x += text(p, QRectF(x, 0, w, h), self.query, font)
        fill(p, QRectF(x + 1, h / 2 - 9, 1, 18), "text")
        if not self.query:
            text(p, QRectF(x + 4, 0, w, h), self.placeholder, font, "faint")
        text(p, QRectF(0, 0, w - 16, h), self.hint, theme.font("tiny"), "faint", RIGHT)
        hline(p, 0, w, h)

    def rows(self, p, w, y, bottom):
        raise NotImplementedError

