"""A one-line field."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit

from workbench.ui.kit.buttons import focus_ring
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import RIGHT, box, text, width_of
from workbench.ui.kit.theme import theme


class Field(QFrame):
    """A one-line field: optional icon, text, optional trailing note; the outline is 3:1, the ring shows the keyboard."""

    def __init__(
        self,
        placeholder: str = "",
        value: str = "",
        icon_name: str = "",
        note: str = "",
        mono: bool = False,
        ground: str = "base",
        focused: bool = False,
    ):
        super().__init__()
        self.icon_name, self.note, self.ground, self.focused = icon_name, note, ground, focused
        self.edit = QLineEdit(value)
        self.edit.setFrame(False)
        self.edit.setPlaceholderText(placeholder)
        self.edit.setFont(theme.font("code" if mono else "body", mono=mono))
        palette = self.edit.palette()
        palette.setColor(palette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.edit.setPalette(palette)
        row = QHBoxLayout(self)
        row.setContentsMargins(
            28 if icon_name else 6, 1, 8 + (int(width_of(note, theme.font("tiny"))) + 6 if note else 0), 1
        )
        row.addWidget(self.edit)
        self.setFixedHeight(theme.control)

    def paintEvent(self, event):
        with QPainter(self) as p:
            rect = QRectF(self.rect())
            box(p, rect, self.ground, "field", 5)
            if self.icon_name:
                draw_icon(p, self.icon_name, 8, (rect.height() - 16) / 2)
            if self.note:
                text(p, rect.adjusted(0, 0, -9, 0), self.note, theme.font("tiny"), "faint", RIGHT)
            if self.focused or self.edit.hasFocus():
                focus_ring(p, rect)

