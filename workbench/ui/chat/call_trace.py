"""What a call's card says of the decision on it and of the sandbox: how it was held, what was stopped, what was taken away, and why it ran."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from workbench.conversation.calls import CallPart, Confinement, Outcome, Reason
from workbench.conversation.events import ApprovalResolved, Decided
from workbench.inspection.timeline_items import Call
from workbench.permissions.visible import visible
from workbench.ui.chat.call_words import Note
from workbench.ui.confinement_words import held_aside, held_words
from workbench.ui.rule_names import rule_origin
from workbench.words import _, aside, many, strung, tell, tell_text

STOPPED_SHOWN, REASONS_SHOWN, PARTS_SHOWN = 4, 60, 40
LONGEST_SUBJECT = 300
"""Characters of a reason's subject that are shown; the approval dialog shows all of a command."""
OUTCOMES: dict[Outcome, tuple[str, str]] = {"allow": ("check", "ok"), "ask": ("question", "muted"), "deny": ("shield-cross", "fail")}
"""Icon and colour of a reason."""
_HELD_ICONS: dict[Confinement, tuple[str, str]] = {"confined": ("shield-check", "ok"), "network": ("globe", "level3"), "unconfined": ("shield-off", "fail")}
_CONFINEMENTS: tuple[Confinement, ...] = ("confined", "network", "unconfined")


class Sandboxed(NamedTuple):
    """What a command's result says of the sandbox.

    Attributes:
        confinement: how it was held; empty if that is not known.
        rung: what held it.
        denied: what was stopped: kind and what it was about.
        quarantined: what appeared and was taken away: its path, and where it is kept.
    """

    confinement: Confinement = ""
    rung: str = ""
    denied: tuple[tuple[str, str], ...] = ()
    quarantined: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, call: Call) -> Sandboxed:
        """Read a call's result, which another version of the program may have written."""
        told = call.finished.ui.get("sandbox") if call.finished is not None else None
        if not isinstance(told, dict):
            return NOTHING_TOLD
        confinement: Confinement = next((known for known in _CONFINEMENTS if known == told.get("confinement")), "")
        denied = tuple(_pairs(told.get("denied"), "kind", "subject"))
        return cls(confinement, str(told.get("rung") or ""), denied, tuple(_pairs(told.get("quarantined"), "path", "kept")))


NOTHING_TOLD = Sandboxed()


def _pairs(listed: Any, first: str, second: str) -> Iterator[tuple[str, str]]:
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict):
            yield str(entry.get(first) or ""), str(entry.get(second) or "")


# Under the row, always


def sandbox_notes(call: Call) -> tuple[Note, ...]:
    """Return what must be seen without opening the call: more rights than usual, what was stopped, what was taken away."""
    told = Sandboxed.of(call)
    if told is NOTHING_TOLD:
        return ()
    more = (held_note(call),) if told.confinement == "network" or (told.confinement == "unconfined" and told.rung not in ("", "none")) else ()
    return (*filter(None, more), *_stopped(told.denied), *(_taken_away(path, kept) for path, kept in told.quarantined))


def _stopped(denied: tuple[tuple[str, str], ...]) -> Iterator[Note]:
    for kind, subject in denied[:STOPPED_SHOWN]:
        yield Note(_denial(kind, visible(subject[:LONGEST_SUBJECT])), "level2", "shield")
    if len(denied) > STOPPED_SHOWN:
        left = len(denied) - STOPPED_SHOWN
        yield Note(many("… and {n} more was stopped", "… and {n} more were stopped", left), "level2")


def _denial(kind: str, subject: str) -> str:
    match kind:
        case "write":
            return _("The sandbox stopped it from writing {path}.").format(path=subject) if subject else _("The sandbox stopped it from writing outside.")
        case "read":
            return _("The sandbox stopped it from reading {path}.").format(path=subject) if subject else _("The sandbox stopped it from reading outside.")
        case "network":
            words = _("The sandbox kept it off the network.")
        case _:
            words = _("The sandbox stopped something it tried.")
    return aside(words, subject) if subject else words


def _taken_away(path: str, kept: str) -> Note:
    words = _("It made {path}, which steers what runs later. The file was taken away and is kept as {kept}.")
    return Note(words.format(path=visible(path), kept=visible(kept)), "fail", "shield-cross")


# Opened


