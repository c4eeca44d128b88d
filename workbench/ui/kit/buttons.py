"""Buttons that paint themselves from tokens; keys, focus and accessibility stay those of Qt."""

from __future__ import annotations

from math import ceil
from typing import Literal, TypeAlias

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import plain_tip
from workbench.ui.kit.paint import RIGHT, box, fill, pill, pill_width, text, width_of
from workbench.ui.kit.paint import focus_ring as focus_ring
from workbench.ui.kit.theme import theme

Kind: TypeAlias = Literal["plain", "primary", "danger", "quiet"]
State: TypeAlias = Literal["hover", "press", "focus", "disabled"]

LOOKS: dict[str, tuple[str, str | None, str | None]] = {
    "plain": ("text", "raised", "edge"),
    "primary": ("on_fill", "accent_fill", None),
    "danger": ("level4", "raised", "level4"),
    "quiet": ("text", None, None),
}
"""Ink, ground and outline of each kind of button."""


class Painted(QAbstractButton):
    """Base of the buttons: asks `measure()` for its width and `draw()` for its picture.

    Attributes:
        look: forces a state (``normal``, or a `State`) for a picture of all states; empty in the program.
    """

    def __init__(self, label: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = ""
        self._label = ""
        self.setText(label)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    @override
    def setText(self, text: str) -> None:
        """Show other words, which are also the accessible name; an ampersand is an ampersand, and what cannot be seen stands there as a mark."""
        self._label = visible(text)
        self.setAccessibleName(self._label)
        self.updateGeometry()
        self.update()

    @override
    def text(self) -> str:
        return self._label

    def state(self, name: State) -> bool:
        """Say whether the button is in a state."""
        if self.look:
            return self.look == name
        match name:
            case "hover":
                return self.underMouse() and self.isEnabled()
            case "press":
                return self.isDown()
            case "focus":
                return self.hasFocus()
            case "disabled":
                return not self.isEnabled()

    def pointer_ground(self, rest: str | None = None) -> str | None:
        """Return the ground under the pointer, or `rest`."""
        return "press" if self.state("press") else "hover" if self.state("hover") else rest

    @override
    def sizeHint(self) -> QSize:
        return QSize(ceil(self.measure()), self.tall())

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def tall(self) -> int:
        """Return the height in pixels."""
        return theme.control

    def measure(self) -> float:
        """Return the width in pixels that the content needs."""
        raise NotImplementedError

    def draw(self, p: QPainter, rect: QRectF) -> None:
        """Paint the button into `rect`."""
        raise NotImplementedError

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            self.draw(p, QRectF(self.rect()))


class Button(Painted):
    """A push button. `kind`: plain, primary (at most one a window), danger (level 4 only) or quiet (no outline).

    Args:
        label: what it does, a verb first.
        kind: see above.
        icon_name: an icon before the words.
        keys: the keys that do the same, as people read them; shown after the words. They are not bound here.
        small: for cards and bars.
        default: a stronger outline for what is safest.
    """

    def __init__(self, label: str, kind: Kind = "plain", icon_name: str = "", keys: str = "", small: bool = False, default: bool = False) -> None:
        self.kind, self.icon_name, self.keys, self.small, self.default = kind, icon_name, keys, small, default
        super().__init__(label)
        self.setAccessibleDescription(keys)

    @override
    def tall(self) -> int:
        return theme.compact if self.small else theme.control

    def _font(self) -> QFont:
        return theme.font("small" if self.small else "body", "medium" if self.kind == "primary" or self.default else "regular")

    @override
    def measure(self) -> float:
        pad = 8 if self.small else 12
        inner = width_of(self.text(), self._font()) + (20 if self.icon_name else 0)
        if self.keys:
            inner += 8 + width_of(self.keys, theme.font("tiny"))
        return inner + 2 * pad

    def _colours(self) -> tuple[str, str, str | None, str | None]:
        """Return ink, ink of the keys, ground and outline as the button is now."""
        ink, back, edge = LOOKS[self.kind]
        if self.default and edge:
            edge = "field"
        if self.state("disabled"):
            return "faint", "faint", "hover" if self.kind == "primary" else None, "line" if edge else None
        if self.kind == "primary":
            return ink, "on_fill", back, edge
        return ink, "faint", self.pointer_ground(back), edge

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        ink, hint, back, edge = self._colours()
        box(p, rect, back, edge, 5)
        x = float(max(4, round((rect.width() - self.measure()) / 2) + (8 if self.small else 12)))
        if self.icon_name:
            draw_icon(p, self.icon_name, x - 2, (rect.height() - 16) / 2, ink)
            x += 20
        x += text(p, QRectF(x, 0, rect.width() - x, rect.height()), self.text(), self._font(), ink)
        if self.keys:
            text(p, QRectF(x + 8, 0, rect.width(), rect.height()), self.keys, theme.font("tiny"), hint)
        if self.state("focus"):
            focus_ring(p, rect)
            if self.kind == "primary":
                box(p, rect.adjusted(2, 2, -2, -2), None, "on_fill", 4)  # the ring alone has the colour of the fill
        elif self.kind == "primary" and self.state("hover"):
            box(p, rect, None, "focus", 5)


class IconButton(Painted):
    """An icon that does something; its name is the tool tip and the accessible name."""

    def __init__(self, icon_name: str, name: str, token: str = "muted", small: bool = False, count: str = "") -> None:
        self.icon_name, self.token, self.small, self.count = icon_name, token, small, count
        super().__init__()
        self.rename(name)

    def rename(self, name: str) -> None:
        """Give it another name, because it does something else now."""
        plain_tip(self, name)
        self.setAccessibleName(name)

    def set_count(self, count: str) -> None:
        """Show a figure beside the icon; empty shows none."""
        self.count = count
        self.updateGeometry()
        self.update()

    @override
    def tall(self) -> int:
        return theme.compact if self.small else theme.control

    @override
    def measure(self) -> float:
        return self.tall() + (width_of(self.count, theme.font("tiny", "medium")) + 2 if self.count else 0)

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        back = "select" if self.isChecked() else self.pointer_ground()
        if back:
            box(p, rect.adjusted(1, 1, -1, -1), back, None, 5)
        side = self.tall()
        token = "edge" if self.state("disabled") else "accent" if self.isChecked() else self.token
        draw_icon(p, self.icon_name, (side - 16) / 2, (rect.height() - 16) / 2, token)
        if self.count:
            text(p, QRectF(side - 5, 0, rect.width() - side + 5, rect.height()), self.count, theme.font("tiny", "medium"), "muted")
        if self.state("focus"):
            focus_ring(p, rect)


class MenuButton(Painted):
    """Shows the current choice and opens a menu: model, mode, scope."""

    def __init__(self, label: str, icon_name: str = "", note: str = "", outlined: bool = False, token: str = "text", wide: int = 0) -> None:
        self.icon_name, self.note, self.outlined, self.token, self.wide = icon_name, note, outlined, token, wide
        super().__init__(label)

    def show_choice(self, label: str, note: str = "", icon_name: str = "", token: str = "") -> None:
        """Show another choice; an empty icon or token stays as it is. The accessible name stays what it is for, if it was given one."""
        named = self.accessibleName() if self.accessibleName() != self.text() else ""
        self.note, self.icon_name, self.token = note, icon_name or self.icon_name, token or self.token
        self.setText(label)
        if named:
            self.setAccessibleName(named)
            self.setAccessibleDescription(label)

    def _font(self) -> QFont:
        return theme.font("body" if self.outlined else "small")

    @override
    def measure(self) -> float:
        inner = width_of(self.text(), self._font()) + 20 + (20 if self.icon_name else 0)
        if self.note:
            inner += 6 + width_of(self.note, theme.font("small"))
        return max(self.wide, inner + 16)

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        box(p, rect, self.pointer_ground("raised" if self.outlined else None), "edge" if self.outlined else None, 5)
        x = 8.0
        ink = "faint" if self.state("disabled") else self.token
        if self.icon_name:
            draw_icon(p, self.icon_name, x - 1, (rect.height() - 16) / 2, "muted" if ink == "text" else ink)
            x += 20
        x += text(p, QRectF(x, 0, rect.width() - x - 20, rect.height()), self.text(), self._font(), ink)
        if self.note:
            text(p, QRectF(x + 6, 0, rect.width() - x - 24, rect.height()), self.note, theme.font("small"), "faint")
        draw_icon(p, "chevron-down", rect.right() - 19, (rect.height() - 12) / 2, "muted", 12)
        if self.state("focus"):
            focus_ring(p, rect)


class Chip(Painted):
    """A status that can be clicked: icon, words, and a tone. One that does nothing takes no keyboard focus: `setFocusPolicy`."""

    def __init__(self, label: str, icon_name: str = "", tone: str = "plain", outline: bool = False) -> None:
        self.icon_name, self.tone, self.outline = icon_name, tone, outline
        super().__init__(label)

    def show_status(self, label: str, icon_name: str = "", tone: str = "plain", outline: bool = False) -> None:
        """Show another status."""
        self.icon_name, self.tone, self.outline = icon_name, tone, outline
        self.setText(label)

    @override
    def tall(self) -> int:
        return theme.lh + 4

    @override
    def measure(self) -> float:
        return pill_width(self.text(), self.icon_name) + 2

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        pill(p, 0, rect.height() / 2, self.text(), self.tone, self.icon_name or None, self.outline)
        if self.state("focus"):
            focus_ring(p, rect.adjusted(0, 0, -1, 0), 4)


class Check(Painted):
    """A tick box with its words; `radio` makes it round and one of its siblings."""

    def __init__(self, label: str, on: bool = False, mono: bool = False, radio: bool = False) -> None:
        self.mono, self.radio = mono, radio
        super().__init__(label)
        self.setCheckable(True)
        self.setAutoExclusive(radio)
        self.setChecked(on)

    @override
    def tall(self) -> int:
        return theme.row

    def _font(self) -> QFont:
        return theme.font("code" if self.mono else "body")

    @override
    def measure(self) -> float:
        return 24 + width_of(self.text(), self._font()) + 4

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        side = QRectF(1, round((rect.height() - 16) / 2), 16, 16)
        radius = 8 if self.radio else 4
        off = self.state("disabled")
        if self.isChecked():
            box(p, side, "field" if off else "accent_fill", None, radius)
            if self.radio:
                box(p, side.adjusted(5, 5, -5, -5), "on_fill", None, 3)
            else:
                draw_icon(p, "check", side.x() + 2, side.y() + 2, "on_fill", 12)
        else:
            box(p, side, "hover" if self.state("hover") else "base", "edge" if off else "field", radius)
        text(p, QRectF(24, 0, rect.width() - 24, rect.height()), self.text(), self._font(), "faint" if off else "text")
        if self.state("focus"):
            focus_ring(p, rect)


class SectionHead(Painted):
    """Head of a section in the side pane: chevron, words, count at the right (a pill if `tone` is given)."""

    def __init__(self, label: str, note: str = "", opened: bool = True, tone: str = "", action: str = "") -> None:
        self.note, self.opened, self.tone, self.action = note, opened, tone, action
        super().__init__(label)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @override
    def tall(self) -> int:
        return theme.lh + 12

    @override
    def measure(self) -> float:
        return 120

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        if self.state("hover"):
            fill(p, rect, "hover")
        draw_icon(p, "chevron-down" if self.opened else "chevron-right", 8, (rect.height() - 12) / 2, "faint", 12)
        right = rect.width() - 12
        if self.action:
            draw_icon(p, self.action, right - 14, (rect.height() - 16) / 2, "muted")
            right -= 24
        if self.note and self.tone:
            right -= pill_width(self.note)
            pill(p, right, rect.height() / 2, self.note, self.tone)
        elif self.note:
            right -= text(p, QRectF(0, 0, right, rect.height()), self.note, theme.font("tiny"), "faint", RIGHT)
        text(p, QRectF(26, 0, right - 32, rect.height()), self.text(), theme.font("small", "bold"), "muted")
        if self.state("focus"):
            focus_ring(p, rect)
