"""Writes an answer as the events a server sends, for the practice server and for replays.

Events are numbered. A message or a reasoning item is closed when the next item begins, calls when they are done; the last event holds
the whole response again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from msgspec.structs import replace

from workbench.conversation.messages import CallKind, ReasoningPart, TextPart, ToolCallPart, Usage
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
from workbench.conversation.values import JsonObject
from workbench.dialects.json_text import write_json
from workbench.dialects.responses.finish import status_of
from workbench.dialects.responses.items import NAME, NATIVE, call_item, reasoning_item, said_item
from workbench.dialects.responses.response import item_id, response_object, usage_object, whole_item
from workbench.wire.framing import encode_sse

_ERROR_TYPES = {
    "auth": ("invalid_request_error", "invalid_api_key"),
    "quota": ("insufficient_quota", "insufficient_quota"),
    "rate_limit": ("requests", "rate_limit_exceeded"),
    "too_large": ("invalid_request_error", "request_too_large"),
    "overloaded": ("server_error", "overloaded_error"),
    "context_too_long": ("invalid_request_error", "context_length_exceeded"),
    "bad_request": ("invalid_request_error", "invalid_request_error"),
    "server": ("server_error", "server_error"),
}
_CALL_EVENTS = {"function": ("function_call_arguments", "arguments"), "custom": ("custom_tool_call_input", "input")}


@dataclass
class _Open:
    """An item that is being written: a message, reasoning, or a call."""

    index: int
    item_id: str
    pieces: list[str] = field(default_factory=list)
    phase: str = ""
    name: str = ""
    call_id: str = ""
    kind: CallKind = "function"

    @property
    def said(self) -> str:
        return "".join(self.pieces)

    @property
    def place(self) -> JsonObject:
        return {"item_id": self.item_id, "output_index": self.index}


class ResponsesStreamEncoder:
    """Encodes one streamed response; usage is part of the last event."""

    def __init__(self, *, response_id: str, model: str, created: int) -> None:
        self._id = response_id
        self._response = response_object(response_id, model, created)
        self._number = 0
        self._started = self._ended = False
        self._message: _Open | None = None
        self._thought: _Open | None = None
        self._calls: dict[int, _Open] = {}
        self._done: dict[int, JsonObject] = {}
        self._next = 0
        self._usage: Usage | None = None

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case ResponseStarted():
                return self._start()
            case TextDelta():
                return self._say(event)
            case ReasoningDelta():
                return self._think(event)
            case ReasoningDone():
                return self._finish_thought(event.part)
            case CallStarted():
                return self._begin_call(event)
            case CallNamed():
                self._calls[event.key].name = event.name
                return b""
            case CallArgumentsDelta():
                return self._argue(self._calls[event.key], event.text)
            case CallDone():
                return self._finish_call(event)
            case UsageReported():
                self._usage = event.usage
                return b""
            case ResponseEnded():
                return self._end(event)
            case ResponseFailed():
                return self._fail(event)
            case OpaqueItem():
                return self._opaque(event.part.item) if event.part.dialect == NAME else b""
            case CallDropped():
                self._calls.pop(event.key, None)
                return b""
            case Problem():
                return b""
            case _:
                assert_never(event)

    def finish(self) -> bytes:
        """Return nothing: the last event is the end."""
        return b""

    def _start(self) -> bytes:
        if self._started:
            return b""
        self._started = True
        return b"".join(self._event(f"response.{word}", response=self._response) for word in ("created", "in_progress"))

    def _event(self, kind: str, **members: object) -> bytes:
        body: JsonObject = {"type": kind, "sequence_number": self._number, **members}
        self._number += 1
        return encode_sse(write_json(body).decode(), event=kind)

    def _open(self, prefix: str) -> _Open:
        opened = _Open(self._next, item_id(prefix, self._id, self._next))
        self._next += 1
        return opened

    def _added(self, opened: _Open, item: JsonObject) -> bytes:
        return self._event("response.output_item.added", output_index=opened.index, item=item)

    def _item_done(self, opened: _Open, item: JsonObject) -> bytes:
        self._done[opened.index] = item
        return self._event("response.output_item.done", output_index=opened.index, item=item)

    def _say(self, event: TextDelta) -> bytes:
        if not event.text:
            return b""
        written = self._start() + self._close_thought()
        if self._message and (event.begins or event.phase != self._message.phase):
            written += self._close_message()
        if self._message is None:
            self._message = self._open("msg")
            self._message.phase = event.phase
            begun = whole_item(said_item(TextPart(text="", phase=event.phase)), self._message.item_id, "in_progress")
            written += self._added(self._message, begun | {"content": []})
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            written += self._event("response.content_part.added", **self._message.place, content_index=0, part=part)
        if event.replaces:
            self._message.pieces.clear()
        self._message.pieces.append(event.text)
        return written + self._event("response.output_text.delta", **self._message.place, content_index=0, delta=event.text, logprobs=[])

    def _close_message(self, status: str = "completed", *, refusal: bool = False) -> bytes:
        message, self._message = self._message, None
        if message is None:
            return b""
        part = TextPart(text=message.said, phase=message.phase)  # type: ignore[arg-type]
        item = whole_item(said_item(part), message.item_id, status, refusal=refusal)
        content = whole_item(said_item(part), message.item_id)["content"][0]
        written = self._event("response.output_text.done", **message.place, content_index=0, text=message.said, logprobs=[])
        return written + self._event("response.content_part.done", **message.place, content_index=0, part=content) + self._item_done(message, item)

    def _think(self, event: ReasoningDelta) -> bytes:
        written = self._start() + self._close_message()
        if event.begins:
            written += self._close_thought()
        if self._thought is None:
            self._thought = self._open("rs")
            written += self._added(self._thought, {"id": self._thought.item_id, "type": "reasoning", "summary": [], "content": []})
        if not event.text:
            return written
        if not self._thought.pieces:
            part = {"type": "reasoning_text", "text": ""}
            written += self._event("response.content_part.added", **self._thought.place, content_index=0, part=part)
        self._thought.pieces.append(event.text)
        return written + self._event("response.reasoning_text.delta", **self._thought.place, content_index=0, delta=event.text)

    def _finish_thought(self, part: ReasoningPart) -> bytes:
        written = b"" if self._thought else self._think(ReasoningDelta(text=""))
        return written + self._close_thought(part)

    def _close_thought(self, part: ReasoningPart | None = None) -> bytes:
        thought, self._thought = self._thought, None
        if thought is None:
            return b""
        written = b""
        if thought.pieces:
            text = {"type": "reasoning_text", "text": thought.said}
            written += self._event("response.reasoning_text.done", **thought.place, content_index=0, text=thought.said)
            written += self._event("response.content_part.done", **thought.place, content_index=0, part=text)
        if part is None or not part.text:
            part = replace(part or ReasoningPart(), text=thought.said)
        for place, summary in enumerate(part.summary if thought.said != "\n\n".join(part.summary) else ()):
            written += self._summary(thought, place, summary)
        return written + self._item_done(thought, whole_item(reasoning_item(part), thought.item_id))

    def _summary(self, thought: _Open, place: int, text: str) -> bytes:
        where = {**thought.place, "summary_index": place}
        part = {"type": "summary_text", "text": text}
        return b"".join(
            (
                self._event("response.reasoning_summary_part.added", **where, part={"type": "summary_text", "text": ""}),
                self._event("response.reasoning_summary_text.delta", **where, delta=text),
                self._event("response.reasoning_summary_text.done", **where, text=text),
                self._event("response.reasoning_summary_part.done", **where, part=part),
            )
        )

    def _begin_call(self, event: CallStarted) -> bytes:
        written = self._start() + self._close_message() + self._close_thought()
        call = self._calls[event.key] = self._open("fc")
        call.name, call.call_id, call.kind = event.name, event.call_id, event.kind
        return written + self._added(call, self._call(call, ""))

    def _call(self, call: _Open, arguments: str) -> JsonObject:
        part = ToolCallPart(call_id=call.call_id, name=call.name, arguments_raw=arguments, kind=call.kind)
        return whole_item(call_item(part, arguments), call.item_id, "in_progress")

    def _argue(self, call: _Open, text: str) -> bytes:
        call.pieces.append(text)
        return self._event(f"response.{_CALL_EVENTS[call.kind][0]}.delta", **call.place, delta=text)

    def _finish_call(self, event: CallDone) -> bytes:
        call = self._calls.pop(event.key)
        said = call.said
        rest = event.arguments_raw.removeprefix(said) if event.arguments_raw.startswith(said) else ""
        part = ToolCallPart(
            call_id=event.call_id, name=event.name, arguments_raw=event.arguments_raw, kind=event.kind, status=event.status, metadata=event.metadata
        )
        item = whole_item(call_item(part, event.arguments_raw), call.item_id, "completed" if event.status == "complete" else "incomplete")
        written = self._argue(call, rest) if rest and item["type"] not in NATIVE else b""
        if item["type"] not in NATIVE:
            kind, member = _CALL_EVENTS[event.kind]
            named = {"name": event.name} if event.kind == "function" else {}
            written += self._event(f"response.{kind}.done", **call.place, **{member: event.arguments_raw}, **named)
        return written + self._item_done(call, item)

    def _opaque(self, item: JsonObject) -> bytes:
        written = self._start() + self._close_message() + self._close_thought()
        opened = self._open("item")
        return written + self._added(opened, item) + self._item_done(opened, item)

    def _end(self, event: ResponseEnded) -> bytes:
        status, details = status_of(event.finish_reason, event.finish_raw)
        cut = status != "completed"
        written = self._start() + self._close_thought() + self._close_message("incomplete" if cut else status, refusal=event.finish_reason == "refusal")
        if status == "in_progress":
            return written  # the answer broke off: nothing says that it ended
        ended = {**self._response, "status": status, "incomplete_details": details, "usage": usage_object(self._usage), "output": self._output()}
        if status == "failed":
            ended["error"] = {"code": "server_error", "message": "The response failed."}
        word = "incomplete" if status in ("incomplete", "cancelled") else status
        return written + self._event(f"response.{word}", response=ended)

    def _fail(self, event: ResponseFailed) -> bytes:
        kind, code = _ERROR_TYPES.get(event.kind, (event.kind, event.kind))
        error = {"type": kind, "code": event.code or code, "message": event.text, "param": None}
        written = self._start() + self._event("error", error=error, code=error["code"], message=event.text, param=None)
        failed = {**self._response, "status": "failed", "error": {"code": error["code"], "message": event.text}, "output": self._output()}
        return written + self._event("response.failed", response=failed)

    def _output(self) -> list[JsonObject]:
        return [item for _, item in sorted(self._done.items())]
