"""Refusals have the shape and the words of a real server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.dialects.registry import dialect
from workbench.practice.errors import ApiError, ordered
from workbench.practice.refusals import from_findings, param_of
from workbench.practice.reply import Refuse


def call(call_id: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": "read", "arguments": "{}"}}


ASK = {"role": "user", "content": "x"}
CALLS = {"role": "assistant", "content": None, "tool_calls": [call("call_a"), call("call_b")]}
RESULT_A = {"role": "tool", "tool_call_id": "call_a", "content": "x"}
RESULT_B = {"role": "tool", "tool_call_id": "call_b", "content": "x"}
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: "
)
ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."


def refusal(messages: list[dict[str, Any]], **members: Any) -> ApiError | None:
    body = {"model": "practice", "messages": messages, **members}
    return from_findings(dialect("chat_completions").check(json.dumps(body).encode()), body)


@pytest.mark.parametrize(
    ("messages", "message", "param"),
    [
        ([ASK, CALLS, ASK], f"{UNANSWERED}call_a, call_b", "messages.[2].role"),
        ([ASK, CALLS, RESULT_A, ASK], f"{UNANSWERED}call_b", "messages.[3].role"),
        ([ASK, CALLS], f"{UNANSWERED}call_a, call_b", "messages.[1].role"),
        ([ASK, RESULT_A], ORPHAN, "messages.[1].role"),
        ([ASK, CALLS, RESULT_A, RESULT_B, ASK, RESULT_A], ORPHAN, "messages.[5].role"),
        ([], "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.", "messages"),
    ],
)
def test_wrong_pairs_are_refused_in_openais_words(messages: list[dict[str, Any]], message: str, param: str) -> None:
    error = refusal(messages)
    assert error is not None
    assert (error.status, error.message, error.param) == (400, message, param)
    assert error.kind == "invalid_request_error"


def test_right_pairs_are_not_refused() -> None:
    assert refusal([ASK, CALLS, RESULT_B, RESULT_A, ASK]) is None


def test_arguments_that_are_not_json_are_taken_as_openai_takes_them() -> None:
    broken = {"role": "assistant", "content": None, "tool_calls": [{"id": "call_a", "type": "function", "function": {"name": "list", "arguments": "{x"}}]}
    assert refusal([ASK, broken, RESULT_A]) is None


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [("read file", "invalid_value", "does not match pattern"), ("x" * 71, "string_above_max_length", "maximum length 64, but got a string with length 71")],
)
def test_bad_tool_names_are_refused(name: str, code: str, words: str) -> None:
    error = refusal([ASK], tools=[{"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}])
    assert error is not None
    assert (error.code, error.param) == (code, "tools[0].function.name")
    assert words in error.message


def test_too_many_tools_are_refused() -> None:
    tools = [{"type": "function", "function": {"name": f"t{number}", "parameters": {"type": "object", "properties": {}}}} for number in range(217)]
    error = refusal([ASK], tools=tools)
    assert error is not None
    assert error.message == "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 217 instead."


def test_other_errors_say_what_the_linter_says() -> None:
    error = refusal([{"role": "user", "content": None}])
    assert error is not None
    assert error.param == "messages.[0].content"
    assert "needs content" in error.message


def test_places_are_written_as_openai_writes_them() -> None:
    assert param_of("/messages/3/tool_calls/0/id") == "messages.[3].tool_calls.[0].id"
    assert param_of("") is None


def test_ordered_refusal_carries_its_waiting_time() -> None:
    response = ordered(Refuse(status=429, kind="requests", code="rate_limit_exceeded", message="Wait.", retry_after_s=0.25), "chat_completions").response()
    assert response.status == 429
    assert ("Retry-After", "1") in response.headers
    assert ("Retry-After-Ms", "250") in response.headers
    assert isinstance(response.body, bytes)
    assert json.loads(response.body) == {"error": {"message": "Wait.", "type": "requests", "param": None, "code": "rate_limit_exceeded"}}
