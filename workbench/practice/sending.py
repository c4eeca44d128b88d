"""Puts a reply on the wire: as stream events in token-sized pieces at a pace, or as one whole message."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import assert_never

from workbench.conversation.messages import Message, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallStarted,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.practice.reply import Piece, Reply

SLICE_S = 0.004
"""A stream without a rate gives the loop back after so much work."""

_TOKENS = re.compile(r"\s?(?:[A-Za-z]{1,8}|\d{1,3}|[^\x00-\x7f\s]{1,2}|[^\w\s]|_+)|\s+|.", re.DOTALL)


def token_pieces(text: str) -> list[str]:
    """Return a text in pieces of about one token; joined they are the text again."""
    return _TOKENS.findall(text)


def stream_events(reply: Reply, *, response_id: str, model: str) -> Iterator[StreamEvent]:
    """Yield the whole answer in the order in which a server sends it."""
    yield ResponseStarted(response_id=response_id, model=model)
    for key, piece in enumerate(reply.pieces):
        yield from _piece_events(piece, key)
    yield UsageReported(usage=reply.usage)
    yield ResponseEnded(finish_reason=reply.finish_reason)


def _piece_events(piece: Piece, key: int) -> Iterator[StreamEvent]:
    match piece:
        case ReasoningPart():
            yield from (ReasoningDelta(text=part, field=piece.field) for part in token_pieces(piece.text))
            if piece.signature or piece.encrypted:
                yield ReasoningDone(part=piece)
        case TextPart():
            yield from (TextDelta(text=part, phase=piece.phase) for part in token_pieces(piece.text))
        case ToolCallPart():
            yield CallStarted(key=key, call_id=piece.call_id, name=piece.name)
            yield from (CallArgumentsDelta(key=key, text=part) for part in token_pieces(piece.arguments_raw))
            yield CallDone(key=key, call_id=piece.call_id, name=piece.name, arguments_raw=piece.arguments_raw, metadata=piece.metadata)
        case _:
            assert_never(piece)


def whole_message(reply: Reply) -> Message:
    """Return the answer as a message, without reasoning that only streams carry."""
    pieces = tuple(piece for piece in reply.pieces if not (reply.aside and isinstance(piece, ReasoningPart)))
    return Message(message_id="practice", role="assistant", parts=pieces, finish_reason=reply.finish_reason, usage=reply.usage)


class Pace:
    """Holds a stream back to a number of tokens a second; 0 lets it run, but never without giving the loop its turns.

    It follows a timetable instead of sleeping after each token, so that many short sleeps do not add up to a slower rate.
    """

    def __init__(self, rate_per_s: float) -> None:
        self._rate_per_s = rate_per_s
        self._clock = asyncio.get_running_loop().time
        self._due = self._clock()

    async def next_token(self) -> None:
        """Wait until the next token is due."""
        now = self._clock()
        if self._rate_per_s <= 0:
            if now - self._due > SLICE_S:
                await asyncio.sleep(0)
                self._due = self._clock()
            return
        self._due = max(self._due, now - 1) + 1 / self._rate_per_s
        if self._due > now:
            await asyncio.sleep(self._due - now)
