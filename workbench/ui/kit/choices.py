"""A choice among a few: segments in one outline, and the tabs of a pane.

Each choice is a button of its own, so that keys, focus and accessibility are Qt's: Tab reaches the chosen one, arrows choose its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.ui.kit.buttons import Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import plain_tip
from workbench.ui.kit.paint import box, fill, focus_ring, pill, pill_width, text, width_of
from workbench.ui.kit.theme import theme

TAB_PAD, LEAST_TAB_PAD = 10, 4
"""Left and right of a tab's words: usually, and where there is no room."""
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class _Choice(Painted):
    """One of several; arrows go on to the next that can be chosen."""

    def __init__(self, label: str, row: _Choices) -> None:
        self.row = row
        super().__init__(label, row)
        self.setCheckable(True)
        self.setAutoExclusive(True)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = STEPS.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self.row.step(self, step)

    @override
    def measure(self) -> float:
        return self.row.width_for(self.row.buttons.index(self))

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        self.row.draw_choice(p, rect, self.row.buttons.index(self))


class _Choices(QWidget):
    """A row of choices of which one is chosen.

    Signals:
        changed: another one is chosen, by a person or by `choose`; its place, from 0.

    Attributes:
        chosen: place of the chosen one.
        buttons: the choices as buttons, in order.
    """

    changed = Signal(int)

    def __init__(self, labels: Sequence[str], chosen: int, name: str) -> None:
        super().__init__()
        self.chosen = chosen
        self.setAccessibleName(name or ", ".join(labels))
        self.buttons: list[_Choice] = []
        for n, label in enumerate(labels):
            self.buttons.append(_Choice(label, self))
            self.buttons[n].setChecked(n == chosen)
            self.buttons[n].clicked.connect(self._clicked)
        self._let_tab_reach_the_chosen()

    def choose(self, place: int) -> None:
        """Choose one; does nothing if it is chosen already.

        Raises:
            IndexError: there is no such place.
        """
        self.buttons[place].setChecked(True)
        self._let_tab_reach_the_chosen()
        if place != self.chosen:
            self.chosen = place
            self._lay_out()
            self.update()
            self.changed.emit(place)

    def set_reason(self, place: int, why_not: str) -> None:
        """Say in a sentence why one cannot be chosen now; empty: it can."""
        self.buttons[place].setEnabled(not why_not)
        self.buttons[place].setAccessibleDescription(why_not)
        plain_tip(self.buttons[place], why_not)

    def set_label(self, place: int, label: str) -> None:
        """Give one other words."""
        self.buttons[place].setText(label)
        self.updateGeometry()
        self._lay_out()

    def step(self, button: _Choice, by: int) -> None:
        """Choose the next one that can be chosen, `by` 1 or -1; stays at the ends."""
        place = self.buttons.index(button) + by
        while 0 <= place < len(self.buttons):
            if self.buttons[place].isEnabled():
                self.choose(place)
                self.buttons[place].setFocus(Qt.FocusReason.TabFocusReason)
                return
            place += by

    def width_for(self, place: int) -> float:
        """Return the width of one."""
        raise NotImplementedError

    def draw_choice(self, p: QPainter, rect: QRectF, place: int) -> None:
        """Paint one."""
        raise NotImplementedError

    def _inset(self) -> tuple[int, int]:
        """Return how far the choices are from the left and the upper edge."""
        raise NotImplementedError

    def _clicked(self) -> None:
        self.choose(next(n for n, button in enumerate(self.buttons) if button.isChecked()))

    def _let_tab_reach_the_chosen(self) -> None:
        """Qt does so by itself, but only once one of them has had the keyboard."""
        for button in self.buttons:
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if button.isChecked() else Qt.FocusPolicy.NoFocus)

    def _total(self) -> int:
        return sum(button.sizeHint().width() for button in self.buttons) + 2 * self._inset()[0]

    def _less(self) -> int:
        """Return by how many pixels each is narrower than it would like to be."""
        return 0

    def _lay_out(self) -> None:
        x, y = self._inset()
        less = self._less()
        for button in self.buttons:
            button.setGeometry(x, y, button.sizeHint().width() - less, self.height() - 2 * y)
            x += button.width()

    @override
    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
            self._lay_out()


