"""A response as its raw frames with their times, and what the dialect's decoder made of each: for people who read a stream event by event."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, assert_never

import msgspec

from workbench.conversation.assembler import Assembler
from workbench.conversation.exchange import Chunk, Headers
from workbench.conversation.messages import DialectName, Message
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallNamed,
    CallStarted,
    OpaqueItem,
    Problem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.dialects.argument_text import TopLevelScan
from workbench.dialects.frames import FrameForm, FrameSplitter, RawFrame
from workbench.dialects.registry import dialect
from workbench.errors import ResponseUnreadable

FrameKind: TypeAlias = Literal["start", "text", "reasoning", "call", "arguments", "item", "usage", "end", "problem", "error", "other"]

STALL_S = 0.3
"""A pause between two frames that is worth telling; shorter ones belong to any stream."""

_RANKS: dict[FrameKind, int] = {
    "error": 0, "arguments": 1, "call": 2, "text": 3, "reasoning": 4, "item": 5, "end": 6, "problem": 7, "usage": 8, "start": 9, "other": 10,
}  # fmt: skip
"""A frame that says several things is called after the first of these."""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """A block of the answer, for a line of its own: reasoning, text, one call, or all that is none of them (``control``).

    Attributes:
        kind: which sort.
        call: number of the call among those of its tool, from 1; 0 for all others.
        name: tool of a call; may become known after its first frame.
    """

    kind: Literal["reasoning", "text", "call", "control"]
    key: int = -1
    name: str = ""
    call: int = 0


class StreamFrame(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One raw frame. A hundred thousand are nothing that the garbage collector has to look through: there are no circles in them.

    Attributes:
        number: counts from 0, as in `StreamEvent.frame`.
        at_s: when it was complete, in seconds after the request was sent.
        gap_s: seconds since the frame before; since sending for the first.
        start, end: its bytes, counted from the response's first byte, signs of life before it included.
        event: name that the stream gave it, usually empty.
        data: its text.
        kind: what the decoder made of it, in a word.
        lane: place of its lane in `ResponseStream.lanes`.
        events: what the decoder made of it.
        completes_call: with it the arguments of its call became a whole JSON object.
    """

    number: int
    at_s: float
    gap_s: float
    start: int
    end: int
    event: str
    data: str
    kind: FrameKind
    lane: int
    events: tuple[StreamEvent, ...] = ()
    completes_call: bool = False

    @property
    def size_bytes(self) -> int:
        """How many bytes it took."""
        return self.end - self.start


class Wait(NamedTuple):
    """A time without frames: until the first one (`frame` 0), or a pause before a later one."""

    start_s: float
    end_s: float
    frame: int


@dataclass
class _Call:
    """What is known of a call while its pieces come."""

    lane: int
    scan: TopLevelScan = field(default_factory=TopLevelScan)
    complete: bool = False


