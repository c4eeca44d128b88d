"""What holds for every part of the window: no label reads HTML, everything that takes the keyboard has a name, an icon alone has a tool tip."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QLabel, QTextEdit, QWidget

from workbench.ui.kit.labels import TIP_BEGINS

INTERNAL = "qt_"
"""Qt's own parts of a widget have object names that begin so."""


def assert_plain(widget: QWidget) -> None:
    """Fail with every fault of a widget and all that is in it, shown or not."""
    faults = [fault for child in (widget, *widget.findChildren(QWidget)) for fault in _faults(child)]
    assert not faults, "\n".join(faults)


def _faults(widget: QWidget) -> list[str]:
    """Return what is wrong with one widget, a line each."""
    if widget.objectName().startswith(INTERNAL):
        return []
    where = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"
    faults = []
    if isinstance(widget, QLabel) and widget.textFormat() is not Qt.TextFormat.PlainText:
        faults.append(f"{where}: a label that reads HTML: {widget.text()[:60]!r}")
    if isinstance(widget, QTextEdit):
        faults.append(f"{where}: an editor of rich text")
    if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.focusProxy() is None and not accessible_name(widget):
        faults.append(f"{where}: takes the keyboard and has no accessible name")
    if isinstance(widget, QAbstractButton) and not widget.text() and not widget.toolTip():
        faults.append(f"{where}: a button without words has no tool tip")
    if "<" in widget.toolTip() and not widget.toolTip().startswith(TIP_BEGINS):
        faults.append(f"{where}: a tool tip that reads HTML: {widget.toolTip()[:60]!r}")
    return faults


def accessible_name(widget: QWidget) -> str:
    """Return the name that a screen reader says."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return widget.accessibleName() or (interface.text(QAccessible.Text.Name) if interface is not None else "")
