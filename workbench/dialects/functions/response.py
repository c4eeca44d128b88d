"""Answers with a `function_call`, written whole and as a stream; chat's reader reads them.

The dialect has a place for one call; of an answer with more only the first is written.
"""

from __future__ import annotations

from typing_extensions import override

from workbench.conversation.messages import FinishReason, Message, ToolCallPart
from workbench.conversation.stream import CallArgumentsDelta, CallDone, CallNamed, CallStarted, ResponseEnded, ResponseStarted, StreamEvent
from workbench.conversation.values import JsonObject
from workbench.dialects.chat_completions.finish import finish_word
from workbench.dialects.chat_completions.response import answer_object
from workbench.dialects.chat_completions.stream_encoder import ChatStreamEncoder
from workbench.dialects.chat_completions.usage import write_usage
from workbench.dialects.functions.chat_form import as_function
from workbench.dialects.json_text import write_json


def encode_response(message: Message, *, response_id: str, model: str, created: int) -> bytes:
    """Return a whole response body as a server would send it."""
    written = answer_object(message)
    if written.pop("tool_calls", None):
        written["function_call"] = _function(as_function(message.calls()[0]))
    choice = {"index": 0, "message": written, "logprobs": None, "finish_reason": function_word(message.finish_reason, message.finish_raw)}
    body: JsonObject = {"id": response_id, "object": "chat.completion", "created": created, "model": model, "choices": [choice]}
    if message.usage is not None:
        body["usage"] = write_usage(message.usage)
    return write_json(body)


def function_word(reason: FinishReason | None, word: str) -> str | None:
    """Return the word for an end: a call ends with ``function_call``, a forced one with ``stop`` (where the answer said so)."""
    if reason == "tool_use":
        return "stop" if word == "stop" else "function_call"
    return finish_word(reason, word)


def _function(call: ToolCallPart) -> JsonObject:
    return {"name": call.name, "arguments": call.arguments_raw}


class FunctionsStreamEncoder(ChatStreamEncoder):
    """Encodes one streamed response. A call that comes first stands in the first chunk, as OpenAI sends it."""

    def __init__(self, *, response_id: str, model: str, created: int) -> None:
        super().__init__(response_id=response_id, model=model, created=created)
        self._key: int | None = None
        self._name = ""
        self._custom = False
        self._argued = ""

    @override
    def feed(self, event: StreamEvent) -> bytes:
        """Return the bytes for one event; may be empty."""
        match event:
            case ResponseStarted():
                return b""  # the first delta says whose turn it is
            case CallStarted():
                return self._begin(event)
            case CallNamed() | CallArgumentsDelta() | CallDone() if event.key != self._key:
                return b""
            case CallNamed():
                return self._rename(event.name)
            case CallArgumentsDelta():
                return b"" if self._custom else self._more(event.text)
            case CallDone():
                return self._complete(event)
            case _:
                return super().feed(event)

    def _begin(self, event: CallStarted) -> bytes:
        if self._key is not None:
            return b""
        self._key, self._name, self._custom = event.key, event.name, event.kind == "custom"
        self._reasoning.clear()
        named: JsonObject = {"name": event.name} if event.name else {}
        return self._content("") + self._delta({"function_call": {**named, "arguments": ""}})

    def _rename(self, name: str) -> bytes:
        rest = name.removeprefix(self._name)
        self._name = name
        return self._delta({"function_call": {"name": rest}}) if rest else b""

    def _more(self, text: str) -> bytes:
        self._argued += text
        return self._delta({"function_call": {"arguments": text}}) if text else b""

    def _complete(self, event: CallDone) -> bytes:
        named = self._rename(event.name) if not self._name else b""
        raw = write_json({"input": event.arguments_raw}).decode() if self._custom else event.arguments_raw
        return named + (self._more(raw[len(self._argued) :]) if raw.startswith(self._argued) else b"")

    @override
    def _delta(self, delta: JsonObject) -> bytes:
        if not self._started and "function_call" in delta:
            self._started = True
            return self._chunk({"role": "assistant", "content": None, **delta})
        return super()._delta(delta)

    @override
    def _end(self, event: ResponseEnded) -> bytes:
        return (self._start() if self._word(event) is not None else b"") + super()._end(event)

    @override
    def _word(self, event: ResponseEnded) -> str | None:
        return function_word(event.finish_reason, event.finish_raw)
