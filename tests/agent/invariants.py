"""What must hold for every journal of a session, however its turns went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workbench.agent.history import history
from workbench.conversation.checks import RequestHeld, RequestReleased
from workbench.conversation.events import (
    ApprovalRequested,
    ApprovalResolved,
    Decided,
    Entry,
    ExchangeOpened,
    ModelResponded,
    StepStarted,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.messages import Message


def check_journal(entries: Sequence[Entry]) -> None:
    """Check every invariant that can be read off the facts."""
    check_numbers(entries)
    check_calls_have_one_result(entries)
    check_nothing_runs_undecided(entries)
    check_questions_have_one_answer(entries)
    check_holds_have_one_decision(entries)
    check_turns_end(entries)
    check_legal(history(entries))


def check_numbers(entries: Sequence[Entry]) -> None:
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


def check_calls_have_one_result(entries: Sequence[Entry]) -> None:
    """Each call of an answer has one ToolFinished and one result message part, both before the next request."""
    waiting: list[str] = []
    finished: Counter[str] = Counter()
    for entry in entries:
        match entry.event:
            case ModelResponded(message=message):
                waiting = [call.call_id for call in message.calls()]
            case ToolFinished(call_id=call_id):
                finished[call_id] += 1
                assert finished[call_id] == 1, f"{call_id} finished twice"
            case UserMessageAdded(message=message) if message.role == "tool":
                assert [result.call_id for result in message.results()] == waiting, "results are not those of the calls, in their order"
                waiting = []
            case ExchangeOpened() | StepStarted() | TurnFinished():
                assert not waiting, f"calls without a result: {waiting}"
            case _:
                pass
    calls = [call.call_id for entry in entries if isinstance(entry.event, ModelResponded) for call in entry.event.message.calls()]
    assert len(set(calls)) == len(calls), "a call id was used twice"
    assert set(finished) == set(calls)


def check_holds_have_one_decision(entries: Sequence[Entry]) -> None:
    """Each held request is decided about once, before anything is sent and before its turn ends."""
    held: set[str] = set()
    for entry in entries:
        match entry.event:
            case RequestHeld(hold_id=hold_id):
                assert not held, "two requests are held at once"
                held.add(hold_id)
            case RequestReleased(hold_id=hold_id):
                held.remove(hold_id)
            case ExchangeOpened() | TurnFinished():
                assert not held, "a request was sent, or a turn ended, with a request held"
            case _:
                pass
    assert not held


def check_nothing_runs_undecided(entries: Sequence[Entry]) -> None:
    """Before a tool starts its call was decided; if that said ask, the last answer before the start approved it."""
    decided: dict[str, Decided] = {}
    answers: dict[str, ApprovalResolved] = {}
    for entry in entries:
        match entry.event:
            case Decided(call_id=call_id):
                decided[call_id] = entry.event
            case ApprovalResolved(call_id=call_id):
                answers[call_id] = entry.event
            case ToolStarted(call_id=call_id, arguments=arguments):
                decision = decided[call_id]
                assert decision.outcome != "deny"
                assert decision.arguments == arguments, "something else ran than was decided on"
                if decision.outcome == "ask":
                    assert answers[call_id].answer in {"approve", "approve_edited"}
            case _:
                pass


def check_questions_have_one_answer(entries: Sequence[Entry]) -> None:
    asked = [entry.event.approval_id for entry in entries if isinstance(entry.event, ApprovalRequested)]
    answered = [entry.event.approval_id for entry in entries if isinstance(entry.event, ApprovalResolved)]
    assert len(set(asked)) == len(asked)
    assert sorted(asked) == sorted(answered)


def check_turns_end(entries: Sequence[Entry]) -> None:
    started = [entry.event.turn_id for entry in entries if isinstance(entry.event, TurnStarted)]
    ended = [entry.event.turn_id for entry in entries if isinstance(entry.event, TurnFinished)]
    assert started == ended


def check_legal(messages: Sequence[Message]) -> None:
    """Check that a provider would take these messages: each call answered once, right after; no orphans; nothing empty."""
    waiting: list[str] = []
    for message in messages:
        assert message.parts
        if message.role == "tool":
            assert [result.call_id for result in message.results()] == waiting
            waiting = []
        else:
            assert not waiting, f"not answered: {waiting}"
            waiting = [call.call_id for call in message.calls()]
    assert not waiting
