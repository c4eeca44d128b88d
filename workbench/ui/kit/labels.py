"""Plain text, icons and badges as widgets. No label ever reads HTML."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import badge, badge_width
from workbench.ui.kit.theme import theme
from workbench.words import level_name


class Label(QLabel):
    """Plain text only: no HTML, no mnemonics; size and colour by token."""

    def __init__(
        self,
        string: str,
        size: str = "body",
        token: str = "text",
        weight: str = "regular",
        mono: bool = False,
        wrap: bool = False,
        select: bool = False,
    ):
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(string)
        self.setFont(theme.font(size, weight, mono))
        palette = self.palette()
        palette.setColor(palette.ColorRole.WindowText, theme[token])
        self.setPalette(palette)
        self.setWordWrap(wrap)
        if select:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)



class Icon(QWidget):
    def __init__(self, name: str, token: str = "muted", size: int = 16):
        super().__init__()
        self.name, self.token, self.side = name, token, size
        self.setFixedSize(size, size)

    def paintEvent(self, event):
        with QPainter(self) as p:
            draw_icon(p, self.name, 0, 0, self.token, self.side)



class Badge(QWidget):
    """The danger badge as a widget."""

    def __init__(self, level: int, label: str = ""):
        super().__init__()
        self.level, self.label = level, label or None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self):
        return QSize(int(badge_width(self.label or f"{self.level} {level_name(self.level)}") + 1), theme.lh + 6)

    def paintEvent(self, event):
        with QPainter(self) as p:
            badge(p, 0, self.height() / 2, self.level, self.label)

