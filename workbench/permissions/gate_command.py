"""What a mode and a sandbox make of a command's verdict, and which rules "always" may offer for it.

The verdict says what the command is; here it is decided whether it runs, how it is held, and what may be remembered of the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from workbench.permissions.danger import Badge, Danger
from workbench.permissions.modes import GateFacts, Mode, default_for
from workbench.permissions.reasons import CommandPart, Confinement, Reason, strictest, strictness
from workbench.permissions.rules import ArgvRule, Rule, TextRule
from workbench.permissions.shell import MODE_REASONS, CommandVerdict
from workbench.permissions.suggestions import suggest

Rejudge: TypeAlias = Callable[[tuple[Rule, ...]], CommandVerdict]
"""Judges the same command as if further rules were in force."""

PARTS_AT_MOST = 200
"""A command of more parts is offered no rules: nobody reads them all."""
TEXT_AT_MOST = 2000
"""Characters; the longest command whose exact text may be remembered."""

_HARMLESS = frozenset({Badge.RUNS_LATER})
_UNSEEN = frozenset({Badge.HIDDEN_CHARACTERS, Badge.MIXED_SCRIPT, Badge.PADDING, Badge.TOO_LONG, Badge.REPAIRED, Badge.REPEATED, Badge.DESTROYS})
"""Marks of a command that was not seen for what it is, or must be seen each time."""
_INTERPRETERS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "python", "pypy", "node", "ruby", "perl", "php", "lua", "Rscript", "osascript"})
_BY_MODE = "Mode Auto lets it run in the sandbox: kept to the workspace, without network."
_STOPPED = {
    "network": "It was stopped by the sandbox because it needs the network.",
    "unconfined": "It was stopped by the sandbox; outside of it, it has all your rights.",
}


class Held(NamedTuple):
    """A command under a mode.

    Attributes:
        reasons: the trace; the strictest of them is the outcome.
        danger: its level.
        confinement: how it is held if it runs.
    """

    reasons: tuple[Reason, ...]
    danger: Danger
    confinement: Confinement


def held(verdict: CommandVerdict, *, mode: Mode, facts: GateFacts, asked_for: Confinement = "") -> Held:
    """Return what becomes of a command.

    Args:
        verdict: what it is.
        mode: the mode in force.
        facts: what holds commands here.
        asked_for: how it shall be held because the sandbox stopped it before; such a wish always asks.
    """
    danger, reasons = verdict.danger, _complete(verdict)
    if asked_for in _STOPPED:
        danger = max(danger, Danger.REACH)
        reasons = (Reason("sandbox.stopped", _STOPPED[asked_for], asked_for), *reasons)
    if Badge.NETWORK in verdict.badges:
        danger = max(danger, Danger.REACH)
    if mode == "read_only":
        reasons = reasons if danger == Danger.LOOK and _allows(reasons) else (*_refusal(), *reasons)
    elif mode == "auto" and facts.confined and asked_for not in _STOPPED and _is_tame(verdict, reasons):
        reasons = (Reason("mode.auto", _BY_MODE, "exec", "allow"), *(reason._replace(outcome="allow") for reason in reasons))
    return Held(reasons, danger, _confinement(verdict, facts, asked_for))


def _complete(verdict: CommandVerdict) -> tuple[Reason, ...]:
    """Return the verdict's reasons, with one that asks if none says what the verdict does, or if what it allows is marked as dangerous."""
    reasons = verdict.reasons
    said = strictest(*(reason.outcome for reason in reasons))
    if not reasons and verdict.outcome == "allow":
        reasons = (Reason("shell.reads", "Every part of it is understood and only looks.", "", "allow"),)
    if strictness(verdict.outcome) > strictness(said):
        reasons = (*reasons, Reason("shell.command", "Every command asks.", "", verdict.outcome))
    if said == "allow" and (verdict.danger > Danger.RUN or verdict.outside or verdict.badges - _HARMLESS):
        reasons = (*reasons, Reason("floor.command", "What it does is never allowed by a rule."))
    return reasons


