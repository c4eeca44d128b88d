"""Writes an answer as the stream of chunks that Gemini sends (CRLF, no end marker), for the practice server and for replays."""

from __future__ import annotations

from typing import assert_never

from workbench.conversation.messages import ToolCallPart, Usage
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
from workbench.dialects.gemini.finish import finish_word
from workbench.dialects.gemini.parts import write_part
from workbench.dialects.gemini.response import call_part, thought_part
from workbench.dialects.gemini.usage import write_usage
from workbench.dialects.json_text import write_json
from workbench.wire.framing import encode_sse

_STATUS = {
    "auth": (401, "UNAUTHENTICATED"),
    "quota": (429, "RESOURCE_EXHAUSTED"),
    "rate_limit": (429, "RESOURCE_EXHAUSTED"),
    "overloaded": (503, "UNAVAILABLE"),
    "bad_request": (400, "INVALID_ARGUMENT"),
    "context_too_long": (400, "INVALID_ARGUMENT"),
    "too_large": (400, "INVALID_ARGUMENT"),
}


def error_body(failure: ResponseFailed) -> JsonObject:
    """Return an error as the body, or the chunk, that a server of this dialect sends."""
    number, status = _STATUS.get(failure.kind, (500, "INTERNAL"))
    return {"error": {"code": number, "message": failure.text, "status": status}}


class GeminiStreamEncoder:
    """Encodes one streamed response. Calls are sent whole; what comes behind an unfinished one waits, because parts have an order."""

    def __init__(self, *, response_id: str, model: str) -> None:
        self._tail: JsonObject = {"modelVersion": model, "responseId": response_id}
        self._waiting: list[int | JsonObject] = []
        self._done: dict[int, JsonObject | None] = {}
        self._thought: list[str] = []
        self._usage: Usage | None = None

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case TextDelta():
                written: JsonObject = {"text": event.text} | ({"thoughtSignature": event.signature} if event.signature else {})
                return self._send(written) if event.text or event.signature else b""
            case ReasoningDelta():
                self._thought.append(event.text)
                return self._send({"text": event.text, "thought": True}) if event.text else b""
            case ReasoningDone():
                return self._finish_thinking(event)
            case CallStarted():
                self._waiting.append(event.key)
                return b""
            case CallDone():
                self._done[event.key] = call_part(_call(event))
                return self._flush()
            case CallDropped():
                self._done[event.key] = None
                return self._flush()
            case UsageReported():
                self._usage = event.usage
                return b""
            case OpaqueItem():
                item = write_part(event.part, ours=True)
                return self._send(item) if item else b""
            case ResponseEnded():
                return self._end(event)
            case ResponseFailed():
                return encode_sse(write_json(error_body(event)).decode(), newline="\r\n")
            case ResponseStarted() | CallNamed() | CallArgumentsDelta() | Problem():
                return b""
            case _:
                assert_never(event)

    def finish(self) -> bytes:
        """Return the closing bytes: there are none, the stream just ends."""
        return b""

    def _finish_thinking(self, event: ReasoningDone) -> bytes:
        """Send what the deltas did not: the rest of the text, and the signature."""
        part, sent = event.part, "".join(self._thought)
        self._thought.clear()
        rest = part.text[len(sent) :] if part.text.startswith(sent) else ""
        return self._send(thought_part(rest, part.signature)) if rest or part.signature else b""

    def _send(self, part: JsonObject) -> bytes:
        self._waiting.append(part)
        return self._flush()

    def _flush(self) -> bytes:
        """Return the chunks of all parts up to the first call that is not finished."""
        written = b""
        while self._waiting:
            first = self._waiting[0]
            if isinstance(first, int):
                if first not in self._done:
                    break
                part = self._done[first]
            else:
                part = first
            del self._waiting[0]
            if part is not None:
                written += self._chunk(part)
        return written

    def _end(self, event: ResponseEnded) -> bytes:
        """Return the last chunk. An answer that broke off has none, and its unfinished calls are not sent."""
        word = finish_word(event.finish_reason, event.finish_raw)
        self._waiting = [item for item in self._waiting if not isinstance(item, int) or item in self._done]
        return self._flush() + (self._chunk({"text": ""}, word) if word else b"")

    def _chunk(self, part: JsonObject, word: str = "") -> bytes:
        candidate: JsonObject = {"content": {"parts": [part], "role": "model"}, "index": 0} | ({"finishReason": word} if word else {})
        chunk: JsonObject = {"candidates": [candidate]}
        if word and self._usage is not None:
            chunk["usageMetadata"] = write_usage(self._usage)
        return encode_sse(write_json(chunk | self._tail).decode(), newline="\r\n")


def _call(done: CallDone) -> ToolCallPart:
    return ToolCallPart(
        call_id=done.call_id, name=done.name, arguments_raw=done.arguments_raw, kind=done.kind, wire_id=done.wire_id, metadata=done.metadata
    )
