"""Real widgets that stand over painted items: made when their item comes into sight, ended when it has left it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.chat.item_view import ItemView

Key: TypeAlias = tuple[ItemView, str]


class Overlays:
    """The widgets over the items of one viewport.

    Attributes:
        made: is told of each widget that is made.
    """

    def __init__(self, viewport: QWidget) -> None:
        self.made: Callable[[QWidget], None] = lambda _widget: None
        self._viewport = viewport
        self._widgets: dict[Key, QWidget] = {}

    def place(self, seen: Iterable[tuple[ItemView, QRectF]]) -> None:
        """Put widgets where the items in sight want them; areas are the items', in the viewport. What has the keyboard stays."""
        wanted: dict[Key, QRectF] = {}
        for view, area in seen:
            for key, inner in view.widget_areas(area.width()):
                wanted[view, key] = inner.translated(area.topLeft())
        for known in [known for known in self._widgets if known not in wanted]:
            self._leave(known)
        for known, area in wanted.items():
            self._put(known, area)

    def _put(self, key: Key, area: QRectF) -> None:
        if key not in self._widgets:
            self._widgets[key] = key[0].make_widget(key[1], self._viewport)
            self.made(self._widgets[key])
        widget = self._widgets[key]
        if widget.geometry() != area.toRect():
            widget.setGeometry(area.toRect())
        if widget.isHidden():
            widget.show()

    def _leave(self, key: Key) -> None:
        view, name = key
        widget = self._widgets[key]
        still_there = any(known == name for known, _area in view.widget_areas(max(1.0, float(widget.width()))))
        if still_there and _has_keyboard(widget):
            widget.move(widget.x(), -2 * widget.height())
            return
        self._end(key)

    def _end(self, key: Key) -> None:
        widget = self._widgets.pop(key)
        had_keyboard = _has_keyboard(widget)
        widget.hide()
        widget.deleteLater()
        if had_keyboard:
            self._viewport.setFocus()

    def clear(self) -> None:
        """End all."""
        for key in tuple(self._widgets):
            self._end(key)

    def widgets(self) -> tuple[QWidget, ...]:
        """Return all that exist, from top to bottom."""
        return tuple(sorted(self._widgets.values(), key=QWidget.y))


def _has_keyboard(widget: QWidget) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and (focused is widget or widget.isAncestorOf(focused))
