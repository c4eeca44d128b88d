"""How rules are named for people: their effect, how far they hold, and which one an id means."""

from __future__ import annotations

import re

from workbench.permissions.rules import Effect, Scope
from workbench.words import _

EFFECT_LOOKS: dict[Effect, tuple[str, str]] = {"allow": ("check", "ok"), "ask": ("question", "level2"), "deny": ("shield-cross", "fail")}
"""Icon and colour of what a rule does."""
_RULE_ID = re.compile(r"(session|project|user|repository)-(\w{1,40})")


def scope_name(scope: Scope) -> str:
    """Return how far a rule holds."""
    return {"session": _("this session"), "project": _("this project"), "user": _("everywhere")}[scope]


def rule_origin(rule_id: str) -> str:
    """Return which rule an id means, e.g. ``project rule 3``; empty for what is no rule's id."""
    found = _RULE_ID.fullmatch(rule_id)
    if found is None:
        return ""
    titles = {
        "session": _("session rule {n}"),
        "project": _("project rule {n}"),
        "user": _("rule {n} of everywhere"),
        "repository": _("repository rule {n}"),
    }
    return titles[found[1]].format(n=found[2])
