"""Requests with `functions`: written from the neutral form, read again, and what the older shape has no place for."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import requests
from workbench.conversation.messages import ImagePart, Message, ModelRequest, Part, RequestOptions, TextPart, ToolCallPart, ToolDefinition, ToolResultPart
from workbench.dialects.chat_completions import DIALECT as CHAT
from workbench.dialects.functions import DIALECT
from workbench.errors import RequestUnreadable

TOOL = ToolDefinition(name="look", description="Looks.", input_schema={"type": "object", "properties": {}}, strict=True)


def message(role: Any, *parts: Part) -> Message:
    return Message(message_id="m", role=role, parts=parts)


def call(call_id: str, name: str = "look", raw: str = '{"at": "a"}') -> ToolCallPart:
    return ToolCallPart(call_id=call_id, name=name, arguments_raw=raw, wire_id="", metadata={"extra_content": {"x": 1}})


def result(call_id: str, text: str, *more: ImagePart, is_error: bool = False) -> ToolResultPart:
    return ToolResultPart(call_id=call_id, name="look", content=(TextPart(text=text), *more), is_error=is_error)


def written(*messages: Message, tools: tuple[ToolDefinition, ...] = (TOOL,), **options: Any) -> Any:
    request = ModelRequest(system=(), tools=tools, messages=messages, options=RequestOptions(model="m", **options))
    body = DIALECT.encode_request(request).body
    assert [finding.rule for finding in DIALECT.check(body) if finding.severity == "error"] == []
    return json.loads(body)


def test_parallel_calls_become_pairs_in_order() -> None:
    found = written(
        message("user", TextPart(text="go")),
        message("assistant", TextPart(text="Both."), call("1"), call("2", raw='{"at": "b"}')),
        message("tool", result("2", "B"), result("1", "A", is_error=True)),
    )["messages"]
    assert found[1:] == [
        {"role": "assistant", "content": "Both.", "function_call": {"name": "look", "arguments": '{"at": "a"}'}},
        {"role": "function", "name": "look", "content": "Error: A"},
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": '{"at": "b"}'}},
        {"role": "function", "name": "look", "content": "B"},
    ]


def test_a_missing_result_is_made_up_and_an_orphan_left_out() -> None:
    found = written(message("assistant", call("1")), message("tool", result("7", "who?")))["messages"]
    assert [entry["role"] for entry in found] == ["assistant", "function"]
    assert "interrupted" in found[1]["content"]


def test_pictures_of_results_follow_behind_all_pairs() -> None:
    picture = ImagePart(media_type="image/png", data="iVBO")
    found = written(message("assistant", call("1"), call("2")), message("tool", result("1", "A", picture), result("2", "B", picture)))["messages"]
    assert [entry["role"] for entry in found] == ["assistant", "function", "assistant", "function", "user"]
    assert [part["type"] for part in found[-1]["content"]] == ["text", "image_url", "text", "image_url"]


def test_free_text_becomes_the_parameter_input() -> None:
    free = ToolCallPart(call_id="1", name="look", arguments_raw="a\nb", kind="custom")
    found = written(message("assistant", free), message("tool", result("1", "A")))["messages"]
    assert json.loads(found[0]["function_call"]["arguments"]) == {"input": "a\nb"}


def test_broken_arguments_are_wrapped() -> None:
    found = written(message("assistant", call("1", raw='{"at": "')), message("tool", result("1", "A")))["messages"]
    assert json.loads(found[0]["function_call"]["arguments"]) == {"INVALID_JSON": '{"at": "'}


@pytest.mark.parametrize(
    ("choice", "expected"), [("auto", "auto"), ("none", "none"), ("look", {"name": "look"}), ("required", {"name": "look"}), (None, None)]
)
def test_a_choice_is_said_as_far_as_it_can_be(choice: str | None, expected: Any) -> None:
    body = written(message("user", TextPart(text="go")), tool_choice=choice, parallel_tool_calls=True)
    assert body.get("function_call") == expected
    assert "parallel_tool_calls" not in body
    assert "strict" not in body["functions"][0]


def test_some_function_of_several_cannot_be_forced() -> None:
    tools = (TOOL, replace(TOOL, name="other"))
    assert written(message("user", TextPart(text="go")), tools=tools, tool_choice="required")["function_call"] == "auto"


def test_a_choice_without_functions_is_left_out() -> None:
    body = written(message("user", TextPart(text="go")), tools=(), tool_choice="auto", extra={"tool_choice": "x", "tools": []})
    assert set(body) == {"model", "messages", "stream", "stream_options"}


def test_results_belong_to_the_nearest_open_call_of_their_name() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": "{}"}},
            {"role": "assistant", "content": None, "function_call": {"name": "b", "arguments": "{}"}},
            {"role": "function", "name": "a", "content": "A"},
            {"role": "function", "name": "b", "content": "B"},
            {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": "{}"}},
            {"role": "function", "name": "a", "content": None},
        ],
    }
    first = DIALECT.parse_request(json.dumps(body).encode())
    calls = {part.call_id: part.name for entry in first.messages for part in entry.calls()}
    results = [(calls[part.call_id], part.text()) for entry in first.messages for part in entry.results()]
    assert results == [("a", "A"), ("b", "B"), ("a", "")]
    assert len(calls) == 3
    assert DIALECT.parse_request(json.dumps(body).encode()) == first, "ids are the same every time"


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "messages": [{"role": "user", "content": "a"}], "functions": [{"name": "f", "parameters": {"type": "object"}, "x": 1}], "user": "u"},
        {"model": "m", "messages": [{"role": "user", "content": "a"}], "functions": [{"name": "f", "strict": True}], "function_call": {"name": "f"}},
        {"model": "m", "messages": [{"role": "user", "content": "a"}], "functions": [], "function_call": "auto", "tool_choice": "auto"},
        {"model": "m", "messages": [{"role": "user", "content": "a"}], "functions": [{"name": "f"}], "function_call": {"name": "f", "more": 1}},
        {
            "model": "m",
            "stream": True,
            "messages": [
                {"role": "developer", "content": "s"},
                {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": ""}, "odd": 1},
                {"role": "function", "name": "f", "content": None, "odd": 2},
            ],
        },
    ],
)
def test_a_request_is_read_and_written_again(body: dict[str, Any]) -> None:
    request = DIALECT.parse_request(json.dumps(body).encode())
    again = json.loads(DIALECT.encode_request(request).body)
    assert again == _plain(body)


def _plain(body: dict[str, Any]) -> dict[str, Any]:
    """Return a body as it comes back: empty arguments are written as an empty object."""
    text: dict[str, Any] = json.loads(json.dumps(body).replace('"arguments": ""', '"arguments": "{}"'))
    return text


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ('{"messages": [{"role": "assistant", "function_call": "x"}]}', "/messages/0/function_call"),
        ('{"messages": [{"role": "assistant", "function_call": {"name": 3}}]}', "/messages/0/function_call"),
        ('{"messages": [3]}', "/messages/0"),
        ('{"messages": 3}', "messages"),
        ("[", "JSON"),
    ],
)
def test_what_is_no_request_says_where(body: str, place: str) -> None:
    with pytest.raises(RequestUnreadable, match=place):
        DIALECT.parse_request(body.encode())


@settings(max_examples=60)
@given(requests())
def test_a_written_request_is_accepted_and_comes_back(request: ModelRequest) -> None:
    body = DIALECT.encode_request(request).body
    assert [finding.rule for finding in DIALECT.check(body) if finding.severity == "error"] == []
    value = json.loads(body)
    assert all(entry["role"] != "tool" and "tool_calls" not in entry for entry in value["messages"])
    parsed = DIALECT.parse_request(body)
    assert json.loads(DIALECT.encode_request(parsed).body) == value
    before = [(part.name, part.arguments()) for entry in request.messages for part in entry.calls()]
    assert [(part.name, part.arguments()) for entry in parsed.messages for part in entry.calls()] == before
    texts = [part.text() for entry in request.messages for part in entry.results()]
    assert [part.text() for entry in parsed.messages for part in entry.results()] == texts
    assert all(len(entry.calls()) < 2 for entry in parsed.messages)


@settings(max_examples=40)
@given(requests())
def test_a_longer_conversation_begins_with_the_shorter_one(request: ModelRequest) -> None:
    writer = DIALECT.request_writer()
    longer = replace(request, messages=(*request.messages, message("user", TextPart(text="more"))))
    short, long = writer.encode(request), writer.encode(longer)
    assert long.pieces[: len(short.pieces) - 1] == short.pieces[:-1]
    assert long == DIALECT.encode_request(longer)
    assert writer.encode(request) == short, "also after a longer one"


@settings(max_examples=40)
@given(requests())
def test_a_parsed_request_can_be_written_for_tools(request: ModelRequest) -> None:
    parsed = DIALECT.parse_request(DIALECT.encode_request(request).body)
    assert [finding.rule for finding in CHAT.check(CHAT.encode_request(parsed).body) if finding.severity == "error"] == []
