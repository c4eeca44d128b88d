"""The keyboard's place in the chat: which item, and which of the things that can be clicked in it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

from workbench.ui.chat.item_view import ClickTarget
from workbench.ui.chat.scroller import VirtualScroller
from workbench.ui.kit.theme import theme

_SCREEN_KEPT = 3
"""Rows that stay in sight when a screen is turned."""


class KeyboardPlace:
    """Where the keyboard is.

    Attributes:
        item: the index of the item; None before it was ever used.
        target: the number of the chosen target in it; None for the item as a whole.
        shown: the place is marked: not before a key was pressed.
        covered: pixels at the top of the viewport that something covers.
    """

    def __init__(self, scroller: VirtualScroller) -> None:
        self._scroller = scroller
        self.item: int | None = None
        self.target: int | None = None
        self.shown = False
        self.covered = 0.0

    # Where it is

    def cut(self, count: int) -> None:
        """Only the first `count` items are left."""
        if self.item is not None and self.item >= count:
            self.item, self.target = count - 1 if count else None, None

    def go(self, item: int | None) -> None:
        """Go to an item, without scrolling."""
        self.item, self.target = item, None

    def show(self) -> None:
        """Mark the place, as the keyboard came here; the first time it is the item at the end of what is in sight."""
        self.shown = True
        if self.item is None or not self._is_near(self.item):
            self.go(self._first_in_sight(-1))

    def targets(self) -> list[ClickTarget]:
        """Return what can be done with the item."""
        if self.item is None:
            return []
        return [target for target in self._scroller.views[self.item].targets(self._scroller.column().width) if target.action]

    def chosen(self) -> ClickTarget | None:
        """Return the chosen target, else the first of the item."""
        targets = self.targets()
        number = self.target if self.target is not None and self.target < len(targets) else 0
        return targets[number] if targets else None

    def ring(self) -> QRectF | None:
        """Return where the ring around the chosen target is, in the viewport; None if the whole item is chosen."""
        targets = self.targets()
        if not self.shown or self.item is None or self.target is None or self.target >= len(targets):
            return None
        return targets[self.target].area.translated(self._scroller.area_of(self.item).topLeft()).adjusted(-2, -2, 2, 2)

    # Moving

    def press(self, event: QKeyEvent) -> bool:
        """Move by a key; False if it is none that moves."""
        match event.key():
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Right:
                self._step_target(1)
            case Qt.Key.Key_Left:
                self._step_target(-1)
            case _:
                return self._turn(event)
        return True

    def _turn(self, event: QKeyEvent) -> bool:
        """Scroll by a screen, or to an end."""
        bar = self._scroller.verticalScrollBar()
        screen = max(theme.row, bar.pageStep() - round(self.covered) - _SCREEN_KEPT * theme.row)
        if event.key() == Qt.Key.Key_End or event.matches(QKeySequence.StandardKey.MoveToEndOfDocument):
            self._scroller.scroll_to_end()
        elif event.key() == Qt.Key.Key_Home or event.matches(QKeySequence.StandardKey.MoveToStartOfDocument):
            self._scroller.scroll_to_start()
        elif event.key() == Qt.Key.Key_PageDown:
            bar.setValue(bar.value() + screen)
        elif event.key() == Qt.Key.Key_PageUp:
            bar.setValue(bar.value() - screen)
        else:
            return False
        return True

    def _step(self, direction: int) -> None:
        """Go to the next item, or scroll in one that is not wholly in sight."""
        was_shown, self.shown = self.shown, True
        if self.item is None or not self._is_near(self.item):
            self.go(self._first_in_sight(direction))
        elif was_shown:
            if self._scroll_inside(direction):
                return
            self.go(self._next(self.item, direction))
        self.bring_in_sight()

    def _is_near(self, item: int) -> bool:
        area = self._scroller.area_of(item)
        return area.bottom() > 0 and area.top() < self._scroller.viewport().height()

    def _first_in_sight(self, direction: int) -> int | None:
        seen = [found.item for found in self._scroller.seen() if found.y >= self.covered - 1] or [found.item for found in self._scroller.seen()]
        return None if not seen else seen[0] if direction > 0 and not self._scroller.follow else seen[-1]

    def _next(self, item: int, direction: int) -> int:
        """Return the next item that takes any room; the same if there is none."""
        other = item + direction
        while 0 <= other < len(self._scroller.views):
            if self._scroller.height_of(other):
                return other
            other += direction
        return item

    def _scroll_inside(self, direction: int) -> bool:
        """Scroll in an item that is higher than the viewport, until its end is in sight."""
        if self.item is None:
            return False
        area, height = self._scroller.area_of(self.item), self._scroller.viewport().height()
        if area.height() <= height - self.covered:
            return False
        left = area.bottom() - height if direction > 0 else self.covered - area.top()
        if left < 1:
            return False
        bar = self._scroller.verticalScrollBar()
        bar.setValue(bar.value() + direction * round(min(left + 8, height / 2)))
        return True

    def _step_target(self, direction: int) -> None:
        self.shown = True
        if self.item is None:
            self._step(1)
        count = len(self.targets())
        if not count:
            return
        self.target = (0 if direction > 0 else count - 1) if self.target is None else self.target + direction
        if not 0 <= self.target < count:
            self.target = None

    def bring_in_sight(self) -> None:
        """Scroll to the item, if it is not in sight."""
        if self.item is not None:
            area = self._scroller.area_of(self.item).adjusted(0, -8, 0, 8)
            room = self._scroller.viewport().height() - self.covered
            if area.height() <= room:
                self._scroller.bring_in_sight(area, self.covered)
            elif area.top() > self.covered:
                self._scroller.bring_in_sight(QRectF(area.x(), area.y(), area.width(), room), self.covered)
