"""A read-only text of any size that is selected, copied and searched with mouse and keyboard."""

from __future__ import annotations

from typing import TypeAlias

from PySide6.QtCore import QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from typing_extensions import override

from workbench.ui.inspector.text_area import Range, TextArea
from workbench.ui.inspector.text_search import Matches
from workbench.words import _

Key: TypeAlias = Qt.Key

LONGEST_WORD_BYTES = 4_096
"""A double click chooses at most this much in each direction."""

LONGEST_SELECTION_BYTES = 1 << 20
"""More is put on the clipboard by a command only, not as it is chosen."""

_DRAG_MS = 40
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") | frozenset(range(0x80, 0x100))


class VirtualText(TextArea):
    """Shows a text; it can be selected, copied and searched, never changed.

    Signals:
        activated: a byte offset; a double click, or Enter at the caret.
    """

    activated = Signal(int)

    def __init__(self, name: str, *, language: str = "", numbers: bool = True, wrap: bool = True, ground: str = "base", parent: QWidget | None = None) -> None:
        super().__init__(name, language=language, numbers=numbers, wrap=wrap, ground=ground, parent=parent)
        self._counting = QTimer(self)
        self._counting.timeout.connect(self._count_on)
        self._dragging = QTimer(self)
        self._dragging.setInterval(_DRAG_MS)
        self._dragging.timeout.connect(self._drag_on)

    def select_all(self) -> None:
        """Choose the whole text; nothing scrolls."""
        self._anchor, self._caret = 0, len(self.lines.data)
        self.viewport().update()

    def copy(self) -> None:
        """Put the chosen text on the clipboard; nothing happens if none is chosen."""
        if text := self.selected_text():
            QApplication.clipboard().setText(text)

    # Finding

    def search(self, words: str) -> None:
        """Look for words and choose the first match at or behind the caret; empty ends the search."""
        self._matches = Matches(self.lines.data, words)
        self._counting.start(0)
        self._choose(self._matches.after(self.selection()[0]) if words else None)

    def search_next(self) -> None:
        """Choose the next match; behind the last comes the first."""
        self._choose(self._matches.after(self.selection()[0] + 1))

    def search_previous(self) -> None:
        """Choose the match before; before the first comes the last."""
        self._choose(self._matches.before(self.selection()[0]))

    def _choose(self, match: int | None) -> None:
        if match is not None:
            self.select(match, match + self._matches.size_bytes)
        self._tell_matches()
        self.viewport().update()

    def _tell_matches(self) -> None:
        start, end = self.selection()
        chosen = self._matches.number_of(start) if end - start == self._matches.size_bytes > 0 else 0
        self.matches_changed.emit(chosen, len(self._matches.starts))

    def _count_on(self) -> None:
        """Count matches for a moment; called when nothing else is to do."""
        if not self._matches.work():
            self._counting.stop()
            self._tell_matches()
        self.viewport().update()

    # Keys

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.select_all()
        elif event.matches(QKeySequence.StandardKey.FindNext):
            self.search_next()
        elif event.matches(QKeySequence.StandardKey.FindPrevious):
            self.search_previous()
        elif event.key() in (Key.Key_Return, Key.Key_Enter):
            self.activated.emit(self._caret)
        elif (target := self._target(event)) is not None:
            self._move_to(target, keep=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        else:
            super().keyPressEvent(event)

    def _target(self, event: QKeyEvent) -> int | None:
        """Return where a key takes the caret; None for a key that does not."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        page = max(1, self.verticalScrollBar().pageStep() - 1)
        match event.key():
            case Key.Key_Left:
                return self.lines.step(self._caret, -1)
            case Key.Key_Right:
                return self.lines.step(self._caret, 1)
            case Key.Key_Up:
                return self._rows_away(-1)
            case Key.Key_Down:
                return self._rows_away(1)
            case Key.Key_PageUp:
                return self._rows_away(-page)
            case Key.Key_PageDown:
                return self._rows_away(page)
            case Key.Key_Home:
                return 0 if control else self.lines.start(self.lines.line_at(self._caret))
            case Key.Key_End:
                return len(self.lines.data) if control else self.lines.end(self.lines.line_at(self._caret))
            case _:
                return None

    def _rows_away(self, count: int) -> int:
        place = self.lines.place(self._caret)
        row = self._rows.row_of(place)
        column = place.cell - self._rows.place_of(row).cell
        wanted = row + count
        if wanted < 0:
            return 0
        if wanted >= len(self._rows):
            return len(self.lines.data)
        first = self._rows.place_of(wanted)
        room = column if self._rows.columns is None else min(column, self._rows.end_of(wanted) - first.cell - 1)
        return self.lines.offset(first.line, first.cell + room)

    # Mouse

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        keep = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._move_to(self.offset_at(event.position()), keep=keep)
        self._dragging.start()

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._dragging.isActive():
            self._drag_to(event.position())

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging.stop()
        clipboard = QGuiApplication.clipboard()
        start, end = self.selection()
        if clipboard.supportsSelection() and 0 < end - start <= LONGEST_SELECTION_BYTES:
            clipboard.setText(self.selected_text(), clipboard.Mode.Selection)

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        offset = self.offset_at(event.position())
        start, end = self._word(offset)
        self._anchor, self._caret = start, end
        self.viewport().update()
        self.activated.emit(offset)

    def _word(self, offset: int) -> Range:
        data, start, end = self.lines.data, offset, offset
        while start > max(0, offset - LONGEST_WORD_BYTES) and data[start - 1] in _WORD_BYTES:
            start -= 1
        while end < min(len(data), offset + LONGEST_WORD_BYTES) and data[end] in _WORD_BYTES:
            end += 1
        return start, end

    def _drag_to(self, point: QPointF) -> None:
        self._caret = self.offset_at(point)
        self.viewport().update()

    def _drag_on(self) -> None:
        """Scroll on while the pointer is held outside."""
        point = self.viewport().mapFromGlobal(self.cursor().pos())
        beyond = point.y() - self.viewport().height() if point.y() > self.viewport().height() else min(0, point.y())
        if beyond:
            rows = beyond // self._metrics.row or (1 if beyond > 0 else -1)
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + rows)
            self._drag_to(QPointF(point))

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, run in ((_("Copy"), self.copy), (_("Select all"), self.select_all)):
            action = QAction(words, menu)
            action.triggered.connect(run)
            menu.addAction(action)
        menu.popup(event.globalPos())
