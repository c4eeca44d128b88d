"""The rules that "Always allow" added to a session, and how often each was used, followed fact by fact. No Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from workbench.conversation.events import ApprovalResolved, Decided, Entry, SessionOpened
from workbench.errors import SettingsError
from workbench.permissions.rules import Rule, RuleSet, rule_from, rule_text


class UsedRule(NamedTuple):
    """A rule as people read it, in two parts, and the number of calls it allowed."""

    tool: str
    pattern: str
    effect: str
    calls: int


class SessionRules:
    """Follows a session's facts. A session that is opened again begins without rules: they are not kept."""

    def __init__(self) -> None:
        self._rules = RuleSet()
        self._calls: Counter[str] = Counter()

    def apply(self, entries: Iterable[Entry]) -> bool:
        """Take the next facts; say whether anything that is shown is another."""
        changed = False
        for entry in entries:
            match entry.event:
                case SessionOpened():
                    changed = changed or bool(self._rules.rules)
                    self._rules = RuleSet()
                    self._calls.clear()
                case ApprovalResolved(rules=rules) if rules:
                    for rule in rules:
                        self._add(rule)
                    changed = True
                case Decided(reasons=reasons):
                    used = [reason.subject for reason in reasons if reason.code.startswith("rule.")]
                    self._calls.update(used)
                    changed = changed or bool(used)
                case _:
                    pass
        return changed

    def rows(self) -> tuple[UsedRule, ...]:
        """Return the rules in the order in which they were made."""
        return tuple(_row(rule, self._calls[rule.rule_id]) for rule in self._rules.rules)

    def _add(self, stored: dict[str, object]) -> None:
        try:
            self._rules = self._rules.with_rule(rule_from(stored, scope="session"))
        except SettingsError:
            return  # of another version of the program: it was not taken then either


def _row(rule: Rule, calls: int) -> UsedRule:
    tool, _, pattern = rule_text(rule).partition(": ")
    return UsedRule(tool, pattern, rule.effect, calls)
