"""Drills as the brain plays them: what it orders from the server, and how it goes on."""

from __future__ import annotations

import json

import pytest

from tests.practice.dialogue import Dialogue
from workbench.practice.reply import Cut, FailInside, Refuse, Wait


def test_rate_limit_orders_a_refusal_with_a_waiting_time() -> None:
    reply = Dialogue().ask("drill: rate limit")
    assert isinstance(reply.trouble, Refuse)
    assert (reply.trouble.status, reply.trouble.retry_after_s, reply.trouble.code) == (429, 2.0, "rate_limit_exceeded")
    assert "try again in 2s" in reply.trouble.message
    assert "429" in reply.text()


def test_waiting_time_can_be_said() -> None:
    reply = Dialogue().ask("演练：限流 0.5 秒")
    assert isinstance(reply.trouble, Refuse)
    assert reply.trouble.retry_after_s == 0.5
    assert "0.5 秒" in reply.text()


@pytest.mark.parametrize(("question", "name"), [("演练：流内错误", "要求做演练：流内错误。"), ("drill: slow", "A drill was asked for: slow first token.")])
def test_the_thought_names_the_drill_in_the_language_of_the_question(question: str, name: str) -> None:
    reasoning = Dialogue().ask(question).reasoning()
    assert name in reasoning


def test_overloaded_orders_status_503() -> None:
    reply = Dialogue().ask("drill: overloaded")
    assert isinstance(reply.trouble, Refuse)
    assert (reply.trouble.status, reply.trouble.retry_after_s) == (503, None)


def test_cuts_and_errors_have_text_or_a_call_to_break_off() -> None:
    assert Dialogue().ask("drill: cut stream").trouble == Cut(inside="text")
    cut = Dialogue().ask("drill: cut call")
    assert cut.trouble == Cut(inside="arguments")
    assert cut.calls()
    assert isinstance(Dialogue().ask("演练：流内错误").trouble, FailInside)
    assert len(Dialogue().ask("drill: cut stream").text()) > 200


def test_slow_first_token_waits_as_long_as_said_and_not_for_ever() -> None:
    assert Dialogue().ask("drill: slow first token").trouble == Wait(delay_s=5.0)
    assert Dialogue().ask("drill: slow first token, 0.2 s").trouble == Wait(delay_s=0.2)
    assert Dialogue().ask("drill: slow first token, 99999 s").trouble == Wait(delay_s=120.0)


def test_cut_call_is_sent_again_when_the_program_says_it_was_not_run() -> None:
    dialogue = Dialogue()
    dialogue.ask("drill: cut call")
    again = dialogue.give("Error (cancelled): The connection was lost before your message was complete, so this call was not run.")
    assert again.trouble is None
    assert dialogue.calls() == [("list", '{"path": "."}')]
    assert "came through whole" in dialogue.give("a.py").text()


def test_broken_arguments_are_not_json_and_come_again_in_order() -> None:
    dialogue = Dialogue()
    dialogue.ask("drill: broken arguments")
    ((name, broken),) = dialogue.calls()
    assert name == "list"
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(broken)
    reply = dialogue.give("Error (invalid_json): The arguments are not valid JSON, so the call was not run.\nSend the call again with complete, valid JSON.")
    assert "“The arguments are not valid JSON, so the call was not run.”" in reply.text()
    assert dialogue.calls() == [("list", '{"path": "."}')]
    assert "answered, not guessed at" in dialogue.give("a.py").text()


def test_broken_arguments_with_the_clock_alone() -> None:
    dialogue = Dialogue(tools=("get_current_time",))
    dialogue.ask("演练：坏参数")
    ((name, broken),) = dialogue.calls()
    assert name == "get_current_time"
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(broken)


def test_unknown_tool_is_called_and_its_answer_read() -> None:
    dialogue = Dialogue()
    dialogue.ask("drill: unknown tool")
    assert [name for name, _ in dialogue.calls()] == ["teleport"]
    reply = dialogue.give("Error (unknown_tool): There is no tool named 'teleport'.\nThe tools are: read, list.")
    assert "There is no tool named 'teleport'." in reply.text()
    assert not reply.calls()


def test_unknown_tool_that_exists_after_all_is_a_surprise() -> None:
    dialogue = Dialogue()
    dialogue.ask("演练：未知工具")
    assert "居然" in dialogue.give("You are on the moon.").text()


def test_endless_loop_makes_the_same_call_whatever_comes_back() -> None:
    dialogue = Dialogue()
    dialogue.ask("drill: endless loop")
    for number in range(2, 150):
        reply = dialogue.give("Error (timed_out): x" if number % 2 else "a.py")
        assert dialogue.calls() == [("list", '{"path": "."}')]
        assert f"Round {number}:" in reply.text()
    assert len({call.call_id for message in dialogue.messages for call in message.calls()}) == 149


@pytest.mark.parametrize(
    "result", ["Error (denied): The user rejected this call.", "Error (cancelled): Stopped.", "Error (denied): The call was refused: same call again."]
)
def test_endless_loop_ends_when_somebody_ends_it(result: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("drill: endless loop")
    reply = dialogue.give(result)
    assert not reply.calls()
    assert reply.text().startswith("The loop was broken: ")


@pytest.mark.parametrize("question", ["drill", "drill: nonsense", "演练"])
def test_drill_without_a_known_name_lists_them(question: str) -> None:
    text = Dialogue().ask(question).text()
    assert text.count("\n| ") == 11


def test_loop_without_any_tool_says_so() -> None:
    reply = Dialogue(tools=()).ask("drill: endless loop")
    assert not reply.calls()
    assert "`list`" in reply.text()


@pytest.mark.parametrize(("question", "go_on"), [("drill: cut stream", "continue"), ("演练：流内错误", "继续"), ("drill: rate limit", "again")])
def test_continue_after_a_drill_brings_the_whole_answer(question: str, go_on: str) -> None:
    dialogue = Dialogue()
    assert dialogue.ask(question).trouble is not None
    reply = dialogue.ask(go_on)
    assert reply.trouble is None
    assert reply.text()
