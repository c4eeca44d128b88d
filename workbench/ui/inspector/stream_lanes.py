"""A response on a time axis: a lane for each block of the answer, a tick for each event, its height the event's size, waits hatched with words.

However many events there are, what is painted is one tick a pixel and lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10, sqrt

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

from workbench.inspection.streams import Lane, ResponseStream, StreamFrame, Wait
from workbench.ui.inspector.figures import seconds
from workbench.ui.inspector.stream_model import lane_words
from workbench.ui.kit.paint import CENTRE, box, fill, focus_ring, hatch, hline, text, vline, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

TOP, AXIS, RIGHT_MARGIN = 26, 20, 20
LANE, LEAST_LANE, LANES_HEIGHT = 24, 10, 216
"""Height of a lane; with many lanes they get lower, together they are at most `LANES_HEIGHT`, and no more than there is room for."""
WIDEST_NAME = 120
LABEL_INSET = 8
"""How far the words under the axis stay from the right edge."""
_TOKENS = {"reasoning": "role_reasoning", "text": "role_assistant", "call": "role_result", "control": "role_system"}
_STEPS = (1, 2, 5)


@dataclass
class _Ticks:
    """One lane: for each pixel its largest event (size, number), and where arguments became complete."""

    largest: dict[int, tuple[int, int]] = field(default_factory=dict)
    complete: list[int] = field(default_factory=list)


class StreamLanes(QWidget):
    """The time axis of one response.

    Signals:
        picked: the number of the event that was chosen by pointer or keys.
    """

    picked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("Events on a time axis"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        self._stream: ResponseStream | None = None
        self._cursor: int | None = None
        self._ticks: dict[int, _Ticks] = {}
        self._taken = self._lanes = self._largest = self._left = 0
        self._room = LANES_HEIGHT
        self._span_s = self._expected_s = 0.0

    def show_stream(self, stream: ResponseStream | None, expected_s: float = 0.0) -> None:
        """Show another response, which will take `expected_s` if that is known; None shows an empty axis."""
        self._stream, self._cursor, self._expected_s = stream, None, expected_s
        self._lanes = self._largest = 0
        self._span_s = 0.0
        self._measure()
        self.take()

    def take(self) -> None:
        """Show the frames that came since the last time."""
        stream = self._stream
        if stream is None:
            self.update()
            return
        largest = max((frame.size_bytes for frame in stream.frames[self._taken :]), default=0)
        if len(stream.lanes) != self._lanes or stream.end_s > self._span_s or largest > self._largest:
            self._largest = max(self._largest, 1 << max(1, largest - 1).bit_length())  # in powers of two, so that it seldom changes
            self._lanes, self._span_s = len(stream.lanes), axis_span(max(stream.end_s, self._expected_s))
            self._measure()
        self._place(stream.frames[self._taken :])
        self._taken = len(stream.frames)
        self.update()

    def give_room(self, height: int) -> None:
        """Take at most this height for all lanes together."""
        room = min(LANES_HEIGHT, height)
        if room != self._room:
            self._room = room
            self.updateGeometry()
            self.update()

    def show_cursor(self, number: int | None) -> None:
        """Mark the time of an event; None marks none."""
        self._cursor = number
        self.update()

    def _measure(self) -> None:
        """Place all events anew: the axis has another width or another span."""
        stream = self._stream
        names = [lane_words(stream, place) for place in range(len(stream.lanes))] if stream else []
        self._left = 20 + ceil(min(WIDEST_NAME, max((width_of(name, theme.font("tiny")) for name in names), default=0)))
        self._ticks, self._taken = {}, 0
        self.updateGeometry()

    def _place(self, frames: Sequence[StreamFrame]) -> None:
        left, scale = self._left, (self.width() - self._left - RIGHT_MARGIN) / (self._span_s or 1.0)
        for frame in frames:
            ticks = self._ticks.get(frame.lane) or self._ticks.setdefault(frame.lane, _Ticks())
            x = round(left + scale * frame.at_s)
            largest = ticks.largest.get(x)
            if largest is None or frame.size_bytes > largest[0]:
                ticks.largest[x] = frame.size_bytes, frame.number
            if frame.completes_call:
                ticks.complete.append(x)

    # Measures

    def _lane_height(self) -> int:
        return max(LEAST_LANE, min(LANE, self._room // max(1, self._lanes)))

    def _x(self, at_s: float) -> float:
        return self._left + (self.width() - self._left - RIGHT_MARGIN) * (at_s / self._span_s if self._span_s else 0)

    def _order(self) -> list[int]:
        """Return the lanes from top to bottom: what is no part of the answer stands last."""
        return [*range(1, self._lanes), 0] if self._lanes else []

    @override
    def sizeHint(self) -> QSize:
        return QSize(320, TOP + max(1, self._lanes) * self._lane_height() + AXIS)

    @override
    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._measure()
            self.take()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()
            self.take()

    # Painting

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            fill(p, QRectF(self.rect()), "base")
            if self._stream is not None and self._lanes:
                self._paint(p, self._stream)
            if self.hasFocus():
                focus_ring(p, QRectF(self.rect()), 0)

    def _paint(self, p: QPainter, stream: ResponseStream) -> None:
        left, tall = self._left, self._lane_height()
        bottom = TOP + self._lanes * tall
        for row, lane in enumerate(self._order()):
            y = TOP + row * tall
            text(p, QRectF(12, y, left - 20, tall), lane_words(stream, lane), theme.font("tiny"), "muted")
            hline(p, left, self.width() - RIGHT_MARGIN, y + tall - 4)
        self._axis(p, bottom)
        for wait in stream.waits:
            self._wait(p, wait, bottom)
        for row, lane in enumerate(self._order()):
            self._lane(p, stream.lanes[lane], self._ticks.get(lane, _Ticks()), TOP + (row + 1) * tall - 4)
        if self._cursor is not None and self._cursor < len(stream.frames):
            self._mark(p, stream.frames[self._cursor].at_s, bottom)

    def _axis(self, p: QPainter, bottom: int) -> None:
        step = axis_step(self._span_s)
        for n in range(floor(self._span_s / step + 1e-6) + 1):
            x = round(self._x(n * step))
            vline(p, x, TOP, bottom)
            label = _("{seconds} s").format(seconds=f"{n * step:.3g}" if step < 1 else f"{n * step:,.0f}")
            text(p, label_area(label, x, bottom + 2, self.width()), label, theme.font("tiny"), "faint")

    def _wait(self, p: QPainter, wait: Wait, bottom: int) -> None:
        """Hatch a time without events, with words where they fit."""
        area = QRectF(self._x(wait.start_s), TOP, self._x(wait.end_s) - self._x(wait.start_s), bottom - TOP - 4)
        hatch(p, area, "line", 6)
        words = (_("first byte {time}") if not wait.frame else _("stall {time}")).format(time=seconds(wait.end_s - wait.start_s))
        wide = width_of(words, theme.font("tiny", "medium")) + 12
        if wide + 8 > area.width():
            return
        label = QRectF(round(area.center().x() - wide / 2), round(area.center().y() - 10), wide, 20)
        box(p, label, "base", "edge", 4)
        text(p, label, words, theme.font("tiny", "medium"), "muted", CENTRE)

    def _lane(self, p: QPainter, lane: Lane, ticks: _Ticks, base: int) -> None:
        room = self._lane_height() - 6
        colour = theme[_TOKENS[lane.kind]]
        for x, (size, _number) in ticks.largest.items():
            tall = max(3.0, room * sqrt(size / self._largest))
            p.fillRect(QRectF(x, base - tall, 2, tall), colour)
        for x in ticks.complete:
            _diamond(p, x + 6, base - room / 2)

    def _mark(self, p: QPainter, at_s: float, bottom: int) -> None:
        words = seconds(at_s)
        wide = width_of(words, theme.font("tiny", "medium")) + 14
        x = round(self._x(at_s))
        vline(p, x, TOP - 4, bottom, "accent_fill")
        label = QRectF(min(max(0, x - wide / 2), self.width() - wide), 4, wide, 18)
        box(p, label, "accent_fill", None, 4)
        text(p, label, words, theme.font("tiny", "medium"), "on_fill", CENTRE)

    # Choosing

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._nearest(event.position())
        if number is not None:
            self.picked.emit(number)

    def _nearest(self, point: QPointF) -> int | None:
        """Return the event nearest to a point: of the lane under it, or of all where that has none."""
        row = int((point.y() - TOP) // self._lane_height())
        order = self._order()
        lane = self._ticks.get(order[row]) if 0 <= row < len(order) else None
        ticks = lane.largest if lane else {x: found for ticks in self._ticks.values() for x, found in ticks.largest.items()}
        return ticks[min(ticks, key=lambda x: abs(x - point.x()))][1] if ticks else None

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        count = len(self._stream.frames) if self._stream else 0
        if step is None or not count:
            super().keyPressEvent(event)
            return
        self.picked.emit(min(count - 1, max(0, (-1 if self._cursor is None else self._cursor) + step)))


def axis_span(end_s: float) -> float:
    """Return how many seconds the axis shows: whole steps, so that it changes seldom while a response comes."""
    step = axis_step(max(end_s, 0.1))
    return max(step, ceil(end_s / step + 1e-9) * step)


def axis_step(span_s: float) -> float:
    """Return the seconds between two marks of the axis, so that there are about five."""
    raw = max(span_s, 1e-3) / 5
    power = 10 ** floor(log10(raw))
    return next((float(factor * power) for factor in _STEPS if factor * power >= raw), 10.0 * power)


def label_area(words: str, x: float, y: float, width: float) -> QRectF:
    """Return where words under an axis stand: in the middle below `x`, but inside a widget of a width."""
    wide = width_of(words, theme.font("tiny"))
    return QRectF(min(x - wide / 2, width - wide - LABEL_INSET), y, wide + 1, 16)


def _diamond(p: QPainter, x: float, y: float) -> None:
    """Draw the sign that the arguments of a call became a whole JSON object."""
    shape = QPainterPath(QPointF(x, y - 4))
    for dx, dy in ((4, 0), (0, 4), (-4, 0)):
        shape.lineTo(x + dx, y + dy)
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.fillPath(shape, theme["ok"])
    p.setRenderHint(QPainter.RenderHint.Antialiasing, False)
