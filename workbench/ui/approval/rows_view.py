"""A scrolling view of rows of different heights that paints only what is in sight, and notes which rows have been.

Heights are worked out in short slices, so that a text of a hundred thousand lines opens at once.
"""

from __future__ import annotations

import time
from array import array
from bisect import bisect_right

from PySide6.QtCore import QEvent, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QAbstractSlider
from typing_extensions import override

from workbench.ui.approval.seen import Ids, Seen
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import fill, focus_ring
from workbench.ui.kit.theme import theme

FIRST_SLICE_S = 0.02
SLICE_S = 0.005


class RowsView(QAbstractScrollArea):
    """Base of the views in the approval dialog. Subclasses say how many rows there are, how high each is, and paint them.

    Signals:
        seen_changed: more rows have been in sight, or the last one.

    Attributes:
        seen: which rows a person had before their eyes.
        ground: token of the ground.
    """

    seen_changed = Signal()
    ground = "base"

    def __init__(self, name: str) -> None:
        super().__init__()
        self.seen = Seen()
        self._tops = array("q", [0])
        self._anchor = (0, 0)
        self.setAccessibleName(name)
        scrolls(self)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # the width of the text must not depend on its length
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base if self.ground == "base" else QPalette.ColorRole.Button)  # beside the scroll bar
        self._growing = self._timer(self._grow_more)
        self._telling = self._timer(self.seen_changed.emit)

    # What subclasses say

    def row_count(self) -> int:
        """Return how many rows there are."""
        raise NotImplementedError

    def row_height(self, row: int, width: int) -> int:
        """Return the height of a row in pixels."""
        raise NotImplementedError

    def row_ids(self, row: int) -> Ids:
        """Return what a row shows, for `Seen`; empty if it need not be seen."""
        return (row,)

    def counted_rows(self) -> int:
        """Return how many rows have to be seen."""
        return self.row_count()

    def end_row(self) -> int:
        """Return the last row that must have been in sight."""
        return self.row_count() - 1

    def paint_row(self, p: QPainter, row: int, area: QRectF) -> None:
        """Paint a row."""
        raise NotImplementedError

    def paint_ground(self, p: QPainter, area: QRectF) -> None:
        """Paint what is behind the rows, over the whole viewport."""
        fill(p, area, self.ground)

    def margin(self) -> int:
        """Return the pixels above the first and below the last row."""
        return 4

    # What others ask

    @property
    def laid_out(self) -> bool:
        """Whether the height of every row is known."""
        return len(self._tops) > self.row_count()

    def content_height(self) -> int:
        """Return the height of all rows that are laid out so far, with the margins."""
        return self._tops[-1] + 2 * self.margin()

    def row_at(self, y: float) -> int:
        """Return the row at a height of the viewport; -1 if there is none."""
        place = y + self.verticalScrollBar().value() - self.margin()
        if not 0 <= place < self._tops[-1]:
            return -1
        return bisect_right(self._tops, place) - 1

    def reset(self, seen: Seen | None = None) -> None:
        """Show other rows, from the top; nothing of them was seen but what `seen` says."""
        self.seen = seen or Seen()
        self._anchor = (0, 0)
        self.verticalScrollBar().setValue(0)
        self._begin()

    def lay_out_again(self) -> None:
        """Show the same content in other rows, and keep the place."""
        self._keep_place()
        self._begin()

    def measure_again(self) -> None:
        """Work out the heights again, because the width or the fonts are others."""
        self._keep_place()
        self._measure()

    # Heights

    def _timer(self, call: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(call)
        return timer

    def _keep_place(self) -> None:
        top = self.row_at(self.margin())
        if top >= 0:
            self._anchor = (top, self.verticalScrollBar().value() - self._tops[top])

    def _begin(self) -> None:
        self.seen.lay_out(self.row_count(), self.counted_rows(), self.row_ids)
        if not self.row_count() and self.seen.reach_end():
            self._telling.start(0)
        self._measure()

    def _measure(self) -> None:
        self._tops = array("q", [0])
        self._grow(FIRST_SLICE_S)

    def _grow_more(self) -> None:
        self._grow(SLICE_S)

    def _grow(self, budget_s: float) -> None:
        until = time.perf_counter() + budget_s
        in_sight = self._tops[-1] <= self.verticalScrollBar().value() + self.viewport().height()
        width, count = self.viewport().width(), self.row_count()
        while (row := len(self._tops) - 1) < count:
            self._tops.append(self._tops[-1] + self.row_height(row, width))
            if time.perf_counter() > until:
                self._growing.start(0)
                break
        self._set_range()
        if in_sight or self.laid_out:
            self.viewport().update()

    def _set_range(self) -> None:
        bar, tall = self.verticalScrollBar(), self.viewport().height()
        bar.setRange(0, max(0, self.content_height() - tall))
        bar.setPageStep(max(1, tall - theme.mh))
        bar.setSingleStep(theme.mh + 1)
        row, offset = self._anchor
        if row and row < len(self._tops):
            bar.setValue(self._tops[row] + offset)
            if self.laid_out:
                self._anchor = (0, 0)

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        area = QRectF(self.viewport().rect())
        with QPainter(self.viewport()) as p:
            self.paint_ground(p, area)
            p.setClipRect(area)
            first, last = self._paint_rows(p, area)
            p.setClipping(False)
            if self.hasFocus():
                focus_ring(p, area, 0)
        if self.isVisible() and first <= last:
            self._note_seen(first, last)

    def _paint_rows(self, p: QPainter, area: QRectF) -> tuple[int, int]:
        """Paint the rows in sight; return the first and the last whose lower edge is."""
        scrolled = self.verticalScrollBar().value() - self.margin()
        first = max(0, bisect_right(self._tops, max(0, scrolled)) - 1)
        last = first - 1
        for row in range(first, len(self._tops) - 1):
            top = self._tops[row] - scrolled
            if top >= area.height():
                break
            place = QRectF(0, top, area.width(), self._tops[row + 1] - self._tops[row])
            p.save()
            p.setClipRect(place, Qt.ClipOperation.IntersectClip)  # no row may paint over another
            self.paint_row(p, row, place)
            p.restore()
            if place.bottom() <= area.height():
                last = row
        return first, last

    def _note_seen(self, first: int, last: int) -> None:
        new = self.seen.mark(range(first, last + 1))
        if self.laid_out and first <= self.end_row() <= last:
            new = self.seen.reach_end() or new
        if new:
            self._telling.start(0)

    # Events

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.measure_again()
        else:
            self._set_range()

    @override
    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Home:
                self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMinimum)
            case Qt.Key.Key_End:
                self.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMaximum)
            case _:
                super().keyPressEvent(event)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        match event.type():
            case QEvent.Type.FontChange:
                self.measure_again()
            case QEvent.Type.PaletteChange:
                self.viewport().update()
            case _:
                pass
