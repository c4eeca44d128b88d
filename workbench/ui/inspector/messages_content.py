"""What a chosen row holds, whole: one or more texts, each with a name, as the model gets them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from workbench.conversation.messages import FilePart, ImagePart, Message, OpaquePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, JsonValue
from workbench.inspection.estimates import size_of_part
from workbench.inspection.outgoing import Outgoing, tools_text
from workbench.inspection.outgoing_rows import Row
from workbench.inspection.timeline_items import Call
from workbench.ui.inspector.dialects_words import title
from workbench.ui.inspector.messages_words import one_line, part_name, role_name, row_words
from workbench.words import _, marked, state_name, titled

LONGEST_DATA = 200
"""Characters of base64 that are shown; a picture's are no reading."""
JSON = "json"
_STATES = dict(zip(("queued", "running", "waiting"), marked("queued", "running", "waiting for you"), strict=True))


class Section(NamedTuple):
    """One text of a row.

    Attributes:
        name: what it is.
        text: all of it.
        language: for colouring: ``json``, or empty.
        marks: token of the wash of a line, by its number from 0.
        note: a few quiet words about it.
        size: how much of it the model gets, in the unit of `estimates`; 0 if nothing.
    """

    name: str
    text: str
    language: str = ""
    marks: Mapping[int, str] = {}
    note: str = ""
    size: float = 0


class Status(NamedTuple):
    """How a call stands: words, icon and tone."""

    words: str
    icon: str
    tone: str


class Content(NamedTuple):
    """What is shown of a row.

    Attributes:
        title: what it is; of a call, its tool.
        mono: the title is a name of code.
        ident: the id of a call as the model wrote it.
        status: of a call.
        sections: at least one.
        first: the section to begin with.
    """

    title: str
    sections: tuple[Section, ...]
    mono: bool = False
    ident: str = ""
    status: Status | None = None
    first: int = 0


def content_of(row: Row, outgoing: Outgoing, call: Call | None) -> Content | None:
    """Return what a row holds; None if it holds nothing, as the place of what is not written yet.

    Args:
        row: the row.
        outgoing: the rows it is one of.
        call: the call that it is about.
    """
    match row.kind:
        case "system":
            return Content(role_name("system"), (Section(_("System text"), "\n\n".join(outgoing.system), size=row.size),))
        case "tools":
            told = Section(_("What the model is told of them"), tools_text(outgoing.tools), JSON, size=row.size)
            return Content(row_words(row, call, len(outgoing.tools)), (told,))
        case "hint":
            return None
        case "message":
            return _of_message(row.message) if row.message is not None and row.note != "blocked" else None
        case "part":
            return _of_call(row, outgoing, call) if row.call_id else _of_part(row)


def _of_message(message: Message) -> Content:
    """A whole message, in the form that no provider's dialect has shaped."""
    name = _("Message") + " · " + role_name("result" if message.role == "tool" else message.role)
    return Content(name, (Section(_("The message before it takes a dialect's form"), _json(_shortened(msgspec.to_builtins(message))), JSON),))


def _of_part(row: Row) -> Content | None:
    match row.part:
        case TextPart(text=text):
            return Content(role_name(row.role), (Section(part_name(row.part), text, size=row.size),))
        case ReasoningPart() as part:
            return Content(part_name(part), tuple(_reasoning(part, row.size)))
        case ImagePart() | FilePart() as part:
            return Content(part_name(part), (Section(part.media_type, _json(_shortened(msgspec.to_builtins(part))), JSON),))
        case OpaquePart(item=item, dialect=dialect):
            return Content(part_name(row.part), (Section(_("Only {dialect} understands it").format(dialect=title(dialect)), _json(item), JSON, size=row.size),))
        case _:
            return None


