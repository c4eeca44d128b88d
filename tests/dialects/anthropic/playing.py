"""Plays an answer back as this dialect streams it: blocks stay apart, thinking ends with its signature."""

from __future__ import annotations

from collections.abc import Iterator

from tests.dialects import playback
from workbench.conversation.messages import Message, ReasoningPart, TextPart
from workbench.conversation.stream import ReasoningDelta, ReasoningDone, StreamEvent, TextDelta


def play(message: Message, size: int) -> Iterator[StreamEvent]:
    """Yield the events of an answer; text, thinking and arguments in pieces of `size` letters."""
    parts = iter(part for part in message.parts if isinstance(part, TextPart | ReasoningPart))
    rest = message.parts
    before = tuple(part for part in rest if isinstance(part, TextPart | ReasoningPart))
    others = tuple(part for part in rest if not isinstance(part, TextPart | ReasoningPart))
    events = playback.play(Message(message_id="", role="assistant", parts=others, finish_reason=message.finish_reason, usage=message.usage), size)
    yield next(events)
    assert rest[: len(before)] == before, "words come before calls here"
    for part in parts:
        yield from _words(part, size)
    yield from events


def _words(part: TextPart | ReasoningPart, size: int) -> Iterator[StreamEvent]:
    for start in range(0, len(part.text), size):
        piece = part.text[start : start + size]
        yield TextDelta(text=piece, begins=not start) if isinstance(part, TextPart) else ReasoningDelta(text=piece)
    if isinstance(part, ReasoningPart):
        yield ReasoningDone(part=part)
