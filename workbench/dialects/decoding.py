"""The bytes of an answer, however they are cut, taken apart into JSON pieces for the reader of one dialect.

What comes may also be no stream at all: a JSON body (an error, or a server that ignores `stream`), a web page of a proxy, or the
stream of another dialect. The first byte that is not blank tells a stream from a body. What a piece means is the `Answer`'s matter.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, Literal, Protocol

from msgspec.structs import replace

from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import DialectName
from workbench.conversation.stream import ResponseFailed, StreamEvent
from workbench.dialects.base import DecodedResponse
from workbench.dialects.errors import ErrorBody, clip, error_in, parse_error
from workbench.dialects.json_text import NotStrict, read_json, read_strict, write_json
from workbench.dialects.shapes import response_shape, title
from workbench.errors import ResponseUnreadable
from workbench.wire.framing import Frame, FrameReader, NdjsonReader, SseReader

WRONG_DIALECT, UNREADABLE = "wrong_dialect", "unreadable"

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_BODY_STARTS = b'{["<'
_FIELD = re.compile(rb"\s*(?:data|event|id|retry|error)?:")
_STREAM_STARTS = (b"data:", b":", b"event:", b"id:", b"retry:")
_KEPT_BYTES = 65_536


class Answer(Protocol):
    """Reads the JSON of one answer of one dialect into stream events. `chunk` for each piece in order, then `end` or `fail` once.

    Attributes:
        dialect: whose pieces these are.
        ended: a piece said that the answer is at its end, and nothing behind it counts (``message_stop``, ``response.completed``).
    """

    dialect: DialectName
    ended: bool

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:
        """Say whether an object is a piece of a stream of this dialect, or a `whole` body of it that holds an answer."""
        ...

    def chunk(self, value: dict[str, Any], frame: int, events: list[StreamEvent], *, seed: str, rough: bool = False, whole: bool = False) -> None:
        """Append what one object means.

        Args:
            value: the object; every member may be missing, null or of another type than it should be.
            frame: its number in the stream.
            events: where to.
            seed: the object's text, from which missing ids are derived.
            rough: the text was not strict JSON, so that half characters are possible.
            whole: the object is a whole response body, not a piece of a stream.
        """
        ...

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:
        """Append the last events of an answer that was not refused; `done` when ``[DONE]`` was seen."""
        ...

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended; none of its calls may run."""
        ...

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a Problem, each code once."""
        ...


class AnswerDecoder:
    """Decodes one streamed response; see `StreamDecoder`.

    Args:
        answer: reads the pieces.
        reader: takes the bytes of a stream apart into frames; server-sent events unless given.
    """

    def __init__(self, answer: Answer, reader: FrameReader | None = None) -> None:
        self._frames = 0
        self._ended = False
        self._reader: FrameReader = reader or SseReader()
        self._answer = answer
        self._head = bytearray()
        self._lines = isinstance(reader, NdjsonReader)
        self._kind: Literal["unknown", "stream", "body"] = "unknown" if reader is None or self._lines else "stream"
        self._understood = False

    @property
    def frames(self) -> int:
        """How many raw frames were seen; a JSON body counts as one."""
        return self._frames

    @property
    def ended(self) -> bool:
        """Whether the end was seen, so that the rest may be ignored."""
        return self._ended

    def feed(self, chunk: bytes) -> list[StreamEvent]:
        """Take the next bytes.

        Raises:
            ResponseUnreadable: one event grew over the reader's limit.
        """
        events: list[StreamEvent] = []
        if self._ended or not chunk:
            return events
        if self._kind == "stream":
            if not self._frames and len(self._head) < _KEPT_BYTES:
                self._head += chunk
            self._read(self._reader.feed(chunk), events)
            return events
        self._head += chunk
        if self._kind == "unknown":
            self._sniff(events)
        return events

    def finish(self) -> list[StreamEvent]:
        """Say that no more bytes come."""
        events: list[StreamEvent] = []
        if self._ended:
            return events
        if self._kind == "stream":
            self._read(self._reader.finish(), events)
        elif self._lines and _holds_lines(bytes(self._head)):
            self._kind = "stream"
            self._read([*self._reader.feed(bytes(self._head)), *self._reader.finish()], events)
        if not self._ended:
            if self._is_body():
                self._frames = 1
                read_body(bytes(self._head), self._answer, events)
            else:
                self._answer.end(events)
            self._ended = True
        return events

    def _is_body(self) -> bool:
        """Whether all that came is no stream: the first byte said so, or not one line of it is a line of a stream."""
        if self._kind == "stream":
            return not self._frames and not self._reader.comments and not _FIELD.match(bytes(self._head).removeprefix(_BOM))
        return bool(bytes(self._head).removeprefix(_BOM).strip(_BLANKS))

    def _sniff(self, events: list[StreamEvent]) -> None:
        """Find out from the first byte that is not blank what this is, and read what was kept until then."""
        begun = bytes(self._head).removeprefix(_BOM).lstrip(_BLANKS)
        if not begun or (len(begun) < len(_BOM) and _BOM.startswith(begun)):
            return
        if self._lines:
            if b"\n" not in begun:
                return
            self._kind = self._kind_of_line(begun.partition(b"\n")[0])
        else:
            self._kind = "body" if begun[0] in _BODY_STARTS else "stream"
        if self._kind == "stream":
            self._read(self._reader.feed(bytes(self._head)), events)

    def _kind_of_line(self, line: bytes) -> Literal["stream", "body"]:
        """Tell JSON lines from a body that is printed over several lines, and from server-sent events, by the first line."""
        try:
            read_json(line)
        except ValueError:
            if not _FIELD.match(line):
                return "body"
            self._reader = SseReader()
        return "stream"

    def _read(self, frames: list[Frame], events: list[StreamEvent]) -> None:
        for frame in frames:
            self._frame(frame, events)
            if self._ended:
                return

    def _frame(self, frame: Frame, events: list[StreamEvent]) -> None:
        number = self._frames
        self._frames += 1
        data, rough = frame.data, False
        try:
            value = read_strict(data)
        except NotStrict:
            if data.strip() == "[DONE]":
                self._answer.end(events, done=True)
                self._ended = True
                return
            value, rough = self._read_rough(frame, number, events), True
            if value is None:
                return
        if type(value) is dict and self._answer.is_piece(value) and not value.get("error") and frame.event != "error":
            self._understood = True
            self._take(value, number, events, data, rough)
        else:
            self._odd(value, frame, number, events, rough)

    def _take(self, value: dict[str, Any], number: int, events: list[StreamEvent], seed: str, rough: bool) -> None:
        self._answer.chunk(value, number, events, seed=seed, rough=rough)
        if self._answer.ended and not self._ended:
            self._answer.end(events, done=True)
            self._ended = True

    def _read_rough(self, frame: Frame, number: int, events: list[StreamEvent]) -> Any:
        """Return the value of a frame that is not strict JSON; None if it is none at all, which has been told then."""
        try:
            return read_json(frame.data)
        except ValueError:
            if frame.event == "error":
                self._fail(_error_of(frame), number, events)
            elif frame.data.strip():
                self._answer.tell("frame-broken", "An event of the stream is not JSON and was left out.", number, events)
            return None

    def _odd(self, value: Any, frame: Frame, number: int, events: list[StreamEvent], rough: bool) -> None:
        """Take a frame that is no plain piece: an error, an error beside a piece, another dialect, or nothing that is known."""
        error = error_in(value) or (_error_of(frame) if frame.event == "error" else None)
        if isinstance(value, dict) and self._answer.is_piece(value):
            self._take(value, number, events, frame.data, rough)
        if error is not None:
            self._fail(error, number, events)
        elif not self._understood and response_shape(value) not in (None, self._answer.dialect):
            self._fail(wrong_dialect(value, self._answer.dialect), number, events)
        elif not isinstance(value, dict):
            self._answer.tell("frame-unknown", "An event of the stream is not an object and was left out.", number, events)

    def _fail(self, error: ErrorBody, number: int, events: list[StreamEvent]) -> None:
        if error.kind == "unknown":  # the server had begun to answer, so it is the server that failed
            error = replace(error, kind="server")
        if not self._ended:
            self._answer.fail(error, number, events)
        self._ended = True


def decode_body(body: bytes, answer: Callable[[], Answer], *, status: int = 200) -> DecodedResponse:
    """Return the neutral form of a whole response body, read by a new `answer`; one that is a stream after all is read as a stream.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    if body.lstrip(_BOM + _BLANKS).startswith(_STREAM_STARTS):
        decoder = AnswerDecoder(answer())
        streamed = [*decoder.feed(body), *decoder.finish()]
        if status < 400 or isinstance(streamed[-1], ResponseFailed):
            return decoded(streamed, body)
    events: list[StreamEvent] = []
    error = read_body(body, answer(), events, status=status)
    if error is not None and status < 400 and error.code in (UNREADABLE, WRONG_DIALECT):
        raise ResponseUnreadable(error.message, message_id=f"response.{error.code}")
    return decoded(events, body)


