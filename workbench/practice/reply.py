"""What the practice model answers: a draft as an ability writes it, and the finished reply with ids, usage and an end.

Troubles are the drills' orders to the server: what shall go wrong with this reply on its way to the client.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from workbench.conversation.messages import FinishReason, ReasoningPart, TextPart, ToolCallPart, Usage

Piece: TypeAlias = ReasoningPart | TextPart | ToolCallPart


@dataclass(frozen=True, kw_only=True)
class Refuse:
    """Answer with an error status instead; the same request within the next minutes is answered."""

    status: int
    kind: str
    code: str | None
    message: str
    retry_after_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Break the connection in the middle of the text, or of the first call's arguments; the same request again is answered whole."""

    inside: str  # "text" | "arguments"


@dataclass(frozen=True, kw_only=True)
class FailInside:
    """Send an error after part of the text although the status was 200; the same request again is answered whole."""

    kind: str
    code: str | None
    message: str


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Be silent before the first piece."""

    delay_s: float


Trouble: TypeAlias = Refuse | Cut | FailInside | Wait


class Planned(NamedTuple):
    """A call an ability wants to make; `arguments_raw` goes out exactly as it stands."""

    name: str
    arguments_raw: str


class Printed(NamedTuple):
    """What is fixed because it stands so in print: usage, and the id of the step's call."""

    usage: Usage
    call_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Draft:
    """What an ability says for one step; the brain makes a reply of it.

    Attributes:
        bare: nothing is put in front of the text, not even the sentence that begins a session.
        aside: a thought that only streams carry, not whole bodies.
    """

    text: str = ""
    thought: str = ""
    calls: tuple[Planned, ...] = ()
    trouble: Trouble | None = None
    printed: Printed | None = None
    bare: bool = False
    aside: bool = False


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer of the practice model.

    Attributes:
        pieces: reasoning, text and calls, in the order in which they are sent.
        aside: the reasoning is for streams only.
        usage: an estimate from the sizes of request and answer; printed figures where the conversation is a printed one.
    """

    pieces: tuple[Piece, ...]
    finish_reason: FinishReason
    usage: Usage
    trouble: Trouble | None = None
    aside: bool = False

    def text(self) -> str:
        """Return the text joined."""
        return "".join(piece.text for piece in self.pieces if isinstance(piece, TextPart))

    def reasoning(self) -> str:
        """Return the reasoning joined."""
        return "".join(piece.text for piece in self.pieces if isinstance(piece, ReasoningPart))

    def calls(self) -> tuple[ToolCallPart, ...]:
        """Return the calls in order."""
        return tuple(piece for piece in self.pieces if isinstance(piece, ToolCallPart))


def planned(name: str, **arguments: Any) -> Planned:
    """Return a call with its arguments as JSON text, written as people write it: ``{"city": "上海"}``; None is left out."""
    given = {key: value for key, value in arguments.items() if value is not None}
    return Planned(name, json.dumps(given, ensure_ascii=False))
