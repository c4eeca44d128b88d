"""The ground of everything that pops up."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme

PAD = 8
"""How far the soft edge reaches around the card, pixels."""


def popup_ground(p: QPainter, rect: QRectF) -> QRectF:
    """Paint outline and soft edge of something over the window; return the card inside `rect`."""
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(QColor(0, 0, 0, 4 if theme.name == "light" else 22))
    for n in range(PAD):
        p.drawRoundedRect(rect.adjusted(n, n + 2, -n, -n + (0 if n else -1)), 10, 10)
    card = rect.adjusted(PAD, PAD, -PAD, -PAD)
    box(p, card, "raised", "edge", 8)
    return card
