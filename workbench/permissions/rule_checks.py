"""What is wrong with a rule that is well formed: it can never have an effect, because something stricter always decides first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.permissions.names import is_secret, protection
from workbench.permissions.rules import REST, ArgvRule, PathRule, Rule, ServerRule, ToolRule, matches_argv, rule_text

_READS = frozenset({"read", "list", "glob", "grep", "task", "todowrite", "question", "websearch"})


def warning_of(rule: Rule, every: Iterable[Rule] = ()) -> str:
    """Return why a rule never has an effect, one sentence; empty if it may have one.

    Args:
        rule: the rule.
        every: all rules in force.
    """
    if rule.effect == "allow" and (floor := _floor_above(rule)):
        return floor
    stricter = {"allow": ("ask", "deny"), "ask": ("deny",), "deny": ()}[rule.effect]
    for other in every:
        if other.effect in stricter and _covers(other, rule):
            return f"The rule “{rule_text(other)}” ({other.effect}) always decides first."
    return ""


def _floor_above(rule: Rule) -> str:
    match rule:
        case ToolRule(tool=tool) if tool not in _READS:
            return f"A whole tool such as {tool} is not allowed at once: name paths, commands or hosts."
        case ArgvRule(argv=(first, *_)) if first in {"*", REST}:
            return "It names no program, and so it allows nothing."
        case PathRule(tool=tool, path=path) if tool not in _READS and protection(path):
            return "Files that steer what runs later always ask."
        case PathRule(path=path) if is_secret(path):
            return "Files that hold secrets always ask."
        case ServerRule(definition=""):
            return "It names no definition of the tool, and so it allows nothing."
        case _:
            return ""


def _covers(other: Rule, rule: Rule) -> bool:
    """Say whether everything that `rule` matches is surely matched by `other`."""
    if isinstance(other, ToolRule):
        return other.tool == getattr(rule, "tool", "bash" if isinstance(rule, ArgvRule) else "")
    if isinstance(other, ArgvRule) and isinstance(rule, ArgvRule):
        return matches_argv(other.argv, rule.argv) and (REST in other.argv or REST not in rule.argv)
    return replace(other, effect=rule.effect, scope=rule.scope, rule_id=rule.rule_id) == rule
