"""Reads the JSON of an answer, event by event or whole, into stream events. The bytes around it are somebody else's matter.

A whole body is read as the events it would have been streamed in. Every member may be missing, null or of another type.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workbench.conversation.messages import DialectName, FinishReason
from workbench.conversation.stream import CallDropped, Problem, ResponseEnded, ResponseStarted, StreamEvent, UsageReported
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.answer_blocks import OpenBlocks
from workbench.dialects.anthropic.finish import CALLS_MAY_RUN, neutral_reason
from workbench.dialects.anthropic.usage import merged, read_usage
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.errors import ErrorBody
from workbench.dialects.json_text import write_json
from workbench.dialects.leaks import leaked_call

_EVENTS = (
    *("message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop"),
    *("ping", "message"),
)
_DELTA_MEMBERS = ("type", "delta", "usage")


class AnswerReader:
    """One answer; see `Answer` in `decoding`.

    Args:
        quirks: those of the server.
        tools: the names of the tools that were offered, as far as they are known.
    """

    def __init__(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> None:
        self.dialect: DialectName = "anthropic"
        self.ended = False
        self._blocks = OpenBlocks(self.tell, split_glued=quirks.split_glued_arguments, tools=tools)
        self._named = ("", "")
        self._started = self._failed = self._stopped = False
        self._stop_word = ""
        self._usage: JsonObject = {}
        self._told: set[str] = set()

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:
        """Say whether an object is an event of a stream, or a whole message."""
        if whole:
            return value.get("type") == "message" or (isinstance(value.get("content"), list) and "stop_reason" in value)
        return value.get("type") in _EVENTS

    def chunk(self, value: dict[str, Any], frame: int, events: list[StreamEvent], *, seed: str, rough: bool = False, whole: bool = False) -> None:
        """Append what one event of the stream, or the whole body, means."""
        del rough  # halves are looked for in all texts
        match "message" if whole else value.get("type"):
            case "message_start":
                self._start(value.get("message"), frame, events)
            case "message":
                self._whole(value, frame, events, seed)
            case "content_block_start":
                self._begin(frame, events)
                block = value.get("content_block")
                self._blocks.start(value.get("index"), block if isinstance(block, dict) else {}, frame, events, seed)
            case "content_block_delta":
                self._begin(frame, events)
                delta = value.get("delta")
                self._blocks.delta(value.get("index"), delta if isinstance(delta, dict) else {}, frame, events, seed)
            case "content_block_stop":
                self._blocks.stop(value.get("index"), frame, events)
            case "message_delta":
                self._message_delta(value, frame, events)
            case "message_stop":
                self._stopped = self.ended = True
            case _:
                pass

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:
        """Append the last events of an answer that was not refused; nothing if it turned out to be none."""
        if self._failed:
            return
        word = self._stop_word
        broken = not word and not whole and not self._stopped and not done
        self._blocks.close(-1, events, cut=broken)
        allowed = word in CALLS_MAY_RUN
        first = len(events)
        truncated = self._blocks.calls.finish(events, cut=not allowed)
        calls = len(self._blocks.calls) - sum(isinstance(event, CallDropped) for event in events[first:])
        reason: FinishReason = "incomplete" if broken else neutral_reason(word, calls=calls > 0)
        if not calls and not broken and (problem := self._about_text(word)):
            events.append(problem)
            if word == "tool_use":
                reason = "error" if problem.code == "no-calls" else "end"
        if broken:
            events.append(_BROKEN)
        elif not word:
            events.append(_NO_REASON)
        elif truncated and allowed:
            events.append(Problem(code="call-cut-off", text="The arguments of a call stop in the middle although the answer claims to be complete."))
        events.append(ResponseEnded(finish_reason=reason, finish_raw=word, calls_may_run=allowed and not truncated))

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended; what was not finished is no signed reasoning, and no call may run."""
        if self._failed:
            return
        self._failed = True
        self._blocks.close(frame, events, cut=True)
        self._blocks.calls.finish(events, cut=True)
        events.append(error.as_event(frame))

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a problem, the first time it is met."""
        if code not in self._told:
            self._told.add(code)
            events.append(Problem(code=code, text=text, frame=frame))

    def _begin(self, frame: int, events: list[StreamEvent]) -> None:
        if not self._started:
            self._started = True
            events.append(ResponseStarted(frame=frame))

    def _start(self, message: Any, frame: int, events: list[StreamEvent]) -> None:
        about = message if isinstance(message, dict) else {}
        named = (_text_of(about.get("id")), _text_of(about.get("model")))
        if self._started and self._named[0] and named[0] not in ("", self._named[0]):
            self._splice(named[0], frame, events)
            return
        if self._started and named[0] == self._named[0]:
            return
        self._started, self._named = True, named
        events.append(ResponseStarted(response_id=named[0], model=named[1], frame=frame))
        self._count(about.get("usage"), frame, events, final=False)
        content = about.get("content")
        for block in content if isinstance(content, list) else ():
            self._block(block, frame, events, named[0])

    def _splice(self, other: str, frame: int, events: list[StreamEvent]) -> None:
        """Two answers run into one stream: neither is one, and their signed reasoning must not mix."""
        self.fail(
            ErrorBody(
                message=f"A second answer ({other}) began inside of the first ({self._named[0]}); the answer is dropped.", kind="server", code="spliced-stream"
            ),
            frame,
            events,
        )
        self.ended = True

    def _whole(self, message: dict[str, Any], frame: int, events: list[StreamEvent], seed: str) -> None:
        self._start({**message, "content": None, "usage": None}, frame, events)
        content = message.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for place, block in enumerate(content if isinstance(content, list) else ()):
            self._block(block, frame, events, f"{place} {seed}")
        self._end_of_message(message, frame, events)
        self._count(message.get("usage"), frame, events, final=True)

    def _block(self, block: Any, frame: int, events: list[StreamEvent], seed: str) -> None:
        if isinstance(block, dict):
            self._blocks.start(None, block, frame, events, seed)
            self._blocks.close(frame, events)

    def _message_delta(self, value: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        self._begin(frame, events)
        delta = value.get("delta")
        if isinstance(delta, dict):
            self._end_of_message(delta, frame, events)
        rest = {name: member for name, member in value.items() if name not in _DELTA_MEMBERS and member is not None}
        usage = value.get("usage")
        self._count({**(usage if isinstance(usage, dict) else {}), **rest} or None, frame, events, final=True)

    def _end_of_message(self, about: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        """Take the reason of the end; a null after it takes nothing back."""
        word = about.get("stop_reason")
        if word:
            self._stop_word = clean_text(word) if isinstance(word, str) else clean_text(str(word))
        details = about.get("stop_details")
        explained = details.get("explanation") if isinstance(details, dict) else None
        if isinstance(explained, str) and explained.strip():
            self.tell("refusal", clean_text(explained), frame, events)

    def _count(self, usage: Any, frame: int, events: list[StreamEvent], *, final: bool) -> None:
        if isinstance(usage, dict) and usage:
            self._usage = merged(self._usage, usage)
            events.append(UsageReported(usage=read_usage(self._usage, final=final), frame=frame))

    def _about_text(self, word: str) -> Problem | None:
        """Return what is odd about an answer without calls."""
        text = self._blocks.text()
        if markup := leaked_call(text):
            return Problem(code="leaked-call", text=f"The text holds a tool call that the server did not recognise ({markup}); it was not run.")
        if word == "tool_use":
            return Problem(code="no-calls", text="The answer says that it ends with tool calls, but there are none.")
        if word in ("refusal", "pause_turn") or text.strip() or self._blocks.has_opaque:
            return None
        if word and (read_usage(self._usage).output_tokens or not self._blocks.count):
            return Problem(code="empty-answer", text="The answer is empty.")
        return None


_BROKEN = Problem(code="stream-broken", text="The connection was lost before the answer had ended.")
_NO_REASON = Problem(code="no-finish-reason", text="The answer ended without saying why; it may be cut off.")


def _text_of(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else "" if value is None or isinstance(value, bool) else clean_text(write_json(value).decode())
