"""What a question is about, in the program's own words and with foreign text made visible. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from workbench.conversation.calls import CallPart, Reason, Target
from workbench.conversation.events import ApprovalRequested, Decided, Entry
from workbench.conversation.values import JsonObject
from workbench.permissions.visible import visible
from workbench.ui.approval.held import STOPPED, further_title, is_further
from workbench.ui.approval.rule_offers import HIGHEST_WITH_RULES, offers_of
from workbench.words import _, aside, badge_name, many, strung, tell, tell_text

LOOKED_BACK = 20_000
"""Facts; the decision on a question stands a few facts before it."""
SUBJECT_CHARACTERS = 400
"""A reason's subject may be a whole command; the trace shows so much of it and says how much there is."""
DESCRIPTION_CHARACTERS = 600
DECEIVING = frozenset({"hidden_characters", "mixed_script", "padding", "too_long"})
"""Marks of calls whose text may not be what it seems: they are decided one by one, and never for later ones."""
NOT_KNOWN = frozenset({"shell.command", "shell.always_asks"})
"""Codes of reasons that only say that a command is not known."""
_GENERAL = ("mode.", "shell.command", "shell.always_asks")
_WORST = ("sandbox.", "shell.destroys", "floor.", "call.changed", "edit.unusable", "shell.hidden", "call.hidden")


class Title(NamedTuple):
    """The head of a question.

    Attributes:
        tool: its name, as the model spells it.
        target: what it is done to; foreign text.
        words: `target` is a phrase of ours, not code.
    """

    tool: str
    target: str
    words: bool = False


class Made(NamedTuple):
    """How a question came about.

    Attributes:
        arguments: what the model itself sent, as the tool takes it.
        notices: what the program changed in that, one sentence each.
        edited: what is asked about now was already changed by a person.
    """

    arguments: JsonObject
    notices: tuple[str, ...] = ()
    edited: bool = False


def title_of(requested: ApprovalRequested) -> Title:
    """Return what stands at the head of a question."""
    if is_further(requested):
        return Title(requested.tool, further_title(requested), words=True)
    if requested.preview.kind == "command":
        count = len(requested.parts)
        return Title(requested.tool, many("a command in {n} part", "a command in {n} parts", count) if count > 1 else _("a command"), words=True)
    return Title(requested.tool, target_of(requested))


def target_of(requested: ApprovalRequested) -> str:
    """Return what a call is done to, on one line: a path, a host, a command; it is foreign text."""
    if requested.preview.title:
        return requested.preview.title
    return requested.targets[0].name if requested.targets else ""


def agents_of(requested: ApprovalRequested) -> str:
    """Return who asks: the main agent, or the chain of sub-agents."""
    return visible(" › ".join((_("main"), *requested.agent)))


def queue_name(requested: ApprovalRequested, level: str) -> str:
    """Return what a screen reader says of a question in the queue."""
    return f"{visible(requested.tool)} {visible(target_of(requested))}, {level}, {agents_of(requested)}"


def workspace_name(folder: str) -> str:
    """Return the name of the workspace's folder."""
    return visible(PurePath(folder).name or folder)


def outside_targets(requested: ApprovalRequested) -> tuple[Target, ...]:
    """Return the targets that lie outside the workspace, but for those of which a reason says just that."""
    told = {reason.subject for reason in requested.reasons if reason.outcome == "ask" and "outside the workspace" in reason.text}
    return tuple(target for target in requested.targets if target.outside and target.name not in told)


def asking_reasons(requested: ApprovalRequested) -> list[Reason]:
    """Return why it asks, the most telling first; what holds for every call comes last."""
    asking = [reason for reason in requested.reasons if reason.outcome != "allow"]
    return sorted(asking, key=lambda reason: (reason.code.startswith(_GENERAL), not reason.code.startswith(_WORST)))


def sentence_of(reason: Reason, requested: ApprovalRequested) -> str:
    """Return a reason's sentence with what it is about, unless that is the whole call or stands in the sentence."""
    words, subject = tell(reason), reason.subject
    plain = reason.code.startswith("mode.") or reason.code == STOPPED or subject in {"", requested.preview.body} or subject in reason.text
    return words if plain else aside(words, shortened(subject, SUBJECT_CHARACTERS))


def why_lines(requested: ApprovalRequested) -> list[str]:
    """Return why it asks, a sentence a line, the most telling first; what holds for several parts alike is said once.

    Where something special is to be said, that a command is not known is left to the trace.
    """
    reasons = asking_reasons(requested)
    special = [reason for reason in reasons if reason.code not in NOT_KNOWN]
    lines: dict[str, list[int]] = {}
    for reason in special or reasons:
        number = part_of(reason, requested.parts)
        alike = bool(number) and reason.code in NOT_KNOWN
        lines.setdefault(tell(reason) if alike else sentence_of(reason, requested), []).extend([number] if number else [])
    return [_numbered(sentence, numbers) for sentence, numbers in lines.items()]


def _numbered(sentence: str, numbers: Sequence[int]) -> str:
    if not numbers:
        return sentence
    if len(numbers) == 1:
        return _("Part {n}: {text}").format(n=numbers[0], text=sentence)
    return _("Parts {numbers}: {text}").format(numbers=strung(*map(str, numbers)), text=sentence)


def part_of(reason: Reason, parts: Sequence[CallPart]) -> int:
    """Return the number of the only part that a reason is about, from 1; 0 if it is about none or several."""
    numbers = [number for number, part in enumerate(parts, 1) if reason in part.reasons]
    return numbers[0] if len(numbers) == 1 and len(parts) > 1 else 0


def shortened(text: str, limit: int) -> str:
    """Return the beginning of a text with a count of what is left out."""
    if len(text) <= limit:
        return text
    return _("{text} … +{n} characters").format(text=text[:limit], n=f"{len(text) - limit:,}")


def notes_of(requested: ApprovalRequested, made: Made) -> list[str]:
    """Return the sentences worth reading before an answer; those on a command stand below it."""
    notes = () if requested.preview.kind == "command" else requested.preview.notes
    return [tell_text(note) for note in (*notes, *made.notices)]


def no_rule_because(requested: ApprovalRequested) -> str:
    """Return why no lasting rule is offered; empty if one is."""
    if requested.danger > HIGHEST_WITH_RULES and not offers_of(requested):
        return _("No “Always” at level {n}.").format(n=requested.danger)
    deceiving = [badge for badge in requested.badges if badge in DECEIVING]
    if deceiving:
        return _("No “Always”: {mark}.").format(mark=badge_name(deceiving[0]))
    if offers_of(requested):
        return ""
    if requested.preview.kind == "command":
        return _("No “Always”: no rule would say what this does.")
    return _("No “Always”: more than the mode asks here.")


def marks_of(requested: ApprovalRequested) -> list[str]:
    """Return the words of a question's marks, in order."""
    return [badge_name(badge) for badge in requested.badges]


def made_by(requested: ApprovalRequested, entries: Sequence[Entry]) -> Made:
    """Find in the journal how a question came about: the decision before it, and the one on what the model itself sent."""
    made = Made(requested.arguments)
    found = False
    for entry in reversed(entries[-LOOKED_BACK:]):
        match entry.event:
            case Decided(turn_id=requested.turn_id, step=requested.step, call_id=requested.call_id) as decided:
                if not found:
                    found = True
                    made = Made(requested.arguments, decided.notices, decided.edited)
                if not decided.edited:
                    return made._replace(arguments=decided.arguments)
            case _:
                pass
    return made
