"""What pops up over the composer while a name is typed: rows that fit. The keyboard stays in the text, which hands on the keys that move."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.kit.overlay import PAD, popup_ground
from workbench.ui.kit.popup_list import Entry, EntryList, Looks

ROWS_SEEN = 10
LEAST_WIDTH, MOST_WIDTH = 320, 640
GAP = 4


class Completer(QWidget):
    """A card with a list, over the window of the widget it belongs to.

    Signals:
        chosen: the id of the row that a person chose.
    """

    chosen = Signal(str)

    def __init__(self, owner: QWidget, name: str, looks: Looks = "compact") -> None:
        super().__init__(owner.window())
        self._owner = owner
        self.rows = EntryList((), looks, name, self)
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows.chosen.connect(self._choose)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(PAD + 1, PAD + 5, PAD + 1, PAD + 5)
        layout.addWidget(self.rows)
        self.hide()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show rows over the owner, the first one chosen; closes if there are none."""
        if not entries:
            self.hide()
            return
        if self.parentWidget() is not self._owner.window():
            self.setParent(self._owner.window())
        self.rows.show_entries(entries)
        self.setGeometry(self._place(len(entries)))
        self.show()
        self.raise_()

    def takes_key(self, event: QKeyEvent) -> bool:
        """Deal with a key if it moves in the list, chooses or closes; False if it belongs to the text."""
        if self.isHidden():
            return False
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down | Qt.Key.Key_PageUp | Qt.Key.Key_PageDown:
                self.rows.keyPressEvent(event)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Tab if not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
                self.rows.choose_current()
            case Qt.Key.Key_Escape:
                self.hide()
            case _:
                return False
        return True

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            popup_ground(p, QRectF(self.rect()))

    def _choose(self, entry_id: str) -> None:
        self.hide()
        self.chosen.emit(entry_id)

    def _place(self, count: int) -> QRect:
        """Return where it stands: above its owner, left edges in line; not outside the window."""
        window = self._owner.window()
        top_left = self._owner.mapTo(window, QPoint(0, 0))
        width = min(max(LEAST_WIDTH, self.rows.wanted_width()), MOST_WIDTH, self._owner.width())
        height = min(count, ROWS_SEEN) * self.rows.row_height() + 10
        height = min(height, max(self.rows.row_height() + 10, top_left.y() - GAP - PAD))
        size = QSize(width + 2 * PAD, height + 2 * PAD)
        return QRect(top_left - QPoint(PAD, size.height() - PAD + GAP), size)
