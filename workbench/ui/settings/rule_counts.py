"""How many calls of a session each rule decided, followed fact by fact. No Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from workbench.conversation.events import ApprovalResolved, Decided, Entry, SessionOpened


class RuleCounts:
    """Follows a session's facts. A session that is opened again begins without rules of its own: they are not kept.

    Attributes:
        counts: calls by the rule's id.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def apply(self, entries: Iterable[Entry]) -> bool:
        """Take the next facts; say whether the rules in force, or how often one was used, may be others."""
        changed = False
        for entry in entries:
            match entry.event:
                case SessionOpened():
                    changed = True
                    self.counts.clear()
                case ApprovalResolved(rules=rules) if rules:
                    changed = True
                case Decided(reasons=reasons):
                    used = {reason.subject for reason in reasons if reason.code.startswith("rule.")}
                    self.counts.update(used)
                    changed = changed or bool(used)
                case _:
                    pass
        return changed
