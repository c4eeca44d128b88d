"""The decoder of a streamed answer: from bytes, however they are cut, to stream events.

What comes may also be no stream at all: a JSON body (an error, or a server that ignores `stream`), a web page of a proxy, or the
stream of another dialect. The first byte that is not blank tells a stream from a body.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Literal

from msgspec.structs import replace

from workbench.conversation.stream import StreamEvent
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions.answer import AnswerReader
from workbench.dialects.errors import ErrorBody, clip, error_in, parse_error
from workbench.dialects.json_text import NotStrict, read_json, read_strict, write_json
from workbench.dialects.shapes import response_shape, title
from workbench.wire.framing import Frame, SseReader

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_BODY_STARTS = b'{["<'
_FIELD = re.compile(rb"\s*(?:data|event|id|retry|error)?:")
_KEPT_BYTES = 65_536


class ChatStreamDecoder:
    """Decodes one streamed response; see `StreamDecoder`."""

    def __init__(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> None:
        self._frames = 0
        self._ended = False
        self._reader = SseReader()
        self._answer = AnswerReader(quirks, tools)
        self._head = bytearray()
        self._kind: Literal["unknown", "stream", "body"] = "unknown"
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
        self._kind = "body" if begun[0] in _BODY_STARTS else "stream"
        if self._kind == "stream":
            self._read(self._reader.feed(bytes(self._head)), events)

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
        if type(value) is dict and "choices" in value and not value.get("error") and frame.event != "error":
            self._understood = True
            self._answer.chunk(value, number, events, seed=data, rough=rough)
        else:
            self._odd(value, frame, number, events, rough)

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
        """Take a frame that is no plain chunk: an error, usage alone, another dialect, or nothing that is known."""
        error = error_in(value) or (_error_of(frame) if frame.event == "error" else None)
        if isinstance(value, dict) and ("choices" in value or "usage" in value):
            self._answer.chunk(value, number, events, seed=frame.data, rough=rough)
        if error is not None:
            self._fail(error, number, events)
        elif not self._understood and response_shape(value) not in (None, "chat_completions"):
            self._fail(wrong_dialect(value), number, events)
        elif not isinstance(value, dict):
            self._answer.tell("frame-unknown", "An event of the stream is not an object and was left out.", number, events)

    def _fail(self, error: ErrorBody, number: int, events: list[StreamEvent]) -> None:
        if error.kind == "unknown":  # the server had begun to answer, so it is the server that failed
            error = replace(error, kind="server")
        self._answer.fail(error, number, events)
        self._ended = True


def read_body(body: bytes, answer: AnswerReader, events: list[StreamEvent], *, status: int = 200) -> ErrorBody | None:
    """Append the events of a whole response body; return the error that it is or holds."""
    try:
        value = read_json(body)
    except ValueError:
        error = wrong_dialect(first) if (first := _first_line(body)) else parse_error(body, status=status)
        answer.fail(error, 0, events)
        return error
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    seed = body.decode("utf-8", "replace")
    choices = value.get("choices") if isinstance(value, dict) else None
    if choices:
        answer.chunk(value, 0, events, seed=seed, rough=True, whole=True)
    failure = error_in(value, status=status) or (None if choices else _no_answer(value, seed, status))
    if failure is not None:
        answer.fail(failure, 0, events)
    else:
        answer.end(events, whole=True)
    return failure


def wrong_dialect(value: Any) -> ErrorBody:
    """Return what to say of an answer in another dialect than the one that was asked for."""
    shape = response_shape(value)
    speaks = f"speaks the dialect {title(shape)}" if shape else "speaks another dialect"
    return ErrorBody(
        message=f"This endpoint {speaks}, not {title('chat_completions')}: choose that dialect in the provider's profile.",
        kind="bad_request",
        code=WRONG_DIALECT,
        original=clip(write_json(value)),
    )


WRONG_DIALECT, UNREADABLE = "wrong_dialect", "unreadable"


def _no_answer(value: Any, text: str, status: int) -> ErrorBody:
    if status >= 400:
        return parse_error(text.encode(), status=status)
    shape = response_shape(value)
    if shape not in (None, "chat_completions"):
        return wrong_dialect(value)
    original = clip(text.encode())
    if isinstance(value, dict) and ("choices" in value or shape):
        return ErrorBody(message="The provider answered without an answer: there are no choices.", kind="server", code="no_completion", original=original)
    return ErrorBody(message="The response is JSON, but neither an answer nor an error.", kind="unknown", code=UNREADABLE, original=original)


def _first_line(body: bytes) -> Any:
    """Return the value of the first line if it is JSON of another dialect (JSON lines); None if not."""
    try:
        value = read_json(body.split(b"\n", 1)[0])
    except ValueError:
        return None
    return value if response_shape(value) not in (None, "chat_completions") else None


def _error_of(frame: Frame) -> ErrorBody:
    return parse_error(frame.data.encode("utf-8", "replace"), status=200)
