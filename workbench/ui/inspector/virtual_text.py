"""A read-only text of any size: only what is in sight is looked at, laid out and painted.

50 MB open in the time it takes to count their lines; a line of a megabyte costs what is visible of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QFocusEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QMenu, QWidget
from typing_extensions import override

from workbench.ui.inspector.accessible_text import install, tell_line
from workbench.ui.inspector.text_cells import decoded, shown
from workbench.ui.inspector.text_colours import CodeColours, Colours, Plain, colours_for
from workbench.ui.inspector.text_lines import Place, Rows, TextLines
from workbench.ui.inspector.text_painter import PAD, Metrics, TextPainter, View
from workbench.ui.inspector.text_search import Matches
from workbench.ui.kit.buttons import focus_ring
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import fill
from workbench.words import _

Key = Qt.Key
Range: TypeAlias = tuple[int, int]

LONGEST_SPOKEN_BYTES = 2_000
"""A screen reader gets this much of a line."""

_DRAG_MS = 40
_WORD_BYTES = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") | frozenset(range(0x80, 0x100))


class VirtualText(QAbstractScrollArea):
    """Shows a text; it can be selected, copied and searched with mouse and keyboard, never changed.

    Signals:
        matches_changed: (number of the chosen match from 1, or 0; how many there are so far).
        activated: a byte offset; a double click, or Enter at the caret.

    Attributes:
        lines: what is shown.
    """

    matches_changed = Signal(int, int)
    activated = Signal(int)

    def __init__(self, name: str, *, language: str = "", numbers: bool = True, wrap: bool = True, ground: str = "base", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        install()
        scrolls(self)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self._language, self._numbers, self._wrap, self._ground = language, numbers, wrap, ground
        self._metrics = Metrics()
        self._marks: Mapping[int, str] = {}
        self._ring = False
        self._working = QTimer(self)
        self._working.timeout.connect(self._work)
        self._dragging = QTimer(self)
        self._dragging.setInterval(_DRAG_MS)
        self._dragging.timeout.connect(self._drag_on)
        self.show_lines(TextLines())

    # What is shown

    def set_text(self, text: str | bytes, *, language: str | None = None) -> None:
        """Show a text; for more than a megabyte build the `TextLines` in a thread and call `show_lines`.

        Args:
            text: characters, or bytes that are shown as UTF-8 with every other byte as ``⟨0xFF⟩``.
            language: ``json``, ``sse``, a Pygments alias, or empty; None leaves it as it was.
        """
        self.show_lines(TextLines(text), language=language)

    def set_lines(self, lines: Sequence[str], marks: Mapping[int, str] | None = None) -> None:
        """Show lines, each without its line feed; `marks` wash whole lines ({line from 0: token})."""
        self.set_text("\n".join(lines))
        self.set_marks(marks or {})

    def show_lines(self, lines: TextLines, *, language: str | None = None) -> None:
        """Show a text whose lines are known; returns at once for any size."""
        self.lines = lines
        self._language = self._language if language is None else language
        self._anchor = self._caret = 0
        self._marks = {}
        self._colours: Colours = Plain()
        self._matches = Matches(b"", "")
        self._rows = Rows(lines, None)
        self._colour()
        self._lay_out()
        self.verticalScrollBar().setValue(0)
        self.horizontalScrollBar().setValue(0)
        self.matches_changed.emit(0, 0)

    def set_marks(self, marks: Mapping[int, str]) -> None:
        """Wash whole lines: token by line, counted from 0."""
        self._marks = dict(marks)
        self.viewport().update()

    def set_wrap(self, wrap: bool) -> None:
        """Wrap long lines, or let them run out at the right; the line at the top stays."""
        line = self._rows.place_of(min(self.verticalScrollBar().value(), len(self._rows) - 1)).line
        self._wrap = wrap
        self._lay_out()
        self.verticalScrollBar().setValue(self._rows.first_row(line))

    @property
    def wrapped(self) -> bool:
        """Whether long lines are wrapped."""
        return self._wrap

    # Choosing

    def selection(self) -> Range:
        """Return the chosen bytes as (start, end)."""
        return min(self._anchor, self._caret), max(self._anchor, self._caret)

    def selected_text(self) -> str:
        """Return the chosen text; bytes that are no UTF-8 as U+FFFD."""
        start, end = self.selection()
        return self.lines.data[start:end].decode("utf-8", "replace")

    def select(self, start: int, end: int) -> None:
        """Choose bytes and bring them into sight, with the caret at their end."""
        self._anchor = min(start, len(self.lines.data))
        self._move_to(min(end, len(self.lines.data)), keep=True)
        self._show_place(self.lines.place(self._anchor))

    def select_all(self) -> None:
        """Choose the whole text; nothing scrolls."""
        self._anchor, self._caret = 0, len(self.lines.data)
        self.viewport().update()

    def copy(self) -> None:
        """Put the chosen text on the clipboard; nothing happens if none is chosen."""
        if text := self.selected_text():
            QApplication.clipboard().setText(text)

    def scroll_to_line(self, line: int) -> None:
        """Bring a line, counted from 0, to the top."""
        self.verticalScrollBar().setValue(self._rows.first_row(min(line, len(self.lines) - 1)))

    # Finding

    def search(self, words: str) -> None:
        """Look for words and choose the first match at or behind the caret; empty ends the search."""
        self._matches = Matches(self.lines.data, words)
        self._working.start(0)
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

    def _work(self) -> None:
        """Go on with colours and counting matches for a few milliseconds; called when nothing else is to do."""
        searching = self._matches.work()
        colouring = isinstance(self._colours, CodeColours) and self._colours.work()
        if not searching:
            self._tell_matches()
        if not searching and not colouring:
            self._working.stop()
        self.viewport().update()

    def _colour(self) -> None:
        self._colours = colours_for(self.lines, self._language)
        if isinstance(self._colours, CodeColours):
            self._working.start(0)

    # Laying out

    def _lay_out(self) -> None:
        self._rows = Rows(self.lines, self._columns() if self._wrap else None)
        page = max(1, (self.viewport().height() - PAD) // self._metrics.row)
        upright, level = self.verticalScrollBar(), self.horizontalScrollBar()
        upright.setPageStep(page)
        upright.setSingleStep(1)
        upright.setRange(0, max(0, len(self._rows) - page))
        level.setPageStep(self._columns())
        level.setSingleStep(4)
        level.setRange(0, 0 if self._wrap else max(0, self._longest() + 2 - self._columns()))
        self.viewport().update()

    def _longest(self) -> int:
        return max(self.lines.wide_cells, default=self.lines.longest_bytes)

    def _text_x(self) -> int:
        return self._metrics.number_right(len(self.lines)) + 12 if self._numbers else PAD + 4

    def _columns(self) -> int:
        """Return how many whole cells fit beside the numbers."""
        return max(1, int((self.viewport().width() - self._text_x() - PAD) / self._metrics.cell))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        top = self._rows.place_of(min(self.verticalScrollBar().value(), len(self._rows) - 1))
        self._lay_out()
        if self._wrap:
            self.verticalScrollBar().setValue(self._rows.row_of(top))

    @override
    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange) and hasattr(self, "lines"):
            self._metrics = Metrics()
            self._lay_out()
        super().changeEvent(event)

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    @override
    def sizeHint(self) -> QSize:
        return QSize(320, len(self._rows) * self._metrics.row + 2 * PAD)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(120, 3 * self._metrics.row)

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as p:
            area = QRectF(self.viewport().rect())
            fill(p, area, self._ground)
            TextPainter(self.lines, self._rows, self._colours, self._matches, self._metrics).paint(p, self._view())
            if self._ring:
                focus_ring(p, area, 0)

    def _view(self) -> View:
        viewport = self.viewport()
        return View(
            top=self.verticalScrollBar().value(),
            left=self.horizontalScrollBar().value(),
            columns=self._columns(),
            width=viewport.width(),
            height=viewport.height(),
            text_x=self._text_x(),
            numbered=self._numbers,
            selection=self.selection(),
            focused=self.hasFocus(),
            caret=self._caret if self.hasFocus() else None,
            marks=self._marks,
        )

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
        room = column if self._rows.columns is None else min(column, self._rows.columns - 1)
        return self.lines.offset(first.line, first.cell + room)

    def _move_to(self, offset: int, *, keep: bool) -> None:
        self._caret = offset
        if not keep:
            self._anchor = offset
        self._show_place(self.lines.place(offset))
        tell_line(self, self.caret_line())
        self.viewport().update()

    def _show_place(self, place: Place) -> None:
        row, upright, level = self._rows.row_of(place), self.verticalScrollBar(), self.horizontalScrollBar()
        if row < upright.value():
            upright.setValue(row)
        elif row >= upright.value() + upright.pageStep():
            upright.setValue(row - upright.pageStep() + 1)
        if not self._wrap and not level.value() <= place.cell < level.value() + self._columns():
            level.setValue(max(0, place.cell - self._columns() // 2))

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
        if clipboard.supportsSelection() and (text := self.selected_text()):
            clipboard.setText(text, clipboard.Mode.Selection)

    @override
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        offset = self.offset_at(event.position())
        start, end = self._word(offset)
        self._anchor, self._caret = start, end
        self.viewport().update()
        self.activated.emit(offset)

    def offset_at(self, point: QPoint | QPointF) -> int:
        """Return the byte under, or nearest to, a point of the viewport."""
        row = self.verticalScrollBar().value() + int((point.y() - PAD) // self._metrics.row)
        if row >= len(self._rows):
            return len(self.lines.data)
        first = self._rows.place_of(max(0, row))
        column = max(0, round((point.x() - self._text_x()) / self._metrics.cell))
        column = column if self._rows.columns is None else min(column, self._rows.columns)
        return self.lines.offset(first.line, first.cell + column + self.horizontalScrollBar().value())

    def _word(self, offset: int) -> Range:
        data, start, end = self.lines.data, offset, offset
        while start > 0 and data[start - 1] in _WORD_BYTES:
            start -= 1
        while end < len(data) and data[end] in _WORD_BYTES:
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

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        super().focusInEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._ring = False
        super().focusOutEvent(event)

    # For others

    def plain_text(self) -> str:
        """Return the whole text; bytes that are no UTF-8 as lone surrogates."""
        return decoded(self.lines.data)

    def caret_line(self) -> str:
        """Return the line the keyboard is on, as it is shown; of a long line its beginning."""
        return self._shown_line(self.lines.line_at(self._caret))

    def text_in_sight(self) -> str:
        """Return the lines in sight, as they are shown; of long lines their beginning."""
        top = self.verticalScrollBar().value()
        last = min(len(self._rows), top + self.verticalScrollBar().pageStep())
        lines = sorted({self._rows.place_of(row).line for row in range(top, last)})
        return "\n".join(map(self._shown_line, lines))

    def _shown_line(self, line: int) -> str:
        start, end = self.lines.start(line), self.lines.end(line)
        return "".join(map(shown, decoded(self.lines.data[start : min(end, start + LONGEST_SPOKEN_BYTES)])))
