"""Reads an answer of Chat Completions whose text is ReAct: thoughts, the action as a call, the final answer as text.

The JSON around the text is chat's matter; here its text events become others. A thought is reasoning (field ``thought``); an action's input
is shown as a call's arguments, never as prose; an observation ends the answer, because the model would invent it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import CallStatus, DialectName, ToolCallPart
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallNamed,
    CallStarted,
    Problem,
    ReasoningDelta,
    ResponseEnded,
    StreamEvent,
    TextDelta,
)
from workbench.conversation.values import JsonObject
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.calls import derived_id
from workbench.dialects.chat_completions.answer import AnswerReader
from workbench.dialects.errors import ErrorBody
from workbench.dialects.react.inputs import BOTH, Bound
from workbench.dialects.react.reader import Said, TurnReader
from workbench.dialects.react.turns import WRITTEN, verdict_of, written

_KEY = 1_000_000
"""The key of the action's call: above those of calls that a server may send beside the text."""
_NEEDLESS = ("no-finish-reason", "stream-broken", "empty-answer")


class ReactAnswer:
    """One answer; see `Answer`.

    Args:
        quirks: those of the server.
        tools: the names that were offered; a mapping of them to their schemas says which parameter free text is meant for.
    """

    def __init__(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> None:
        self.dialect: DialectName = "chat_completions"
        self.ended = False
        self._chat = AnswerReader(quirks)
        self._tools: Mapping[str, JsonObject | None] = tools if isinstance(tools, Mapping) else dict.fromkeys(tools)
        self._turn = TurnReader()
        self._begins = False
        self._named = ""
        self._native = False
        self._thoughts: list[str] = []
        self._texts: list[str] = []
        self._call_id = ""

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:
        """Say whether an object is a piece of an answer."""
        return self._chat.is_piece(value, whole=whole)

    def chunk(self, value: dict[str, Any], frame: int, events: list[StreamEvent], *, seed: str, rough: bool = False, whole: bool = False) -> None:
        """Append what one JSON object of the answer means."""
        self._call_id = self._call_id or derived_id(f"react {seed}")
        came: list[StreamEvent] = []
        self._chat.chunk(value, frame, came, seed=seed, rough=rough, whole=whole)
        self._pass_on(came, events)
        self.ended = self._turn.stopped

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:
        """Append the last events of an answer that was not refused."""
        came: list[StreamEvent] = []
        self._chat.end(came, whole=whole, done=done)
        ends = [event for event in came if isinstance(event, ResponseEnded)]
        problems = [event for event in came if isinstance(event, Problem)]
        self._pass_on([event for event in came if not isinstance(event, Problem | ResponseEnded)], events)
        self._finish_text(events)
        cut_here = self._turn.stopped and not ends[-1].finish_raw
        events.extend(problem for problem in problems if not (cut_here and problem.code in _NEEDLESS))
        self._close(ResponseEnded(finish_reason="end", finish_raw="stop") if cut_here else ends[-1], events)

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended; its call does not run."""
        came: list[StreamEvent] = []
        self._chat.fail(error, frame, came)
        failed = came.pop()
        self._pass_on(came, events)
        self._finish_text(events)
        self._finish_call(events, cut=True)
        events.append(failed)

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a problem, the first time it is met."""
        self._chat.tell(code, text, frame, events)

    def _pass_on(self, came: list[StreamEvent], events: list[StreamEvent]) -> None:
        for event in came:
            if isinstance(event, TextDelta):
                for said in self._turn.feed(event.text):
                    self._say(said, event.frame, events)
            else:
                self._native |= isinstance(event, CallStarted)
                events.append(event)

    def _say(self, said: Said, frame: int, events: list[StreamEvent]) -> None:
        match said.kind:
            case "thought":
                self._thoughts.append(said.text)
                events.append(ReasoningDelta(text=said.text, field="thought", frame=frame))
            case "text":
                self._texts.append(said.text)
                events.append(TextDelta(text=said.text, begins=self._begins, frame=frame))
                self._begins = False
            case "answer":
                self._begins = bool(self._texts)
                self._texts.append("\n\n" if self._texts else "")
            case "name":
                self._named = said.text
                events.append(CallStarted(key=_KEY, call_id=self._call_id, name=said.text, frame=frame))
            case "input":
                events.append(CallArgumentsDelta(key=_KEY, text=said.text, frame=frame))

    def _finish_text(self, events: list[StreamEvent]) -> None:
        for said in self._turn.finish():
            self._say(said, -1, events)
        turn = self._turn
        if turn.stopped:
            text = f"The model wrote a result itself; it was not used, nor what stood behind it: {turn.invented.strip()}"
            events.append(Problem(code="invented-observation", text=text))
        if turn.more_actions:
            events.append(Problem(code="several-actions", text="The model asked for several actions at once; only the first is carried out."))
        if turn.answered_early:
            events.append(Problem(code="answer-before-result", text=f"{BOTH}; the action counts, the answer was written without its result."))

    def _close(self, ended: ResponseEnded, events: list[StreamEvent]) -> None:
        status = self._finish_call(events, cut=not ended.calls_may_run)
        if status is not None and ended.finish_reason in ("end", "refusal"):
            ended = replace(ended, finish_reason="tool_use")
        events.append(replace(ended, calls_may_run=ended.calls_may_run and status != "truncated"))

    def _finish_call(self, events: list[StreamEvent], *, cut: bool) -> str | None:
        """Append the final word on the action; return its status, None if there is no action."""
        verdict = None if self._native and self._turn.name is None else verdict_of(self._turn, self._tools)
        if verdict is None or (cut and self._turn.name is None):
            return None
        name, arguments = verdict
        if self._turn.name is None:
            events.append(CallStarted(key=_KEY, call_id=self._call_id, name=name))
        elif self._named != name:
            events.append(CallNamed(key=_KEY, name=name))
        if arguments.correction and not cut:
            events.append(_corrected(name, arguments))
        status: CallStatus = "truncated" if cut and not self._turn.stopped else arguments.status
        call = ToolCallPart(call_id=self._call_id, name=name, arguments_raw=arguments.raw, status=status, correction=arguments.correction)
        events.append(
            CallDone(
                key=_KEY,
                call_id=call.call_id,
                name=name,
                arguments_raw=arguments.raw if status != "truncated" or self._turn.input is not None else "",
                status=status,
                repaired=arguments.repaired,
                correction=arguments.correction if status != "truncated" else "",
                metadata=self._own_text(call),
            )
        )
        return status

    def _own_text(self, call: ToolCallPart) -> JsonObject:
        """Return the model's own text of the turn, where ours would differ from it."""
        kept = self._turn.kept
        return {} if kept == written("".join(self._thoughts), "".join(self._texts).strip(), call) else {WRITTEN: kept}


def _corrected(name: str, arguments: Bound) -> Problem:
    """Return what people are told when the model is corrected; what it is told itself is the result of its call."""
    if arguments.status == "complete":
        return Problem(code="tool-not-offered", text=f"The model asked for a tool that it was not offered: {name}")
    return Problem(code="format-corrected", text=f"The model did not keep to the form of an answer. It is told: {arguments.correction}")
