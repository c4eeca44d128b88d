"""Reads the events of a Responses stream, or a whole response, into stream events.

Items are put together by their `output_index` (some servers change the ids from event to event). What an item says when it is done
counts more than its pieces, and what the response says at its end fills in the items that were missed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import DialectName, OpaquePart
from workbench.conversation.stream import (
    CallDone,
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
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.calls import CallPiece, CallTable
from workbench.dialects.errors import ErrorBody, error_in
from workbench.dialects.json_text import write_json
from workbench.dialects.leaks import leaked_call
from workbench.dialects.responses.finish import COMPLETED, end_word, neutral_reason
from workbench.dialects.responses.items import (
    NAME,
    NATIVE,
    content_text,
    is_call,
    is_refusal,
    objects,
    phase_of,
    read_call,
    read_reasoning,
    text_of,
)
from workbench.dialects.responses.usage import read_usage
from workbench.dialects.responses.wrapper import unwrapped
from workbench.dialects.surrogates import HalfJoiner

_TEXT_DELTAS = {"response.output_text.delta": "output_text", "response.refusal.delta": "refusal"}
_THOUGHT_DELTAS = {"response.reasoning_summary_text.delta": "summary", "response.reasoning_text.delta": "content"}
_ARGUMENT_DELTAS = ("response.function_call_arguments.delta", "response.custom_tool_call_input.delta", "response.mcp_call_arguments.delta")
_ARGUMENTS_DONE = {"response.function_call_arguments.done": "arguments", "response.custom_tool_call_input.done": "input"}
_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")
_OPENED_BY = {"output_text": "message", "refusal": "message", "summary": "reasoning", "content": "reasoning"}


@dataclass
class _Item:
    """An item of the answer as far as it came."""

    item: dict[str, Any]
    done: bool = False
    pieces: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    halves: HalfJoiner = field(default_factory=HalfJoiner)
    diff_begun: bool = False

    @property
    def kind(self) -> str:
        return text_of(self.item.get("type")) or "message"

    def said(self, name: str, place: int) -> str:
        return "".join(self.pieces.get((name, place), ()))

    def all_said(self, name: str) -> list[str]:
        return ["".join(pieces) for (kind, _), pieces in sorted(self.pieces.items()) if kind == name]


class AnswerReader:
    """One answer. Call `chunk` for each JSON object in order, then `end` or `fail` once.

    Args:
        quirks: those of the server.
        tools: the names of the tools that were offered, as far as they are known.
    """

    def __init__(self, quirks: Quirks = NORM, tools: Collection[str] = ()) -> None:
        self.dialect: DialectName = NAME
        self.ended = False
        self._tools = frozenset(tools)
        self._calls = CallTable(split_glued=quirks.split_glued_arguments, tools=tools)
        self._items: dict[int, _Item] = {}
        self._last = 0
        self._spoke: tuple[int, int] | None = None
        self._text: list[str] = []
        self._word = ""
        self._failure: ErrorBody | None = None
        self._refused = self._cut = self._started = self._thought = self._opaque = False
        self._named = ("", "")
        self._told: set[str] = set()
        self._seed = ""

    def is_piece(self, value: dict[str, Any], *, whole: bool = False) -> bool:
        """Say whether an object is an event of this dialect, or a `whole` response."""
        if whole:
            return value.get("object") == "response" or isinstance(value.get("output"), list)
        kind = value.get("type")
        return (isinstance(kind, str) and kind.startswith("response.")) or value.get("object") == "response"

    def chunk(self, value: dict[str, Any], frame: int, events: list[StreamEvent], *, seed: str, rough: bool = False, whole: bool = False) -> None:  # noqa: ARG002
        """Append what one JSON object of the answer means; see `Answer.chunk`. Half characters are joined whether or not it is `rough`."""
        self._seed = seed
        kind = value.get("type")
        if whole or not isinstance(kind, str) or not kind.startswith("response."):
            self._close(value, "", frame, events)
        elif kind in _ENDS:
            response = value.get("response")
            self._close(response if isinstance(response, dict) else {}, kind.rpartition(".")[2], frame, events)
        elif isinstance(value.get("response"), dict):
            self._start(value["response"], frame, events)
        else:
            self._event(kind, value, frame, events)

    def end(self, events: list[StreamEvent], *, whole: bool = False, done: bool = False) -> None:
        """Append the last events of an answer; those of a failure if the response said that it failed."""
        if self._failure is not None:
            self.fail(self._failure, -1, events)
            return
        self._close_items(events, -1)
        word = self._word
        allowed = word == COMPLETED and not self._cut
        first = len(events)
        truncated = self._calls.finish(events, cut=not allowed)
        events[first:] = unwrapped(events[first:], self._tools)
        calls = sum(isinstance(event, CallDone) for event in events[first:])
        reason = neutral_reason(word, calls=calls > 0, refused=self._refused) if word else "unknown" if whole else "incomplete"
        if word == COMPLETED and self._cut:
            reason = "length"
        if not calls and word == COMPLETED and (problem := self._about_text()):
            events.append(problem)
        if not word and not whole:
            events.append(_NO_END if done else _BROKEN)
        elif reason == "incomplete":
            events.append(Problem(code="not-finished", text="The response is still being written; this is not all of it."))
        elif truncated and word == COMPLETED:
            events.append(Problem(code="call-cut-off", text="The arguments of a call stop in the middle although the answer claims to be complete."))
        events.append(ResponseEnded(finish_reason=reason, finish_raw=word, calls_may_run=allowed and not truncated))

    def fail(self, error: ErrorBody, frame: int, events: list[StreamEvent]) -> None:
        """Append the last events of an answer that an error ended; none of its calls may run."""
        self._close_items(events, frame)
        self._calls.finish(events, cut=True)
        events.append(error.as_event(frame))

    def tell(self, code: str, text: str, frame: int, events: list[StreamEvent]) -> None:
        """Append a problem, the first time it is met."""
        if code not in self._told:
            self._told.add(code)
            events.append(Problem(code=code, text=text, frame=frame))

    def _start(self, response: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        found = (text_of(response.get("id")), text_of(response.get("model")))
        named = (self._named[0] or found[0], self._named[1] or found[1])
        if not self._started or named != self._named:
            self._started, self._named = True, named
            events.append(ResponseStarted(response_id=named[0], model=named[1], frame=frame))

    def _close(self, response: dict[str, Any], event: str, frame: int, events: list[StreamEvent]) -> None:
        """Take the whole response: fill in what was missed, and read how it ended."""
        self._start(response, frame, events)
        for place, item in enumerate(objects(response.get("output"))):
            index = self._missed(place, item)
            if index is not None:
                self._done(index, item, frame, events)
        if usage := read_usage(response.get("usage")):
            events.append(UsageReported(usage=usage, frame=frame))
        self._word = end_word(response, event)
        if isinstance(response.get("error"), dict) and response["error"]:
            self._failure = error_in({"error": response["error"]})
        if self._word == "failed" and self._failure is None:
            self._failure = ErrorBody(message="The provider says that the response failed, and gives no reason.", kind="server", code="failed")
        if self._failure is not None and self._failure.kind == "unknown":
            self._failure = replace(self._failure, kind="server")
        self.ended = True

    def _missed(self, place: int, item: dict[str, Any]) -> int | None:
        """Return where to put an item that the response holds in the end; None if it is known already."""
        known = self._items.get(place)
        if known is None:
            call_id = item.get("call_id")
            same = [other for other in self._items.values() if call_id and other.item.get("call_id") == call_id]
            return None if any(other.done for other in same) else place
        if known.kind != (item.get("type") or "message"):
            return None if any(other.done and other.kind == item.get("type") for other in self._items.values()) else max(self._items) + 1
        return None if known.done else place

    def _event(self, kind: str, value: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        index = self._index(value)
        item = value.get("item")
        if kind == "response.output_item.added":
            self._open(index, item if isinstance(item, dict) else {}, frame, events)
        elif kind == "response.output_item.done":
            self._done(index, item if isinstance(item, dict) else {}, frame, events)
        elif kind in _ARGUMENTS_DONE:
            self._settle(index, value.get(_ARGUMENTS_DONE[kind]), frame, events)
        elif isinstance(delta := value.get("delta"), str) and delta:
            self._delta(kind, index, value, delta, frame, events)

    def _index(self, value: dict[str, Any]) -> int:
        """Return which item an event is about; one that does not say it is about the one it names, or the last."""
        index = value.get("output_index")
        if isinstance(index, int) and not isinstance(index, bool):
            self._last = index
        elif value.get("type") == "response.output_item.added":
            self._last = max(self._items, default=-1) + 1
        else:
            wanted = value.get("item_id") or (value["item"].get("id") if isinstance(value.get("item"), dict) else None)
            named = [place for place, known in self._items.items() if wanted and known.item.get("id") == wanted]
            self._last = named[-1] if named else self._last
        return self._last

    def _delta(self, kind: str, index: int, value: dict[str, Any], delta: str, frame: int, events: list[StreamEvent]) -> None:
        if name := _TEXT_DELTAS.get(kind):
            self._refused |= name == "refusal"
            self._say(self._known(index, name, frame, events), index, _place(value, "content_index"), delta, frame, events)
        elif name := _THOUGHT_DELTAS.get(kind):
            self._think(self._known(index, name, frame, events), name, _place(value, f"{name}_index"), delta, frame, events)
        elif kind in _ARGUMENT_DELTAS and (known := self._items.get(index)) and not known.done and is_call(known.item):
            self._calls.take(CallPiece(slot=index, arguments=delta, seed=self._seed), frame, events)
        elif kind == "response.apply_patch_call_operation_diff.delta" and (known := self._items.get(index)) and not known.done:
            self._grow_diff(known, index, delta, frame, events)

    def _known(self, index: int, name: str, frame: int, events: list[StreamEvent]) -> _Item:
        """Return an item; one whose beginning was missed is opened by its first piece."""
        if index not in self._items:
            self._open(index, {"type": _OPENED_BY[name]}, frame, events)
        return self._items[index]

    def _open(self, index: int, item: dict[str, Any], frame: int, events: list[StreamEvent]) -> _Item:
        known = self._items.get(index)
        if known is not None and (known.kind == (text_of(item.get("type")) or "message") or known.done):
            return known
        known = self._items[index] = _Item(item)
        if known.kind == "reasoning":
            events.append(ReasoningDelta(text="", begins=True, frame=frame))
        elif is_call(item):
            call = read_call(item)
            self._calls.take(CallPiece(index, call.wire_id, call.name, None, call.kind, call.metadata or None, self._seed), frame, events)
        return known

    def _done(self, index: int, item: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        known = self._items.get(index)
        if known is None or (known.kind != (text_of(item.get("type")) or "message") and not known.done):
            known = self._open(index, item, frame, events)
        if known.done:
            return
        known.done = True
        if known.kind == "message":
            self._finish_text(known, index, item, frame, events)
        elif known.kind == "reasoning":
            self._finish_thought(known, item, frame, events)
        elif is_call(item):
            self._finish_call(known, index, item, frame, events)
        else:
            self._opaque = True
            events.append(OpaqueItem(part=OpaquePart(dialect=NAME, provider="", item=item), frame=frame))
        known.item = item

    def _say(self, known: _Item, index: int, place: int, delta: str, frame: int, events: list[StreamEvent]) -> None:
        text = known.halves.feed(delta)
        if known.done or not text:
            return
        known.pieces.setdefault(("text", place), []).append(text)
        self._text.append(text)
        events.append(TextDelta(text=text, phase=phase_of(known.item), begins=self._spoke not in (None, (index, place)), frame=frame))
        self._spoke = (index, place)

    def _finish_text(self, known: _Item, index: int, item: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        known.done = False
        self._refused |= is_refusal(item)
        if phase_of(item) and not known.pieces:
            known.item = item
        content = item.get("content")
        for place, part in enumerate(content if isinstance(content, list) else [{"text": content}]):
            final, said = content_text(part), known.said("text", place)
            if final.startswith(said):
                known.halves = HalfJoiner()
                self._say(known, index, place, final[len(said) :], frame, events)
            elif final:
                self._text.append(final)
                events.append(TextDelta(text=final, phase=phase_of(known.item), replaces=True, frame=frame))
                self.tell("text-differs", "The text of the finished answer is another than that of its pieces; the finished one counts.", frame, events)
        known.done = True

    def _think(self, known: _Item, name: str, place: int, delta: str, frame: int, events: list[StreamEvent]) -> None:
        text = known.halves.feed(delta)
        if known.done or not text:
            return
        between = "\n\n" if name == "summary" and (name, place) not in known.pieces and known.all_said(name) else ""
        known.pieces.setdefault((name, place), []).append(text)
        events.append(ReasoningDelta(text=between + text, frame=frame))

    def _finish_thought(self, known: _Item, item: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        """Complete reasoning. What the item leaves out of what was streamed is kept."""
        self._thought = True
        part, summary, content = read_reasoning(item), known.all_said("summary"), "".join(known.all_said("content"))
        if not part.summary and summary:
            part = replace(part, summary=tuple(summary))
        said = content or "\n\n".join(summary)
        if not part.text or (content and not item.get("content")):
            part = replace(part, text=said)
        if part.text.startswith(said) and len(part.text) > len(said):
            events.append(ReasoningDelta(text=part.text[len(said) :], frame=frame))
        events.append(ReasoningDone(part=part, frame=frame))

    def _grow_diff(self, known: _Item, index: int, delta: str, frame: int, events: list[StreamEvent]) -> None:
        """Take a piece of a patch, which is no JSON: it grows as the last member of the call's arguments."""
        operation = known.item.get("operation")
        begun = ""
        if not known.diff_begun:
            known.diff_begun = True
            rest = {name: value for name, value in operation.items() if name != "diff"} if isinstance(operation, dict) else {}
            begun = (write_json(rest).decode()[:-1] + "," if rest else "{") + '"diff":"'
        piece = begun + write_json(delta).decode()[1:-1]
        self._calls.take(CallPiece(slot=index, arguments=piece, seed=self._seed), frame, events)

    def _settle(self, index: int, arguments: Any, frame: int, events: list[StreamEvent]) -> None:
        known = self._items.get(index)
        if known and not known.done and is_call(known.item) and isinstance(arguments, str) and arguments:
            self._calls.settle(index, arguments, frame, events)

    def _finish_call(self, known: _Item, index: int, item: dict[str, Any], frame: int, events: list[StreamEvent]) -> None:
        call = read_call(item)
        first = read_call(known.item)
        wire_id, name = ("" if first.wire_id else call.wire_id), ("" if first.name else call.name)
        self._calls.take(CallPiece(index, wire_id, name, None, call.kind, call.metadata or None, self._seed), frame, events)
        if call.arguments:
            self._calls.settle(index, call.arguments, frame, events)
        self._cut |= item.get("status") == "incomplete" and known.kind not in NATIVE

    def _close_items(self, events: list[StreamEvent], frame: int) -> None:
        """Finish the items that were still open when the answer ended."""
        for known in self._items.values():
            if not known.done and known.kind == "reasoning" and known.pieces:
                known.done = True
                self._finish_thought(known, {}, frame, events)

    def _about_text(self) -> Problem | None:
        """Return what is odd about a completed answer without calls."""
        text = "".join(self._text)
        if markup := leaked_call(text):
            return Problem(code="leaked-call", text=f"The text holds a tool call that the server did not recognise ({markup}); it was not run.")
        if text.strip() or self._opaque:
            return None
        if self._thought:
            return Problem(code="reasoning-only", text="The answer holds reasoning and nothing else; it was probably cut off.")
        return Problem(code="empty-answer", text="The answer is empty.")


_BROKEN = Problem(code="stream-broken", text="The connection was lost before the answer had ended.")
_NO_END = Problem(code="no-finish-reason", text="The stream ended without an event that says how the answer ends; it may be cut off.")


def _place(value: dict[str, Any], name: str) -> int:
    place = value.get(name)
    return place if isinstance(place, int) and not isinstance(place, bool) else 0
