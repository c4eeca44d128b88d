"""All rules in force as rows of one list: the session's, the kept ones, those a repository tightens with, and what is built in."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from workbench.permissions.rules import Effect, Rule, RuleSet, rule_parts
from workbench.settings.rule_files import KeptRule
from workbench.ui.frame.moments import moment_text
from workbench.ui.rule_names import rule_name, scope_name
from workbench.words import _, many, paragraph, state_name, strung, tell_text

Origin: TypeAlias = Literal["person", "repository", "built_in"]


class RuleRow(NamedTuple):
    """One rule of the list.

    Attributes:
        rule: the rule; None for what is built in.
        effect: what it does.
        tool, pattern: what it matches, as people read it.
        scope: how far it holds, in words.
        origin: who made it.
        uses: how many calls it decided.
        used_at: when last, seconds since 1970.
        problem: why it matches nothing any more, or never; empty if nothing is wrong.
    """

    rule: Rule | None
    effect: Effect
    tool: str
    pattern: str
    scope: str
    origin: Origin = "person"
    uses: int = 0
    used_at: float | None = None
    problem: str = ""

    @property
    def removable(self) -> bool:
        """Whether a person can take it away."""
        return self.rule is not None and self.origin == "person"

    def words(self) -> str:
        """Return everything a filter looks in."""
        return " ".join((state_name(self.effect), self.tool, self.pattern, self.scope, self.origin, self.problem)).casefold()


def rule_rows(session: RuleSet, counts: Mapping[str, int], kept: Sequence[KeptRule]) -> tuple[RuleRow, ...]:
    """Return all rules, what refuses first, then what asks, then what allows, then what is built in.

    Args:
        session: the rules of the gate; those of scope session are taken.
        counts: how many calls of the session each rule decided, by its id.
        kept: rules on disk and of the repository.
    """
    own = [_row(rule, uses=counts.get(rule.rule_id, 0)) for rule in session.rules if rule.scope == "session"]
    others = [
        _row(row.rule, "repository" if row.source == "repository" else "person", row.uses, row.used_at, row.expired or row.warning) for row in kept
    ]
    order: dict[Effect, int] = {"deny": 0, "ask": 1, "allow": 2}
    return (*sorted((*own, *others), key=lambda row: order[row.effect]), *built_in())


def built_in() -> tuple[RuleRow, ...]:
    """Return what no rule lifts."""
    here = _("built in")
    return (
        RuleRow(None, "deny", "*", _("unknown tool, arguments that do not parse"), here, "built_in"),
        RuleRow(None, "ask", "*", _("outside, secret or protected files"), here, "built_in"),
        RuleRow(None, "ask", "bash", _("what is not fully understood"), here, "built_in"),
    )


def filtered(rows: Iterable[RuleRow], typed: str) -> tuple[RuleRow, ...]:
    """Return the rows in which every typed word stands."""
    wanted = typed.casefold().split()
    return tuple(row for row in rows if all(word in row.words() for word in wanted))


def so_far(row: RuleRow) -> str:
    """Return how often a rule decided a call, and when last."""
    if row.origin == "built_in":
        return ""
    if not row.uses:
        return _("not used yet")
    return strung(many("{n} call", "{n} calls", row.uses), moment_text(row.used_at, time.time()) if row.used_at is not None else "")


def origin_words(row: RuleRow) -> str:
    """Return how far a rule holds and who made it."""
    return _("this project's files") if row.origin == "repository" else row.scope


def shown_rule(rule: Rule) -> str:
    """Return a rule as one line: what it does and to what."""
    return paragraph(state_name(rule.effect).capitalize(), rule_name(rule))


def _row(rule: Rule, origin: Origin = "person", uses: int = 0, used_at: float | None = None, problem: str = "") -> RuleRow:
    tool, form, subject = rule_parts(rule)
    return RuleRow(rule, rule.effect, tool, _(form).format(subject=subject), scope_name(rule.scope), origin, uses, used_at, tell_text(problem))
