"""Writes an answer as the stream of chunks a server sends, for the practice server and for replays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from workbench.conversation.messages import CallKind, Usage
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
from workbench.dialects.chat_completions.finish import finish_word
from workbench.dialects.chat_completions.usage import write_usage
from workbench.dialects.json_text import write_json
from workbench.dialects.think_tags import CLOSE, OPEN
from workbench.wire.framing import encode_sse

_ERROR_TYPES = {
    "auth": ("invalid_request_error", "invalid_api_key"),
    "quota": ("insufficient_quota", "insufficient_quota"),
    "rate_limit": ("requests", "rate_limit_exceeded"),
    "too_large": ("invalid_request_error", "request_too_large"),
    "overloaded": ("server_error", "overloaded_error"),
    "context_too_long": ("invalid_request_error", "context_length_exceeded"),
    "bad_request": ("invalid_request_error", None),
    "server": ("server_error", None),
}


def error_body(failure: ResponseFailed) -> JsonObject:
    """Return an error as the body, or the chunk, that a server of this dialect sends."""
    kind, code = _ERROR_TYPES.get(failure.kind, (failure.kind, None))
    return {"error": {"message": failure.text, "type": kind, "param": None, "code": failure.code or code}}


@dataclass
class _Sent:
    """What was sent of a call so far."""

    index: int
    name: str
    kind: CallKind
    pieces: list[str] = field(default_factory=list)


class ChatStreamEncoder:
    """Encodes one streamed response. Usage is written after the finish reason, where clients expect it."""

    def __init__(self, *, response_id: str, model: str, created: int) -> None:
        self._head: JsonObject = {"id": response_id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._started = False
        self._in_tag = False
        self._reasoning: list[str] = []
        self._calls: dict[int, _Sent] = {}
        self._usage: Usage | None = None
        self._closed = False

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case ResponseStarted():
                return self._start()
            case TextDelta():
                return self._say(event.text)
            case ReasoningDelta():
                self._reasoning.append(event.text)
                return self._think(event.text, event.field)
            case ReasoningDone():
                return self._finish_thinking(event)
            case CallStarted():
                return self._begin_call(event)
            case CallNamed():
                return self._name_call(event)
            case CallArgumentsDelta():
                return self._argue(event.key, event.text)
            case CallDone():
                return self._finish_call(event)
            case UsageReported():
                self._usage = event.usage
                return b""
            case ResponseEnded():
                return self._end(event)
            case ResponseFailed():
                self._closed = True
                return encode_sse(write_json(error_body(event)).decode())
            case OpaqueItem():
                return self._delta(event.part.item) if event.part.dialect == "chat_completions" and "type" not in event.part.item else b""
            case CallDropped() | Problem():
                return b""
            case _:
                assert_never(event)

    def finish(self) -> bytes:
        """Return the end marker; nothing if the answer broke off."""
        return b"data: [DONE]\n\n" if self._closed else b""

    def _start(self) -> bytes:
        if self._started:
            return b""
        self._started = True
        return self._chunk({"role": "assistant", "content": ""})

    def _say(self, text: str) -> bytes:
        self._reasoning.clear()
        return self._content(text)

    def _content(self, text: str) -> bytes:
        closing = CLOSE if self._in_tag else ""
        self._in_tag = False
        return self._delta({"content": closing + text}) if closing or text else b""

    def _think(self, text: str, name: str) -> bytes:
        if name == "think_tag":
            opening = "" if self._in_tag else OPEN
            self._in_tag = True
            return self._delta({"content": opening + text})
        if name == "thinking_content":
            return self._delta({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": text}]}]})
        return self._delta({"reasoning" if name == "reasoning" else "reasoning_content": text})

    def _finish_thinking(self, event: ReasoningDone) -> bytes:
        """Send what the deltas did not: the rest of the text, and OpenRouter's details, which come whole here."""
        part, sent = event.part, "".join(self._reasoning)
        self._reasoning.clear()
        rest = part.text[len(sent) :] if part.text.startswith(sent) else ""
        written = self._think(rest, part.field) if rest else b""
        return written + (self._delta({"reasoning_details": list(part.details)}) if part.details else b"")

    def _begin_call(self, event: CallStarted) -> bytes:
        self._reasoning.clear()
        before = self._content("")
        sent = _Sent(len(self._calls), event.name, event.kind)
        self._calls[event.key] = sent
        body = {"input": ""} if event.kind == "custom" else {"arguments": ""}
        named: JsonObject = {"name": event.name, **body} if event.name else body
        return before + self._call(sent, {"id": event.call_id, "type": event.kind, event.kind: named})

    def _name_call(self, event: CallNamed) -> bytes:
        sent = self._calls[event.key]
        rest = event.name.removeprefix(sent.name)
        sent.name = event.name
        return self._call(sent, {"function": {"name": rest}}) if rest else b""

    def _argue(self, key: int, text: str) -> bytes:
        sent = self._calls[key]
        sent.pieces.append(text)
        return self._call(sent, {"custom": {"input": text}} if sent.kind == "custom" else {"function": {"arguments": text}})

    def _finish_call(self, event: CallDone) -> bytes:
        sent = self._calls[event.key]
        before = "".join(sent.pieces)
        rest = event.arguments_raw.removeprefix(before)
        named = self._call(sent, {"function": {"name": event.name}}) if event.name and not sent.name else b""
        extra = self._call(sent, event.metadata) if event.metadata else b""
        argued = self._argue(event.key, rest) if rest and event.arguments_raw.startswith(before) else b""
        return named + argued + extra

    def _end(self, event: ResponseEnded) -> bytes:
        word = self._word(event)
        if word is None:
            return b""
        self._closed = True
        written = self._content("") + self._chunk({}, word)
        if self._usage is not None:
            written += encode_sse(write_json({**self._head, "choices": [], "usage": write_usage(self._usage)}).decode())
        return written

    def _word(self, event: ResponseEnded) -> str | None:
        return finish_word(event.finish_reason, event.finish_raw)

    def _call(self, sent: _Sent, members: JsonObject) -> bytes:
        return self._delta({"tool_calls": [{"index": sent.index, **members}]})

    def _delta(self, delta: JsonObject) -> bytes:
        return self._start() + self._chunk(delta)

    def _chunk(self, delta: JsonObject, word: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": word}
        return encode_sse(write_json({**self._head, "choices": [choice]}).decode())