def _allows(reasons: tuple[Reason, ...]) -> bool:
    return all(reason.outcome == "allow" for reason in reasons)


def _refusal() -> tuple[Reason, ...]:
    default = default_for("exec", "read_only")
    return () if default is None else (default,)


def _is_tame(verdict: CommandVerdict, reasons: tuple[Reason, ...]) -> bool:
    """Say whether a command asks only because it is not known: nothing in it points outside, and no rule makes it ask."""
    if verdict.danger > Danger.RUN or verdict.outside or verdict.badges - _HARMLESS:
        return False
    return all(_is_soft(reason) for reason in reasons)


def _is_soft(reason: Reason) -> bool:
    """Say whether a reason only tells that a command is not known; whatever is not known here is not one."""
    return reason.outcome == "allow" or (reason.outcome == "ask" and reason.code in MODE_REASONS)


def _confinement(verdict: CommandVerdict, facts: GateFacts, asked_for: Confinement) -> Confinement:
    if facts.rung == "none" or asked_for == "unconfined":
        return "unconfined"
    if asked_for == "network" or Badge.NETWORK in verdict.badges:
        return "network"
    return "confined"


# What may be remembered


def parts_with_rules(parts: tuple[CommandPart, ...], badges: frozenset[Badge], rejudge: Rejudge) -> tuple[CommandPart, ...]:
    """Return parts of a command that asks, each with the rules that would let it pass the next time; such rules were tried.

    Args:
        parts: as they were judged.
        badges: the marks of the whole call.
        rejudge: tries rules.
    """
    if badges & _UNSEEN or len(parts) > PARTS_AT_MOST:
        return without_rules(parts)
    offered = [_rules_for(part) for part in parts]
    narrowest = tuple(rules[0] for rules in offered if rules)
    tried = rejudge(narrowest).parts if narrowest else ()
    if len(tried) != len(parts):
        return without_rules(parts)
    return tuple(
        replace(part, suggested=rules if after.outcome == "allow" else ()) for part, rules, after in zip(parts, offered, tried, strict=True)
    )


def without_rules(parts: tuple[CommandPart, ...]) -> tuple[CommandPart, ...]:
    """Return parts of a command of which nothing may be remembered."""
    return tuple(replace(part, suggested=()) if part.suggested else part for part in parts)


def rule_for_text(text: str, parts: tuple[CommandPart, ...], danger: Danger, badges: frozenset[Badge], rejudge: Rejudge) -> tuple[Rule, ...]:
    """Return the rule for exactly this text, for a command that no rules for its parts would let pass; none if it may not be remembered.

    It may be if it was taken apart to the last word and is of no higher level than `Danger.RUN`; and the rule was tried.
    """
    asking = [part for part in parts if part.outcome != "allow"]
    if danger > Danger.RUN or badges - _HARMLESS or not asking or len(parts) > PARTS_AT_MOST or len(text) > TEXT_AT_MOST:
        return ()
    if all(part.suggested for part in asking) or not all(part.argv for part in parts) or any(_reads_code(part.argv) for part in parts):
        return ()
    rule = TextRule(effect="allow", text=text)
    return (rule,) if rejudge((rule,)).outcome == "allow" else ()


def _reads_code(argv: tuple[str, ...]) -> bool:
    """Say whether a command is an interpreter that gets its code from what is piped into it: that code was on no screen."""
    name = argv[0].rpartition("/")[2].rstrip("0123456789.")
    operands = [word for word in argv[1:] if not word.startswith("-")]
    return name in _INTERPRETERS and (not operands or not {"-", "-s"}.isdisjoint(argv[1:]))


def _rules_for(part: CommandPart) -> tuple[Rule, ...]:
    if part.outcome != "ask" or part.danger > Danger.RUN or not part.argv or not all(_is_soft(reason) for reason in part.reasons):
        return ()
    return part.suggested or tuple(ArgvRule(effect="allow", argv=pattern) for pattern in suggest(part.argv))
