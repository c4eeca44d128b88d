"""Requests of other programs, read: every member known or kept, every spelling remembered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.conversation.messages import FilePart, ImagePart, ModelRequest, OpaquePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.spelling import forget_spelling
from workbench.errors import RequestUnreadable


def parse(*messages: dict[str, Any], **members: Any) -> ModelRequest:
    return DIALECT.parse_request(json.dumps({"model": "m", "messages": messages, **members}).encode())


def again(*messages: dict[str, Any], **members: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(DIALECT.encode_request(parse(*messages, **members)).body)
    return whole


USER = {"role": "user", "content": "go"}
CALL = {"id": "k", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}}
TURN = {"role": "assistant", "content": None, "tool_calls": [CALL]}
A, B = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}
RESULT = {"role": "tool", "tool_call_id": "k", "content": "ok"}


def test_every_known_member_is_read() -> None:
    request = parse(
        {"role": "system", "content": "Be brief."},
        USER,
        TURN,
        RESULT,
        tools=[{"type": "function", "function": {"name": "read", "description": "d", "parameters": {"type": "object"}, "strict": True}}],
        tool_choice={"type": "function", "function": {"name": "read"}},
        parallel_tool_calls=True,
        stream=True,
        max_completion_tokens=7,
        temperature=0,
        reasoning_effort="high",
        stop="x",
        top_p=0.5,
    )
    options = request.options
    assert request.system == ("Be brief.",)
    assert (options.model, options.stream, options.max_output_tokens, options.temperature) == ("m", True, 7, 0)
    assert (options.reasoning_effort, options.tool_choice, options.parallel_tool_calls, options.stop) == ("high", "read", True, ("x",))
    assert options.extra == {"top_p": 0.5}
    assert [(tool.name, tool.description, tool.input_schema, tool.strict) for tool in request.tools] == [("read", "d", {"type": "object"}, True)]
    assert request.messages[1].calls() == (ToolCallPart(call_id="k", name="read", arguments_raw='{"a": 1}'),)
    assert request.messages[2].results() == (ToolResultPart(call_id="k", name="read", content=(TextPart(text="ok"),)),)


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "developer", "content": "a"}, USER],
        [{"role": "system", "content": [A]}, {"role": "system", "content": [B, A]}, USER],
        [{"role": "system", "content": "a", "name": "boss"}, USER],
        [{"role": "system", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}, USER],
        [USER, {"role": "developer", "content": "note"}, {"role": "system", "content": [{"type": "text", "text": "note"}]}],
        [{**USER, "name": "alice"}],
        [{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}, {"type": "text", "text": "b"}]}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x/y.png", "detail": "high"}}]}],
        [{"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "x", "format": "wav"}}, {"type": "text", "text": "b"}]}],
        [{"role": "user", "content": ""}, {"role": "user", "content": []}],
        [{"role": "user", "content": None}, USER],
        [USER, {"role": "assistant", "content": [A, B], "refusal": None}, USER],
        [USER, {**TURN, "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]}, RESULT],
        [USER, {**TURN, "content": ""}, RESULT],
        [USER, {"role": "assistant", "tool_calls": [CALL]}, RESULT],
        [USER, {**TURN, "audio": None, "tool_calls": [{**CALL, "extra_content": {"google": 1}}]}, RESULT],
        [USER, {**TURN, "reasoning_content": "hm"}, RESULT],
        [USER, {**TURN, "reasoning_content": ""}, RESULT],
        [USER, {**TURN, "reasoning": "hm", "reasoning_content": "hm"}, RESULT],
        [USER, {**TURN, "reasoning": "hm", "reasoning_details": [{"type": "x", "text": "hm", "signature": "S"}]}, RESULT],
        [USER, {"role": "assistant", "content": [{"type": "thinking", "thinking": [B], "closed": True}, A]}],
        [USER, TURN, {**RESULT, "name": "read"}],
        [USER, TURN, {**RESULT, "content": [{"type": "text", "text": "ok"}]}, USER],
        [USER, {**TURN, "tool_calls": [CALL, {**CALL, "id": "l"}]}, {**RESULT, "tool_call_id": "l"}, RESULT],
        [USER, {**TURN, "tool_calls": [{"id": "k", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}]}, RESULT],
    ],
)
def test_messages_are_written_again_as_they_were(messages: list[dict[str, Any]]) -> None:
    assert again(*messages)["messages"] == messages


FUNCTION = {"name": "read", "description": "d", "parameters": {"type": "object", "properties": {}}}


@pytest.mark.parametrize(
    "members",
    [
        {"stream": True},
        {"stream": True, "stream_options": {"include_usage": False}},
        {"stream": False},
        {"max_completion_tokens": 4},
        {"max_tokens": 4, "max_completion_tokens": 5},
        {"max_tokens": "4"},
        {"stop": "x"},
        {"stop": ["x", "y"]},
        {"stop": None},
        {"temperature": "hot"},
        {"n": 2, "top_p": 1, "metadata": {"a": [1]}, "response_format": {"type": "json_object"}},
        {"tools": [{"type": "function", "function": {**FUNCTION, "strict": False}}]},
        {"tools": [{"type": "function", "function": {"name": "read"}}]},
        {"tools": [{"type": "function", "function": {**FUNCTION, "description": None, "x": 1}, "cache_control": {}}]},
        {"tools": [{"type": "custom", "custom": {"name": "sql", "format": {"type": "text"}}}, {"type": "web_search"}]},
        {"tools": [{"type": "function", "function": FUNCTION}], "tool_choice": {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}},
        {"tools": [{"type": "function", "function": FUNCTION}], "tool_choice": "required", "parallel_tool_calls": False},
    ],
)
def test_settings_are_written_again_as_they_were(members: dict[str, Any]) -> None:
    assert again(USER, **members) == {"model": "m", "messages": [USER], **members}


def test_a_forgotten_spelling_is_the_server_s_own() -> None:
    request = forget_spelling(parse({"role": "developer", "content": "s"}, {"role": "user", "content": [A]}, max_completion_tokens=4))
    body = json.loads(DIALECT.encode_request(request, Quirks()).body)
    assert body == {"model": "m", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}], "max_tokens": 4}


def test_pictures_and_files_are_read() -> None:
    content = [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
        {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}},
        {"type": "file", "file": {"file_id": "f"}},
    ]
    assert parse({"role": "user", "content": content}).messages[0].parts == (
        ImagePart(media_type="image/png", data="iVBO"),
        ImagePart(media_type="", url="https://x/y.png"),
        FilePart(media_type="application/pdf", data="JVBE", name="a.pdf"),
        OpaquePart(dialect="chat_completions", provider="", item={"type": "file", "file": {"file_id": "f"}}),
    )


def test_reasoning_said_twice_is_one_part() -> None:
    assert parse({**TURN, "reasoning": "hm", "reasoning_content": "hm"}).messages[0].parts[0] == ReasoningPart(text="hm", field="reasoning_content")
    assert len(parse({**TURN, "reasoning": "hm", "reasoning_content": "hm"}).messages[0].parts) == 2


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ({**CALL, "id": None}, "{}"),
        ({**CALL, "id": ""}, "{}"),
        ({"id": "k", "function": {"name": "read", "arguments": {"a": 1}}}, '{"a":1}'),
        ({"id": "k", "function": {"name": "read"}}, "{}"),
    ],
)
def test_calls_with_missing_members_are_repaired(call: dict[str, Any], expected: str) -> None:
    written = again({"role": "assistant", "content": None, "tool_calls": [call]})["messages"]
    assert written[0]["tool_calls"][0]["id"]
    assert written[0]["tool_calls"][0]["type"] == "function"
    assert written[1]["tool_call_id"] == written[0]["tool_calls"][0]["id"]
    assert json.loads(written[0]["tool_calls"][0]["function"]["arguments"]) == json.loads(expected if call.get("id") else '{"a": 1}')


def test_reading_is_pure() -> None:
    body = json.dumps({"model": "m", "messages": [USER, {**TURN, "tool_calls": [{**CALL, "id": ""}]}]}).encode()
    assert DIALECT.parse_request(body) == DIALECT.parse_request(body)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "`messages`"),
        (b'{"messages": {}}', "`messages`"),
        (b'{"messages": ["x"]}', "/messages/0:"),
        (b'{"messages": [{"role": "function", "name": "x", "content": ""}]}', "/messages/0/role"),
        (b'{"messages": [{"role": "user", "content": 3}]}', "/messages/0/content"),
        (b'{"messages": [{"role": "user", "content": ["x"]}]}', "/messages/0/content/0"),
        (b'{"messages": [{"role": "assistant", "tool_calls": {}}]}', "/messages/0/tool_calls"),
        (b'{"messages": [{"role": "assistant", "tool_calls": [{"function": {}}]}]}', "/messages/0/tool_calls/0/function"),
    ],
)
def test_a_body_that_is_no_request_is_refused_with_its_place(body: bytes, where: str) -> None:
    with pytest.raises(RequestUnreadable, match=where):
        DIALECT.parse_request(body)