def held_note(call: Call) -> Note | None:
    """Return how a command was held, or that it was not run at all; None for a tool that runs no command, and while it is not known yet."""
    confinement = Sandboxed.of(call).confinement or (call.decided.confinement if call.decided is not None else "")
    if not confinement:
        return None
    if call.state in ("rejected", "denied"):
        return Note(_("It was not run."), "muted", "blocked")
    if call.finished is None:
        return None
    icon, token = _HELD_ICONS[confinement]
    return Note(held_words(confinement), token if confinement != "confined" else "muted", icon)


def trace_of(call: Call) -> tuple[Note, ...]:
    """Return the whole trace of a call's decisions, the newest last: what was decided, each reason for it, and each part of a command."""
    notes: list[Note] = []
    for decided, resolved in call.decided_before:
        notes += _decision(decided, resolved, decided.confinement)
    if call.decided is not None:
        notes += _decision(call.decided, call.resolved, Sandboxed.of(call).confinement or call.decided.confinement)
    asked = call.asked
    if asked is not None and len(asked.parts) > 1:
        for number, part in enumerate(asked.parts[:PARTS_SHOWN], 1):
            notes += _part(number, part)
    return tuple(notes)


def _decision(decided: Decided, resolved: ApprovalResolved | None, held: Confinement) -> Iterator[Note]:
    refused = decided.outcome == "deny" or (decided.outcome == "ask" and resolved is not None and resolved.answer in ("reject", "stop"))
    icon, token = OUTCOMES[decided.outcome]
    said = strung(_outcome(decided, resolved), "" if refused else held_aside(held))
    yield Note(said + _("."), token if decided.outcome != "allow" else "text", icon)
    yield from _reasons(decided.reasons)


def _outcome(decided: Decided, resolved: ApprovalResolved | None) -> str:
    match decided.outcome:
        case "allow":
            rule = next((reason for reason in decided.reasons if reason.code == "rule.allow"), None)
            return _("Allowed by {rule}").format(rule=_rule(rule)) if rule is not None else _("Allowed without a question")
        case "deny":
            rule = next((reason for reason in decided.reasons if reason.code == "rule.deny"), None)
            return _("Refused by {rule}").format(rule=_rule(rule)) if rule is not None else _("Refused without a question")
        case "ask":
            return _answer(resolved)


def _answer(resolved: ApprovalResolved | None) -> str:
    if resolved is None:
        return _("It has to ask")
    match resolved.answer, resolved.by:
        case "stop", _by:
            return _("It asked, and was stopped")
        case "reject", "person" | "terminal":
            return _("It asked, and you rejected it")
        case "reject", _by:
            return _("It asked, and nobody could allow it")
        case _yes, "person" | "terminal":
            return _("It asked, and you allowed it")
        case _:
            return _("It asked, and the program let it pass")


def _rule(reason: Reason) -> str:
    """Return which rule a reason names, e.g. ``project rule 3 (bash: pytest …)``."""
    pattern = visible(tell_text(reason.text.partition(": ")[2].removesuffix("."), piece=True))
    origin = rule_origin(reason.subject) or _("a rule")
    return aside(origin, pattern) if pattern else origin


def _reasons(reasons: tuple[Reason, ...]) -> Iterator[Note]:
    for reason in reasons[:REASONS_SHOWN]:
        icon, _token = OUTCOMES[reason.outcome]
        yield Note(reason_words(reason), "muted", icon)
    if len(reasons) > REASONS_SHOWN:
        left = len(reasons) - REASONS_SHOWN
        yield Note(many("… and {n} more reason", "… and {n} more reasons", left), "faint")


def reason_words(reason: Reason) -> str:
    """Return a reason's sentence with what it is about: the part of a command, the path, or which rule it is."""
    words, subject = visible(tell(reason)), reason.subject
    if reason.code.startswith(("mode.", "sandbox.")) or not subject:
        return words
    if origin := rule_origin(subject):
        return aside(words, origin)
    return words if subject in reason.text else aside(words, visible(subject[:LONGEST_SUBJECT]))


def _part(number: int, part: CallPart) -> Iterator[Note]:
    icon, token = OUTCOMES[part.outcome]
    token = token if part.outcome == "deny" else "muted"
    shown = visible(part.text[:LONGEST_SUBJECT])
    program = visible(part.program)
    yield Note(_("Part {n}: {command}").format(n=number, command=aside(shown, program) if program else shown), token, icon)
