"""Reads the JSON of a Gemini answer, chunk by chunk or whole, into stream events. A chunk is a whole response whose parts are appended.

Every member may be missing, null or of another type than it should be; what cannot be used is left out with a Problem, once.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workbench.conversation.messages import DialectName, FinishReason, OpaquePart, ReasoningPart
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
from workbench.dialects.errors import ErrorBody
from workbench.dialects.gemini.answer_calls import AnswerCalls
from workbench.dialects.gemini.finish import CALLS_MAY_RUN, TROUBLES, neutral_reason, word_of
from workbench.dialects.gemini.parts import member
from workbench.dialects.gemini.usage import read_usage
from workbench.dialects.leaks import leaked_call
from workbench.dialects.surrogates import HalfJoiner

_PIECE_MEMBERS = ("candidates", "usageMetadata", "promptFeedback")
_MESSAGE_LIMIT = 500


class AnswerReader:
    """One answer. Call `chunk` for each JSON object in order, then `end` or `fail` once.

    Args:
        quirks: those of the server.
        tools: the names of the tools that were offered, as far as they are known.
    """

    def __init__(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> None:
        self.dialect: DialectName = "gemini"
        self.ended = False
        self._calls = AnswerCalls(quirks, tools)
        self._halves = (HalfJoiner(), HalfJoiner())
        self._last = ""
        self._text: list[str] = []
        self._shown = False
        self._finish_word = self._finish_message = ""
        self._blocked: tuple[str, str] | None = None
        self._told: set[str] = set()
        self._named = ("", "")
        self._started = False
        self._rough = False

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:
        """Say whether an object is a chunk of an answer, or a body with an answer or the reason why there is none."""
        if whole:
            return bool(value.get("candidates")) or isinstance(value.get("promptFeedback"), dict)
        return any(name in value for name in _PIECE_MEMBERS)

    def chunk(
        self, value: dict[str, Any], frame: int, events: list[StreamEvent], *, seed: str, rough: bool = False, whole: bool = False,  # noqa: ARG002
    ) -> None:
        """Append what one chunk, or a whole body, means; see `Answer`."""
        self._rough = rough
        if not self._started or not all(self._named):
            self._start(value, frame, events)
        seed = self._named[0] or seed  # the id of the response, so that the body and the stream of one answer give its calls the same ids
        feedback = value.get("promptFeedback")
        if isinstance(feedback, dict) and (reason := feedback.get("blockReason")):
            self._blocked = _text_of(reason) or str(reason), _text_of(feedback.get("blockReasonMessage"))
        candidates = value.get("candidates")
        for candidate in candidates if isinstance(candidates, list) else ():
            if isinstance(candidate, dict):
                self._candidate(candidate, frame, events, seed)
        if usage := read_usage(value.get("usageMetadata")):
            events.append(UsageReported(usage=usage, frame=frame))

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:
        """Append the last events of an answer that was not refused."""
        self._flush(events, -1)
        word = self._finish_word
        allowed = word in CALLS_MAY_RUN
        first = len(events)
        truncated = self._calls.finish(events, cut=not allowed)
        calls = len(self._calls) - sum(isinstance(event, CallDropped) for event in events[first:])
        if self._blocked and not word:
            events.append(Problem(code="prompt-blocked", text=_sentence(f"The provider blocked the request ({self._blocked[0]})", self._blocked[1])))
            events.append(ResponseEnded(finish_reason="content_filter", finish_raw=self._blocked[0], calls_may_run=False))
            return
        reason: FinishReason = neutral_reason(word, calls=calls > 0) if word else "unknown" if whole else "incomplete"
        events.extend(self._about_the_end(word, calls))
        if reason == "incomplete":
            events.append(_NO_REASON if done else _BROKEN)
        elif truncated and allowed:
            events.append(Problem(code="call-cut-off", text="The arguments of a call stop in the middle although the answer claims to be complete."))
        events.append(ResponseEnded(finish_reason=reason, finish_raw=clean_text(word), calls_may_run=allowed and not truncated))

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended; none of its calls may run."""
        self._flush(events, frame)
        self._calls.finish(events, cut=True)
        events.append(error.as_event(frame))

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a problem, the first time it is met."""
        if code not in self._told:
            self._told.add(code)
            events.append(Problem(code=code, text=text, frame=frame))

    def _start(self, value: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        named = (self._named[0] or _text_of(value.get("responseId")), self._named[1] or _text_of(value.get("modelVersion")))
        if not self._started or named != self._named:
            self._started, self._named = True, named
            events.append(ResponseStarted(response_id=named[0], model=named[1], frame=frame))

    def _candidate(self, candidate: dict[str, Any], frame: int, events: list[StreamEvent], seed: str) -> None:
        if candidate.get("index") not in (0, None, "0"):
            self.tell("other-candidates", "The provider sent more than one answer; only the first is kept.", frame, events)
            return
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        for part in parts if isinstance(parts, list) else ():
            if isinstance(part, dict):
                self._part(part, frame, events, seed)
        if word := word_of(candidate.get("finishReason")):
            self._finish_word = word
        self._finish_message = _text_of(candidate.get("finishMessage")) or self._finish_message

    def _part(self, part: dict[str, Any], frame: int, events: list[StreamEvent], seed: str) -> None:
        signature = _text_of(member(part, "thoughtSignature"))
        text, call = part.get("text"), member(part, "functionCall")
        has_call = isinstance(call, dict)
        own = "" if has_call else signature
        if isinstance(text, str):
            (self._think if part.get("thought") is True else self._say)(text, own, frame, events)
        elif own and set(part) <= _SIGNED:
            self._say("", own, frame, events)
        if has_call:
            self._leave("call", frame, events)
            self._calls.take(call, signature, frame, events, seed)
        elif not isinstance(text, str) and not set(part) <= _SIGNED:
            self._leave("other", frame, events)
            self._shown = True
            events.append(OpaqueItem(part=OpaquePart(dialect="gemini", provider="", item=part), frame=frame))

    def _think(self, text: str, signature: str, frame: int, events: list[StreamEvent]) -> None:
        if text or signature:
            self._leave("thought", frame, events)
        if text := self._clean(text, 1):
            events.append(ReasoningDelta(text=text, frame=frame))
        if signature:
            events.append(ReasoningDone(part=ReasoningPart(signature=signature), frame=frame))
            self._last = ""

    def _say(self, text: str, signature: str, frame: int, events: list[StreamEvent]) -> None:
        """Take text. A signature stays on its part; on a part without text it belongs to the unsigned text just before it."""
        if not text and not signature:
            return
        begins = self._last == "signed" or (self._last == "text" and bool(signature) and bool(text))
        self._leave("text", frame, events, begins=begins)
        text = self._clean(text, 0)
        if text or signature:
            self._text.append(text)
            events.append(TextDelta(text=text, signature=signature, begins=begins, frame=frame))
        self._last = "signed" if signature else "text"

    def _leave(self, kind: str, frame: int, events: list[StreamEvent], *, begins: bool = False) -> None:
        """Close what was open when something of another kind comes: half characters, and the reasoning so far."""
        if kind != self._last and not (kind == "text" and self._last == "signed" and not begins):
            self._flush(events, frame)
            if self._last == "thought":
                events.append(ReasoningDone(part=ReasoningPart(), frame=frame))
        self._last = kind

    def _clean(self, text: str, channel: int) -> str:
        joiner = self._halves[channel]
        return joiner.feed(text) if self._rough or joiner.waiting else text

    def _flush(self, events: list[StreamEvent], frame: int) -> None:
        """Give out what was held back for the other half of a character."""
        if half := self._halves[1].finish():
            events.append(ReasoningDelta(text=half, frame=frame))
        if half := self._halves[0].finish():
            self._text.append(half)
            events.append(TextDelta(text=half, frame=frame))

    def _about_the_end(self, word: str, calls: int) -> list[StreamEvent]:
        """Return what is odd about the way the answer ended, or about an answer without calls."""
        text = "".join(self._text)
        if trouble := TROUBLES.get(word):
            return [Problem(code=trouble.code, text=_sentence(f"{trouble.text} ({word})", self._finish_message) + " Nothing was run; ask again.")]
        if calls or not word:
            return []
        if markup := leaked_call(text):
            return [Problem(code="leaked-call", text=f"The text holds a tool call that the server did not recognise ({markup}); it was not run.")]
        if text.strip() or self._shown:
            return []
        if word == "MAX_TOKENS":
            return [Problem(code="budget-spent", text="The output limit was spent before the answer began, probably on thinking.")]
        return [Problem(code="empty-answer", text="The answer is empty.")] if word == "STOP" else []


_SIGNED = frozenset({"thoughtSignature", "thought_signature", "thought"})
_BROKEN = Problem(code="stream-broken", text="The connection was lost before the answer had ended.")
_NO_REASON = Problem(code="no-finish-reason", text="The stream ended without saying why the answer ends; it may be cut off.")


def _sentence(text: str, more: str) -> str:
    more = more.strip()[:_MESSAGE_LIMIT]
    return f"{text}: {more.rstrip('.')}." if more else f"{text}."


def _text_of(value: Any) -> str:
    if isinstance(value, str):
        return value if value.isascii() else clean_text(value)
    return ""