def decoded(events: list[StreamEvent], body: bytes) -> DecodedResponse:
    """Return what the events of a whole answer make; `body` gives the message its id if the answer has none."""
    assembler = Assembler()
    for event in events:
        assembler.add(event)
    return DecodedResponse(
        message=assembler.message(assembler.response_id or "msg_" + hashlib.sha256(body).hexdigest()[:16]),
        problems=tuple(assembler.problems),
        failure=assembler.failure,
        usage=assembler.usage,
        response_id=assembler.response_id,
        model=assembler.model,
        calls_may_run=assembler.ended is not None and assembler.ended.calls_may_run,
    )


def read_body(body: bytes, answer: Answer, events: list[StreamEvent], *, status: int = 200) -> ErrorBody | None:
    """Append the events of a whole response body; return the error that it is or holds."""
    try:
        value = read_json(body)
    except ValueError:
        error = wrong_dialect(first, answer.dialect) if (first := _first_line(body, answer.dialect)) else parse_error(body, status=status)
        answer.fail(error, 0, events)
        return error
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    seed = body.decode("utf-8", "replace")
    if isinstance(value, list) and value and all(isinstance(piece, dict) for piece in value) and answer.is_piece(value[0]):
        return _read_pieces(value, answer, events, seed)
    is_answer = isinstance(value, dict) and answer.is_piece(value, whole=True)
    if is_answer:
        answer.chunk(value, 0, events, seed=seed, rough=True, whole=True)
    failure = error_in(value, status=status) or (None if is_answer else _no_answer(value, seed, status, answer.dialect))
    if failure is not None:
        answer.fail(failure, 0, events)
    else:
        answer.end(events, whole=True)
    return failure


