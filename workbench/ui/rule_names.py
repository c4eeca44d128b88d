"""How rules are named for people: their effect, how far they hold, and which one an id means."""

from __future__ import annotations

import re

from workbench.permissions.rules import Effect, Rule, Scope, rule_parts
from workbench.permissions.visible import visible
from workbench.words import _

EFFECT_LOOKS: dict[Effect, tuple[str, str]] = {"allow": ("check", "ok"), "ask": ("question", "level2"), "deny": ("shield-cross", "fail")}
"""Icon and colour of what a rule does."""
_RULE_ID = re.compile(r"(session|project|user)-(\w{1,40})")
_SHIPPED_ID = re.compile(r"([\w./-]{1,60}\.(?:json|toml)):(\d{1,4})")


def rule_name(rule: Rule) -> str:
    """Return a rule as people read it, e.g. ``bash: npm run lint …``; hidden characters are visible."""
    tool, form, subject = rule_parts(rule)
    return visible(f"{tool}: {_(form).format(subject=subject)}")


def scope_name(scope: Scope) -> str:
    """Return how far a rule holds."""
    return {"session": _("this session"), "project": _("this project"), "user": _("everywhere")}[scope]


def rule_origin(rule_id: str) -> str:
    """Return which rule an id means, e.g. ``project rule 3`` or ``rule 2 of workbench.toml``; empty for what is no rule's id."""
    if (shipped := _SHIPPED_ID.fullmatch(rule_id)) is not None:
        return _("rule {n} of {file}").format(n=shipped[2], file=shipped[1])
    found = _RULE_ID.fullmatch(rule_id)
    if found is None:
        return ""
    titles = {"session": _("session rule {n}"), "project": _("project rule {n}"), "user": _("rule {n} of everywhere")}
    return titles[found[1]].format(n=found[2])
