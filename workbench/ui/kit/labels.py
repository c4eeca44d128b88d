"""Plain text, icons and badges as widgets, and tool tips. No label and no tip ever reads HTML."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import badge, badge_width, badge_words, text
from workbench.ui.kit.theme import theme

LONGEST_TIP = 2_000
"""Characters of a tool tip."""
LONGEST_UNWRAPPED_TIP = 80
TIP_BEGINS = '<p style="white-space:pre-wrap">'
"""What stands before an escaped tool tip."""


class Label(QLabel):
    """Plain text only: no HTML, no mnemonics, and every hidden character as a mark; size and colour by token, and both follow the theme.

    It is the one label of the window: text of a model, a file or a server may be given to it as it is.

    With `elide` (right, middle or left) it is one line that gives way: what does not fit is left out, and the tool tip has it whole.
    """

    def __init__(
        self,
        string: str,
        size: str = "body",
        token: str = "text",
        weight: str = "regular",
        mono: bool = False,
        wrap: bool = False,
        select: bool = False,
        elide: str = "",
    ) -> None:
        super().__init__()
        self._size, self._token, self._weight, self._mono, self._elide = size, token, weight, mono, elide
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(string)
        self.setWordWrap(wrap)
        if select:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if elide:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._restyle()
        theme.changed.connect(self._restyle)  # Qt tells a widget with a font of its own nothing of a new one

    @property
    def elides(self) -> bool:
        """Whether it may leave something out of its words."""
        return bool(self._elide)

    @override
    def setText(self, text: str) -> None:
        """Show other words; what cannot be seen in them, or would move others, stands there as ``⟨U+202E⟩``."""
        super().setText(visible(text, keep="\n\t"))

    @override
    def setTextFormat(self, text_format: Qt.TextFormat) -> None:
        """Refuse every format but plain text.

        Raises:
            ValueError: it is another one.
        """
        if text_format is not Qt.TextFormat.PlainText:
            raise ValueError("a label of this window shows plain text only")
        super().setTextFormat(text_format)

    def set_token(self, token: str) -> None:
        """Give the words another colour."""
        if token != self._token:
            self._token = token
            self._restyle()

    def set_weight(self, weight: str) -> None:
        """Make the words heavier or lighter."""
        if weight != self._weight:
            self._weight = weight
            self._restyle()

    def _restyle(self) -> None:
        self.setFont(theme.font(self._size, self._weight, self._mono))
        self._recolour()

    def _recolour(self) -> None:
        palette = self.palette()
        if palette.color(palette.ColorGroup.Active, palette.ColorRole.WindowText) != theme[self._token]:
            palette.setColor(palette.ColorRole.WindowText, theme[self._token])
            palette.setColor(palette.ColorGroup.Disabled, palette.ColorRole.WindowText, theme["faint"])
            self.setPalette(palette)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()

    @override
    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), 3 * theme.lh), hint.height()) if self._elide else hint

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._elide:
            super().paintEvent(event)
            return
        with QPainter(self) as p:
            area = QRectF(self.contentsRect())
            text(p, area, self.text(), self.font(), self._token if self.isEnabled() else "faint", self.alignment(), self._elide)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and self._elide and not self.toolTip() and self.sizeHint().width() > self.width():
            plain_tip(self, self.text())
            handled = super().event(event)
            self.setToolTip("")
            return handled
        return super().event(event)


class Icon(QWidget):
    """An icon that says what words beside it say too."""

    def __init__(self, name: str, token: str = "muted", size: int = 16) -> None:
        super().__init__()
        self.name, self.token, self.side = name, token, size
        self.setFixedSize(size, size)

    def show_icon(self, name: str, token: str) -> None:
        """Show another icon."""
        self.name, self.token = name, token
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            draw_icon(p, self.name, 0, (self.height() - self.side) // 2, self.token, self.side)


class Badge(QWidget):
    """The danger badge as a widget."""

    def __init__(self, level: int, label: str = "") -> None:
        super().__init__()
        self.level, self.label = level, label or badge_words(level)
        self.setAccessibleName(self.label)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_level(self, level: int, label: str = "") -> None:
        """Show another level."""
        self.level, self.label = level, label or badge_words(level)
        self.setAccessibleName(self.label)
        self.updateGeometry()
        self.update()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    @override
    def sizeHint(self) -> QSize:
        return QSize(int(badge_width(self.label) + 1), theme.lh + 6)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            badge(p, 0, self.height() / 2, self.level, self.label)


def plain_tip(widget: QWidget, text: str) -> None:
    """Give a widget a tool tip that shows `text` letter by letter: tags stay tags, hidden characters can be seen, a long one is broken into lines."""
    widget.setToolTip(tip_text(text))


def tip_text(text: str) -> str:
    """Return what makes Qt show `text` letter by letter in a tool tip."""
    shown = visible(text[:LONGEST_TIP], keep="\n\t") + ("…" if len(text) > LONGEST_TIP else "")
    if len(shown) <= LONGEST_UNWRAPPED_TIP and not set("<&\n") & set(shown):
        return shown
    return f"{TIP_BEGINS}{escape(shown)}</p>"
