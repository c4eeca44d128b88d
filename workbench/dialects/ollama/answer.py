"""Reads the lines of an answer of Ollama, or its whole body, into stream events.

Calls come whole, each is one of its own whatever its index says; the end is ``"done": true``, and ``done_reason`` stays ``stop``
with calls. Every member may be missing, null or of another type.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workbench.conversation.messages import DialectName, FinishReason, Usage
from workbench.conversation.stream import (
    CallDropped,
    Problem,
    ReasoningDelta,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.argument_text import same_value
from workbench.dialects.calls import CallPiece, CallTable
from workbench.dialects.errors import ErrorBody
from workbench.dialects.json_text import write_json
from workbench.dialects.leaks import leaked_call
from workbench.dialects.think_tags import ThinkTags

_UNREADABLE_CALL = "error parsing tool call"
_REASONS: dict[str, FinishReason] = {"stop": "end", "length": "length", "load": "end", "unload": "end"}
_COUNTS = ("total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration")


class OllamaAnswer:
    """One answer; see `Answer`.

    Args:
        tools: the names of the tools that were offered, as far as they are known.
    """

    def __init__(self, tools: Collection[str] = ()) -> None:
        self.dialect: DialectName = "ollama"
        self.ended = False
        self._calls = CallTable(tools=tools)
        self._given: list[tuple[str, str, str]] = []
        self._tags: ThinkTags | None = ThinkTags()
        self._text: list[str] = []
        self._word = ""
        self._model = ""
        self._started = False
        self._told: set[str] = set()

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:  # noqa: ARG002 (the protocol)
        """Say whether an object is a line of an answer, or a whole one: both have a message, or say whether it is done."""
        return isinstance(value.get("done"), bool) or (isinstance(value.get("message"), dict) and "type" not in value)

    def chunk(
        self,
        value: dict[str, Any],
        frame: int,
        events: list[StreamEvent],
        *,
        seed: str,
        rough: bool = False,  # noqa: ARG002 (each line is cleaned)
        whole: bool = False,  # noqa: ARG002 (`done` says it)
    ) -> None:
        """Append what one line, or the whole body, means."""
        model = value.get("model")
        model = clean_text(model) if isinstance(model, str) else ""
        if not self._started or (model and not self._model):
            self._started, self._model = True, model
            events.append(ResponseStarted(model=model, frame=frame))
        message = value.get("message")
        if isinstance(message, dict):
            self._message(message, frame, events, seed)
        if value.get("done") is True:
            word = value.get("done_reason")
            self._word = clean_text(word) if isinstance(word, str) else ""
            self.ended = True
        if usage := read_usage(value):
            events.append(UsageReported(usage=usage, frame=frame))

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:  # noqa: ARG002 (the protocol)
        """Append the last events of an answer that was not refused; without ``done`` it broke off, as a body too."""
        self._flush(events)
        may_run = self.ended and self._word == "stop"
        first = len(events)
        truncated = self._calls.finish(events, cut=not may_run)
        calls = len(self._calls) - sum(isinstance(event, CallDropped) for event in events[first:])
        reason: FinishReason = _REASONS.get(self._word, "unknown") if self.ended else "incomplete"
        if not self.ended:
            self.tell("stream-broken", "The connection was lost before the answer had ended.", -1, events)
        elif not calls:
            self._about_text(events)
        ended = "tool_use" if calls and reason == "end" else reason
        events.append(ResponseEnded(finish_reason=ended, finish_raw=self._word, calls_may_run=may_run and not truncated))

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended. A call that Ollama could not read is shown as the model wrote it."""
        self._flush(events)
        self._calls.finish(events, cut=True)
        if _UNREADABLE_CALL in error.message:
            raw = error.message.partition("raw=")[2] or error.message
            self.tell("call-unreadable", f"The model wrote a tool call that Ollama could not read; it did not run: {raw}", frame, events)
        events.append(error.as_event(frame))

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a problem, the first time it is met."""
        if code not in self._told:
            self._told.add(code)
            events.append(Problem(code=code, text=text, frame=frame))

    def _message(self, message: dict[str, Any], frame: int, events: list[StreamEvent], seed: str) -> None:
        thought, content, calls = message.get("thinking"), message.get("content"), message.get("tool_calls")
        if isinstance(thought, str) and thought:
            events.append(ReasoningDelta(text=clean_text(thought), frame=frame))
        elif thought and not isinstance(thought, bool | str):
            self.tell("reasoning-not-text", "The reasoning came in a form that is not text; it is only in the raw response.", frame, events)
        if isinstance(content, str) and content:
            self._content(clean_text(content), frame, events)
        elif content and not isinstance(content, str):
            self.tell("content-part-unknown", "Part of the answer is of a kind that is not known; it is only in the raw response.", frame, events)
        for call in calls if isinstance(calls, list) else [calls]:
            if isinstance(call, dict):
                self._call(call, frame, events, seed)

    def _content(self, text: str, frame: int, events: list[StreamEvent]) -> None:
        if self._tags is None:
            self._say(text, frame, events)
            return
        for piece in self._tags.feed(text):
            if piece.reasoning:
                events.append(ReasoningDelta(text=piece.text, field="think_tag", frame=frame))
            else:
                self._say(piece.text, frame, events)
        if self._tags.done:
            self._tags = None

    def _say(self, text: str, frame: int, events: list[StreamEvent]) -> None:
        if text:
            self._text.append(text)
            events.append(TextDelta(text=text, frame=frame))

    def _flush(self, events: list[StreamEvent]) -> None:
        for piece in self._tags.finish() if self._tags else ():
            if piece.reasoning:
                events.append(ReasoningDelta(text=piece.text, field="think_tag"))
            else:
                self._say(piece.text, -1, events)
        self._tags = None

    def _call(self, call: dict[str, Any], frame: int, events: list[StreamEvent], seed: str) -> None:
        """Take a whole call: never a piece of another, but the same call said twice under one id counts once."""
        function = call.get("function")
        about: dict[str, Any] = function if isinstance(function, dict) else {}
        name, arguments, wire_id = about.get("name"), about.get("arguments"), call.get("id")
        name = clean_text(name) if isinstance(name, str) else ""
        wire_id = clean_text(wire_id) if isinstance(wire_id, str) else ""
        text = arguments if isinstance(arguments, str) else write_json({} if arguments is None else arguments).decode()
        twins = [given for given in self._given if wire_id and given[0] == wire_id]
        if any(given[1] == name and same_value(given[2], text) for given in twins):
            return
        self._flush(events)
        self._given.append((wire_id, name, text))
        piece = CallPiece(slot=len(self._given), wire_id="" if twins else wire_id, name=name, arguments=text, seed=f"{len(self._given)} {seed}")
        self._calls.take(piece, frame, events)

    def _about_text(self, events: list[StreamEvent]) -> None:
        text = "".join(self._text)
        if markup := leaked_call(text):
            self.tell("leaked-call", f"The text holds a tool call that the server did not recognise ({markup}); it was not run.", -1, events)
        elif not text.strip():
            self.tell("empty-answer", "The answer is empty.", -1, events)


def read_usage(line: JsonObject) -> Usage | None:
    """Return the token counts of a last line; `input_tokens` is None where the prompt was cached whole, Ollama then leaves it out."""
    raw = {name: line[name] for name in _COUNTS if name in line}
    asked, answered = _count(raw.get("prompt_eval_count")), _count(raw.get("eval_count"))
    return Usage(input_tokens=asked, output_tokens=answered, raw=raw) if asked is not None or answered is not None else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
