"""The rules: each finds its fault, at its place, and finds nothing in a good request."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT

USER = {"role": "user", "content": "go"}
FUNCTION = {"type": "function", "function": {"name": "read", "description": "d", "parameters": {"type": "object", "properties": {}}}}
TEXT = {"type": "text", "text": "x"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://x/y.png"}}


def call(call_id: Any = "k", name: Any = "read", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def turn(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def result(call_id: Any = "k", content: Any = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def tool(**members: Any) -> dict[str, Any]:
    return {"type": "function", "function": {**FUNCTION["function"], **members}}  # type: ignore[dict-item]


def found(*messages: Any, quirks: Quirks | None = None, **members: Any) -> list[tuple[str, str, str]]:
    body = json.dumps({"model": "m", "messages": list(messages), **members}).encode()
    return [(finding.rule.removeprefix("chat."), finding.severity, finding.pointer) for finding in DIALECT.check(body, quirks or Quirks())]


def test_a_good_request_has_no_findings() -> None:
    calls = [turn(call("a"), call("b")), result("b"), result("a", [TEXT])]
    messages = [{"role": "system", "content": "s"}, USER, *calls, {"role": "user", "content": [TEXT, IMAGE]}]
    settings: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}, "max_tokens": 3}
    assert found(*messages, tools=[FUNCTION], tool_choice="auto", parallel_tool_calls=True, **settings) == []


MESSAGES: list[tuple[str, list[Any], list[tuple[str, str, str]]]] = [
    ("nothing said", [], [("no-messages", "error", "/messages")]),
    ("call at the end", [turn(call())], [("unanswered-call", "error", "/messages/0/tool_calls/0")]),
    ("call before a question", [turn(call("a"), call("b")), result("a"), USER], [("unanswered-call", "error", "/messages/0/tool_calls/1")]),
    ("late result", [turn(call()), USER, result(), USER], [("unanswered-call", "error", "/messages/0/tool_calls/0"), ("late-result", "error", "/messages/2")]),
    ("orphan", [result("x"), USER], [("orphan-result", "error", "/messages/0")]),
    ("result without id", [turn(call()), result(), {"role": "tool", "content": "x"}], [("orphan-result", "error", "/messages/2")]),
    ("two results", [turn(call()), result(), result(), USER], [("duplicate-result", "error", "/messages/2")]),
    (
        "one id twice",
        [turn(call(), call()), result(), result(), USER],
        [("duplicate-call-id", "error", "/messages/0/tool_calls/1/id")],
    ),
    ("id again", [turn(call()), result(), turn(call()), result(), USER], [("reused-call-id", "warning", "/messages/2/tool_calls/0/id")]),
    ("id missing", [turn(call(None))], [("unanswered-call", "error", "/messages/0/tool_calls/0"), ("no-call-id", "error", "/messages/0/tool_calls/0/id")]),
    ("id long", [turn(call("k" * 41)), result("k" * 41), USER], [("call-id-length", "error", "/messages/0/tool_calls/0/id")]),
    ("called name", [turn(call(name="a.b")), result(), USER], [("call-name", "error", "/messages/0/tool_calls/0/function/name")]),
    ("arguments as object", [turn(call(arguments={})), result(), USER], [("arguments-type", "error", "/messages/0/tool_calls/0/function/arguments")]),
    ("arguments no json", [turn(call(arguments="15 * 4")), result(), USER], [("arguments-json", "warning", "/messages/0/tool_calls/0/function/arguments")]),
    ("arguments cut", [turn(call(arguments='{"a')), result(), USER], [("arguments-json", "warning", "/messages/0/tool_calls/0/function/arguments")]),
    ("arguments a list", [turn(call(arguments="[]")), result(), USER], [("arguments-json", "warning", "/messages/0/tool_calls/0/function/arguments")]),
    ("calls no list", [{"role": "assistant", "tool_calls": {"a": 1}}, USER], [("calls-shape", "error", "/messages/0/tool_calls")]),
    ("null turn", [{"role": "assistant", "content": None}, USER], [("empty-turn", "error", "/messages/0")]),
    ("empty turn", [{"role": "assistant", "content": ""}, USER], [("empty-turn", "warning", "/messages/0")]),
    ("empty text beside calls", [turn(call(), content=""), result(), USER], [("empty-text-beside-calls", "warning", "/messages/0/content")]),
    ("null result", [turn(call()), result("k", None), USER], [("result-content", "error", "/messages/1/content")]),
    ("null question", [{"role": "user", "content": None}], [("no-content", "error", "/messages/0/content")]),
    ("empty question", [{"role": "user", "content": ""}], [("empty-content", "warning", "/messages/0/content")]),
    ("part without type", [{"role": "user", "content": [{"text": "x"}]}], [("part-type", "error", "/messages/0/content/0/type")]),
    ("picture in a result", [turn(call()), result("k", [IMAGE]), USER], [("image-place", "error", "/messages/1/content/0")]),
    ("role", [{"role": "robot", "content": "x"}], [("role", "error", "/messages/0/role")]),
    ("no object", ["x"], [("role", "error", "/messages/0/role")]),
    ("ends with assistant", [USER, {"role": "assistant", "content": "x"}], [("ends-with-assistant", "warning", "/messages/1")]),
]


@pytest.mark.parametrize(("messages", "expected"), [case[1:] for case in MESSAGES], ids=[case[0] for case in MESSAGES])
def test_a_fault_of_the_messages_is_found(messages: list[Any], expected: list[tuple[str, str, str]]) -> None:
    assert found(*messages) == expected


def test_too_many_calls_in_one_message_are_found() -> None:
    calls = [call(f"k{number}") for number in range(129)]
    assert found(turn(*calls), *(result(f"k{number}") for number in range(129)), USER) == [("too-many-calls", "error", "/messages/0/tool_calls")]


OBJECT = {"type": "object", "properties": {"a": {"type": "string"}}}
MEMBERS: list[tuple[str, dict[str, Any], list[tuple[str, str, str]]]] = [
    ("no model", {"model": ""}, [("no-model", "error", "/model")]),
    ("tool name", {"tools": [tool(name="a.b")]}, [("tool-name", "error", "/tools/0/function/name")]),
    ("tool name long", {"tools": [tool(name="a" * 65)]}, [("tool-name-length", "error", "/tools/0/function/name")]),
    ("tool name missing", {"tools": [{"type": "function", "function": {}}]}, [("tool-name", "error", "/tools/0/function/name")]),
    ("tool twice", {"tools": [FUNCTION, FUNCTION]}, [("duplicate-tool", "warning", "/tools/1/function/name")]),
    ("tool flat", {"tools": [{"type": "function", "name": "read"}]}, [("tool-shape", "error", "/tools/0")]),
    ("tool without type", {"tools": [{"function": FUNCTION["function"]}]}, [("tool-type", "warning", "/tools/0")]),
    ("tool text", {"tools": ["read"]}, [("tool-shape", "error", "/tools/0")]),
    ("no tools", {"tools": []}, [("empty-tools", "error", "/tools")]),
    ("many tools", {"tools": [tool(name=f"t{n}") for n in range(21)]}, [("many-tools", "warning", "/tools")]),
    ("too many tools", {"tools": [tool(name=f"t{n}") for n in range(129)]}, [("too-many-tools", "error", "/tools")]),
    ("description", {"tools": [tool(description="d" * 1025)]}, [("description-length", "warning", "/tools/0/function/description")]),
    ("schema root", {"tools": [tool(parameters={"type": "string"})]}, [("schema-root", "error", "/tools/0/function/parameters")]),
    ("strict", {"tools": [tool(parameters={**OBJECT, "required": ["a"]}, strict=True)]}, [("strict-schema", "error", "/tools/0/function/parameters")]),
    ("choice without tools", {"tool_choice": "auto"}, [("tool-choice-without-tools", "error", "/tool_choice")]),
    ("parallel without tools", {"parallel_tool_calls": True}, [("parallel-tool-calls-without-tools", "error", "/parallel_tool_calls")]),
    (
        "unknown choice",
        {"tools": [FUNCTION], "tool_choice": {"type": "function", "function": {"name": "write"}}},
        [("unknown-tool-choice", "error", "/tool_choice/function/name")],
    ),
    ("both generations", {"tools": [FUNCTION], "functions": []}, [("functions-beside-tools", "error", "/functions")]),
    ("stream options", {"stream_options": {}}, [("stream-options", "error", "/stream_options")]),
    ("two limits", {"max_tokens": 1, "max_completion_tokens": 1}, [("two-limits", "warning", "/max_tokens")]),
    ("limit of o3", {"model": "o3-mini", "max_tokens": 1}, [("max-tokens-field", "error", "/max_tokens")]),
    ("stop of gpt-5", {"model": "openai/gpt-5-nano", "stop": ["x"]}, [("stop-unsupported", "error", "/stop")]),
    ("gpt-4o takes both", {"model": "gpt-4o", "max_tokens": 1, "stop": ["x"]}, []),
    ("gpt-5.6 with tools", {"model": "gpt-5.6-sol", "tools": [FUNCTION]}, [("tools-with-reasoning", "error", "/reasoning_effort")]),
    ("gpt-5.6 told not to reason", {"model": "gpt-5.6-sol", "tools": [FUNCTION], "reasoning_effort": "none"}, []),
    (
        "deepseek thinks",
        {"model": "deepseek-v4", "tools": [FUNCTION], "tool_choice": "required"},
        [("thinking-tool-choice", "error", "/tool_choice")],
    ),
    ("deepseek told not to", {"model": "deepseek-v4", "tools": [FUNCTION], "tool_choice": "required", "thinking": {"type": "disabled"}}, []),
    (
        "kimi",
        {"model": "kimi-k2", "tools": [tool(parameters={**OBJECT, "properties": {"a": {"type": "string", "anyOf": []}}})]},
        [("moonshot-schema", "error", "/tools/0/function/parameters/properties/a/anyOf")],
    ),
]


@pytest.mark.parametrize(("members", "expected"), [case[1:] for case in MEMBERS], ids=[case[0] for case in MEMBERS])
def test_a_fault_of_the_other_members_is_found(members: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    assert found(USER, **members) == expected


def test_o1_mini_takes_no_system_role() -> None:
    assert found({"role": "system", "content": "s"}, USER, model="o1-mini") == [("system-role", "error", "/messages/0/role")]


def test_mistral_has_rules_of_its_own() -> None:
    quirks = Quirks(call_id_format="mistral")
    assert found(turn(call("abcdefghi")), result("abcdefghi"), {"role": "assistant", "content": "x"}, USER, quirks=quirks) == []
    assert found(turn(call()), result(), USER, quirks=quirks) == [
        ("mistral-id", "error", "/messages/0/tool_calls/0/id"),
        ("user-after-tool", "error", "/messages/2"),
    ]


def test_a_server_that_wants_reasoning_back_is_obeyed() -> None:
    quirks = Quirks(reasoning_replay="with_calls")
    assert found(turn(call()), result(), USER, quirks=quirks) == [("reasoning-missing", "error", "/messages/0")]
    assert found(turn(call(), reasoning_content=""), result(), USER, quirks=quirks) == []


def test_the_quirks_decide_what_is_empty_and_how_many_tools_there_may_be() -> None:
    assert found(turn(call(), content=""), result(), USER, quirks=Quirks(empty_content="empty")) == []
    assert found(USER, tools=[FUNCTION, tool(name="write")], quirks=Quirks(max_tools=1)) == [("too-many-tools", "error", "/tools")]


@pytest.mark.parametrize(("body", "rule"), [(b"{", "chat.not-json"), (b"[]", "chat.shape"), (b"{}", "chat.shape"), (b'{"messages":{}}', "chat.shape")])
def test_what_is_no_request_has_one_finding(body: bytes, rule: str) -> None:
    assert [finding.rule for finding in DIALECT.check(body)] == [rule]


def test_every_finding_says_what_and_where_and_all_but_shapes_what_to_do() -> None:
    for _, messages, _ in MESSAGES:
        for finding in DIALECT.check(json.dumps({"model": "m", "messages": messages}).encode()):
            assert finding.message.endswith(".")
            assert finding.fix.endswith(".") or finding.rule in ("chat.role", "chat.calls-shape")
