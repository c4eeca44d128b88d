"""The painted chat as a list of items for screen readers.

Qt asks `_made_for` once for every view and deletes the interface it gave together with the view; the interfaces of the items, which Qt
does not know to belong to it, are deleted by us at the same moment.
"""

from __future__ import annotations

import weakref
from functools import partial

from PySide6.QtCore import QObject, QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from typing_extensions import override

from workbench.ui.chat.item_scroller import ItemScroller

_Kept = dict[int, tuple[int, "ItemInterface"]]


class ItemInterface(QAccessibleInterface):
    """One item of a chat, by its index."""

    def __init__(self, scroller: ItemScroller, index: int) -> None:
        super().__init__()
        self._scroller = weakref.ref(scroller)
        self._index = index

    def _there(self) -> ItemScroller | None:
        scroller = self._scroller()
        return scroller if scroller is not None and self._index < len(scroller.views) else None

    @override
    def isValid(self) -> bool:
        return self._there() is not None

    @override
    def object(self) -> QObject | None:  # type: ignore[override]
        return None

    @override
    def window(self) -> QWindow | None:  # type: ignore[override]
        scroller = self._there()
        return scroller.window().windowHandle() if scroller is not None else None

    @override
    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]
        scroller = self._scroller()
        return QAccessible.queryAccessibleInterface(scroller) if scroller is not None else None

    @override
    def childCount(self) -> int:
        return 0

    @override
    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    @override
    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    @override
    def indexOfChild(self, arg__1: QAccessibleInterface) -> int:
        return -1

    @override
    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    @override
    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        scroller = self._there()
        state.focusable = state.selectable = True
        if scroller is None:
            state.invalid = True
        else:
            state.focused = scroller.hasFocus() and scroller.keyboard.item == self._index
            state.offscreen = not scroller.area_of(self._index).intersects(scroller.viewport().rect().toRectF())
        return state

    @override
    def text(self, t: QAccessible.Text) -> str:
        scroller = self._there()
        return scroller.views[self._index].accessible_name() if scroller is not None and t == QAccessible.Text.Name else ""

    @override
    def setText(self, t: QAccessible.Text, text: str) -> None:
        """An item's words are not changed from outside."""

    @override
    def rect(self) -> QRect:
        scroller = self._there()
        if scroller is None:
            return QRect()
        area = scroller.area_of(self._index).toRect()
        return QRect(scroller.viewport().mapToGlobal(area.topLeft()), area.size())


class ChatInterface(QAccessibleWidget):
    """The chat: its items, then the real widgets over them."""

    def __init__(self, scroller: ItemScroller) -> None:
        super().__init__(scroller, QAccessible.Role.List, "")
        self._scroller = weakref.ref(scroller)
        self._items: _Kept = {}
        scroller.destroyed.connect(partial(_end, self._items), Qt.ConnectionType.DirectConnection)

    def _widgets(self) -> list[QWidget]:
        scroller = self._scroller()
        return [] if scroller is None else [widget for widget in scroller.viewport().findChildren(QWidget, options=_DIRECT) if not widget.isHidden()]

    def _count(self) -> int:
        scroller = self._scroller()
        return len(scroller.views) if scroller is not None else 0

    @override
    def childCount(self) -> int:
        return self._count() + len(self._widgets())

    @override
    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        scroller, count = self._scroller(), self._count()
        if scroller is None or index < 0:
            return None
        if index >= count:
            widgets = self._widgets()
            return QAccessible.queryAccessibleInterface(widgets[index - count]) if index - count < len(widgets) else None
        if index not in self._items:
            item = ItemInterface(scroller, index)
            self._items[index] = (QAccessible.registerAccessibleInterface(item), item)
        return self._items[index][1]

    @override
    def indexOfChild(self, child: QAccessibleInterface) -> int:
        for index, (_id, item) in self._items.items():
            if item is child:
                return index
        widgets = self._widgets()
        return self._count() + widgets.index(child.object()) if child.object() in widgets else -1  # type: ignore[arg-type]

    @override
    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        scroller = self._scroller()
        if scroller is None or not scroller.views:
            return None
        point = scroller.viewport().mapFromGlobal(QPoint(x, y))
        index = scroller.index_at(point.y())
        return self.child(index) if scroller.area_of(index).contains(point.toPointF()) else None

    @override
    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        scroller = self._scroller()
        if scroller is None or not scroller.hasFocus() or scroller.keyboard.item is None:
            return None
        return self.child(scroller.keyboard.item)


_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
_installed: list[object] = []
"""The one factory; Qt calls it for every object of the program that a screen reader asks for."""


def install() -> None:
    """Let screen readers see the items of chats; may be called for each of them."""
    if not _installed:
        _installed.append(_made_for)
        QAccessible.installFactory(_made_for)


def announce(scroller: ItemScroller, words: str) -> None:
    """Let a screen reader say something now."""
    event = QAccessibleAnnouncementEvent(scroller, words)
    event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
    QAccessible.updateAccessibility(event)


def tell_focus(scroller: ItemScroller, index: int) -> None:
    """Say that the keyboard is on another item."""
    if QAccessible.isActive():
        event = QAccessibleEvent(scroller, QAccessible.Event.Focus)
        event.setChild(index)
        QAccessible.updateAccessibility(event)


def _made_for(_key: str, thing: QObject) -> QAccessibleInterface | None:
    return ChatInterface(thing) if isinstance(thing, ItemScroller) else None


def _end(items: _Kept, *_args: object) -> None:
    for number, _item in items.values():
        QAccessible.deleteAccessibleInterface(number)
    items.clear()
