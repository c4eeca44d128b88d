"""Answers of Ollama: whole bodies read and written, and the stream of lines written. Times are those of `created`, durations nought."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import assert_never

from workbench.conversation.messages import FinishReason, Message, ReasoningPart, TextPart, ToolCallPart, Usage
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
from workbench.dialects.argument_text import replay_text
from workbench.dialects.base import DecodedResponse
from workbench.dialects.decoding import AnswerDecoder, decode_body, decoded
from workbench.dialects.json_text import read_json, write_json
from workbench.dialects.ollama.answer import OllamaAnswer
from workbench.dialects.think_tags import CLOSE, OPEN
from workbench.wire.framing import NdjsonReader

_WORDS: dict[FinishReason, str] = {"end": "stop", "tool_use": "stop", "stop_sequence": "stop", "refusal": "stop", "pause": "stop", "length": "length"}


def decode_response(body: bytes, *, status: int = 200) -> DecodedResponse:
    """Return the neutral form of a whole response body; JSON lines are read as the stream they are.

    Raises:
        ResponseUnreadable: the status says success, but the body is neither an answer nor an error, or of another dialect.
    """
    if status < 400 and _is_lines(body):
        decoder = AnswerDecoder(OllamaAnswer(), NdjsonReader())
        return decoded([*decoder.feed(body), *decoder.finish()], body)
    return decode_body(body, OllamaAnswer, status=status)


def _is_lines(body: bytes) -> bool:
    first, _, rest = body.strip().partition(b"\n")
    if not rest:
        return False
    try:
        value = read_json(first)
    except ValueError:
        return False
    return isinstance(value, dict) and (OllamaAnswer().is_piece(value) or "error" in value)


def encode_response(message: Message, *, model: str, created: int) -> bytes:
    """Return a whole response body as the server would send it."""
    text = "".join(_said(part) for part in message.parts)
    written: JsonObject = {"role": "assistant", "content": text}
    if thought := "".join(part.text for part in message.parts if isinstance(part, ReasoningPart) and part.field != "think_tag"):
        written["thinking"] = thought
    if calls := message.calls():
        written["tool_calls"] = [_call(call, place) for place, call in enumerate(calls)]
    body = {"model": model, "created_at": _time(created), "message": written}
    word = done_word(message.finish_reason, message.finish_raw)
    return write_json({**body, "done": False} if word is None else {**body, **_last(word, message.usage)})


def done_word(reason: FinishReason | None, word: str = "") -> str | None:
    """Return the `done_reason` of an end, `word` itself if it is one of Ollama's that means that; None for an answer that did not end."""
    if reason in (None, "incomplete", "cancelled"):
        return None
    if reason == "end" and word in ("load", "unload"):
        return word
    return _WORDS.get(reason, word or reason) if reason else None


def call_object(call: ToolCallPart) -> JsonObject:
    """Return the function of a call, its arguments as an object; text that is none is held by one, a custom tool's is its `input`."""
    arguments = {"input": call.arguments_raw} if call.kind == "custom" else read_json(replay_text(call.arguments_raw))
    return {"name": call.name, "arguments": arguments}


def _call(call: ToolCallPart, place: int) -> JsonObject:
    return {"id": call.call_id, "function": {"index": place, **call_object(call)}}


def _said(part: object) -> str:
    if isinstance(part, TextPart):
        return part.text
    return f"{OPEN}{part.text}{CLOSE}" if isinstance(part, ReasoningPart) and part.field == "think_tag" else ""


def _time(created: int) -> str:
    return datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _last(word: str, usage: Usage | None) -> JsonObject:
    raw = usage.raw if usage is not None else {}
    times = {name: raw[name] if isinstance(raw.get(name), int) else 0 for name in _DURATIONS}
    asked, answered = (usage.input_tokens, usage.output_tokens) if usage is not None else (None, None)
    counts = {"prompt_eval_count": asked, "eval_count": answered}
    return {"done": True, "done_reason": word, **times, **{name: count for name, count in counts.items() if count is not None}}


_DURATIONS = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")


class OllamaStreamEncoder:
    """Encodes one streamed response as JSON lines. Calls are written when they are complete, each whole in a line of its own."""

    def __init__(self, *, model: str, created: int) -> None:
        self._head: JsonObject = {"model": model, "created_at": _time(created)}
        self._in_tag = False
        self._calls = 0
        self._thought = ""
        self._usage: Usage | None = None

    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case TextDelta():
                self._thought = ""
                return self._say(event.text)
            case ReasoningDelta():
                self._thought += event.text
                return self._think(event.text, event.field)
            case ReasoningDone():
                rest = event.part.text.removeprefix(self._thought) if event.part.text.startswith(self._thought) else ""
                self._thought = ""
                return self._think(rest, event.part.field) if rest else b""
            case CallDone():
                return self._say("") + self._called(event)
            case UsageReported():
                self._usage = event.usage
                return b""
            case ResponseEnded():
                return self._end(event)
            case ResponseFailed():
                return _line({"error": event.text})
            case ResponseStarted() | CallStarted() | CallNamed() | CallArgumentsDelta() | CallDropped() | OpaqueItem() | Problem():
                return b""
            case _:
                assert_never(event)

    def finish(self) -> bytes:
        """Return nothing: the last line says that it is the last."""
        return b""

    def _say(self, text: str) -> bytes:
        closing = CLOSE if self._in_tag else ""
        self._in_tag = False
        return self._message({"content": closing + text}) if closing or text else b""

    def _think(self, text: str, field: str) -> bytes:
        if field != "think_tag":
            return self._message({"content": "", "thinking": text})
        opening = "" if self._in_tag else OPEN
        self._in_tag = True
        return self._message({"content": opening + text})

    def _called(self, event: CallDone) -> bytes:
        part = ToolCallPart(call_id=event.call_id, name=event.name, arguments_raw=event.arguments_raw, kind=event.kind)
        written = _call(part, self._calls)
        self._calls += 1
        return self._message({"content": "", "tool_calls": [written]})

    def _end(self, event: ResponseEnded) -> bytes:
        word = done_word(event.finish_reason, event.finish_raw)
        if word is None:
            return b""
        return self._say("") + _line({**self._head, "message": {"role": "assistant", "content": ""}, **_last(word, self._usage)})

    def _message(self, members: JsonObject) -> bytes:
        return _line({**self._head, "message": {"role": "assistant", **members}, "done": False})


def _line(value: JsonObject) -> bytes:
    return write_json(value) + b"\n"