class Segments(_Choices):
    """Two to four exclusive choices in one outline; the chosen one has a filled ground and heavier type.

    Args:
        labels: their words.
        chosen: place of the chosen one.
        mono: the words are code.
        icons: one icon each.
        name: accessible name of the whole; without it, the words of all.
    """

    def __init__(self, labels: Sequence[str], chosen: int = 0, mono: bool = False, icons: Sequence[str] | None = None, name: str = "") -> None:
        self.mono, self.icons = mono, tuple(icons or ())
        super().__init__(labels, chosen, name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def _font(self, place: int) -> QFont:
        return theme.font("code" if self.mono else "small", "medium" if place == self.chosen else "regular")

    @override
    def _inset(self) -> tuple[int, int]:
        return 2, 2

    @override
    def width_for(self, place: int) -> float:
        heavy = theme.font("code" if self.mono else "small", "medium")
        return width_of(self.buttons[place].text(), heavy) + 20 + (18 if self.icons else 0)

    @override
    def sizeHint(self) -> QSize:
        return QSize(self._total(), theme.compact + 2)

    @override
    def draw_choice(self, p: QPainter, rect: QRectF, place: int) -> None:
        button, on = self.buttons[place], place == self.chosen
        ink = "faint" if button.state("disabled") else "text" if on or button.state("hover") else "muted"
        if on:
            box(p, rect, "raised" if theme.name == "light" else "press", "edge", 4)
        left = 10
        if self.icons:
            draw_icon(p, self.icons[place], left - 2, (rect.height() - 16) / 2, ink)
            left += 18
        text(p, QRectF(left, 0, rect.width() - left, rect.height()), button.text(), self._font(place), ink)
        if button.state("focus"):
            focus_ring(p, rect, 4)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        ground, edge = ("hover", None) if theme.name == "light" else ("window", "line")
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), ground, edge, 5)


class Tabs(_Choices):
    """Pane tabs: text, an optional count, a 2-pixel line under the open one. Where there is no room they move closer together, then the counts go.

    Args:
        labels: their words, each alone or with its count.
        chosen: place of the open one.
        tall: height in pixels; 0 is that of a bar.
        inset: pixels before the first one.
        tones: tone of the count by place.
        sub: tabs inside a tab, smaller.
        name: accessible name of the whole; without it, the words of all.
    """

    def __init__(
        self,
        labels: Sequence[str | tuple[str, str]],
        chosen: int = 0,
        tall: int = 0,
        inset: int = 8,
        tones: dict[int, str] | None = None,
        sub: bool = False,
        name: str = "",
    ) -> None:
        pairs = [label if isinstance(label, tuple) else (label, "") for label in labels]
        self.counts = [count for _, count in pairs]
        self.inset, self.tones, self.sub, self.tall = inset, dict(tones or {}), sub, tall
        super().__init__([label for label, _ in pairs], chosen, name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for place, count in enumerate(self.counts):
            self.buttons[place].setAccessibleDescription(count)

    def set_count(self, place: int, count: str, tone: str = "plain") -> None:
        """Show a count beside one; empty shows none. The tone says whether something in it waits or failed."""
        if (self.counts[place], self.tones.get(place, "plain")) == (count, tone):
            return
        self.counts[place], self.tones[place] = count, tone
        self.buttons[place].setAccessibleDescription(count)
        self.updateGeometry()
        self._lay_out()
        self.buttons[place].update()

    def _font(self, place: int) -> QFont:
        return theme.font("small" if self.sub else "body", "medium" if place == self.chosen else "regular")

    @override
    def _inset(self) -> tuple[int, int]:
        return self.inset, 0

    @override
    def width_for(self, place: int) -> float:
        w = width_of(self.buttons[place].text(), theme.font("small" if self.sub else "body", "medium")) + 2 * TAB_PAD
        return w + (self._count_width(place) if self._has_room_for_counts else 0)

    def _count_width(self, place: int) -> float:
        return pill_width(self.counts[place]) + 4 if self.counts[place] else 0

    def _width(self, *, counts: bool, closest: bool) -> int:
        """Return the width of all: with the counts or without, as they like to be or as close together as they may."""
        words = (width_of(button.text(), theme.font("small" if self.sub else "body", "medium")) + 2 * TAB_PAD for button in self.buttons)
        each = (ceil(width + (self._count_width(place) if counts else 0)) for place, width in enumerate(words))
        return sum(each) + 2 * self.inset - (2 * (TAB_PAD - LEAST_TAB_PAD) * len(self.buttons) if closest else 0)

    @property
    def _has_room_for_counts(self) -> bool:
        return self._width(counts=True, closest=True) <= self.width()

    @override
    def _less(self) -> int:
        lacking = self._width(counts=self._has_room_for_counts, closest=False) - self.width()
        return min(2 * (TAB_PAD - LEAST_TAB_PAD), -(-lacking // len(self.buttons))) if lacking > 0 else 0

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(self._width(counts=False, closest=True), self.sizeHint().height())

    @override
    def sizeHint(self) -> QSize:
        return QSize(self._width(counts=True, closest=False), self.tall or (theme.bar - 4 if self.sub else theme.bar))

    @override
    def draw_choice(self, p: QPainter, rect: QRectF, place: int) -> None:
        button, on = self.buttons[place], place == self.chosen
        h = rect.height()
        ink = "faint" if button.state("disabled") else "text" if on or button.state("hover") else "muted"
        pad = TAB_PAD - self._less() / 2
        used = text(p, QRectF(pad, 0, rect.width() - pad, h - 1), button.text(), self._font(place), ink)
        if self.counts[place] and self._has_room_for_counts:
            pill(p, pad + used + 6, h / 2, self.counts[place], self.tones.get(place, "plain"))
        if on:
            fill(p, QRectF(pad - 2, h - 2, rect.width() - 2 * (pad - 2), 2), "accent_fill")
        if button.state("focus"):
            focus_ring(p, rect.adjusted(1, (h - theme.compact) // 2, -1, -(h - theme.compact) // 2))
