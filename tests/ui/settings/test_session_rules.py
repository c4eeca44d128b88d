"""The rules of a session are followed fact by fact: made by an answer, counted by decisions, gone when the session is opened again."""

from __future__ import annotations

from itertools import count

from workbench.conversation.calls import Reason
from workbench.conversation.events import ApprovalResolved, Decided, Entry, Event, SessionOpened, TurnStarted
from workbench.conversation.values import JsonObject
from workbench.ui.settings.session_rules import SessionRules, UsedRule

OPENED = SessionOpened(session_id="s", workspace="/ws", program_version="1", resumed=False)
EXACT: JsonObject = {"tool": "edit", "path": "src/a.py", "effect": "allow"}
FOLDER: JsonObject = {"tool": "edit", "path": "src/**", "effect": "allow"}


def facts(*events: Event) -> list[Entry]:
    numbers = count(1)
    return [Entry(seq=next(numbers), at=0.0, event=event) for event in events]


def always(rule: JsonObject | None) -> ApprovalResolved:
    return ApprovalResolved(approval_id="a", call_id="c", answer="approve", rules=() if rule is None else (rule,))


def decided(*rule_ids: str) -> Decided:
    reasons = tuple(Reason(code="rule.allow", text="A rule allows it.", subject=rule_id, outcome="allow") for rule_id in rule_ids)
    return Decided(turn_id="t", step=1, call_id="c", tool="edit", outcome="allow", danger=1, outside=False, reasons=reasons)


def test_a_rule_stands_with_the_calls_it_allowed() -> None:
    rules = SessionRules()
    assert rules.apply(facts(OPENED, always(EXACT), decided("session-1"), always(FOLDER), decided("session-2"), decided("session-2"), decided()))
    assert rules.rows() == (UsedRule("edit", "src/a.py", "allow", 1), UsedRule("edit", "src/**", "allow", 2))


def test_facts_that_change_nothing_say_so() -> None:
    rules = SessionRules()
    assert not rules.apply(facts(OPENED, TurnStarted(turn_id="t"), always(None), decided()))
    assert rules.rows() == ()


def test_a_session_that_is_opened_again_has_no_rules() -> None:
    rules = SessionRules()
    rules.apply(facts(OPENED, always(EXACT), decided("session-1")))
    assert rules.apply(facts(OPENED))
    assert rules.rows() == ()
    rules.apply(facts(always(FOLDER)))
    assert rules.rows() == (UsedRule("edit", "src/**", "allow", 0),)


def test_a_rule_that_cannot_be_read_is_left_out() -> None:
    rules = SessionRules()
    rules.apply(facts(OPENED, always({"tool": "edit", "moon": "full", "effect": "allow"})))
    assert rules.rows() == ()