class ResponseStream:
    """Reads the bytes of one response as they come, or as they were kept. May be used from one thread at a time.

    Attributes:
        frames: the frames so far.
        lanes: the blocks in the order they began; ``control`` is the first and belongs below the others.
        waits: times without frames that are worth telling.
        size_bytes, end_s: bytes so far, and when the last of them came.
        tail: what the decoder said at the end of the stream, without a frame of its own.
        unreadable: why the rest was not read; empty if all was.
    """

    def __init__(self, name: DialectName, headers: Headers = ()) -> None:
        content_type = next((value for header, value in headers if header.lower() == "content-type"), "")
        self._splitter = FrameSplitter(content_type)
        self._decoder = dialect(name).stream_decoder()
        self._assembler = Assembler()
        self._calls: dict[int, _Call] = {}
        self._held: list[StreamEvent] = []
        self._finished = False
        self.frames: list[StreamFrame] = []
        self.lanes: list[Lane] = [Lane(kind="control")]
        self.waits: list[Wait] = []
        self.tail: tuple[StreamEvent, ...] = ()
        self.size_bytes = 0
        self.end_s = 0.0
        self.unreadable = ""

    @property
    def form(self) -> FrameForm | None:
        """What the response is: an event stream, JSON lines, or one body; None until enough came."""
        return self._splitter.form

    def feed(self, chunk: Chunk) -> int:
        """Take the next bytes; return how many frames they completed."""
        base, before = self.size_bytes, len(self.frames)
        self.size_bytes += len(chunk.data)
        self.end_s = chunk.at_s
        if self.unreadable:
            return 0
        try:
            at = 0
            for raw in self._splitter.feed(chunk.data):
                events = self._decoder.feed(chunk.data[at : raw.end - base])
                at = raw.end - base
                self._take(raw, events)
            self._held += self._decoder.feed(chunk.data[at:])
        except ResponseUnreadable as error:
            self.unreadable = error.text
        return len(self.frames) - before

    def finish(self) -> int:
        """Say that no more comes; return how many frames that completed. May be called twice."""
        if self._finished:
            return 0
        self._finished = True
        before = len(self.frames)
        events = [*self._held, *self._decoder.finish()]
        self._held = []
        for raw in self._splitter.finish():
            number = len(self.frames)
            self._take(raw, [event for event in events if event.frame == number])
            events = [event for event in events if event.frame != number]
        self.tail = tuple(events)
        for event in self.tail:
            self._assembler.add(event)
        return len(self.frames) - before

    def message(self) -> Message:
        """Return the answer as far as it came, joined."""
        return self._assembler.message("shown")

    @property
    def failure(self) -> ResponseFailed | None:
        """The error that arrived inside the response, or that it is."""
        return self._assembler.failure

    def lane_text(self, number: int) -> str:
        """Return what a frame's block had come to with it: its text, reasoning or argument text."""
        lane = self.frames[number].lane
        events = (event for frame in self.frames[: number + 1] if frame.lane == lane for event in frame.events)
        return "".join(event.text for event in events if isinstance(event, TextDelta | ReasoningDelta | CallArgumentsDelta))

    def _take(self, raw: RawFrame, events: Sequence[StreamEvent]) -> None:
        events = (*self._held, *events)
        self._held = []
        for event in events:
            self._assembler.add(event)
        before_s = self.frames[-1].at_s if self.frames else 0.0
        number, kind = len(self.frames), kind_of(events)
        lane, completes = self._lane(events)
        if not number or self.end_s - before_s >= STALL_S:
            self.waits.append(Wait(before_s, self.end_s, number))
        self.frames.append(
            StreamFrame(
                number=number,
                at_s=self.end_s,
                gap_s=self.end_s - before_s,
                start=raw.start,
                end=raw.end,
                event=raw.frame.event,
                data=raw.frame.data,
                kind=kind,
                lane=lane,
                events=events,
                completes_call=completes,
            )
        )

    def _lane(self, events: Sequence[StreamEvent]) -> tuple[int, bool]:
        """Return the lane of a frame, and whether the arguments of a call became complete with it; the first call of several counts."""
        lane, completes = 0, False
        for event in events:
            match event:
                case CallStarted(key=key, name=name):
                    self._calls[key] = _Call(self._new_lane("call", key))
                    self._name(key, name)
                    lane = lane or self._calls[key].lane
                case CallNamed(key=key, name=name):
                    self._name(key, name)
                    lane = lane or (self._calls[key].lane if key in self._calls else 0)
                case CallArgumentsDelta(key=key, text=text) if key in self._calls:
                    lane = lane or self._calls[key].lane
                    completes = self._completes(self._calls[key], text) or completes
                case TextDelta():
                    lane = lane or self._shared_lane("text")
                case ReasoningDelta() | ReasoningDone():
                    lane = lane or self._shared_lane("reasoning")
                case _:
                    pass
        return lane, completes

    @staticmethod
    def _completes(call: _Call, text: str) -> bool:
        call.scan.feed(text)
        completes = call.scan.closed and not call.complete
        call.complete = call.scan.closed
        return completes

    def _new_lane(self, kind: Literal["reasoning", "text", "call"], key: int = -1) -> int:
        self.lanes.append(Lane(kind=kind, key=key))
        return len(self.lanes) - 1

    def _shared_lane(self, kind: Literal["reasoning", "text"]) -> int:
        return next((n for n, lane in enumerate(self.lanes) if lane.kind == kind), 0) or self._new_lane(kind)

    def _name(self, key: int, name: str) -> None:
        call = self._calls.get(key)
        if call is None or not name:
            return
        same = sum(lane.kind == "call" and lane.name == name for n, lane in enumerate(self.lanes) if n != call.lane)
        self.lanes[call.lane] = Lane(kind="call", key=key, name=name, call=same + 1)


def read_stream(name: DialectName, headers: Headers, chunks: Iterable[Chunk]) -> ResponseStream:
    """Return a whole response as it was kept, read to its end."""
    stream = ResponseStream(name, headers)
    for chunk in chunks:
        stream.feed(chunk)
    stream.finish()
    return stream


def kind_of(events: Sequence[StreamEvent]) -> FrameKind:
    """Return in a word what a frame said."""
    return min(map(_kind, events), key=_RANKS.__getitem__, default="other")


def _kind(event: StreamEvent) -> FrameKind:
    match event:
        case ResponseStarted():
            return "start"
        case TextDelta():
            return "text"
        case ReasoningDelta() | ReasoningDone():
            return "reasoning"
        case CallStarted() | CallNamed() | CallDropped():
            return "call"
        case CallArgumentsDelta():
            return "arguments"
        case OpaqueItem():
            return "item"
        case UsageReported():
            return "usage"
        case CallDone() | ResponseEnded():
            return "end"
        case Problem():
            return "problem"
        case ResponseFailed():
            return "error"
        case _:
            assert_never(event)
