"""A difference, painted: side by side or in one column, changed words marked, long stretches without a change folded until they are opened.

Used wherever a change of a file is shown. Texts of any size open at once: large ones are compared in a thread, and what their unified diff
says is shown until then.
"""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from typing_extensions import override

from workbench.conversation.calls import Preview
from workbench.ui.approval.colouring import Colouring, language_of
from workbench.ui.approval.diff_lines import PAD, SIGN, DiffLine, line_of, number_width, paint_line, paint_number
from workbench.ui.approval.diff_model import Difference, DiffRow, Layout, difference_of, is_large, unified_difference
from workbench.ui.approval.exact_text import face
from workbench.ui.approval.rows_view import RowsView
from workbench.ui.approval.seen import Ids, Seen
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import CENTRE, fill, hline, text, vline, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many

COLUMNS_BESIDE = 55
"""Side by side needs room for so many characters on each side."""


class _Comparison:
    """The comparison whose result is wanted; none any more when its view is gone."""

    def __init__(self) -> None:
        self.future: asyncio.Future[Difference] | None = None

    def drop(self) -> None:
        """Want no result."""
        self.future = None


class DiffView(RowsView):
    """Shows what a preview says about a file.

    Signals:
        layout_changed: it is laid out in the other way now, or can be, or cannot be any more.
        content_changed: the comparison of a large text has ended, and its rows are shown.
    """

    layout_changed = Signal()
    content_changed = Signal()

    def __init__(self, name: str = "") -> None:
        super().__init__(name or _("Difference"))
        self.difference = Difference.empty()
        self._wanted: Layout | None = None
        self._layout: Layout = "unified"
        self._rows: list[DiffRow] = []
        self._opened: set[int] = set()
        self._end, self._counted = -1, 0
        self._number = 0
        self._pointed = self._pressed = -1
        self._comparison = _Comparison()
        self.destroyed.connect(self._comparison.drop)
        self._old_colours, self._new_colours = Colouring(self), Colouring(self)
        for colouring in (self._old_colours, self._new_colours):
            colouring.grown.connect(self.viewport().update)
        self.viewport().setMouseTracking(True)

    # What is shown

    @property
    def diff_layout(self) -> Layout:
        """How it is laid out now."""
        return self._layout

    @property
    def can_stand_beside(self) -> bool:
        """Whether there is room for two sides, and something on both."""
        return self._both() and self._columns_beside() >= COLUMNS_BESIDE

    @property
    def comparing(self) -> bool:
        """Whether a large text is still being compared."""
        return self._comparison.future is not None

    def show_preview(self, preview: Preview, seen: Seen | None = None) -> None:
        """Show a change from its beginning; `seen` is what a person has seen of it before."""
        self._drop_comparison()
        language = preview.language or language_of(preview.title)
        if is_large(preview):
            self._show(unified_difference(preview.body), seen)
            self._compare(preview, language)
        else:
            self._show(difference_of(preview), seen)
            self._colour(language)

    def choose_layout(self, layout: Layout | None) -> None:
        """Lay it out in one way; None takes what the width allows."""
        self._wanted = layout
        self._choose()

    def plain_text(self) -> str:
        """Return all lines with their signs, for screen readers and tests."""
        signs = {"same": " ", "change": "±", "add": "+", "del": "-"}
        out = []
        for row in self.difference.rows("unified", range(1 << 30)):
            if row.kind == "gap":
                out.append(_folded(row))
            elif not row.part:
                side, place = (self.difference.new, row.new) if row.new >= 0 else (self.difference.old, row.old)
                out.append(signs[row.kind] + side.text(place))
        return "\n".join(out)

    def _show(self, shown: Difference, seen: Seen | None) -> None:
        self.difference, self._opened = shown, set()
        self._layout = self._fitting()
        self._list_rows()
        self.reset(seen)
        self.layout_changed.emit()

    def _list_rows(self) -> None:
        self._rows = rows = self.difference.rows(self._layout, self._opened)
        self._end = next((n for n in range(len(rows) - 1, -1, -1) if rows[n].kind not in {"same", "gap"}), len(rows) - 1)
        self._counted = len(rows) - sum(1 for row in rows if row.kind == "gap")
        self._number = number_width(self.difference)
        self._pointed = -1

    def _colour(self, language: str) -> None:
        if self.difference.whole:
            self._old_colours.begin("".join(self.difference.old.lines), language)
            self._new_colours.begin("".join(self.difference.new.lines), language)

    # Large texts

    def _compare(self, preview: Preview, language: str) -> None:
        """Compare in a thread; only the last comparison asked for is shown. Without a loop there is nobody to keep waiting."""
        try:
            comparing = asyncio.get_running_loop().run_in_executor(None, difference_of, preview)
        except RuntimeError:
            self._take(difference_of(preview), language)
            return
        comparison = self._comparison
        comparison.future = comparing

        def show(done: asyncio.Future[Difference]) -> None:
            if done is comparison.future and not done.cancelled():
                comparison.future = None
                self._take(done.result(), language)

        comparing.add_done_callback(show)

    def _take(self, compared: Difference, language: str) -> None:
        self.difference = compared
        self._colour(language)
        self._lay_rows()
        self.layout_changed.emit()
        self.content_changed.emit()

    def _drop_comparison(self) -> None:
        self._comparison.drop()
        self._old_colours.begin("", "")
        self._new_colours.begin("", "")

    # Layout

    def _both(self) -> bool:
        return bool(self.difference.old.lines) and bool(self.difference.new.lines)

    def _fitting(self) -> Layout:
        return "side" if self.can_stand_beside and self._wanted != "unified" else "unified"

    def _columns_beside(self) -> int:
        half = (self.viewport().width() - 1) // 2
        return int((half - number_width(self.difference) - SIGN - PAD) / (face().step or width_of("0", theme.font("code"))))

    def _choose(self) -> None:
        if (fitting := self._fitting()) != self._layout:
            self._layout = fitting
            self._lay_rows()
        self.layout_changed.emit()

    def _lay_rows(self) -> None:
        self._list_rows()
        self.lay_out_again()

    def _text_left(self) -> int:
        return self._number * (2 if self._layout == "unified" and self._both() else 1) + SIGN

    def _open(self, row: int) -> None:
        """Unfold a gap."""
        if 0 <= row < len(self._rows) and self._rows[row].kind == "gap" and self.difference.whole:
            self._opened.add(self._rows[row].new)
            self._lay_rows()

    # Rows

    @override
    def row_count(self) -> int:
        return len(self._rows)

    @override
    def row_ids(self, row: int) -> Ids:
        shown = self._rows[row]
        if shown.kind == "gap":
            return ()
        old, new = self.difference.old, self.difference.new
        ids = [(old.numbers[shown.old] << 21 | shown.part) << 1] if shown.old >= 0 else []
        return (*ids, (new.numbers[shown.new] << 21 | shown.part) << 1 | 1) if shown.new >= 0 else tuple(ids)

    @override
    def counted_rows(self) -> int:
        return self._counted

    @override
    def end_row(self) -> int:
        """Return the last row that changes something; the last of all if none does."""
        return self._end

    @override
    def row_height(self, row: int, width: int) -> int:
        shown = self._rows[row]
        if shown.kind == "gap":
            return theme.mh + 9
        room = self._room(width)
        lines = (line_of(self.difference, "old", shown), line_of(self.difference, "new", shown))
        return max(len(line.pieces(room)) for line in lines if line) * (theme.mh + 1)

    def _room(self, width: int) -> float:
        return (((width - 1) // 2) if self._layout == "side" else width) - self._text_left() - PAD

    def _lines(self, row: DiffRow) -> tuple[DiffLine | None, DiffLine | None]:
        return (
            line_of(self.difference, "old", row, self._old_colours.lines),
            line_of(self.difference, "new", row, self._new_colours.lines),
        )

    # Painting

    @override
    def paint_ground(self, p: QPainter, area: QRectF) -> None:
        fill(p, area, "base")
        if not self._rows:
            text(p, area.adjusted(20, 0, -20, 0), _("The file is empty."), theme.font("body"), "muted", CENTRE)
        elif self._layout == "side":
            vline(p, (area.width() - 1) // 2, 0, area.height())

    @override
    def paint_row(self, p: QPainter, row: int, area: QRectF) -> None:
        shown = self._rows[row]
        if shown.kind == "gap":
            self._paint_gap(p, row, area)
            return
        old, new = self._lines(shown)
        if self._layout == "side":
            half = (area.width() - 1) // 2
            paint_line(p, QRectF(0, area.y(), half, area.height()), old, self._number)
            paint_line(p, QRectF(half + 1, area.y(), half, area.height()), new, self._number)
            vline(p, half, area.y(), area.bottom())
            return
        columns = 2 if self._both() else 1
        paint_line(p, area, new or old, self._number, columns)
        for n, line in enumerate((old, new) if columns == 2 else ()):
            if line:
                paint_number(p, n * self._number, area.y(), self._number, line)

    def _paint_gap(self, p: QPainter, row: int, area: QRectF) -> None:
        inner = area.adjusted(0, 4, 0, -4)
        fill(p, inner, "hover" if row == self._pointed else "sunken")
        hline(p, 0, area.width(), inner.y())
        hline(p, 0, area.width(), inner.bottom() - 1)
        left = self._number
        if self.difference.whole:
            draw_icon(p, "chevron-right", left - 20, inner.y() + (inner.height() - 12) / 2, "muted", 12)
        text(p, QRectF(left, inner.y(), inner.width() - left, inner.height()), _folded(self._rows[row]), theme.font("tiny"), "muted")

    # Events

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().y())
        gap = row if row >= 0 and self._rows[row].kind == "gap" and self.difference.whole else -1
        if gap != self._pointed:
            self._pointed = gap
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if gap >= 0 else Qt.CursorShape.ArrowCursor)
            self.viewport().update()

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self.row_at(event.position().y())

    @override
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed == self.row_at(event.position().y()):
            self._open(self._pressed)
        self._pressed = -1

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens the first fold in sight."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            first, last = self.row_at(self.margin()), self.row_at(self.viewport().height() - 1)
            rows = range(max(0, first), (last if last >= 0 else len(self._rows) - 1) + 1)
            self._open(next((row for row in rows if self._rows[row].kind == "gap"), -1))
            return
        super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._choose()


def _folded(row: DiffRow) -> str:
    return many("… {n} unchanged line", "… {n} unchanged lines", row.folded)
