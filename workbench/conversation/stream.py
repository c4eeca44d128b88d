"""Pieces of an answer as a decoder reports them, in the order they came.

A decoder (dialects) turns bytes into these; the assembler folds them into parts; an encoder turns them into bytes again.
Each carries the number of the raw frame it came from, so that the inspector can link the two.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from workbench.conversation.messages import CallKind, CallStatus, FinishReason, OpaquePart, ReasoningPart, Usage
from workbench.conversation.values import JsonObject, Value


class StreamPiece(Value, kw_only=True, gc=False):
    """Base of all stream events. `frame` counts the raw frames of the response from 0; -1 when there is none (end of stream).

    Hundreds of thousands may be held at once; there can be no circle in them, so the garbage collector need not look through them.
    """

    frame: int = -1


class ResponseStarted(StreamPiece, kw_only=True):
    """The first sign of an answer; ids may be empty."""

    response_id: str = ""
    model: str = ""


class TextDelta(StreamPiece, kw_only=True):
    """More text. A delta after something else (a call, reasoning) begins a new text part in dialects that keep the order.

    Attributes:
        phase: what kind of text it is (Responses); another phase begins a new part.
        begins: a new part begins here although text came before.
        replaces: the text is the whole of the newest text part, whose deltas said something else.
    """

    text: str
    signature: str = ""
    phase: Literal["", "commentary", "final"] = ""
    begins: bool = False
    replaces: bool = False


class ReasoningDelta(StreamPiece, kw_only=True):
    """More readable reasoning; `field` says where it came from (see ReasoningPart).

    Attributes:
        begins: a new part begins here; its place is kept even if nothing of it can be read until it is done.
    """

    text: str
    field: str = ""
    begins: bool = False


class ReasoningDone(StreamPiece, kw_only=True):
    """The newest open reasoning block is complete, even if text came after it; `part` replaces what its deltas built.

    Signature, summary, details are known now; a part without text keeps the text of the deltas.
    """

    part: ReasoningPart


class CallStarted(StreamPiece, kw_only=True):
    """A tool call begins. `key` is unique in the response and names it in later pieces; `name` may come later, then it is empty."""

    key: int
    call_id: str
    wire_id: str = ""
    name: str = ""
    kind: CallKind = "function"


class CallNamed(StreamPiece, kw_only=True):
    """The name of a call, or a longer form of it; replaces what was known."""

    key: int
    name: str


class CallArgumentsDelta(StreamPiece, kw_only=True):
    """More argument text of a call."""

    key: int
    text: str


class CallDone(StreamPiece, kw_only=True):
    """Final word on a call, sent only when the response ends: replaces name and arguments, and says whether it may run."""

    key: int
    call_id: str
    name: str
    arguments_raw: str
    kind: CallKind = "function"
    status: CallStatus = "complete"
    wire_id: str = ""
    repaired: bool = False
    correction: str = ""
    metadata: JsonObject = field(default_factory=dict)


class CallDropped(StreamPiece, kw_only=True):
    """A call turned out to be a repeat of an earlier one and is gone."""

    key: int


class OpaqueItem(StreamPiece, kw_only=True):
    """An item that only its provider understands."""

    part: OpaquePart


class UsageReported(StreamPiece, kw_only=True):
    """Token counts; the last report wins."""

    usage: Usage


class Problem(StreamPiece, kw_only=True):
    """Something the decoder noticed and went on from: a stable code and one sentence."""

    code: str
    text: str


class ResponseEnded(StreamPiece, kw_only=True):
    """The end of the answer, always the last piece but for ResponseFailed. `calls_may_run` is False when calls must be held back.

    Attributes:
        finish_reason: neutral reason; ``incomplete`` when the stream broke off without an end.
        finish_raw: the provider's word, empty when there was none.
    """

    finish_reason: FinishReason
    finish_raw: str = ""
    calls_may_run: bool = True


class ResponseFailed(StreamPiece, kw_only=True):
    """An error arrived inside the response instead of, or after part of, an answer.

    Attributes:
        kind: class of the failure as in the wire specification's section 12 (``auth``, ``quota``, ``rate_limit``, ``too_large``,
            ``overloaded``, ``context_too_long``, ``bad_request``, ``server``, ``unknown``).
        original: the provider's own JSON text, at most 8 KB.
    """

    kind: str
    text: str
    code: str = ""
    original: str = ""


StreamEvent: TypeAlias = (
    ResponseStarted | TextDelta | ReasoningDelta | ReasoningDone | CallStarted | CallNamed | CallArgumentsDelta | CallDone | CallDropped
    | OpaqueItem | UsageReported | Problem | ResponseEnded | ResponseFailed
)
