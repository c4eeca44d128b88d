"""The words of what goes out next: what a row says, and what a screen reader says of it."""

from __future__ import annotations

from typing import NamedTuple

from workbench.conversation.messages import FilePart, ImagePart, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.inspection.call_title import call_title
from workbench.inspection.estimates import Scale
from workbench.inspection.outgoing import Counted, Outgoing
from workbench.inspection.outgoing_rows import BarRole, Row
from workbench.inspection.timeline_items import Call
from workbench.permissions.visible import visible
from workbench.words import _, many, marked, paragraph, strung, tell_facts

BEGINNING = 300
"""Characters of a text that a row may show."""
_ROLES: dict[BarRole, str] = dict(
    zip(("system", "tools", "user", "assistant", "reasoning", "result"), marked("system", "tools", "user", "assistant", "reasoning", "results"), strict=True)
)
_MISSING = dict(
    zip(("queued", "running", "waiting"), marked("no result yet: queued", "no result yet: running", "no result yet: waiting for you"), strict=True)
)
_NOTES = dict(zip(("arriving", "in_line", "blocked"), marked("arriving", "in line", "cannot go out yet"), strict=True))
_BROKEN = dict(zip(("incomplete", "error", "cancelled"), marked("broke off", "failed", "stopped"), strict=True))
_DECISIONS = dict(zip(("rejected", "denied", "cancelled"), marked("rejected by you", "denied", "stopped"), strict=True))


class Pill(NamedTuple):
    """A few words in a tone, beside a row."""

    words: str
    tone: str = "plain"


def role_name(role: BarRole) -> str:
    """Return the name of a role in the bar and at the head of a message."""
    return _(_ROLES[role])


def short(tokens: int) -> str:
    """Return a figure as people read it: under 1,000 exact, above with one decimal and k."""
    return str(tokens) if tokens < 1000 else f"{tokens / 1000:.1f}k"


def row_words(row: Row, call: Call | None, tools: int) -> str:
    """Return what a row says, in one line; `call` is that of the row, if it is about one."""
    match row.kind:
        case "tools":
            return many("{n} tool", "{n} tools", tools)
        case "hint":
            return _("what you write below")
        case "system" | "message":
            return role_name(row.role)
        case "part":
            if row.missing:
                return _(_MISSING[row.missing])
            return _part_words(row.part, call) if row.part is not None else ""


def row_pill(row: Row) -> Pill | None:
    """Return the words in a pill beside a row; None if there are none."""
    if row.note:
        return Pill(_(_NOTES[row.note]), "wait" if row.note == "blocked" else "plain")
    if row.part is None:
        broken = _BROKEN.get(row.message.state) if row.message is not None else None
        return Pill(_(broken), "wait") if broken else None
    match row.part:
        case ReasoningPart() as part if part.encrypted or part.redacted_data:
            return Pill(_("encrypted"))
        case ReasoningPart() as part if part.signature or part.details:
            return Pill(_("signed"))
        case ImagePart() | FilePart():
            return Pill(_("not counted"))
        case ToolCallPart(status="invalid_json" | "truncated"):
            return Pill(_("broken arguments"), "fail")
        case _:
            return None


def row_says(row: Row, call: Call | None, tools: int, tokens: int) -> str:
    """Return what a screen reader says of a row."""
    pill = row_pill(row)
    if row.kind == "message":
        pieces = [_("Message {n}").format(n=row.number), role_name(row.role)]
    else:
        pieces = [part_name(row.part) if row.part is not None else "", row_words(row, call, tools)]
    pieces += [pill.words if pill else "", many("about {n} token", "about {n} tokens", tokens) if row.size else ""]
    return strung(*pieces)


def part_name(part: Part) -> str:
    """Return what sort of part it is."""
    match part:
        case TextPart():
            return _("Text")
        case ImagePart():
            return _("Picture")
        case FilePart():
            return _("Document")
        case ReasoningPart():
            return _("Reasoning")
        case ToolCallPart():
            return _("Call")
        case ToolResultPart():
            return _("Result")
        case OpaquePart():
            return _("Provider's own")


def one_line(text: str) -> str:
    """Return the beginning of a foreign text in one line in which nothing is hidden."""
    return visible(" ".join(text[:BEGINNING].split())) + ("…" if len(text) > BEGINNING else "")


def estimate_words(outgoing: Outgoing, room_tokens: int | None) -> str:
    """Return how much goes out, and how much of it went out before; `room_tokens` is the largest prompt, if known."""
    counted, total = outgoing.counted(), short(outgoing.tokens())
    if room_tokens is None:
        words = _("≈ {total} tokens, estimated").format(total=total)
    else:
        words = _("≈ {total} of {room} tokens, estimated").format(total=total, room=f"{room_tokens / 1000:g}k")
    if counted is None:
        return words
    before = _("{count} went out with #{number} too").format(count=short(counted.input_tokens), number=counted.request)
    cached = _("{count} came from the cache").format(count=short(counted.cached_tokens)) if counted.cached_tokens else ""
    return " · ".join(piece for piece in (words, before, cached) if piece)


def rule_words(scale: Scale, counted: Counted | None) -> str:
    """Return how the figures are estimated, in full sentences."""
    rule = _("Estimated: four characters are a token, a Chinese, Japanese or Korean one is one; pictures are not counted.")
    if counted is None:
        return rule
    scaled = _("Scaled by {factor}, so that request #{number} has the {tokens} tokens that its provider counted.")
    return paragraph(rule, scaled.format(factor=f"{scale.factor:.2f}", number=counted.request, tokens=f"{counted.input_tokens:,}"))


def _part_words(part: Part, call: Call | None) -> str:
    match part:
        case TextPart(text=text):
            return one_line(text)
        case ReasoningPart():
            return one_line(part.text or " ".join(part.summary)) or _("nothing readable")
        case ToolCallPart():
            title = call.title if call is not None and call.title else call_title(part.arguments() or {}) or part.arguments_raw
            return one_line(f"{part.name} {title}")
        case ToolResultPart():
            return _result_words(part, call)
        case ImagePart(media_type=media_type):
            return one_line(media_type)
        case FilePart():
            return one_line(part.name or part.media_type)
        case OpaquePart(item=item):
            return one_line(str(item.get("type", "")))


def _result_words(part: ToolResultPart, call: Call | None) -> str:
    """Return how a call ended, and its figures or else the beginning of what it gave."""
    if (decision := _DECISIONS.get(part.decision)) is not None:
        note = call.note if call is not None else ""
        return _("{decision}, with a note").format(decision=_(decision)) if note else _(decision)
    finished = call.finished if call is not None else None
    facts = tell_facts(finished.facts) if finished is not None else ""
    stopped = call is not None and call.state == "stopped"
    failed = not stopped and (part.is_error or (call is not None and call.state == "failed"))
    state = _("failed") if failed else _("ok, edited by you") if part.decision == "edited" else ""
    return strung(state, one_line(facts) or one_line(part.text())) or _("empty")
