"""The scroller as one reads in it: pointer, clicks, selection, the keyboard's place, widgets over items."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication, QHelpEvent, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QToolTip
from typing_extensions import override

from workbench.ui.chat.documents import OPENABLE
from workbench.ui.chat.item_view import ClickTarget, Place
from workbench.ui.chat.keyboard import KeyboardPlace
from workbench.ui.chat.overlays import Overlays
from workbench.ui.chat.pointing import PointedAt, Pointing
from workbench.ui.chat.scroller import VirtualScroller
from workbench.ui.chat.search import Spans
from workbench.ui.chat.selection import Mark, Selecting
from workbench.ui.kit.labels import tip_text
from workbench.ui.kit.paint import focus_ring
from workbench.words import _

BLINK_TURNS = 4
"""A caret is there, or not, for so many eighths of a turning sign's turn."""
_ALT = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
_COMMANDS = Qt.KeyboardModifier.ControlModifier | _ALT


class ItemScroller(VirtualScroller):
    """A scroller whose items can be read, selected, clicked and walked through.

    Signals:
        activated: an action of `ClickTarget` and its argument; ``toggle`` and ``copy`` are done here and not told.
        focused: the keyboard went to another item (its index) or to a target in it (its name, else empty).
        copied: something was put on the clipboard.
    """

    activated = Signal(str, str)
    focused = Signal(int, str)
    copied = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.overlays = Overlays(self.viewport())
        self.pointing = Pointing(self)
        self.selecting = Selecting(self, self)
        self.selecting.changed.connect(self.viewport().update)
        self.keyboard = KeyboardPlace(self)
        self.turn = 0
        self._pressed: PointedAt | None = None
        self._pressed_at = QPointF()
        self._dragged = False
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # Painting

    @override
    def place(self, index: int, y: float) -> Place:
        column = self.column()
        at = self.pointing.now
        return Place(
            x=column.x,
            y=round(y),
            width=column.width,
            top=0,
            bottom=self.viewport().height(),
            pointer=at.point if at is not None and at.item == index else None,
            selection=self.selecting.selection.of(index, self.views[index]),
            focused=self._has_ring(index),
            caret_on=self.turn // BLINK_TURNS % 2 == 0,
            now=time.time(),
            turn_eighths=self.turn % 8,
            marks=self.marks_of(index),
            mark=self.mark_of(index),
        )

    def _has_ring(self, index: int) -> bool:
        return self.keyboard.shown and self.keyboard.item == index and self.keyboard.target is None and self.hasFocus()

    def marks_of(self, index: int) -> Spans:  # noqa: ARG002 - for those who find something
        """Return the characters of an item that were found."""
        return ()

    def mark_of(self, index: int) -> tuple[int, int] | None:  # noqa: ARG002
        """Return the hit in an item that was jumped to."""
        return None

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        ring = self.keyboard.ring() if self.hasFocus() else None
        if ring is not None:
            with QPainter(self.viewport()) as p:
                focus_ring(p, ring)

    @override
    def settled(self) -> None:
        self.overlays.place((self.views[found.item], self.area_of(found.item)) for found in self.seen())

    # What happens

    def trigger(self, item: int, target: ClickTarget) -> None:
        """Do what a target stands for."""
        match target.action:
            case "":
                pass
            case "toggle":
                self.views[item].toggle(target.argument)
                self.change(changed=[item], keep=item)
            case "copy":
                self._put_on_clipboard(self.views[item].copied_by(target.argument))
                self._tell_copied(item, target)
            case "open_link" if target.argument.partition(":")[0].lower() not in OPENABLE:
                pass
            case _:
                self.activated.emit(target.action, target.argument)

    def _tell_copied(self, item: int, target: ClickTarget) -> None:
        area = target.area.translated(self.area_of(item).topLeft()).toAlignedRect()
        QToolTip.showText(self.viewport().mapToGlobal(area.center()), _("Copied"), self.viewport(), area)

    def copy(self) -> None:
        """Copy what is selected, else the item that the keyboard is on."""
        if self.selecting.copy():
            self.copied.emit()
        elif self.keyboard.item is not None:
            self._put_on_clipboard(self.views[self.keyboard.item].plain_text())

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.copied.emit()

    # Selecting (see selection.Ground)

    def mark_at(self, point: QPointF) -> Mark | None:
        """Return the place in the text nearest to a point of the viewport."""
        if not self.views:
            return None
        item = self.index_at(min(max(0.0, point.y()), self.viewport().height() - 1.0))
        area = self.area_of(item)
        inner = point - area.topLeft()
        return Mark(item, self.views[item].offset_at(inner.x(), inner.y(), area.width()))

    def scroll_by(self, pixels: int) -> None:
        """Scroll down by so many pixels."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + pixels)

    def beyond(self, point: QPointF) -> int:
        """Return by how many pixels a point is below (or, negative, above) the viewport."""
        height = self.viewport().height()
        return round(min(0.0, point.y()) + max(0.0, point.y() - height + 1))

    # Mouse

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        point = event.position()
        self._pressed, self._pressed_at, self._dragged = self.pointing.find(point), point, False
        self.selecting.press(point, extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self.keyboard.shown = False
        if self._pressed is not None:
            self.keyboard.go(self._pressed.item)

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position()
        if not event.buttons() & Qt.MouseButton.LeftButton:
            self.pointing.move(point)
            return
        if self._dragged or (point - self._pressed_at).manhattanLength() >= QApplication.startDragDistance():
            self._dragged = True
            self.selecting.drag(point)

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseReleaseEvent(event)
            return
        self.selecting.release()
        pressed, self._pressed = self._pressed, None
        if pressed is None or pressed.target is None or self._dragged or pressed.item >= len(self.views):
            return
        at = self.pointing.find(event.position())
        if at is not None and at.target is not None and at.item == pressed.item and _same(at.target, pressed.target):
            self.trigger(at.item, at.target)
            self.pointing.move(event.position())

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self.pointing.find(event.position())
        if event.button() == Qt.MouseButton.LeftButton and (at is None or at.target is None or not at.target.action):
            self.selecting.double(event.position())
        else:
            self.mousePressEvent(event)

    @override
    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self.pointing.leave()
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words, area = self.pointing.tip(QPointF(event.pos()))
            if words:
                QToolTip.showText(event.globalPos(), tip_text(words), self.viewport(), area.toAlignedRect())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    # Keys

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._press(event):
            event.accept()
            self.viewport().update()
        else:
            super().keyPressEvent(event)

    def _press(self, event: QKeyEvent) -> bool:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.selecting.select_all()
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._extend(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and not event.modifiers() & _COMMANDS:
            return self._enter()
        else:
            return not event.modifiers() & _ALT and self._move(event)
        return True

    def _move(self, event: QKeyEvent) -> bool:
        before = (self.keyboard.item, self.keyboard.target)
        if not self.keyboard.press(event):
            return False
        now = (self.keyboard.item, self.keyboard.target)
        if now != before and self.keyboard.item is not None:
            chosen = self.keyboard.chosen() if self.keyboard.target is not None else None
            self.focused.emit(self.keyboard.item, chosen.name if chosen is not None else "")
        return True

    def _extend(self, event: QKeyEvent) -> None:
        """Select whole items, one further."""
        selection = self.selecting.selection
        begun = self.keyboard.item if not selection or selection.anchor is None else selection.anchor.item
        self._move(event)
        if self.keyboard.item is not None:
            self.selecting.select_items(begun if begun is not None else self.keyboard.item, self.keyboard.item)

    def _enter(self) -> bool:
        """Do what the chosen target stands for."""
        self.keyboard.shown = True
        chosen = self.keyboard.chosen()
        if chosen is None or self.keyboard.item is None:
            return False
        self.trigger(self.keyboard.item, chosen)
        return True

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        by_key = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
        if by_key and self.views:
            self.keyboard.show()
        self.viewport().update()

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()


def _same(one: ClickTarget, other: ClickTarget) -> bool:
    """Say whether two targets do the same; what arrives meanwhile may have moved it."""
    return (one.action, one.argument) == (other.action, other.argument)
