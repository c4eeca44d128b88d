"""Requests as they are written: order, opaque parts, thinking, limits, marks, and the settings."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.conversation.messages import (
    Message,
    ModelRequest,
    OpaquePart,
    Origin,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
    text_message,
)
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.base import Quirks

PLAIN = Quirks(cache_marks=False)
BUDGET = Quirks(cache_marks=False, thinking="budget", provider="anthropic")
TOOL = ToolDefinition(name="read", description="Reads.", input_schema={"type": "object", "properties": {}})
THOUGHT = ReasoningPart(text="hm ", signature="sig==")
HERE = Origin(dialect="anthropic", provider="anthropic", model="claude-sonnet-4-5")
SEARCH = OpaquePart(dialect="anthropic", provider="", item={"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}})
FOUND = OpaquePart(dialect="anthropic", provider="", item={"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []})
GO = text_message("user", "go")


def call(call_id: str = "k", raw: str = "{}", **more: Any) -> ToolCallPart:
    return ToolCallPart(call_id=call_id, name="read", arguments_raw=raw, **more)


def assistant(*parts: Part, **more: Any) -> Message:
    return Message(message_id="a", role="assistant", parts=parts, **{"origin": HERE, **more})


def result(call_id: str = "k", *parts: Any, **more: Any) -> Message:
    content = parts or (TextPart(text="ok"),)
    return Message(message_id="r", role="tool", parts=(ToolResultPart(call_id=call_id, name="read", content=content, **more),))


def written(*messages: Message, quirks: Quirks = PLAIN, system: tuple[str, ...] = (), tools: tuple[ToolDefinition, ...] = (), **options: Any) -> dict[str, Any]:
    settings = RequestOptions(**{"model": "claude-sonnet-4-5", "stream": False, **options})
    body = DIALECT.encode_request(ModelRequest(system=system, tools=tools, messages=messages, options=settings), quirks).body
    assert [finding for finding in DIALECT.check(body, quirks) if finding.severity == "error"] == []
    loaded: dict[str, Any] = json.loads(body)
    return loaded


def kinds(message: dict[str, Any]) -> list[str]:
    return [block["type"] for block in message["content"]]


# Order and pairs


def test_all_results_stand_first_in_one_message_with_what_follows() -> None:
    turn = assistant(call("a"), call("b"))
    body = written(GO, turn, GO, result("b"), result("a", is_error=True))
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    last = body["messages"][2]["content"]
    assert [block.get("tool_use_id") for block in last] == ["b", "a", None]
    assert last[1]["is_error"] is True
    assert "is_error" not in last[0]


def test_only_results_of_the_turn_before_move_to_the_front() -> None:
    body = written(GO, assistant(call("a")), result("a"), assistant(TextPart(text="done")), GO, result("a"))
    assert kinds(body["messages"][2]) == ["tool_result"]
    assert body["messages"][4] == {"role": "user", "content": "go"}


def test_neighbours_of_one_role_are_one_message_in_several_pieces() -> None:
    request = ModelRequest(system=(), tools=(), messages=(GO, GO, assistant(TextPart(text="x")), GO), options=RequestOptions(model="m"))
    encoded = DIALECT.encode_request(request, PLAIN)
    assert len(encoded.pieces) == 2 + 4
    messages = json.loads(encoded.body)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert kinds(messages[0]) == ["text", "text"]
    assert json.loads(encoded.pieces[3].removeprefix(b","))["role"] == "assistant", "what stands alone is whole in its piece"


def test_calls_come_behind_the_tools_of_the_provider_but_thinking_does_not_move() -> None:
    body = written(GO, assistant(THOUGHT, call("a"), SEARCH, FOUND, TextPart(text="x"), THOUGHT, call("b")), result("a"), result("b"))
    assert kinds(body["messages"][1]) == ["thinking", "server_tool_use", "web_search_tool_result", "text", "tool_use", "thinking", "tool_use"]


def test_tools_of_the_provider_travel_as_a_pair_or_not_at_all() -> None:
    assert kinds(written(GO, assistant(SEARCH, FOUND, TextPart(text="x")), GO)["messages"][1]) == ["server_tool_use", "web_search_tool_result", "text"]
    for lone in (SEARCH, FOUND):
        assert written(GO, assistant(lone, TextPart(text="x")), GO)["messages"][1]["content"] == "x"
    paused = assistant(TextPart(text="x"), SEARCH, finish_reason="pause")
    assert kinds(written(GO, paused)["messages"][1]) == ["text", "server_tool_use"], "it is sent again as it was, to go on"
    goes_on = assistant(FOUND, TextPart(text="y"))
    body = written(GO, paused, goes_on, GO)
    assert kinds(body["messages"][1]) == ["text", "server_tool_use", "web_search_tool_result", "text"]


def test_opaque_parts_go_only_to_their_provider() -> None:
    elsewhere = Origin(dialect="anthropic", provider="bedrock", model="claude-sonnet-4-5")
    quirks = Quirks(cache_marks=False, provider="anthropic")
    message = assistant(THOUGHT, SEARCH, FOUND, TextPart(text="x"), origin=elsewhere)
    assert written(GO, message, GO, quirks=quirks)["messages"][1]["content"] == "x"
    gemini = Origin(dialect="gemini", provider="google", model="gemini-3")
    assert written(GO, assistant(THOUGHT, TextPart(text="x"), origin=gemini), GO)["messages"][1]["content"] == "x"


# Thinking


def test_thinking_goes_back_byte_for_byte() -> None:
    parts = (THOUGHT, ReasoningPart(signature="empty=="), ReasoningPart(redacted_data="DATA=="), TextPart(text="x"), THOUGHT, call())
    blocks = written(GO, assistant(*parts), result())["messages"][1]["content"]
    assert blocks[:3] == [
        {"type": "thinking", "thinking": "hm ", "signature": "sig=="},
        {"type": "thinking", "thinking": "", "signature": "empty=="},
        {"type": "redacted_thinking", "data": "DATA=="},
    ]
    assert kinds({"content": blocks}) == ["thinking", "thinking", "redacted_thinking", "text", "thinking", "tool_use"]


def test_unsigned_thinking_and_that_of_chat_servers_is_never_sent() -> None:
    parts = (ReasoningPart(text="interrupted"), ReasoningPart(text="chat", field="reasoning_content", signature="x"), TextPart(text="x"))
    assert written(GO, assistant(*parts, origin=None), GO)["messages"][1]["content"] == "x"


def test_a_loop_that_began_without_signed_thinking_goes_on_without() -> None:
    assert "thinking" in written(GO, quirks=BUDGET)
    assert "thinking" in written(GO, assistant(THOUGHT, call()), result(), quirks=BUDGET)
    assert "thinking" in written(GO, assistant(THOUGHT, call("a")), result("a"), assistant(call("b")), result("b"), quirks=BUDGET)
    foreign = Origin(dialect="chat_completions", provider="openai", model="gpt")
    assert "thinking" not in written(GO, assistant(THOUGHT, call(), origin=foreign), result(), quirks=BUDGET)
    assert "thinking" in written(GO, assistant(call()), result(), assistant(TextPart(text="x")), GO, quirks=BUDGET), "a new turn begins anew"
    assert "thinking" in written(GO, assistant(call()), result(), quirks=replace(BUDGET, thinking="adaptive")), "it may be left out there"


def test_an_answer_at_the_very_end_has_no_thinking_and_no_blanks_behind_it() -> None:
    body = written(GO, assistant(THOUGHT, TextPart(text="so \n")), model="claude-3")
    assert body["messages"][1]["content"] == "so"
    assert [message["role"] for message in written(GO, assistant(THOUGHT))["messages"]] == ["user"]


@pytest.mark.parametrize(("effort", "budget"), [(None, 8192), ("minimal", 1024), ("low", 2048), ("medium", 8192), ("high", 16384), ("xhigh", 32000)])
def test_effort_becomes_a_budget_below_the_limit(effort: str | None, budget: int) -> None:
    body = written(GO, quirks=BUDGET, reasoning_effort=effort)
    assert body["thinking"] == {"type": "enabled", "budget_tokens": budget}
    assert body["max_tokens"] == budget + 8192
    assert "output_config" not in body


@pytest.mark.parametrize(("limit", "budget"), [(500, None), (1024, None), (1025, 1024), (4096, 2048), (100_000, 16384)])
def test_a_given_limit_stays_and_the_budget_gives_way(limit: int, budget: int | None) -> None:
    body = written(GO, quirks=BUDGET, reasoning_effort="high", max_output_tokens=limit)
    assert body["max_tokens"] == limit
    assert body.get("thinking", {}).get("budget_tokens") == budget


@pytest.mark.parametrize(("effort", "word"), [(None, None), ("minimal", "low"), ("medium", "medium"), ("xhigh", "xhigh"), ("ultra", "high")])
def test_adaptive_thinking_says_the_effort(effort: str | None, word: str | None) -> None:
    body = written(GO, quirks=Quirks(thinking="adaptive"), reasoning_effort=effort, model="claude-opus-4-7")
    assert body["thinking"] == {"type": "adaptive"}
    assert body.get("output_config") == ({"effort": word} if word else None)


def test_no_effort_at_all_is_no_thinking() -> None:
    for thinking in ("budget", "adaptive", "off"):
        body = written(GO, quirks=Quirks(thinking=thinking), reasoning_effort="none")
        assert "thinking" not in body
        assert "output_config" not in body


def test_what_does_not_go_with_thinking_gives_way() -> None:
    assert "temperature" not in written(GO, quirks=BUDGET, temperature=0.5)
    assert written(GO, quirks=BUDGET, temperature=1.0)["temperature"] == 1
    assert "thinking" not in written(GO, quirks=BUDGET, tools=(TOOL,), tool_choice="required")
    assert "thinking" in written(GO, quirks=BUDGET, tools=(TOOL,), tool_choice="none")


# Blocks


def test_arguments_are_objects_and_what_is_none_is_wrapped() -> None:
    calls = (call("a", '{"city": "上海"}'), call("b", "15 * 4"), call("c", '{"a":'), call("d", ""), call("e", "SELECT 1", kind="custom"))
    blocks = written(GO, assistant(*calls))["messages"][1]["content"]
    assert [block["input"] for block in blocks] == [{"city": "上海"}, {"INVALID_JSON": "15 * 4"}, {"INVALID_JSON": '{"a":'}, {}, {"input": "SELECT 1"}]


def test_ids_that_are_refused_are_mapped_on_call_and_result() -> None:
    body = written(GO, assistant(call("functions.read:0")), result("functions.read:0"), assistant(call("functions.read:0")), result("functions.read:0"))
    ids = [message["content"][0].get("id") or message["content"][0].get("tool_use_id") for message in body["messages"][1:]]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert all(call_id.replace("_", "").isalnum() for call_id in ids)


def test_every_open_call_is_answered_and_empty_turns_are_left_out() -> None:
    body = written(GO, assistant(call("a")), assistant(), text_message("user", "   "), GO)
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert kinds(body["messages"][2]) == ["tool_result", "text"]
    assert body["messages"][2]["content"][0]["is_error"] is True


def test_a_refusal_without_words_is_no_turn() -> None:
    body = written(GO, assistant(finish_reason="refusal"), GO)
    assert [message["role"] for message in body["messages"]] == ["user"]


def test_system_text_in_the_middle_goes_as_the_users() -> None:
    body = written(GO, assistant(call()), result(), text_message("system", "Be quick."))
    assert kinds(body["messages"][2]) == ["tool_result", "text"]
    assert body["messages"][2]["content"][1]["text"] == "Be quick."


def test_citations_go_back_on_their_text() -> None:
    cited = OpaquePart(dialect="anthropic", provider="", item={"citations": [{"type": "char_location"}]})
    blocks = written(GO, assistant(TextPart(text="so"), cited), GO)["messages"][1]["content"]
    assert blocks == [{"type": "text", "text": "so", "citations": [{"type": "char_location"}]}]


# Settings


def test_at_most_four_marks_on_system_tools_and_the_newest_two_turns() -> None:
    said = [GO, assistant(call("a")), result("a"), assistant(TextPart(text="x")), GO, assistant(call("b")), result("b")]
    body = written(*said, quirks=Quirks(), system=("one", "two"), tools=(TOOL, replace(TOOL, name="write")))
    assert ["cache_control" in block for block in body["system"]] == [False, True]
    assert ["cache_control" in tool for tool in body["tools"]] == [False, True]
    marked = [number for number, message in enumerate(body["messages"]) if "cache_control" in json.dumps(message)]
    assert marked == [4, 6]
    assert "cache_control" not in json.dumps(written(*said, system=("one",), tools=(TOOL,)))


def test_marks_of_a_request_that_was_read_stay_and_in_another_are_ours() -> None:
    block = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral", "ttl": "1h"}}
    parsed = DIALECT.parse_request(json.dumps({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": [block]}]}).encode())
    assert json.loads(DIALECT.encode_request(parsed).body)["messages"][0]["content"] == [block]
    fresh = replace(parsed, options=RequestOptions(model="m"))
    assert json.loads(DIALECT.encode_request(fresh).body)["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    assert json.loads(DIALECT.encode_request(fresh, PLAIN).body)["messages"][0]["content"] == "x"


@pytest.mark.parametrize(
    ("options", "choice"),
    [
        ({"tool_choice": "auto"}, {"type": "auto"}),
        ({"tool_choice": "required"}, {"type": "any"}),
        ({"tool_choice": "none", "parallel_tool_calls": False}, {"type": "none"}),
        ({"tool_choice": "read"}, {"type": "tool", "name": "read"}),
        ({"parallel_tool_calls": False}, {"type": "auto", "disable_parallel_tool_use": True}),
        ({"tool_choice": "required", "parallel_tool_calls": True}, {"type": "any", "disable_parallel_tool_use": False}),
        ({}, None),
    ],
)
def test_the_tool_choice_and_parallel_calls(options: dict[str, Any], choice: dict[str, Any] | None) -> None:
    assert written(GO, tools=(TOOL,), **options).get("tool_choice") == choice
    assert "tool_choice" not in written(GO, **options), "without tools there is no choice"


def test_a_limit_is_always_there() -> None:
    assert written(GO)["max_tokens"] == 8192
    assert written(GO, max_output_tokens=5)["max_tokens"] == 5


def test_tools_only_others_run_are_left_out_and_free_text_becomes_an_argument() -> None:
    custom = replace(TOOL, name="sql", wire={"chat_completions": {"raw": {"type": "custom", "custom": {"name": "sql"}}}})
    builtin = replace(TOOL, name="web", wire={"responses": {"raw": {"type": "web_search"}}})
    assert [tool["name"] for tool in written(GO, tools=(custom, builtin))["tools"]] == ["sql"]


def test_a_read_request_may_hold_what_is_not_known_here() -> None:
    words = {"type": "text", "media_type": "text/plain", "data": "words"}
    result_b = {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "search_result"}]}
    body = {
        "model": "m",
        "max_tokens": 5,
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}],
        "messages": [
            {"role": "user", "content": [{"type": "search_result", "title": "t"}, {"type": "text", "text": "x", "new": 1}], "name": "n"},
            {"role": "assistant", "content": [{"type": "brand_new", "x": 1}, {"type": "tool_use", "id": "a", "name": "r", "input": {"n": 1.5}, "new": True}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "b", "name": "r", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a"}, result_b]},
            {"role": "user", "content": [{"type": "document", "source": words, "title": "t", "context": "c"}]},
        ],
        "tools": [{"type": "web_search_20250305", "name": "web_search"}, {"name": "r", "input_schema": {}, "eager_input_streaming": True}],
        "tool_choice": {"type": "auto", "new": 1},
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "low", "format": {"type": "json_schema"}},
        "metadata": {"user_id": "u"},
        "stream": False,
    }
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(json.dumps(body).encode())).body) == body
