"""The painted text for screen readers: a text of many lines that cannot be changed, whose value is what is in sight."""

from __future__ import annotations

import weakref
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface, QAccessibleValueChangeEvent
from PySide6.QtWidgets import QAccessibleWidget, QWidget
from typing_extensions import override


@runtime_checkable
class PaintedText(Protocol):
    """A widget that paints text."""

    def text_in_sight(self) -> str:
        """Return the lines in sight, as they are shown."""
        ...

    def caret_line(self) -> str:
        """Return the line the keyboard is on, as it is shown."""
        ...


class TextInterface(QAccessibleWidget):
    """What a screen reader is told of a painted text."""

    def __init__(self, widget: QWidget, painted: PaintedText) -> None:
        super().__init__(widget, QAccessible.Role.EditableText, "")
        self._painted = weakref.ref(painted)

    @override
    def text(self, t: QAccessible.Text) -> str:
        painted = self._painted()
        return painted.text_in_sight() if t == QAccessible.Text.Value and painted is not None else super().text(t)

    @override
    def state(self) -> QAccessible.State:
        state = super().state()
        state.readOnly = state.multiLine = state.selectableText = True
        return state


_installed: list[object] = []
"""The one factory; Qt calls it for every object of the program that a screen reader asks for."""


def install() -> None:
    """Let screen readers see painted texts; may be called for each of them."""
    if not _installed:
        _installed.append(_made_for)
        QAccessible.installFactory(_made_for)


def tell_line(widget: QWidget, line: str) -> None:
    """Let a screen reader say the line the keyboard is on now."""
    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleValueChangeEvent(widget, line))


def _made_for(_key: str, thing: QObject) -> QAccessibleInterface | None:
    return TextInterface(thing, thing) if isinstance(thing, QWidget) and isinstance(thing, PaintedText) else None
