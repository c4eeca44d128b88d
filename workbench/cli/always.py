"""“Always” at a terminal: which rules shall be added, part by part, with what else they would let pass, and how far they hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from workbench.cli.output import colour, plain, say
from workbench.cli.terminal import Terminal
from workbench.conversation.calls import CallPart, RuleScope
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.values import JsonObject
from workbench.permissions.modes import Rung
from workbench.permissions.rules import ArgvRule, is_grant, rule_from, rule_parts
from workbench.permissions.suggestions import samples, scopes_for
from workbench.permissions.visible import visible
from workbench.words import _

_LETTERS: dict[str, RuleScope] = {"s": "session", "p": "project", "e": "user"}


class Chosen(NamedTuple):
    """Rules that a person wants, in their stored form, and how far they hold."""

    rules: tuple[JsonObject, ...]
    scope: RuleScope


def offers(requested: ApprovalRequested) -> bool:
    """Say whether a question offers any rule."""
    return requested.can_always and bool(requested.always or any(part.always for part in requested.parts))


async def choose(requested: ApprovalRequested, terminal: Terminal) -> Chosen | None:
    """Ask which of the offered rules shall be added, and how far they hold; None if no rule is wanted after all."""
    chosen: list[tuple[JsonObject, int]] = []
    for part in requested.parts:
        if part.always:
            say(colour(_("For the part “{part}”:").format(part=visible(part.text)), "bold"))
            chosen += [(rule, part.danger) for rule in await _one_of(part.always, part, terminal)]
    if requested.always and not chosen:
        chosen += [(rule, requested.danger) for rule in await _one_of(requested.always, None, terminal)]
    if not chosen:
        return None
    scopes = scopes_of(requested, max(danger for _rule, danger in chosen), grant=any(is_grant(rule) for rule, _danger in chosen))
    scope = await _scope(scopes, terminal)
    return None if scope is None else Chosen(tuple(rule for rule, _danger in chosen), scope)


def scopes_of(requested: ApprovalRequested, danger: int, *, grant: bool = False) -> tuple[RuleScope, ...]:
    """Return how far a rule for a part of that level, or the grant of a folder, may hold, narrowest first."""
    rung: Rung = "none" if requested.confinement == "unconfined" else "bwrap"
    return scopes_for(danger, rung=rung, command=bool(requested.parts), grant=grant)


async def _one_of(rules: Sequence[JsonObject], part: CallPart | None, terminal: Terminal) -> tuple[JsonObject, ...]:
    """Return the rule that a person picked by its number; none if they picked none."""
    for number, rule in enumerate(rules, 1):
        _show(number, rule, part)
    line = await terminal.ask(_("Which of these rules shall hold? (number, Enter for none) "))
    if line is None or not line.strip().isdigit() or not 1 <= int(line) <= len(rules):
        return ()
    return (rules[int(line) - 1],)


def _show(number: int, stored: JsonObject, part: CallPart | None) -> None:
    rule = rule_from(stored)
    tool, form, subject = rule_parts(rule)
    say(f"  {number}  {plain(f'{tool}: {_(form).format(subject=subject)}')}")
    if isinstance(rule, ArgvRule) and part is not None:
        examples = samples(rule.argv, part.argv)
        if examples.also:
            say(colour("     " + _("also allows: {commands}").format(commands=visible("  ·  ".join(examples.also))), "faint"))
        say(colour("     " + _("not: {command}").format(command=visible(examples.not_)), "faint"))
    elif is_grant(stored):
        say(colour("     " + _("lets the tools that read look at everything in it, for this session; changes and commands are decided as before"), "faint"))


async def _scope(scopes: Sequence[RuleScope], terminal: Terminal) -> RuleScope | None:
    """Return how far a rule shall hold; None if the person wants none of it after all."""
    words: dict[RuleScope, str] = {"session": _("this session"), "project": _("this project"), "user": _("everywhere")}
    letters: dict[str, RuleScope] = {letter: scope for letter, scope in _LETTERS.items() if scope in scopes}
    if len(scopes) < 2:
        return next(iter(scopes), None)
    choices = " · ".join(f"{letter} {words[scope]}" for letter, scope in letters.items())
    line = await terminal.ask(_("How far shall it hold? {scopes} (Enter: this session): ").format(scopes=choices))
    if line is None:
        return None
    return letters.get(line.strip().lower()[:1]) if line.strip() else scopes[0]
