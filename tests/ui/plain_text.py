"""What holds for every part of the window: no label reads HTML, everything that takes the keyboard has a name, an icon alone has a tool tip.

And of text that came from others: no character in it is unseen, wherever it stands, and in the approval dialog nothing is left out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from typing import Literal

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLabel, QTextEdit, QWidget

from workbench.permissions.visible import visible
from workbench.ui.kit.labels import TIP_BEGINS, Label

INTERNAL = "qt_"
"""Qt's own parts of a widget have object names that begin so."""
ROWS_LOOKED_AT, DEEPEST = 200, 4
ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.StatusTipRole,
)


def assert_plain(widget: QWidget, *, names: Literal["all", "shown", "none"] = "all") -> None:
    """Fail with every fault of a widget and all that is in it, shown or not; `names` says of which of it names are asked for."""
    children = (widget, *widget.findChildren(QWidget))
    named = [child for child in children if names == "all" or (names == "shown" and child.isVisible())]
    faults = [*(fault for child in children for fault in _html_in(child)), *(fault for child in named for fault in _unnamed(child))]
    assert not faults, "\n".join(faults)


def assert_honest(widget: QWidget, *, keep: str = "\n\t") -> None:
    """Fail with every string of a widget and all that is in it, shown or not, that holds a hidden character.

    Args:
        widget: a window or a part of it. What a person writes into (fields) is left out.
        keep: hidden characters that may stand there.
    """
    faults = []
    for child in (widget, *widget.findChildren(QWidget)):
        for kind, text in _strings(child):
            if visible(text, keep=keep) != text:
                faults.append(f"{type(child).__name__} {kind}: {visible(text)[:120]!r}")
    assert not faults, "\n".join(faults)


def assert_whole(widget: QWidget) -> None:
    """Fail with every label in a widget that would leave something out of its words."""
    elided = [child.text() for child in widget.findChildren(Label) if child.elides]
    assert not elided, f"these labels give way: {elided}"


def _strings(widget: QWidget) -> Iterator[tuple[str, str]]:
    """Yield everything a widget says, by kind."""
    yield "accessible name", widget.accessibleName()
    yield "accessible description", widget.accessibleDescription()
    yield "tool tip", unescape(widget.toolTip())
    yield "window title", widget.windowTitle()
    if isinstance(widget, QLabel | QAbstractButton):
        yield "words", widget.text()
    if isinstance(widget, QComboBox):
        yield from (("choice", widget.itemText(place)) for place in range(widget.count()))
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _rows(widget.model(), QModelIndex())


def _rows(model: QAbstractItemModel, parent: QModelIndex, depth: int = 0) -> Iterator[tuple[str, str]]:
    for row in range(min(model.rowCount(parent), ROWS_LOOKED_AT)):
        for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)):
            index = model.index(row, column, parent)
            for role in ROLES:
                value = index.data(role)
                if isinstance(value, str):
                    yield f"row, {role.name}", unescape(value) if role is Qt.ItemDataRole.ToolTipRole else value
        if depth < DEEPEST:
            yield from _rows(model, model.index(row, 0, parent), depth + 1)


def _html_in(widget: QWidget) -> list[str]:
    """Return where one widget may read HTML, a line each."""
    if widget.objectName().startswith(INTERNAL):
        return []
    where, faults = _place(widget), []
    if isinstance(widget, QLabel) and widget.textFormat() is not Qt.TextFormat.PlainText:
        faults.append(f"{where}: a label that reads HTML: {widget.text()[:60]!r}")
    elif isinstance(widget, QLabel) and not isinstance(widget, Label):
        faults.append(f"{where}: a label that is not the kit's: {widget.text()[:60]!r}")
    if isinstance(widget, QTextEdit):
        faults.append(f"{where}: an editor of rich text")
    if "<" in widget.toolTip() and not widget.toolTip().startswith(TIP_BEGINS):
        faults.append(f"{where}: a tool tip that reads HTML: {widget.toolTip()[:60]!r}")
    return faults


def _unnamed(widget: QWidget) -> list[str]:
    """Return what a screen reader cannot say of one widget, a line each."""
    if widget.objectName().startswith(INTERNAL):
        return []
    where, faults = _place(widget), []
    if widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and widget.focusProxy() is None and not accessible_name(widget):
        faults.append(f"{where}: takes the keyboard and has no accessible name")
    if isinstance(widget, QAbstractButton) and not widget.text() and not widget.toolTip():
        faults.append(f"{where}: a button without words has no tool tip")
    return faults


def _place(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"


def accessible_name(widget: QWidget) -> str:
    """Return the name that a screen reader says."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return widget.accessibleName() or (interface.text(QAccessible.Text.Name) if interface is not None else "")
