"""Where the keyboard is in a window whose parts are built anew: the widget that takes the same place there gets it."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


class FocusPlace(NamedTuple):
    """A widget by its class and its number among those of that class."""

    kind: type[QWidget]
    number: int


def focus_place(root: QWidget, widget: QWidget | None) -> FocusPlace | None:
    """Return the place of a widget below `root`; None if it is not below it."""
    if widget is None or not root.isAncestorOf(widget):
        return None
    return FocusPlace(type(widget), _all(root, type(widget)).index(widget))


def focus_again(root: QWidget, place: FocusPlace) -> bool:
    """Give the keyboard to the widget that takes a place below another `root`; False if none does that can have it."""
    found = _all(root, place.kind)[place.number : place.number + 1]
    if not found or not found[0].isVisible() or not found[0].isEnabled() or found[0].focusPolicy() == Qt.FocusPolicy.NoFocus:
        return False
    found[0].setFocus(Qt.FocusReason.OtherFocusReason)
    return True


def _all(root: QWidget, kind: type[QWidget]) -> list[QWidget]:
    return [widget for widget in root.findChildren(QWidget) if type(widget) is kind]
