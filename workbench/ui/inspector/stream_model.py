"""The events of a response as a table; rows are only ever added while a response comes."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from typing_extensions import override

from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallNamed,
    CallStarted,
    Problem,
    ReasoningDelta,
    ResponseEnded,
    ResponseFailed,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.inspection.streams import STALL_S, FrameKind, Lane, ResponseStream, StreamFrame
from workbench.ui.inspector.figures import exact_seconds, figure, one_line
from workbench.ui.kit.cells import CELL, Cell, cell_words
from workbench.ui.kit.paint import Run
from workbench.words import _, marked

Index: TypeAlias = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()

SHOWN_CHARACTERS = 160
"""Characters of an event's data in its row."""

GIST_CHARACTERS = 60
"""Characters of what an event says, before its data."""

_KINDS: dict[FrameKind, str] = dict(
    zip(
        ("start", "text", "reasoning", "call", "arguments", "item", "usage", "end", "problem", "error", "other"),
        marked("start", "text", "reasoning", "call", "arguments", "item", "usage", "end", "problem", "error", "other"),
        strict=True,
    )
)
_TOKENS: dict[FrameKind, str] = {"error": "fail", "problem": "level2", "other": "faint"}


class StreamColumn(IntEnum):
    """Columns of the table, from left to right."""

    NUMBER = 0
    AT = 1
    GAP = 2
    KIND = 3
    DATA = 4
    SIZE = 5


STREAM_RIGHTS = (StreamColumn.NUMBER, StreamColumn.AT, StreamColumn.GAP, StreamColumn.SIZE)
"""Columns of figures."""


class StreamModel(QAbstractTableModel):
    """Shows the frames of one response."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._frames: list[StreamFrame] = []
        self._count = 0

    def show_stream(self, stream: ResponseStream | None) -> None:
        """Show another response; None shows nothing."""
        self.beginResetModel()
        self._frames = stream.frames if stream is not None else []
        self._count = len(self._frames)
        self.endResetModel()

    def take(self) -> int:
        """Show the frames that came; return how many."""
        new = len(self._frames) - self._count
        if new:
            self.beginInsertRows(QModelIndex(), self._count, len(self._frames) - 1)
            self._count = len(self._frames)
            self.endInsertRows()
        return new

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else self._count

    @override
    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(StreamColumn)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (CELL, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        cell = _cell(self._frames[index.row()], StreamColumn(index.column()))
        return cell if role == CELL else cell_words(cell)


def _cell(frame: StreamFrame, column: StreamColumn) -> Cell:
    match column:
        case StreamColumn.NUMBER:
            return Cell(str(frame.number + 1), align="right", token="faint")
        case StreamColumn.AT:
            return Cell(exact_seconds(frame.at_s), mono=True, align="right")
        case StreamColumn.GAP:
            stalled = frame.gap_s >= STALL_S
            return Cell(exact_seconds(frame.gap_s), mono=True, align="right", token="level2" if stalled else "muted", weight="bold" if stalled else "regular")
        case StreamColumn.KIND:
            words = kind_words(frame)
            return Cell(words, token=_TOKENS.get(frame.kind, "muted"), elide="left", tip=words)  # many begin alike: content_block_start, …_delta
        case StreamColumn.DATA:
            return _data_cell(frame)
        case StreamColumn.SIZE:
            return Cell(figure(frame.size_bytes), align="right", token="faint")


def _data_cell(frame: StreamFrame) -> Cell:
    """Return the data as it came, behind what it says: most events differ only far behind their first characters."""
    said, data = gist(frame), one_line(frame.data, SHOWN_CHARACTERS)
    pieces = (Run(f"{said}  "), Run(data, "faint")) if said else (Run(data),)
    return Cell(said or data, mono=True, runs=pieces)


def gist(frame: StreamFrame) -> str:
    """Return what a frame says, on one line; empty if the decoder made nothing of it."""
    return one_line(" ".join(filter(None, map(_said, frame.events))), GIST_CHARACTERS)


def _said(event: StreamEvent) -> str:
    match event:
        case TextDelta(text=text) | ReasoningDelta(text=text) | CallArgumentsDelta(text=text) | Problem(text=text) | ResponseFailed(text=text):
            return text
        case CallStarted(name=name) | CallNamed(name=name):
            return name
        case UsageReported(usage=usage):
            return _("{input} in, {output} out").format(input=figure(usage.input_tokens), output=figure(usage.output_tokens))
        case ResponseEnded(finish_reason=reason, finish_raw=raw):
            return raw or reason
        case _:
            return ""


def kind_words(frame: StreamFrame) -> str:
    """Return what a frame is called: by the stream if it gives names, else after what it said."""
    return one_line(frame.event, 60) or _(_KINDS[frame.kind])


def lane_words(stream: ResponseStream, place: int) -> str:
    """Return the name of a block of the answer."""
    lane = stream.lanes[place]
    match lane.kind:
        case "control":
            return _("control")
        case "reasoning":
            return _("reasoning")
        case "text":
            return _("text")
        case "call":
            name = one_line(lane.name, 60) or _("call")
            return f"{name} #{lane.call}" if _has_twin(stream, lane) else name


def _has_twin(stream: ResponseStream, lane: Lane) -> bool:
    return sum(other.kind == "call" and other.name == lane.name for other in stream.lanes) > 1
