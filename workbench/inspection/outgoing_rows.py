"""The rows of what goes out next: heads of messages and their parts, and which call belongs to which result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from workbench.conversation.messages import Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.inspection.estimates import size_of_part, size_of_text
from workbench.inspection.timeline_items import Call, CallsItem, ReasoningItem, TextItem, TimelineItem

RowKind: TypeAlias = Literal["system", "tools", "message", "part", "hint"]
BarRole: TypeAlias = Literal["system", "tools", "user", "assistant", "reasoning", "result"]
Missing: TypeAlias = Literal["", "queued", "running", "waiting"]
MessageNote: TypeAlias = Literal["", "arriving", "in_line", "blocked"]

BAR_ROLES: tuple[BarRole, ...] = ("system", "tools", "user", "assistant", "reasoning", "result")
LANES = 6
"""Columns for brackets; with more calls in a step they are used again."""
OPEN: dict[str, Missing] = {"arriving": "queued", "queued": "queued", "running": "running", "waiting": "waiting"}
"""Why a call in this state has no result yet."""


class Row(NamedTuple):
    """One row.

    Attributes:
        kind: the system text, the tools, the head of a message, a part of the message above it, or what a person writes now.
        role: colour in the bar.
        number: of the message, counted from 1; 0 above the first.
        size: of the content, in the unit of `estimates`; 0 for the head of a message.
        message: whose head or part it is; None for what is not a message yet.
        part: the part; None for a head.
        call_id: of a call or a result.
        lane: column of the bracket of a call and its result, the outermost is 0.
        missing: why the result is not there yet.
        note: of a head: the message is not whole yet, waits in line, or keeps the request from going out.
    """

    kind: RowKind
    role: BarRole
    number: int = 0
    size: float = 0
    message: Message | None = None
    part: Part | None = None
    call_id: str = ""
    lane: int = 0
    missing: Missing = ""
    note: MessageNote = ""


class Pair(NamedTuple):
    """Places of a call and of its result; the result is None while the call arrives."""

    call: int
    result: int | None


CallOf: TypeAlias = Callable[[str], Call | None]
"""Gives a call by its id; None if it is not known."""


def message_rows(message: Message, number: int, lane_of: Callable[[str], int]) -> Iterator[Row]:
    """Yield head and parts of a message that stands; `lane_of` gives the lane of a call by its id."""
    yield Row("message", role_of(message), number=number, message=message)
    calls = len(message.calls())
    for part in message.parts:
        call_id, lane = "", 0
        if isinstance(part, ToolCallPart):
            call_id, calls = part.call_id, calls - 1
            lane = calls % LANES
        elif isinstance(part, ToolResultPart):
            call_id, lane = part.call_id, lane_of(part.call_id)
        yield Row("part", _part_role(message, part), number, size_of_part(part), message, part, call_id, lane)


def open_rows(message: Message, number: int, lane_of: Callable[[str], int], call_of: CallOf) -> Iterator[Row]:
    """Yield head and parts of a message of results of which some are not there yet: these say why."""
    yield Row("message", "result", number=number, message=message, note="blocked")
    for row in message_rows(message, number, lane_of):
        if row.part is not None:
            missing = why_missing(row.part, call_of)
            yield row._replace(missing=missing, size=0.0) if missing else row


def arriving_rows(items: Sequence[TimelineItem], number: int) -> Iterator[Row]:
    """Yield head and parts of an answer as far as they have come."""
    yield Row("message", "assistant", number=number, note="arriving")
    for item in items:
        match item:
            case ReasoningItem(text=text):
                yield _arriving("reasoning", number, ReasoningPart(text=text))
            case TextItem(text=text):
                yield _arriving("assistant", number, TextPart(text=text))
            case CallsItem(calls=calls):
                for n, call in enumerate(calls):
                    part = ToolCallPart(call_id=call.call_id, name=call.tool, arguments_raw=call.arguments_raw)
                    yield _arriving("assistant", number, part)._replace(call_id=call.call_id, lane=(len(calls) - 1 - n) % LANES)
            case _:
                pass


def said_rows(words: str, number: int) -> Iterator[Row]:
    """Yield head and text of what a person said and did not go out yet."""
    yield Row("message", "user", number=number, note="in_line")
    yield Row("part", "user", number, size_of_text(words), part=TextPart(text=words))


def hint_rows(number: int) -> Iterator[Row]:
    """Yield head and place of what a person writes now."""
    yield Row("message", "user", number=number)
    yield Row("hint", "user", number)


def why_missing(part: Part, call_of: CallOf) -> Missing:
    """Say why a result is not there yet; empty if it is."""
    if not isinstance(part, ToolResultPart):
        return ""
    call = call_of(part.call_id)
    return OPEN.get(call.state, "") if call is not None and call.finished is None else ""


def role_of(message: Message) -> BarRole:
    """Return the colour of a message in the bar."""
    match message.role:
        case "tool":
            return "result"
        case "assistant" | "user" | "system":
            return message.role


def _part_role(message: Message, part: Part) -> BarRole:
    match part:
        case ReasoningPart():
            return "reasoning"
        case ToolResultPart():
            return "result"
        case ToolCallPart():
            return "assistant"
        case _:
            return role_of(message)


def _arriving(role: BarRole, number: int, part: Part) -> Row:
    return Row("part", role, number, size_of_part(part), part=part)
