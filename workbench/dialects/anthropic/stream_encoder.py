"""Writes an answer as the events a server sends, for the practice server and for replays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from workbench.conversation.messages import ReasoningPart, Usage
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
from workbench.dialects.anthropic.finish import finish_word
from workbench.dialects.anthropic.names import NAME
from workbench.dialects.anthropic.usage import write_usage
from workbench.dialects.json_text import write_json
from workbench.wire.framing import encode_sse

_ERROR_TYPES = {
    "auth": "authentication_error",
    "quota": "billing_error",
    "rate_limit": "rate_limit_error",
    "too_large": "request_too_large",
    "overloaded": "overloaded_error",
    "context_too_long": "invalid_request_error",
    "bad_request": "invalid_request_error",
    "server": "api_error",
}


def error_body(failure: ResponseFailed) -> JsonObject:
    """Return an error as the body, or the event, that a server of this dialect sends."""
    kind = failure.code if failure.code.endswith("_error") else _ERROR_TYPES.get(failure.kind, "api_error")
    return {"type": "error", "error": {"type": kind, "message": failure.text}}


@dataclass
class _Call:
    """What was sent of a call; `index` is -1 while its name is not known, as a block must begin with it. Free text is sent whole, as `input`."""

    call_id: str
    name: str
    is_text: bool = False
    index: int = -1
    pieces: list[str] = field(default_factory=list)


@dataclass
class _Thought:
    """What was sent of a thinking block."""

    index: int
    text: str = ""


class AnthropicStreamEncoder:
    """Encodes one streamed response. At most one block is open; a call's block is open until something else begins, or the end."""

    def __init__(self, *, response_id: str, model: str, created: int) -> None:
        del created  # has no place in this dialect
        self._id, self._model = response_id, model
        self._started = False
        self._blocks = 0
        self._open: int | None = None
        self._kind = ""
        self._thought: _Thought | None = None
        self._calls: dict[int, _Call] = {}
        self._usage: Usage | None = None

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case ResponseStarted():
                return self._start()
            case TextDelta():
                return self._say(event)
            case ReasoningDelta():
                return self._think(event.text)
            case ReasoningDone():
                return self._finish_thinking(event.part)
            case CallStarted():
                call = self._calls[event.key] = _Call(event.call_id, event.name, event.kind == "custom")
                return self._begin_call(call) if event.name else b""
            case CallNamed():
                return self._name_call(self._calls[event.key], event.name)
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
                return _event("error", error_body(event))
            case OpaqueItem():
                return self._opaque(event.part.item) if event.part.dialect == NAME else b""
            case CallDropped() | Problem():
                return b""
            case _:
                assert_never(event)

    def finish(self) -> bytes:
        """Return nothing: ``message_stop`` was the end, and an answer that broke off has none."""
        return b""

    def _start(self) -> bytes:
        if self._started:
            return b""
        self._started = True
        usage = {**write_usage(self._usage), "output_tokens": 1}
        usage.pop("output_tokens_details", None)
        message: JsonObject = {"id": self._id, "type": "message", "role": "assistant", "model": self._model, "content": []}
        message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
        return _event("message_start", {"message": message}) + _event("ping", {})

    def _say(self, event: TextDelta) -> bytes:
        if not event.text:
            return b""
        begun = self._begin("text", {"type": "text", "text": ""}) if self._kind != "text" or event.begins else b""
        return begun + self._delta({"type": "text_delta", "text": event.text})

    def _think(self, text: str) -> bytes:
        if not text:
            return b""
        begun = b""
        if self._kind != "thinking" or self._thought is None:
            begun = self._begin("thinking", {"type": "thinking", "thinking": "", "signature": ""})
            self._thought = _Thought(self._blocks - 1)
        self._thought.text += text
        return begun + self._delta({"type": "thinking_delta", "thinking": text})

    def _finish_thinking(self, part: ReasoningPart) -> bytes:
        """Send what the deltas did not: the rest of the text, and the signature; redacted reasoning comes whole in its start."""
        if part.redacted_data:
            return self._begin("redacted", {"type": "redacted_thinking", "data": part.redacted_data}) + self._stop()
        written = b""
        if self._thought is None:
            written = self._begin("thinking", {"type": "thinking", "thinking": "", "signature": ""})
            self._thought = _Thought(self._blocks - 1)
        thought, self._thought = self._thought, None
        rest = part.text[len(thought.text) :] if part.text.startswith(thought.text) else ""
        if rest:
            written += self._delta({"type": "thinking_delta", "thinking": rest}, thought.index)
        if part.signature:
            written += self._delta({"type": "signature_delta", "signature": part.signature}, thought.index)
        return written + (self._stop() if self._open == thought.index else b"")

    def _begin_call(self, call: _Call) -> bytes:
        begun = self._begin("tool_use", {"type": "tool_use", "id": call.call_id, "name": call.name, "input": {}})
        call.index = self._blocks - 1
        return begun + self._delta({"type": "input_json_delta", "partial_json": ""}) + b"".join(self._argument(call, piece) for piece in call.pieces)

    def _name_call(self, call: _Call, name: str) -> bytes:
        call.name = name
        return self._begin_call(call) if call.index < 0 else b""

    def _argue(self, call: _Call, text: str) -> bytes:
        if call.is_text:
            return b""
        call.pieces.append(text)
        return self._argument(call, text) if call.index >= 0 else b""

    def _argument(self, call: _Call, text: str) -> bytes:
        return self._delta({"type": "input_json_delta", "partial_json": text}, call.index) if text else b""

    def _finish_call(self, event: CallDone) -> bytes:
        call = self._calls[event.key]
        named = self._name_call(call, event.name or "unknown") if call.index < 0 else b""
        before = "".join(call.pieces)
        if call.is_text:
            return named + self._argument(call, write_json({"input": event.arguments_raw}).decode())
        rest = event.arguments_raw[len(before) :] if event.arguments_raw.startswith(before) else ""
        return named + (self._argue(call, rest) if rest else b"")

    def _opaque(self, item: JsonObject) -> bytes:
        if isinstance(item.get("type"), str):
            return self._begin("opaque", item) + self._stop()
        citations = item.get("citations")
        listed = citations if isinstance(citations, list) and self._kind == "text" else []
        return b"".join(self._delta({"type": "citations_delta", "citation": citation}) for citation in listed)

    def _end(self, event: ResponseEnded) -> bytes:
        word = finish_word(event.finish_reason, event.finish_raw)
        if word is None:
            return b""
        delta = {"delta": {"stop_reason": word, "stop_sequence": None}, "usage": write_usage(self._usage)}
        return self._start() + self._stop() + _event("message_delta", delta) + _event("message_stop", {})

    def _begin(self, kind: str, block: JsonObject) -> bytes:
        before = self._start() + self._stop()
        self._open, self._kind = self._blocks, kind
        self._blocks += 1
        return before + _event("content_block_start", {"index": self._open, "content_block": block})

    def _stop(self) -> bytes:
        index, self._open, self._kind = self._open, None, ""
        return b"" if index is None else _event("content_block_stop", {"index": index})

    def _delta(self, delta: JsonObject, index: int | None = None) -> bytes:
        return _event("content_block_delta", {"index": self._open if index is None else index, "delta": delta})


def _event(name: str, members: JsonObject) -> bytes:
    return encode_sse(write_json({"type": name, **members}).decode(), name)
