"""Histories that a provider would refuse, repaired."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from workbench.conversation.messages import Message, TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.dialects.history import CUT_OFF, INTERRUPTED, answered, is_error_text


def calling(*ids: str, **more: str) -> Message:
    return Message(message_id="a", role="assistant", parts=tuple(ToolCallPart(call_id=each, name="read", arguments_raw="{}", **more) for each in ids))  # type: ignore[arg-type]


def results(*ids: str, text: str = "") -> Message:
    return Message(message_id="r", role="tool", parts=tuple(ToolResultPart(call_id=each, name="read", content=(TextPart(text=text or each),)) for each in ids))


def ids_of(message: Message) -> list[str]:
    return [result.call_id for result in message.results()]


def test_a_whole_history_stays_as_it_is() -> None:
    history = [text_message("user", "go"), calling("a", "b"), results("b", "a"), text_message("assistant", "done")]
    assert list(answered(history)) == history


def test_a_call_without_result_gets_one_in_the_order_of_the_calls() -> None:
    history = [calling("c1", "c2"), results("c2"), text_message("user", "continue")]
    repaired = list(answered(history))
    assert ids_of(repaired[1]) == ["c1", "c2"]
    first = repaired[1].results()[0]
    assert first.synthetic
    assert first.is_error
    assert first.text() == INTERRUPTED
    assert repaired[2].text() == "continue"


def test_a_call_that_was_cut_off_is_told_so() -> None:
    repaired = list(answered([calling("c1", status="truncated")]))
    assert repaired[1].results()[0].text() == CUT_OFF
    assert repaired[1].synthetic


def test_results_without_call_are_dropped() -> None:
    question = text_message("user", "hi")
    assert list(answered([results("x"), question, results("y")])) == [question]


@pytest.mark.parametrize("role", ["user", "system"])
def test_calls_of_nobody_but_the_assistant_are_dropped_and_take_no_results(role: str) -> None:
    misplaced = Message(message_id="u", role=role, parts=(TextPart(text="go"), *calling("b").parts))  # type: ignore[arg-type]
    repaired = list(answered([calling("a"), misplaced, results("a", "b")]))
    assert [ids_of(message) for message in repaired] == [[], ["a"], []]
    assert not repaired[2].calls()


def test_a_late_result_is_moved_to_its_call_and_several_messages_become_one() -> None:
    repaired = list(answered([calling("a", "b"), results("a"), text_message("user", "wait"), results("b")]))
    assert [message.role for message in repaired] == ["assistant", "tool", "user"]
    assert ids_of(repaired[1]) == ["a", "b"]


def test_spellings_of_moved_results_go_with_them() -> None:
    first, second = (replace(results(each), wire={"chat_completions": {"results": {each: {"content": "list"}}}}) for each in "ab")
    repaired = list(answered([calling("a", "b"), first, text_message("user", "wait"), second]))
    assert repaired[1].wire == {"chat_completions": {"results": {"a": {"content": "list"}, "b": {"content": "list"}}}}


def test_results_in_a_message_of_another_role_are_taken_out_of_it() -> None:
    mixed = replace(results("a"), role="user", parts=(*results("a").parts, TextPart(text="and now?")))
    repaired = list(answered([calling("a"), mixed]))
    assert [message.role for message in repaired] == ["assistant", "tool", "user"]
    assert ids_of(repaired[1]) == ["a"]
    assert repaired[2].parts == (TextPart(text="and now?"),)


def test_only_the_first_result_of_a_call_counts() -> None:
    repaired = list(answered([calling("a"), results("a", text="first"), results("a", text="second")]))
    assert [result.text() for result in repaired[1].results()] == ["first"]


def test_equal_ids_in_different_turns_stay_apart() -> None:
    history = [calling("0"), results("0", text="A"), calling("0"), results("0", text="B")]
    assert [message.results()[0].text() for message in answered(history) if message.role == "tool"] == ["A", "B"]


def test_equal_ids_in_one_turn_are_told_apart() -> None:
    repaired = list(answered([calling("0", "0", "0"), results("0", text="A"), results("0", text="B")]))
    calls = [call.call_id for call in repaired[0].calls()]
    assert len(set(calls)) == 3
    assert {result.call_id: result.text() for result in repaired[1].results()} == {calls[0]: "A", calls[1]: "B", calls[2]: INTERRUPTED}


MESSAGES = st.one_of(
    st.just(text_message("user", "u")),
    st.just(text_message("assistant", "t")),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(lambda ids: calling(*ids)),
    st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(lambda ids: results(*ids)),
)


@given(st.lists(MESSAGES, max_size=8))
def test_every_call_is_answered_once_and_at_once(history: list[Message]) -> None:
    repaired = list(answered(history))
    for place, message in enumerate(repaired):
        wanted = {call.call_id for call in message.calls()}
        assert len(wanted) == len(message.calls())
        if wanted:
            assert {*ids_of(repaired[place + 1])} == wanted
            assert len(ids_of(repaired[place + 1])) == len(wanted)
        elif message.role == "tool":
            assert repaired[place - 1].calls()
    assert [message for message in repaired if not message.calls() and message.role != "tool"] == [
        message for message in history if not message.calls() and message.role != "tool"
    ]
    assert list(answered(repaired)) == repaired


def test_errors_name_themselves() -> None:
    assert is_error_text("Error: no")
    assert is_error_text("Error (file_not_found): no")
    assert not is_error_text("Errors were found")
    assert not is_error_text("ok")
