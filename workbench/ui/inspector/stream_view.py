"""A response event by event: when each came, what it held, what it meant; live while it comes."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.exchange import Chunk
from workbench.conversation.values import json_bytes
from workbench.inspection.requests import RequestRow
from workbench.inspection.streams import ResponseStream, StreamFrame
from workbench.ui.desk import Desk
from workbench.ui.inspector.figures import seconds, size
from workbench.ui.inspector.recorded import Recorded
from workbench.ui.inspector.stream_lanes import StreamLanes
from workbench.ui.inspector.stream_model import STREAM_RIGHTS, StreamColumn, StreamModel, lane_words
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.cells import CellTable
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import Panes, column, line
from workbench.ui.kit.paint import width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many, tell_text

SLICE_S = 0.004
"""Reading a long response takes turns with everything else in slices of this length."""

BETWEEN_SHOWS_S = 0.1
"""While much comes or is left to read, what was read is shown this often: nobody reads a table that moves at every frame."""

SIDE_BY_SIDE = 640
"""From this width on, in pixels at no zoom, table and event stand side by side."""

DETAIL_WIDTH = 250
LEAST_ROWS = 2
"""Of the events, in sight however small the inspector is."""
EVENT, SO_FAR = range(2)
_WIDEST = {StreamColumn.NUMBER: "10,000", StreamColumn.AT: "00.000", StreamColumn.GAP: "0.000", StreamColumn.SIZE: "10,000"}


class StreamTable(CellTable):
    """The events; narrow, it leaves away the pause before and the number."""

    def __init__(self) -> None:
        self.events = StreamModel()
        labels = ["", _("At, s"), _("After, s"), _("Event"), _("Data"), _("Bytes")]
        super().__init__(self.events, labels, rights=STREAM_RIGHTS, stretch=StreamColumn.DATA, name=_("Events of the response"))
        self._labels = labels

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() < 430 * theme.zoom
        for place, sample in _WIDEST.items():
            font = theme.font("code" if place in (StreamColumn.AT, StreamColumn.GAP) else "small")
            self.setColumnWidth(place, round(max(width_of(sample, font), width_of(self._labels[place], theme.font("tiny", "medium")))) + 16)
            self.setColumnHidden(place, narrow and place in (StreamColumn.NUMBER, StreamColumn.GAP))
        self.setColumnWidth(StreamColumn.KIND, round((80 if narrow else 110) * theme.zoom))


class StreamView(QWidget):
    """The events of the chosen request's response."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._recorded = Recorded(desk, self)
        self._row: RequestRow | None = None
        self._stream: ResponseStream | None = None
        self._bytes = bytearray()
        self._waiting: deque[Chunk] = deque()
        self._taken = 0
        self._complete = False
        self._shown_at = 0.0
        self._working = QTimer(self)
        self._working.timeout.connect(self._work)
        self._showing = QTimer(self)
        self._showing.setSingleShot(True)
        self._showing.timeout.connect(self._show_new)
        self.lanes = StreamLanes()
        self.lanes.picked.connect(self.choose)
        self.table = StreamTable()
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)
        self.table.setMinimumHeight(theme.row * (LEAST_ROWS + 1))
        self._facts = Label("", "tiny", "faint", elide="right")
        self._facts.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._heights = Label(_("tick height = bytes") + "  ", "tiny", "faint")
        self.form = Segments([_("Event"), _("So far")], name=_("What is shown of the event"))
        self.form.changed.connect(self._show_detail)
        self.detail = VirtualText(_("Chosen event"), language="sse", numbers=False)
        self._panes = Panes(self.table, column(line(self.form, None, margins=(8, 5, 8, 5), ground="base", lines="b"), (self.detail, 1)))
        self._panes.setStretchFactor(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self.lanes, self._legend(), self._panes):
            layout.addWidget(part)
        layout.setStretch(2, 1)
        self.show_row(None)

    def _legend(self) -> QWidget:
        return line(
            self._heights,
            Icon("diamond", "ok", 12),
            Label(_("arguments became valid JSON"), "tiny", "faint", elide="right"),
            (self._facts, 1),
            margins=(12, 2, 12, 6),
            gap=4,
            ground="base",
            lines="b",
        )

    # What is shown

    def show_row(self, row: RequestRow | None) -> None:
        """Show the response of a request; one that still comes is followed by `follow`."""
        before, self._row = self._row, row
        if before is None or row is None or before.exchange_id != row.exchange_id:
            self._begin(row)
        elif row != before and row.state != "running" and not self._complete:
            self._read_rest(row)

    def follow(self) -> None:
        """Read what has come since the last time, if the response is still coming."""
        store = self._recorded.store
        if self._row is not None and self._row.state == "running" and store is not None:
            self._take(store.later_chunks(self._row.exchange_id, self._taken))

    def _begin(self, row: RequestRow | None) -> None:
        self._recorded.forget()
        self._showing.stop()
        self._waiting.clear()
        self._bytes.clear()
        self._taken, self._complete = 0, False
        headers = row.closed.headers if row is not None and row.closed is not None else ()
        self._stream = ResponseStream(row.opened.dialect, headers) if row is not None else None
        self.table.events.show_stream(self._stream)
        self.lanes.show_stream(self._stream, (row.duration_s if row is not None else 0.0) or 0.0)
        self._show_detail()
        self._show_facts()
        if row is not None and row.state == "running":
            self.follow()
        elif row is not None:
            self._read_rest(row)

    def _read_rest(self, row: RequestRow) -> None:
        """Read what is left of a response that has ended."""
        if self._stream is not None and self._stream.form == "body" and row.closed is not None:
            self._stream = None  # only the headers, which are known now, tell a body from JSON lines
            self._row = None
            self.show_row(row)
            return
        self._recorded.read(lambda store: store.later_chunks(row.exchange_id, self._taken), self._end_with, self._say)

    def _end_with(self, chunks: Sequence[Chunk]) -> None:
        self._complete = True
        self._take(chunks)

    def _take(self, chunks: Sequence[Chunk]) -> None:
        self._waiting.extend(chunks)
        self._taken += len(chunks)
        if chunks or self._complete:
            self._work()

    def _work(self) -> None:
        """Read for a few milliseconds; goes on when nothing else is to do."""
        stream = self._stream
        until = time.perf_counter() + SLICE_S
        while stream is not None and self._waiting and time.perf_counter() < until:
            chunk = self._waiting.popleft()
            self._bytes += chunk.data
            stream.feed(chunk)
        if stream is not None and self._complete and not self._waiting:
            stream.finish()
        if not self._waiting:
            self._working.stop()
        elif not self._working.isActive():
            self._working.start(0)
        wait_s = self._shown_at + BETWEEN_SHOWS_S - time.perf_counter()
        if wait_s <= 0 or (self._complete and not self._waiting):
            self._show_new()
        elif not self._showing.isActive():
            self._showing.start(ceil(wait_s * 1000))

    def _show_new(self) -> None:
        self._showing.stop()
        self._shown_at = time.perf_counter()
        bar = self.table.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        came = self.table.events.take()
        self.lanes.take()
        self._show_facts()
        running = self._row is not None and self._row.state == "running"
        if came and at_end and running and not self.table.currentIndex().isValid():
            self.table.scrollToBottom()

    def _show_facts(self) -> None:
        stream = self._stream
        if stream is None:
            self._facts.setText("")
            return
        words = [many("{n:,} event", "{n:,} events", len(stream.frames)), size(stream.size_bytes), seconds(stream.end_s)]
        self._say(tell_text(stream.unreadable) if stream.unreadable else " · ".join(words), "level2" if stream.unreadable else "faint")

    def _say(self, words: str, token: str = "level2") -> None:
        self._facts.setText(words)
        self._facts.set_token(token)
        self.lanes.setAccessibleDescription(words)

    # The chosen event

    def choose(self, number: int) -> None:
        """Choose an event by its number, from 0."""
        self.table.selectRow(number)
        self.table.scrollTo(self.table.events.index(number, 0))

    def _row_chosen(self, _index: QModelIndex | None = None) -> None:
        index = self.table.currentIndex()
        self.lanes.show_cursor(index.row() if index.isValid() else None)
        self._show_detail()

    def _show_detail(self) -> None:
        index = self.table.currentIndex()
        stream = self._stream
        if stream is None or not index.isValid() or index.row() >= len(stream.frames):
            self.detail.set_text(_("Choose an event to see it as it came and what it means."), language="")
            return
        frame = stream.frames[index.row()]
        if self.form.chosen == EVENT:
            self.detail.set_text(self._event_bytes(stream, frame), language="sse")
        else:
            self._show_so_far(stream, frame)

    def _event_bytes(self, stream: ResponseStream, frame: StreamFrame) -> bytes:
        """Return a frame as it came, and below it what the decoder made of it."""
        last = frame.number == len(stream.frames) - 1
        events = (*frame.events, *(stream.tail if last else ()))
        raw = bytes(self._bytes[frame.start : frame.end]).rstrip(b"\r\n")
        if not events:
            return raw + b"\n\n" + _("The decoder made nothing of it.").encode()
        return raw + b"\n\n" + _("Decoded as:").encode() + b"\n" + b"\n".join(map(json_bytes, events))

    def _show_so_far(self, stream: ResponseStream, frame: StreamFrame) -> None:
        so_far = stream.lane_text(frame.number)
        if not so_far:
            self.detail.set_text(_("This event belongs to no block of the answer."), language="")
            return
        is_call = stream.lanes[frame.lane].kind == "call"
        done = any(other.completes_call for other in stream.frames[: frame.number + 1] if other.lane == frame.lane)
        state = (_("a whole JSON object") if done else _("not yet a JSON object")) if is_call else ""
        head = " · ".join(filter(None, (lane_words(stream, frame.lane), seconds(frame.at_s), state)))
        self.detail.set_text(f"{head}\n\n{so_far}", language="json" if is_call else "")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lanes.give_room(self.height() // 4)
        self._heights.setVisible(self.width() >= SIDE_BY_SIDE * theme.zoom * 3 // 4)
        side = self.width() >= SIDE_BY_SIDE * theme.zoom
        wanted = Qt.Orientation.Horizontal if side else Qt.Orientation.Vertical
        if self._panes.orientation() != wanted or event.oldSize().width() <= 0:
            self._panes.setOrientation(wanted)
            detail = round(DETAIL_WIDTH * theme.zoom)
            self._panes.setSizes([self.width() - detail, detail] if side else [self.height() // 3, self.height() // 4])
