"""Shows a text of any size: only what is in sight is looked at, laid out and painted.

50 MB open in the time it takes to count their lines; a line of a megabyte costs what is visible of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget
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

Range: TypeAlias = tuple[int, int]

LONGEST_SPOKEN_BYTES = 2_000
"""A screen reader gets this much of a line."""


class TextArea(QAbstractScrollArea):
    """Shows a text with a caret, a selection and marked matches; what moves them is up to subclasses.

    Signals:
        matches_changed: (number of the chosen match from 1, or 0; how many there are so far).

    Attributes:
        lines: what is shown.
    """

    matches_changed = Signal(int, int)

    def __init__(self, name: str, *, language: str = "", numbers: bool = True, wrap: bool = True, ground: str = "base", parent: QWidget | None = None) -> None:
        """Show an empty text.

        Args:
            name: accessible name.
            language: what later texts are coloured as, see `set_text`.
            numbers: show the numbers of lines.
            wrap: wrap long lines.
            ground: token of the ground.
            parent: the widget it is in.
        """
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
        self.show_lines(TextLines())

    # What is shown

    def set_text(self, text: str | bytes, *, language: str | None = None, words: bool = False) -> None:
        """Show a text; for more than a megabyte build the `TextLines` in a thread and call `show_lines`.

        Args:
            text: characters, or bytes that are shown as UTF-8 with every other byte as ``⟨0xFF⟩``.
            language: ``json``, ``sse``, a Pygments alias, or empty; None leaves it as it was.
            words: it is prose, which is wrapped between words.
        """
        self.show_lines(TextLines(text), language=language, words=words)

    def set_lines(self, lines: Sequence[str], marks: Mapping[int, str] | None = None) -> None:
        """Show lines, each without its line feed; `marks` wash whole lines ({line from 0: token})."""
        self.set_text("\n".join(lines))
        self.set_marks(marks or {})

    def show_lines(self, lines: TextLines, *, language: str | None = None, words: bool = False) -> None:
        """Show a text whose lines are known; returns at once for any size. Prose is wrapped between `words`."""
        self.lines, self._words = lines, words
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

    def scroll_to_line(self, line: int) -> None:
        """Bring a line, counted from 0, to the top."""
        self.verticalScrollBar().setValue(self._rows.first_row(min(line, len(self.lines) - 1)))

    # The chosen bytes

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

    def _colour(self) -> None:
        self._colours = colours_for(self.lines, self._language)
        if isinstance(self._colours, CodeColours):
            self._working.start(0)

    def _work(self) -> None:
        """Go on with the colours for a few milliseconds; called when nothing else is to do."""
        if not (isinstance(self._colours, CodeColours) and self._colours.work()):
            self._working.stop()
        self.viewport().update()

    # Laying out

    def _lay_out(self) -> None:
        self._rows = Rows(self.lines, self._columns() if self._wrap else None, words=self._words)
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

    def offset_at(self, point: QPoint | QPointF) -> int:
        """Return the byte under, or nearest to, a point of the viewport."""
        row = self.verticalScrollBar().value() + int((point.y() - PAD) // self._metrics.row)
        if row >= len(self._rows):
            return len(self.lines.data)
        first = self._rows.place_of(max(0, row))
        column = max(0, round((point.x() - self._text_x()) / self._metrics.cell))
        column = column if self._rows.columns is None else min(column, self._rows.end_of(max(0, row)) - first.cell)
        return self.lines.offset(first.line, first.cell + column + self.horizontalScrollBar().value())

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
