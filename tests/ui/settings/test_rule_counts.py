"""How often each rule of a session was used is followed fact by fact; a session that is opened again counts anew."""

from __future__ import annotations

from itertools import count

from workbench.conversation.calls import Reason
from workbench.conversation.events import ApprovalResolved, Decided, Entry, Event, SessionOpened, TurnStarted
from workbench.conversation.values import JsonObject
from workbench.ui.settings.rule_counts import RuleCounts

OPENED = SessionOpened(session_id="s", workspace="/ws", program_version="1", resumed=False)
EXACT: JsonObject = {"tool": "edit", "path": "src/a.py", "effect": "allow"}


def facts(*events: Event) -> list[Entry]:
    numbers = count(1)
    return [Entry(seq=next(numbers), at=0.0, event=event) for event in events]


def always(rule: JsonObject | None) -> ApprovalResolved:
    return ApprovalResolved(approval_id="a", call_id="c", answer="approve", rules=() if rule is None else (rule,))


def decided(*rule_ids: str) -> Decided:
    reasons = tuple(Reason(code="rule.allow", text="A rule allows it.", subject=rule_id, outcome="allow") for rule_id in rule_ids)
    return Decided(turn_id="t", step=1, call_id="c", tool="edit", outcome="allow", danger=1, outside=False, reasons=reasons)


def test_a_call_counts_once_for_each_rule_that_decided_it() -> None:
    rules = RuleCounts()
    assert rules.apply(facts(OPENED, always(EXACT), decided("session-1"), decided("session-2", "session-2"), decided("session-2"), decided()))
    assert rules.counts == {"session-1": 1, "session-2": 2}


def test_facts_that_change_nothing_say_so() -> None:
    rules = RuleCounts()
    assert not rules.apply(facts(TurnStarted(turn_id="t"), always(None), decided()))
    assert not rules.counts


def test_a_new_rule_is_a_change_before_it_is_used() -> None:
    assert RuleCounts().apply(facts(always(EXACT)))


def test_a_session_that_is_opened_again_counts_anew() -> None:
    rules = RuleCounts()
    rules.apply(facts(OPENED, always(EXACT), decided("session-1")))
    assert rules.apply(facts(OPENED))
    assert not rules.counts
