"""The find bar: words, how often they were found, and the way from one hit to the next."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from typing_extensions import override

from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.fields import Field
from workbench.ui.kit.paint import box
from workbench.ui.kit.theme import theme
from workbench.words import _

WIDEST = 380
MARGIN = 8


class FindBar(QWidget):
    """Stands over the upper right corner of its parent; Esc closes it and gives the keyboard back.

    Signals:
        searched: other words are looked for; empty for none.
        stepped: go to the next hit (1) or to the one before (-1).
        closed: it is gone.
    """

    searched = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.setAccessibleName(_("Find in the chat"))
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._before: QWidget | None = None
        self.field = Field(_("Find in the chat"), icon_name="search", ground="base", name=_("Words to find"))
        self.field.changed.connect(self.searched)
        self.field.edit.installEventFilter(self)
        self.previous_button = IconButton("chevron-up", _("Previous hit (Shift+F3)"))
        self.next_button = IconButton("chevron-down", _("Next hit (F3)"))
        self.close_button = IconButton("cross", _("Close (Esc)"))
        self.previous_button.clicked.connect(lambda: self.stepped.emit(-1))
        self.next_button.clicked.connect(lambda: self.stepped.emit(1))
        self.close_button.clicked.connect(self.dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        for button in (self.previous_button, self.next_button, self.close_button):
            row.addWidget(button)
        self.show_count(0, 0, more=False)

    def present(self) -> None:
        """Show it and take the keyboard; its words are selected, so that typing replaces them."""
        focused = QApplication.focusWidget()
        if focused is None or not self.isAncestorOf(focused):
            self._before = focused
        self.show()
        self.raise_()
        self.field.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.edit.selectAll()
        self.searched.emit(self.field.text())

    def dismiss(self) -> None:
        """Close it and give the keyboard back."""
        if self.isHidden():
            return
        focused = QApplication.focusWidget()
        had_keyboard = focused is not None and self.isAncestorOf(focused)
        self.hide()
        if had_keyboard and self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)
        self._before = None
        self.closed.emit()

    def show_count(self, number: int, count: int, *, more: bool) -> None:
        """Show which hit of how many is looked at; with `more` there are others that were not counted."""
        words = self.field.text()
        total = f"{count}+" if more else str(count)
        note = "" if not words else _("{number} of {count}").format(number=number, count=total) if count else _("not found")
        self.field.set_note(note)
        self.field.edit.setAccessibleDescription(note)
        for button in (self.previous_button, self.next_button):
            button.setEnabled(bool(count))

    def put_into(self, width: int) -> None:
        """Stand in the upper right corner of a parent that is so wide."""
        wide = min(WIDEST, width - 2 * MARGIN)
        self.setGeometry(width - wide - MARGIN, MARGIN, wide, theme.control + 2 * MARGIN)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._press(event)
        return super().eventFilter(watched, event)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_F3):
            event.accept()  # Esc closes this and does not stop the turn
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._press(event):
            super().keyPressEvent(event)

    def _press(self, event: QKeyEvent) -> bool:
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() in (Qt.Key.Key_F3, Qt.Key.Key_Return, Qt.Key.Key_Enter) or event.matches(QKeySequence.StandardKey.FindNext):
            self.stepped.emit(-1 if back else 1)
        else:
            return False
        return True

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            p.fillRect(self.rect(), theme["base"])
            box(p, QRectF(self.rect()), "raised", "edge", 8)
