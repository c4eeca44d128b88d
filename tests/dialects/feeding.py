"""Feeding a stream decoder in every cut, and what comes out of it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workbench.conversation.assembler import Assembler
from workbench.conversation.messages import Message
from workbench.conversation.stream import Problem, ResponseEnded, ResponseFailed, StreamEvent
from workbench.dialects.base import StreamDecoder


class Outcome(NamedTuple):
    """What a decoder and the assembler made of a stream."""

    message: Message
    problems: tuple[Problem, ...]
    failure: ResponseFailed | None
    ended: ResponseEnded | None
    frames: int
    response_id: str
    model: str

    @property
    def codes(self) -> list[str]:
        return [problem.code for problem in self.problems]

    @property
    def may_run(self) -> bool:
        return self.ended is not None and self.ended.calls_may_run


def events_of(decoder: StreamDecoder, chunks: Iterable[bytes]) -> list[StreamEvent]:
    """Return all events of a stream that comes in `chunks`."""
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, *decoder.finish()]


def outcome_of(decoder: StreamDecoder, chunks: Iterable[bytes]) -> Outcome:
    """Return what a stream in `chunks` comes to."""
    assembler = Assembler()
    events = events_of(decoder, chunks)
    for event in events:
        assembler.add(event)
    assert isinstance(events[-1], ResponseEnded | ResponseFailed), "the last event says how the answer ended"
    assert sum(isinstance(event, ResponseEnded | ResponseFailed) for event in events) == 1
    return Outcome(
        assembler.message("m"), tuple(assembler.problems), assembler.failure, assembler.ended, decoder.frames, assembler.response_id, assembler.model
    )


def cut_every(body: bytes, size: int) -> list[bytes]:
    """Return `body` in pieces of `size` bytes."""
    return [body[start : start + size] for start in range(0, len(body), size)]


def cut_at(body: bytes, places: Iterable[int]) -> list[bytes]:
    """Return `body` cut at `places`."""
    return [body[start:end] for start, end in itertools.pairwise(sorted({0, *places, len(body)}))]


def cuts(body: bytes, seed: str) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the ways to cut a body that every decoder must not mind."""
    yield "whole", [body]
    yield "one byte", cut_every(body, 1)
    yield "seven bytes", cut_every(body, 7)
    drawn = random.Random(seed)  # noqa: S311
    yield "fifty places", cut_at(body, (drawn.randrange(len(body) + 1) for _ in range(50)))
    yield "inside of characters", cut_at(body, (place for place, byte in enumerate(body) if byte & 0xC0 == 0x80))
