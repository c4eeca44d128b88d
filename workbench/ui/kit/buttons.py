"""Buttons that paint themselves from tokens; keys, focus and accessibility stay those of Qt."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import RIGHT, box, fill, pill, pill_width, text, width_of
from workbench.ui.kit.theme import theme


def focus_ring(p: QPainter, rect: QRectF, radius: float = 5) -> None:
    """The one focus look: a 2-pixel ring inside the edge of whatever has the keyboard."""
    box(p, rect, None, "focus", radius, 2)



class Painted(QAbstractButton):
    """Base of the buttons: asks `measure()` for its width and `draw()` for its picture."""

    def __init__(self, label: str = "", parent: QWidget | None = None):
        super().__init__(parent)
        self.look = ""
        self.setText(label)
        self.setAccessibleName(label)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def state(self, name: str) -> bool:
        if self.look:
            return self.look == name
        return {
            "hover": self.underMouse(),
            "press": self.isDown(),
            "focus": self.hasFocus(),
            "disabled": not self.isEnabled(),
        }[name]

    def pointer_ground(self, rest: str | None = None) -> str | None:
        """The ground under the pointer, or `rest`."""
        return "press" if self.state("press") else "hover" if self.state("hover") else rest

    def sizeHint(self) -> QSize:
        return QSize(int(self.measure() + 0.99), self.tall())

    def tall(self) -> int:
        return theme.control

    def measure(self) -> float:
        raise NotImplementedError

    def draw(self, p: QPainter, rect: QRectF) -> None:
        raise NotImplementedError

    def paintEvent(self, event):
        with QPainter(self) as p:
            self.draw(p, QRectF(self.rect()))



class Button(Painted):
    """A push button. `kind`: plain, primary (at most one a window), danger (level 4 only) or quiet (no outline)."""

    def __init__(
        self,
        label: str,
        kind: str = "plain",
        icon_name: str = "",
        keys: str = "",
        small: bool = False,
        default: bool = False,
    ):
        super().__init__(label)
        self.kind, self.icon_name, self.keys, self.small, self.default = kind, icon_name, keys, small, default

    def tall(self):
        return theme.compact if self.small else theme.control

    def _font(self):
        return theme.font(
            "small" if self.small else "body", "medium" if self.kind == "primary" or self.default else "regular"
        )

    def measure(self):
        pad = 8 if self.small else 12
        inner = width_of(self.text(), self._font()) + (20 if self.icon_name else 0)
        if self.keys:
            inner += 8 + width_of(self.keys, theme.font("tiny"))
        return inner + 2 * pad

    def draw(self, p, rect):
        ink, back, edge = {
            "plain": ("text", "raised", "edge"),
            "primary": ("on_fill", "accent_fill", None),
            "danger": ("level4", "raised", "level4"),
            "quiet": ("text", None, None),
        }[self.kind]
        hint = "on_fill" if self.kind == "primary" else "faint"
        if self.state("disabled"):
            ink, hint, edge = "faint", "faint", "line" if edge else None
            back = "hover" if self.kind == "primary" else None
        elif self.state("press"):
            back = back if self.kind == "primary" else "press"
        elif self.state("hover"):
            back = back if self.kind == "primary" else "hover"
        if self.default and edge:
            edge = "field"
        box(p, rect, back, edge, 5)
        x = round((rect.width() - self.measure()) / 2) + (8 if self.small else 12)
        if self.icon_name:
            draw_icon(p, self.icon_name, x - 2, (rect.height() - 16) / 2, ink)
            x += 20
        x += text(p, QRectF(x, 0, rect.width(), rect.height()), self.text(), self._font(), ink)
        if self.keys:
            text(p, QRectF(x + 8, 0, rect.width(), rect.height()), self.keys, theme.font("tiny"), hint)
        if self.state("focus"):
            focus_ring(p, rect)
        if self.kind == "primary" and self.state("hover"):
            box(p, rect, None, "focus", 5)



class IconButton(Painted):
    """An icon that does something; its name is the tool tip and the accessible name."""

    def __init__(self, icon_name: str, name: str, token: str = "muted", small: bool = False, count: str = ""):
        super().__init__()
        self.icon_name, self.token, self.small, self.count = icon_name, token, small, count
        self.setToolTip(name)
        self.setAccessibleName(name)

    def tall(self):
        return theme.compact if self.small else theme.control

    def measure(self):
        return self.tall() + (width_of(self.count, theme.font("tiny", "medium")) + 2 if self.count else 0)

    def draw(self, p, rect):
        back = "select" if self.isChecked() else self.pointer_ground()
        if back:
            box(p, rect.adjusted(1, 1, -1, -1), back, None, 5)
        side = self.tall()
        token = "edge" if self.state("disabled") else "accent" if self.isChecked() else self.token
        draw_icon(p, self.icon_name, (side - 16) / 2, (rect.height() - 16) / 2, token)
        if self.count:
            text(p, QRectF(side - 5, 0, 40, rect.height()), self.count, theme.font("tiny", "medium"), "muted")
        if self.state("focus"):
            focus_ring(p, rect)



class MenuButton(Painted):
    """Shows the current choice and opens a menu: model, mode, scope."""

    def __init__(
        self,
        label: str,
        icon_name: str = "",
        note: str = "",
        outlined: bool = False,
        token: str = "text",
        wide: int = 0,
    ):
        super().__init__(label)
        self.icon_name, self.note, self.outlined, self.token, self.wide = icon_name, note, outlined, token, wide

    def measure(self):
        inner = width_of(self.text(), theme.font("body" if self.outlined else "small")) + 20
        if self.icon_name:
            inner += 20
        if self.note:
            inner += 6 + width_of(self.note, theme.font("small"))
        return max(self.wide, inner + 16)

    def draw(self, p, rect):
        box(p, rect, self.pointer_ground("raised" if self.outlined else None), "edge" if self.outlined else None, 5)
        x, font = 8, theme.font("body" if self.outlined else "small")
        ink = "faint" if self.state("disabled") else self.token
        if self.icon_name:
            draw_icon(p, self.icon_name, x - 1, (rect.height() - 16) / 2, "muted" if ink == "text" else ink)
            x += 20
        x += text(p, QRectF(x, 0, rect.width() - x - 20, rect.height()), self.text(), font, ink)
        if self.note:
            text(p, QRectF(x + 6, 0, rect.width() - x - 24, rect.height()), self.note, theme.font("small"), "faint")
        draw_icon(p, "chevron-down", rect.right() - 19, (rect.height() - 12) / 2, "muted", 12)
        if self.state("focus"):
            focus_ring(p, rect)



class Chip(Painted):
    """A status that can be clicked: icon, words, and a tone."""

    def __init__(self, label: str, icon_name: str = "", tone: str = "plain", outline: bool = False):
        super().__init__(label)
        self.icon_name, self.tone, self.outline = icon_name, tone, outline

    def tall(self):
        return theme.lh + 4

    def measure(self):
        return pill_width(self.text(), self.icon_name) + 2

    def draw(self, p, rect):
        pill(p, 0, rect.height() / 2, self.text(), self.tone, self.icon_name or None, self.outline)



class Check(Painted):
    """A tick box with its words."""

    def __init__(self, label: str, on: bool = False, mono: bool = False, radio: bool = False):
        super().__init__(label)
        self.setCheckable(True)
        self.setChecked(on)
        self.mono, self.radio = mono, radio

    def tall(self):
        return theme.row

    def _font(self):
        return theme.font("code" if self.mono else "body")

    def measure(self):
        return 24 + width_of(self.text(), self._font()) + 4

    def draw(self, p, rect):
        side = QRectF(1, round((rect.height() - 16) / 2), 16, 16)
        radius = 8 if self.radio else 4
        if self.isChecked():
            box(p, side, "accent_fill", None, radius)
            if self.radio:
                box(p, side.adjusted(5, 5, -5, -5), "on_fill", None, 3)
            else:
                draw_icon(p, "check", side.x() + 2, side.y() + 2, "on_fill", 12)
        else:
            box(p, side, "base", "field", radius)
        text(p, QRectF(24, 0, rect.width(), rect.height()), self.text(), self._font())
        if self.state("focus"):
            focus_ring(p, rect)



class SectionHead(Painted):
    """Head of a section in the side pane: chevron, words, count at the right."""

    def __init__(self, label: str, note: str = "", opened: bool = True, tone: str = "", action: str = ""):
        super().__init__(label)
        self.note, self.opened, self.tone, self.action = note, opened, tone, action
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def tall(self):
        return theme.lh + 12

    def measure(self):
        return 120

    def draw(self, p, rect):
        if self.state("hover"):
            fill(p, rect, "hover")
        draw_icon(p, "chevron-down" if self.opened else "chevron-right", 8, (rect.height() - 12) / 2, "faint", 12)
        text(p, QRectF(26, 0, rect.width(), rect.height()), self.text(), theme.font("small", "bold"), "muted")
        right = rect.width() - 12
        if self.action:
            draw_icon(p, self.action, right - 14, (rect.height() - 16) / 2, "muted")
            right -= 24
        if self.tone:
            w = pill_width(self.note)
            pill(p, right - w, rect.height() / 2, self.note, self.tone)
        else:
            text(p, QRectF(0, 0, right, rect.height()), self.note, theme.font("tiny"), "faint", RIGHT)
        if self.state("focus"):
            focus_ring(p, rect)

