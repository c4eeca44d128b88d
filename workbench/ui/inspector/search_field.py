"""A field that finds words in what is shown below it: Enter goes on, Shift+Enter goes back, Esc ends the search."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from typing_extensions import override

from workbench.ui.kit.fields import Field
from workbench.words import _

Key = Qt.Key
MOST_COUNTED = 100_000
"""Of more matches only this many are told."""


class SearchField(Field):
    """Finds words.

    Signals:
        searched: the words, after every change; empty ends the search.
        next_wanted, previous_wanted: go to another match.
    """

    searched = Signal(str)
    next_wanted = Signal()
    previous_wanted = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(_("Search"), icon_name="search", name=name)
        self.changed.connect(self.searched)
        self.edit.installEventFilter(self)

    def show_matches(self, chosen: int, count: int) -> None:
        """Say which match is chosen, and how many there are."""
        if not self.text():
            self.set_note("")
        elif not count:
            self.set_note(_("none"))
        else:
            total = f"{count:,}" + ("+" if count >= MOST_COUNTED else "")
            self.set_note(_("{n} of {total}").format(n=f"{chosen:,}", total=total) if chosen else total)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return super().eventFilter(watched, event)
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (Key.Key_Return, Key.Key_Enter):
            (self.previous_wanted if back else self.next_wanted).emit()
        elif event.matches(QKeySequence.StandardKey.FindNext):
            self.next_wanted.emit()
        elif event.matches(QKeySequence.StandardKey.FindPrevious):
            self.previous_wanted.emit()
        elif event.key() == Key.Key_Escape and self.text():
            self.set_text("")
        else:
            return super().eventFilter(watched, event)
        return True