def _reasoning(part: ReasoningPart, size: float) -> Iterator[Section]:
    """Yield what can be read, and what goes back unread."""
    readable = part.text or "\n\n".join(part.summary)
    fields: JsonObject = {"signature": part.signature, "encrypted": part.encrypted, "redacted_data": part.redacted_data, "details": list(part.details)}
    opaque = {name: value for name, value in fields.items() if value}
    if readable or not opaque:
        yield Section(_("Reasoning"), readable, size=size)
    if opaque:
        yield Section(_("Goes back unread"), _json(opaque), JSON)


def _of_call(row: Row, outgoing: Outgoing, call: Call | None) -> Content:
    """A call and its result, whichever of both the row is."""
    pair = outgoing.pair(row.call_id)
    asked = outgoing[pair.call].part if pair is not None else None
    answered = outgoing[pair.result] if pair is not None and pair.result is not None else None
    sections = list(_asked(asked, call)) if isinstance(asked, ToolCallPart) else []
    first = 0
    if answered is not None and isinstance(answered.part, ToolResultPart) and not answered.missing:
        first = len(sections) if isinstance(row.part, ToolResultPart) else 0
        place = _("in message {n}").format(n=answered.number)
        sections.append(Section(_("Result"), "\n".join(_result(answered.part)), note=place, size=answered.size))
    elif not sections:
        sections.append(Section(_("Result"), ""))
    name = asked.name if isinstance(asked, ToolCallPart) else getattr(row.part, "name", "")
    ident = (asked.wire_id if isinstance(asked, ToolCallPart) else "") or row.call_id
    return Content(name, tuple(sections), mono=True, ident=ident, status=_status(answered), first=first)


def _asked(part: ToolCallPart, call: Call | None) -> Iterator[Section]:
    """Yield what the model sent and, if a person changed it, what ran."""
    arguments = part.arguments() if part.kind == "function" else None
    sent = _json(arguments) if arguments is not None else part.arguments_raw
    changed = call is not None and call.edited and call.ran is not None
    note = _("stays in the history") if changed else ""
    yield Section(_("As sent"), sent, JSON if arguments is not None else "", note=note, size=size_of_part(part))
    if call is not None and call.ran is not None and changed:
        ran, known = _json(call.ran), set(sent.split("\n"))
        marks = {n: "add_tint" for n, line in enumerate(ran.split("\n")) if line not in known}
        yours = [name for name, value in call.ran.items() if (arguments or {}).get(name, ...) != value]
        yield Section(_("What ran"), ran, JSON, marks, note=_("yours: {names}").format(names=one_line(", ".join(yours))))


def _result(part: ToolResultPart) -> Iterator[str]:
    for piece in part.content:
        yield piece.text if isinstance(piece, TextPart) else f"[{titled(part_name(piece), piece.media_type)}]"


def _status(answered: Row | None) -> Status | None:
    if answered is None or not isinstance(answered.part, ToolResultPart):
        return None
    if answered.missing:
        return Status(_(_STATES[answered.missing]), "hand" if answered.missing == "waiting" else answered.missing, "wait")
    match answered.part.decision:
        case "rejected":
            return Status(_("rejected by you"), "blocked", "plain")
        case "denied":
            return Status(_("denied"), "shield-cross", "fail")
        case "cancelled":
            return Status(state_name("stopped"), "stopped", "plain")
        case _ if answered.part.is_error:
            return Status(state_name("failed"), "failed", "fail")
        case "edited":
            return Status(_("edited by you"), "pen", "you")
        case _:
            return None


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _shortened(value: Any) -> Any:
    """Return builtins with long base64 cut, saying how long it is."""
    match value:
        case dict():
            return {name: _data(item) if name == "data" and isinstance(item, str) else _shortened(item) for name, item in value.items()}
        case list() | tuple():
            return [_shortened(item) for item in value]
        case _:
            return value


def _data(text: str) -> str:
    return text if len(text) <= LONGEST_DATA else _("{beginning}… ({count} characters)").format(beginning=text[:LONGEST_DATA], count=f"{len(text):,}")
