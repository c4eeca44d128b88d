"""What “Always allow…” may add to one question, and what a person chose of it: rules per part, how wide each is, how far they hold. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias, get_args

from workbench.conversation.calls import RuleScope
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.values import JsonObject
from workbench.errors import SettingsError
from workbench.permissions.modes import Rung
from workbench.permissions.rules import GrantRule, Rule, is_grant, rule_from, rule_parts
from workbench.permissions.suggestions import scopes_for
from workbench.words import _

Reach: TypeAlias = Literal["once", "session", "project", "user"]
"""How long the answer holds: ``once`` keeps no rule."""

REACHES: tuple[Reach, ...] = get_args(Reach)
HIGHEST_WITH_RULES = 2
ROWS_AT_MOST = 24
"""Offers that are ticked one by one; of more parts those with a common rule are ticked together."""


class Width(NamedTuple):
    """A rule that can be chosen: the form in which it is stored and answered with, its value, and what it matches without the tool (foreign text)."""

    kept: JsonObject
    rule: Rule
    words: str


class Offered(NamedTuple):
    """What can be ticked.

    Attributes:
        parts: numbers of the parts it is for, from 1; empty for the whole call.
        tool: the tool's name; foreign text.
        text: the part as typed; empty for the whole call; foreign text.
        argv: the words of the part.
        danger: level of the part or the call.
        widths: the rules to choose among, narrowest first.
    """

    parts: tuple[int, ...]
    tool: str
    text: str
    argv: tuple[str, ...]
    danger: int
    widths: tuple[Width, ...]

    @property
    def grants(self) -> bool:
        """Whether what is offered is a folder to read."""
        return any(isinstance(width.rule, GrantRule) for width in self.widths)


def offers_of(requested: ApprovalRequested) -> tuple[Offered, ...]:
    """Return what can be ticked for a question: each part that asks and has rules of its own, then the whole call.

    Parts with the same rules are ticked together. Of very many only those that fit are offered: nobody reads hundreds of rules. Above
    `HIGHEST_WITH_RULES` only a host of the web and a folder to read have rules, which say all that such a call reaches.
    """
    told = bool(requested.always) and all("host" in rule or is_grant(rule) for rule in requested.always)
    if not requested.can_always or (requested.danger > HIGHEST_WITH_RULES and not (told and scopes_for(requested.danger, rung="bwrap", command=False))):
        return ()
    parts = _by_part(requested, lambda widths: tuple(width.words for width in widths))
    if len(parts) > ROWS_AT_MOST:
        parts = _by_part(requested, lambda widths: widths[-1].words)
    whole = _widths(requested.always)
    return (*parts[:ROWS_AT_MOST], *((Offered((), requested.tool, "", (), requested.danger, whole),) if whole else ()))


def _by_part(requested: ApprovalRequested, key_of: Callable[[tuple[Width, ...]], object]) -> list[Offered]:
    """Return the offers for the parts; those with the same key are one, with the rules that they have in common."""
    merged: dict[object, Offered] = {}
    for number, part in enumerate(requested.parts, 1):
        widths = _widths(part.always) if part.outcome != "allow" else ()
        if not widths:
            continue
        before = merged.get(key_of(widths))
        if before is not None:
            common = tuple(width for width in before.widths if width.words in {other.words for other in widths})
            merged[key_of(widths)] = before._replace(parts=(*before.parts, number), widths=common)
        else:
            merged[key_of(widths)] = Offered((number,), requested.tool, part.text, part.argv, part.danger, widths)
    return list(merged.values())


def still_asking(requested: ApprovalRequested, offered: Sequence[Offered]) -> tuple[int, ...]:
    """Return the numbers of the parts that ask and are offered no rule of their own."""
    covered = {number for one in offered for number in one.parts}
    return tuple(number for number, part in enumerate(requested.parts, 1) if part.outcome != "allow" and number not in covered)


def reach_problem(offered: Sequence[Offered], reach: Reach, rung: Rung, *, command: bool) -> str:
    """Return why the ticked rules cannot hold so long, one sentence; empty if they can.

    Args:
        offered: what is ticked.
        reach: how long.
        rung: what holds commands here.
        command: they are for a command.
    """
    if reach == "once" or all(reach in scopes_for(one.danger, rung=rung, command=command, grant=one.grants) for one in offered):
        return ""
    if any(one.grants for one in offered):
        return _("A folder is granted for a session at most.")
    if command and rung == "none":
        return _("Without a sandbox, rules for commands end with the session.")
    return _("Rules for what runs or reaches hold in one project at most.")


@dataclass
class Choice:
    """What a person chose of the offers of one question.

    Attributes:
        offered: what can be ticked.
        on: which of it is.
        widths: the chosen width of each, 0 for the narrowest.
        reach: how long it holds.
    """

    offered: tuple[Offered, ...] = ()
    on: list[bool] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    reach: Reach = "session"

    @classmethod
    def of(cls, requested: ApprovalRequested) -> Choice:
        """Return the choice to begin with: the narrowest rules, for every part that has one; the whole text only if no part has any."""
        offered = offers_of(requested)
        own = any(one.parts for one in offered)
        return cls(offered, [bool(one.parts) or not own for one in offered], [0] * len(offered))

    @property
    def ticked(self) -> tuple[Offered, ...]:
        """What is ticked."""
        return tuple(one for one, on in zip(self.offered, self.on, strict=True) if on)

    @property
    def chosen(self) -> tuple[Width, ...]:
        """The rules that would be kept, in order; none for ``once``."""
        return () if self.reach == "once" else self.considered

    @property
    def considered(self) -> tuple[Width, ...]:
        """The ticked rules, however long they would hold."""
        return tuple(one.widths[width] for one, on, width in zip(self.offered, self.on, self.widths, strict=True) if on)

    @property
    def scope(self) -> RuleScope:
        """How far the rules hold."""
        return "session" if self.reach == "once" else self.reach


def _widths(kept: Sequence[JsonObject]) -> tuple[Width, ...]:
    """Return rules in their stored form as choices; what is no rule here (another version of the program wrote it) is left out."""
    found = []
    for one in kept:
        try:
            rule = rule_from(one)
        except SettingsError:
            continue
        _tool, form, subject = rule_parts(rule)
        found.append(Width(one, rule, _(form).format(subject=subject)))
    return tuple(found)
