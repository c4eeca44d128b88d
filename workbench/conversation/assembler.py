"""Folds the stream events of one response into a message.

Keys, ids and repairs are settled by the decoder; here pieces only find their part. Order of parts is order of first arrival.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, assert_never

import msgspec

from workbench.conversation.messages import (
    CallKind,
    FinishReason,
    Message,
    MessageState,
    OpaquePart,
    Origin,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    Usage,
)
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


@dataclass
class _Text:
    pieces: list[str]
    signature: str = ""
    phase: Literal["", "commentary", "final"] = ""


@dataclass
class _Reasoning:
    pieces: list[str]
    field: str = ""
    done: ReasoningPart | None = None


@dataclass
class _Call:
    key: int
    call_id: str
    wire_id: str
    name: str
    kind: CallKind
    pieces: list[str] = field(default_factory=list)
    done: CallDone | None = None
    dropped: bool = False


class Assembler:
    """Collects the stream events of one response.

    `add` takes each event in order; `message` may be asked at any time and gives what is known so far: calls without a CallDone
    are `truncated`, and the message is `incomplete` until ResponseEnded.

    Attributes:
        problems: what the decoder noticed, in order.
        failure: the error that arrived inside the response, if one did.
        ended: the end, once it came.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.failure: ResponseFailed | None = None
        self.ended: ResponseEnded | None = None
        self.usage: Usage | None = None
        self.response_id = ""
        self.model = ""
        self._slots: list[_Text | _Reasoning | _Call | OpaquePart] = []
        self._calls: dict[int, _Call] = {}

    def add(self, event: StreamEvent) -> None:
        """Take one event."""
        match event:
            case TextDelta():
                self._add_text(event)
            case ReasoningDelta():
                self._add_reasoning(event)
            case ReasoningDone():
                self._end_reasoning(event.part)
            case CallStarted():
                call = _Call(event.key, event.call_id, event.wire_id, event.name, event.kind)
                self._calls[event.key] = call
                self._slots.append(call)
            case CallNamed():
                self._calls[event.key].name = event.name
            case CallArgumentsDelta():
                self._calls[event.key].pieces.append(event.text)
            case CallDone():
                self._calls[event.key].done = event
            case CallDropped():
                self._calls[event.key].dropped = True
            case OpaqueItem():
                self._slots.append(event.part)
            case UsageReported():
                self.usage = event.usage
            case Problem():
                self.problems.append(event)
            case ResponseStarted():
                self.response_id = event.response_id or self.response_id
                self.model = event.model or self.model
            case ResponseEnded():
                self.ended = event
            case ResponseFailed():
                self.failure = event
            case _:
                assert_never(event)

    @property
    def shown(self) -> bool:
        """Say whether anything came that a person has seen (a request may be repeated only before that)."""
        return any(not isinstance(slot, _Reasoning) or any(slot.pieces) or slot.done for slot in self._slots)

    def message(self, message_id: str, *, created_at: float = 0.0, origin: Origin | None = None, state: MessageState | None = None) -> Message:
        """Return the assistant message as far as it came."""
        return Message(
            message_id=message_id,
            role="assistant",
            parts=tuple(part for slot in self._slots if (part := _part(slot)) is not None),
            created_at=created_at,
            state=state or self._state(),
            origin=origin,
            finish_reason=self._finish_reason(),
            finish_raw=self.ended.finish_raw if self.ended else "",
            usage=self.usage,
        )

    def _state(self) -> MessageState:
        if self.failure:
            return "error"
        match self.ended and self.ended.finish_reason:
            case None | "incomplete":
                return "incomplete"
            case "error":
                return "error"
            case "cancelled":
                return "cancelled"
            case _:
                return "complete"

    def _finish_reason(self) -> FinishReason:
        if self.failure:
            return "error"
        return self.ended.finish_reason if self.ended else "incomplete"

    def _add_text(self, event: TextDelta) -> None:
        if not event.text and not event.signature:
            return  # many servers open with an empty delta: nothing was said, nothing shown
        if event.replaces and (known := next((slot for slot in reversed(self._slots) if isinstance(slot, _Text)), None)):
            known.pieces = [event.text]
            return
        last = self._slots[-1] if self._slots else None
        if not isinstance(last, _Text) or event.begins or event.phase != last.phase:
            last = _Text([], phase=event.phase)
            self._slots.append(last)
        last.pieces.append(event.text)
        last.signature = event.signature or last.signature

    def _add_reasoning(self, event: ReasoningDelta) -> None:
        if not event.text and not event.begins:
            return
        last = self._slots[-1] if self._slots else None
        if event.begins or not isinstance(last, _Reasoning) or last.done is not None or (event.field and last.field not in ("", event.field)):
            last = _Reasoning([])
            self._slots.append(last)
        last.pieces.append(event.text)
        last.field = last.field or event.field

    def _end_reasoning(self, part: ReasoningPart) -> None:
        """Complete the newest open reasoning, wherever it stands: some servers say its signature only at the end of the response."""
        for slot in reversed(self._slots):
            if isinstance(slot, _Reasoning) and slot.done is None:
                slot.done = part
                return
        self._slots.append(_Reasoning([], done=part))


def _part(slot: _Text | _Reasoning | _Call | OpaquePart) -> Part | None:
    match slot:
        case _Text():
            text = "".join(slot.pieces)
            return TextPart(text=text, phase=slot.phase, signature=slot.signature) if text or slot.signature else None
        case _Reasoning():
            return _reasoning_part(slot)
        case _Call():
            return None if slot.dropped else _call_part(slot)
        case OpaquePart():
            return slot
        case _:
            assert_never(slot)


def _reasoning_part(slot: _Reasoning) -> ReasoningPart | None:
    """Return the final part, None for a place where nothing came; one that brings only details or a signature keeps the words that came before."""
    words = ReasoningPart(text="".join(slot.pieces), field=slot.field)  # type: ignore[arg-type]
    if slot.done is None:
        return words if words.text else None
    return slot.done if slot.done.text or not words.text else msgspec.structs.replace(slot.done, text=words.text, field=slot.done.field or words.field)


def _call_part(call: _Call) -> ToolCallPart:
    done = call.done
    if done is None:
        arguments_raw = "".join(call.pieces)
        return ToolCallPart(
            call_id=call.call_id, name=call.name, arguments_raw=arguments_raw, kind=call.kind, status="truncated", wire_id=call.wire_id
        )
    return ToolCallPart(
        call_id=done.call_id,
        name=done.name,
        arguments_raw=done.arguments_raw,
        kind=done.kind,
        status=done.status,
        wire_id=done.wire_id,
        repaired=done.repaired,
        correction=done.correction,
        metadata=done.metadata,
    )