def _read_pieces(pieces: list[dict[str, Any]], answer: Answer, events: list[StreamEvent], seed: str) -> ErrorBody | None:
    """Append the events of a stream that came as one list of its pieces (Gemini without ``alt=sse``)."""
    for piece in pieces:
        if answer.is_piece(piece):
            answer.chunk(piece, 0, events, seed=seed, rough=True)
        if failure := error_in(piece):
            answer.fail(failure, 0, events)
            return failure
    answer.end(events)
    return None


def wrong_dialect(value: Any, asked: DialectName) -> ErrorBody:
    """Return what to say of an answer in another dialect than the one that was asked for."""
    shape = response_shape(value)
    speaks = f"speaks the dialect {title(shape)}" if shape else "speaks another dialect"
    return ErrorBody(
        message=f"This endpoint {speaks}, not {title(asked)}: choose that dialect in the provider's profile.",
        kind="bad_request",
        code=WRONG_DIALECT,
        original=clip(write_json(value)),
    )


def _no_answer(value: Any, text: str, status: int, asked: DialectName) -> ErrorBody:
    if status >= 400:
        return parse_error(text.encode(), status=status)
    shape = response_shape(value)
    if shape not in (None, asked):
        return wrong_dialect(value, asked)
    original = clip(text.encode())
    if shape or (isinstance(value, dict) and "choices" in value):
        return ErrorBody(message="The provider sent a response without an answer in it.", kind="server", code="no_completion", original=original)
    return ErrorBody(message="The response is JSON, but neither an answer nor an error.", kind="unknown", code=UNREADABLE, original=original)


def _holds_lines(body: bytes) -> bool:
    """Say whether what did not begin as JSON lines holds some after all: it is no JSON as a whole, but a line of it is an object."""
    try:
        read_json(body)
    except ValueError:
        return any(_is_object(line) for line in body.split(b"\n")[1:])
    return False


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(read_json(line), dict)
    except ValueError:
        return False


def _first_line(body: bytes, asked: DialectName) -> Any:
    """Return the value of the first line if it is JSON of another dialect (JSON lines); None if not."""
    try:
        value = read_json(body.split(b"\n", 1)[0])
    except ValueError:
        return None
    return value if response_shape(value) not in (None, asked) else None


def _error_of(frame: Frame) -> ErrorBody:
    return parse_error(frame.data.encode("utf-8", "replace"), status=200)
