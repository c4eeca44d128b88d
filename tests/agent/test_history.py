"""The history is folded from facts alone, is always legal, and the same facts give the same bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agent.invariants import check_legal
from workbench.agent.history import History, history
from workbench.conversation.events import Entry, Event, ModelResponded, ToolFinished, ToolStarted, TurnFinished, UserMessageAdded
from workbench.conversation.messages import Message, TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.conversation.values import json_bytes


def entries_of(*events: Event) -> list[Entry]:
    return [Entry(number, 0.0, event) for number, event in enumerate(events, 1)]


def user(text: str) -> UserMessageAdded:
    return UserMessageAdded(turn_id="t", message=text_message("user", text))


def asks(*call_ids: str) -> ModelResponded:
    calls = tuple(ToolCallPart(call_id=call_id, name="read", arguments_raw="{}") for call_id in call_ids)
    return ModelResponded(turn_id="t", step=1, exchange_id="e", message=Message(message_id="m1", role="assistant", parts=calls))


def result(call_id: str, text: str = "ok") -> ToolResultPart:
    return ToolResultPart(call_id=call_id, name="read", content=(TextPart(text=text),))


def finished(call_id: str, text: str = "ok") -> ToolFinished:
    return ToolFinished(turn_id="t", step=1, call_id=call_id, tool="read", status="ok", result=result(call_id, text))


def started(call_id: str) -> ToolStarted:
    return ToolStarted(turn_id="t", step=1, call_id=call_id, tool="read")


def results(*parts: ToolResultPart) -> UserMessageAdded:
    return UserMessageAdded(turn_id="t", message=Message(message_id="m2", role="tool", parts=parts))


def roles(messages: tuple[Message, ...]) -> list[str]:
    return [message.role for message in messages]


def test_call_without_a_result_after_a_crash_gets_one_in_its_place() -> None:
    """The bug case orphan-call-on-resume: the request is valid, the facts stay as they are, and the outcome is said to be unknown."""
    facts = entries_of(user("go"), asks("c1", "c2"), started("c1"), finished("c2", "A"), user("continue"))
    before = json_bytes([entry.event for entry in facts])
    messages = history(facts)
    assert roles(messages) == ["user", "assistant", "tool", "user"]
    first, second = messages[2].results()
    assert (first.call_id, first.is_error, first.synthetic) == ("c1", True, True)
    assert first.text().startswith("Error (cancelled): The program ended while this call ran; its outcome is unknown.")
    assert second.text() == "A"
    assert json_bytes([entry.event for entry in facts]) == before
    check_legal(messages)


def test_call_that_never_started_is_told_apart() -> None:
    (answered,) = history(entries_of(user("go"), asks("c1"), user("continue")))[2].results()
    assert answered.text().startswith("Error (cancelled): The program ended before this call ran.")


def test_results_are_put_in_call_order_and_orphans_are_dropped() -> None:
    messages = history(entries_of(user("go"), asks("c1", "c2"), results(result("c9"), result("c2", "B"), result("c1", "A"), result("c1", "A again"))))
    assert [part.text() for part in messages[2].results()] == ["A again", "B"]
    check_legal(messages)


def test_orphan_results_without_any_call_are_dropped() -> None:
    assert roles(history(entries_of(user("go"), results(result("c1"))))) == ["user"]


def test_open_calls_are_answered_at_the_end_too() -> None:
    messages = history(entries_of(user("go"), asks("c1", "c2"), finished("c1", "A")))
    assert [part.text()[:5] for part in messages[2].results()] == ["A", "Error"]


def test_empty_answer_is_left_out() -> None:
    empty = ModelResponded(turn_id="t", step=1, exchange_id="e", message=Message(message_id="m", role="assistant", parts=()))
    assert roles(history(entries_of(user("a"), empty, user("b")))) == ["user", "user"]


def test_same_facts_give_the_same_bytes() -> None:
    facts = entries_of(user("go"), asks("c1"), user("continue"))
    assert json_bytes(history(facts)) == json_bytes(history(facts))


def test_fold_as_a_listener_equals_the_fold_at_once() -> None:
    facts = entries_of(user("go"), asks("c1"), finished("c1"), results(result("c1")), TurnFinished(turn_id="t", end="answered"), user("more"))
    folded = History()
    for entry in facts:
        folded.add(entry)
        folded.messages()
    assert folded.messages() == history(facts)
    assert folded.call_ids == {"c1"}


IDS = ("c1", "c2", "c3")
FACTS: list[Event] = [
    user("words"),
    *(asks(*ids) for ids in (("c1",), ("c2", "c3"), ("c1", "c2", "c3"))),
    *(started(call_id) for call_id in IDS),
    *(finished(call_id, call_id) for call_id in IDS),
    *(results(*(result(call_id) for call_id in ids)) for ids in ((), ("c1",), ("c3", "c2"), ("c1", "c1", "c9"))),
    TurnFinished(turn_id="t", end="stopped"),
]


@given(facts=st.lists(st.sampled_from(FACTS), max_size=12))
def test_any_order_of_facts_gives_a_legal_history(facts: list[Event]) -> None:
    """Crashes, lost lines and foreign imports may leave any order; a provider must take what is sent all the same."""
    check_legal(history(entries_of(*facts)))


@pytest.mark.parametrize("cut", range(1, 8))
def test_history_of_every_beginning_is_legal(cut: int) -> None:
    facts = entries_of(user("go"), asks("c1", "c2"), started("c1"), finished("c1"), finished("c2"), results(result("c1"), result("c2")), user("x"))
    check_legal(history(facts[:cut]))
