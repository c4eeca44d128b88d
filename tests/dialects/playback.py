"""Turns a message back into the stream events that could have built it, cut into pieces."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.conversation.messages import Message, OpaquePart, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallStarted,
    OpaqueItem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)


def play(message: Message, size: int) -> Iterator[StreamEvent]:
    """Yield the events of an answer; text, reasoning and arguments in pieces of `size` letters."""
    yield ResponseStarted(response_id="r", model="m")
    for key, part in enumerate(message.parts):
        yield from _part(part, key, size)
    for key, part in enumerate(message.parts):
        if isinstance(part, ToolCallPart):
            yield CallDone(key=key, call_id=part.call_id, name=part.name, arguments_raw=part.arguments_raw, kind=part.kind, metadata=part.metadata)
    if message.usage is not None:
        yield UsageReported(usage=message.usage)
    yield ResponseEnded(finish_reason=message.finish_reason or "incomplete", finish_raw=message.finish_raw)


def _part(part: object, key: int, size: int) -> Iterator[StreamEvent]:
    match part:
        case TextPart():
            yield from (TextDelta(text=piece) for piece in _pieces(part.text, size))
        case ReasoningPart():
            yield from (ReasoningDelta(text=piece, field=part.field) for piece in _pieces(part.text, size))
            if part.details:
                yield ReasoningDone(part=part)
        case ToolCallPart():
            yield CallStarted(key=key, call_id=part.call_id, name=part.name, kind=part.kind)
            yield from (CallArgumentsDelta(key=key, text=piece) for piece in _pieces(part.arguments_raw, size))
        case OpaquePart():
            yield OpaqueItem(part=part)
        case _:
            raise AssertionError(f"an answer has no {type(part).__name__}")


def _pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]
