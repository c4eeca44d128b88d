"""Reads the JSON of an answer, chunk by chunk or whole, into stream events. The bytes around it are somebody else's matter.

Every member may be missing, null or of another type than it should be; what cannot be used is left out with a Problem, once.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workbench.conversation.messages import CallKind, DialectName, OpaquePart, ReasoningPart
from workbench.conversation.stream import (
    CallDropped,
    OpaqueItem,
    Problem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.conversation.values import clean_text
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.calls import CallPiece, CallTable
from workbench.dialects.chat_completions.finish import CALLS_MAY_RUN, neutral_reason
from workbench.dialects.chat_completions.reasoning_details import DetailsCollector, readable
from workbench.dialects.chat_completions.usage import read_usage
from workbench.dialects.errors import ErrorBody
from workbench.dialects.json_text import read_json
from workbench.dialects.leaks import leaked_call
from workbench.dialects.shapes import response_shape
from workbench.dialects.surrogates import HalfJoiner
from workbench.dialects.think_tags import ThinkTags

_CALL_MEMBERS = frozenset({"index", "id", "type", "function", "custom"})


class AnswerReader:
    """One answer. Call `chunk` for each JSON object in order, then `end` or `fail` once.

    Args:
        quirks: those of the server.
        tools: the names of the tools that were offered, as far as they are known.
    """

    def __init__(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> None:
        self.dialect: DialectName = "chat_completions"
        self.ended = False
        self._calls = CallTable(split_glued=quirks.split_glued_arguments, tools=tools)
        self._tags: ThinkTags | None = ThinkTags()
        self._halves = (HalfJoiner(), HalfJoiner())
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._thinking_field = ""
        self._only_details = False
        self._details = DetailsCollector()
        self._finish_word = ""
        self._refused = False
        self._told: set[str] = set()
        self._named = ("", "")
        self._started = False
        self._rough = False
        self._seed = ""

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:
        """Say whether an object is a piece of an answer: it has choices, or nothing but usage."""
        if whole:
            return bool(value.get("choices"))
        return "choices" in value or ("usage" in value and response_shape(value) is None)

    def chunk(self, value: dict[str, Any], frame: int, events: list[StreamEvent], *, seed: str, rough: bool = False, whole: bool = False) -> None:
        """Append what one JSON object of the answer means.

        Args:
            value: the object.
            frame: its number in the stream.
            events: where to.
            seed: the object's text, from which missing ids are derived.
            rough: the text was not strict JSON, so that half characters are possible.
            whole: the object is a whole response body, not a piece of a stream.
        """
        self._rough, self._seed = rough, seed
        if not self._started or not all(self._named):
            self._start(value, frame, events)
        choices = value.get("choices")
        if choices:
            self._choices(choices, frame, events, whole)
        usage = value.get("usage")
        if usage is None and "x_groq" in value:
            usage = value["x_groq"].get("usage") if isinstance(value["x_groq"], dict) else None
        if usage and (read := read_usage(usage)):
            events.append(UsageReported(usage=read, frame=frame))

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:
        """Append the last events of an answer that was not refused.

        Args:
            events: where to.
            whole: it came as one body, which cannot break off.
            done: the stream said that it was at its end.
        """
        self._flush_text(events, -1)
        self._close_reasoning(events, -1)
        word = self._finish_word
        allowed = word in CALLS_MAY_RUN
        first = len(events)
        truncated = self._calls.finish(events, cut=not allowed)
        calls = len(self._calls) - sum(isinstance(event, CallDropped) for event in events[first:])
        reason = neutral_reason(word, calls=calls > 0, refused=self._refused) if word else "unknown" if whole else "incomplete"
        if not calls and (problem := self._about_text(word)):
            events.append(problem)
            if word in ("tool_calls", "function_call"):
                reason = "error" if problem.code == "no-calls" else "end"
        if reason == "incomplete":
            events.append(_NO_REASON if done else _BROKEN)
        elif truncated and allowed:
            events.append(Problem(code="call-cut-off", text="The arguments of a call stop in the middle although the answer claims to be complete."))
        events.append(ResponseEnded(finish_reason=reason, finish_raw=clean_text(word), calls_may_run=allowed and not truncated))

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended; its calls are `truncated` unless they are whole, and none may run."""
        self._flush_text(events, frame)
        self._close_reasoning(events, frame)
        self._calls.finish(events, cut=True)
        events.append(error.as_event(frame))

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a problem, the first time it is met."""
        if code not in self._told:
            self._told.add(code)
            events.append(Problem(code=code, text=text, frame=frame))

    def _start(self, value: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        found = (_text_of(value.get("id")), _text_of(value.get("model")))
        named = (self._named[0] or found[0], self._named[1] or found[1])
        if not self._started or named != self._named:
            self._started, self._named = True, named
            events.append(ResponseStarted(response_id=named[0], model=named[1], frame=frame))

    def _choices(self, choices: Any, frame: int, events: list[StreamEvent], whole: bool) -> None:
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict):
                continue
            if choice.get("index") not in (0, None, "0"):
                self.tell("other-choices", "The provider sent more than one answer; only the first is kept.", frame, events)
                continue
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                delta = choice.get("message")
                if isinstance(delta, dict) and not whole and self._is_repeat(delta):
                    delta = None
            if isinstance(delta, dict):
                self._delta(delta, frame, events, whole)
            word = choice.get("finish_reason")
            if word:
                self._finish_word = word if isinstance(word, str) else str(word)

    def _is_repeat(self, message: dict[str, Any]) -> bool:
        """Whether a message in a stream says again what its deltas said."""
        return bool(self._text) and message.get("content") == "".join(self._text)

    def _delta(self, delta: dict[str, Any], frame: int, events: list[StreamEvent], whole: bool) -> None:
        thought = delta.get("reasoning_content")
        if thought:
            self._reasoning("reasoning_content", thought, frame, events)
        elif thought := delta.get("reasoning"):
            self._reasoning("reasoning", thought, frame, events)
        if details := delta.get("reasoning_details"):
            self._add_details(details, frame, events, whole)
        content = delta.get("content")
        if content:
            self._content(content, frame, events)
        if refusal := delta.get("refusal"):
            self._refused = True
            self._content(refusal, frame, events)
        calls = delta.get("tool_calls")
        if calls:
            self._tool_calls(calls, frame, events)
        if (legacy := delta.get("function_call")) and isinstance(legacy, dict):
            self._tool_calls([{"function": legacy}], frame, events)
        if delta.get("extra_content"):
            item = OpaquePart(dialect="chat_completions", provider="", item={"extra_content": delta["extra_content"]})
            events.append(OpaqueItem(part=item, frame=frame))

    def _reasoning(self, field: str, thought: Any, frame: int, events: list[StreamEvent]) -> None:
        if not isinstance(thought, str):
            self.tell("reasoning-not-text", "The reasoning came in a form that is not text; it is only in the raw response.", frame, events)
            return
        text = self._clean(thought, 1)
        if text:
            self._thinking.append(text)
            self._thinking_field = field
            self._only_details = False
            events.append(ReasoningDelta(text=text, field=field, frame=frame))

    def _add_details(self, details: Any, frame: int, events: list[StreamEvent], whole: bool) -> None:
        if (self._only_details or not self._thinking_field) and (text := readable(details)):
            self._reasoning("reasoning", text, frame, events)
            self._only_details = True
        self._details.add(details, whole=whole)

    def _content(self, content: Any, frame: int, events: list[StreamEvent]) -> None:
        if isinstance(content, str):
            self._add_content(content, frame, events)
            return
        for part in content if isinstance(content, list) else [content]:
            self._content_part(part, frame, events)

    def _content_part(self, part: Any, frame: int, events: list[StreamEvent]) -> None:
        match part:
            case str() | {"type": "text" | "output_text", "text": str()} | {"text": str()}:
                self._add_content(part if isinstance(part, str) else part["text"], frame, events)
            case {"type": "thinking", "thinking": thought}:
                text = thought if isinstance(thought, str) else readable(thought)
                if text:
                    self._reasoning("thinking_content", text, frame, events)
            case {"type": "refusal", "refusal": str() as text}:
                self._refused = True
                self._add_content(text, frame, events)
            case _:
                self.tell("content-part-unknown", "Part of the answer is of a kind that is not known; it is only in the raw response.", frame, events)

    def _add_content(self, text: str, frame: int, events: list[StreamEvent]) -> None:
        text = self._clean(text, 0)
        if self._tags is None:
            self._add_text(text, frame, events)
            return
        for piece in self._tags.feed(text):
            if piece.reasoning:
                events.append(ReasoningDelta(text=piece.text, field="think_tag", frame=frame))
            else:
                self._add_text(piece.text, frame, events)
        if self._tags.done:
            self._tags = None

    def _add_text(self, text: str, frame: int, events: list[StreamEvent]) -> None:
        if text:
            if self._thinking or self._details:
                self._close_reasoning(events, frame)
            self._text.append(text)
            events.append(TextDelta(text=text, frame=frame))

    def _clean(self, text: str, channel: int) -> str:
        joiner = self._halves[channel]
        return joiner.feed(text) if self._rough or joiner.waiting else text

    def _flush_text(self, events: list[StreamEvent], frame: int) -> None:
        """Give out what was held back for a character or tag that did not come."""
        if half := self._halves[1].finish():
            self._thinking.append(half)
            events.append(ReasoningDelta(text=half, field=self._thinking_field, frame=frame))
        if half := self._halves[0].finish():
            self._rough = False
            self._add_content(half, frame, events)
        for piece in self._tags.finish() if self._tags else ():
            if piece.reasoning:
                events.append(ReasoningDelta(text=piece.text, field="think_tag", frame=frame))
            else:
                self._add_text(piece.text, frame, events)

    def _close_reasoning(self, events: list[StreamEvent], frame: int) -> None:
        if self._details:
            field = self._thinking_field or "reasoning"
            part = ReasoningPart(text="".join(self._thinking), field=field, details=self._details.take())  # type: ignore[arg-type]
            events.append(ReasoningDone(part=part, frame=frame))
        self._thinking.clear()

    def _tool_calls(self, calls: Any, frame: int, events: list[StreamEvent]) -> None:
        if isinstance(calls, str):
            try:
                calls = read_json(calls)
            except ValueError:
                self.tell("calls-not-json", "Tool calls came as text that is not JSON.", frame, events)
                return
        if not len(self._calls):
            self._flush_text(events, frame)
        if self._thinking or self._details:
            self._close_reasoning(events, frame)
        for item in calls if isinstance(calls, list) else [calls]:
            if isinstance(item, dict):
                self._calls.take(self._piece(item), frame, events)

    def _piece(self, item: dict[str, Any]) -> CallPiece:
        function, kind, words = item.get("function"), "function", "arguments"
        if not isinstance(function, dict):
            custom = item.get("custom")
            function, kind, words = (custom, "custom", "input") if isinstance(custom, dict) else (item, "function", "arguments")
        known = function if function is item else {}
        return CallPiece(
            slot=_index_of(item.get("index")),
            wire_id=_text_of(item.get("id")),
            name=_text_of(function.get("name")),
            arguments=function.get(words),
            kind=_KINDS[kind],
            metadata={name: value for name, value in item.items() if name not in _CALL_MEMBERS and name not in known} or None,
            seed=self._seed,
        )

    def _about_text(self, word: str) -> Problem | None:
        """Return what is odd about an answer without calls."""
        text = "".join(self._text)
        if markup := leaked_call(text):
            return Problem(code="leaked-call", text=f"The text holds a tool call that the server did not recognise ({markup}); it was not run.")
        if word in ("tool_calls", "function_call"):
            return Problem(code="no-calls", text="The answer says that it ends with tool calls, but there are none.")
        if word and not text.strip():
            return Problem(code="empty-answer", text="The answer is empty.")
        return None


_BROKEN = Problem(code="stream-broken", text="The connection was lost before the answer had ended.")
_NO_REASON = Problem(code="no-finish-reason", text="The stream ended without saying why the answer ends; it may be cut off.")
_KINDS: dict[str, CallKind] = {"function": "function", "custom": "custom"}


def _index_of(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) < 10 and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) else None


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value if value.isascii() else clean_text(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
