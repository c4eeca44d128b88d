"""Requests to Ollama: written from the neutral form, read again, and what the dialect says in its own way."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import requests
from workbench.conversation.messages import (
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    Origin,
    Part,
    ReasoningPart,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolDefinition,
    ToolResultPart,
)
from workbench.dialects.base import Quirks
from workbench.dialects.ollama import DIALECT
from workbench.errors import RequestUnreadable

TOOL = ToolDefinition(name="look", description="Looks.", input_schema={"type": "object", "properties": {}}, strict=True)
PICTURE = ImagePart(media_type="image/png", data="iVBO")


def message(role: Any, *parts: Part, **fields: Any) -> Message:
    return Message(message_id="m", role=role, parts=parts, **fields)


def call(call_id: str, raw: str = '{"at": "a"}', name: str = "look") -> ToolCallPart:
    return ToolCallPart(call_id=call_id, name=name, arguments_raw=raw)


def result(call_id: str, text: str, *more: ImagePart, is_error: bool = False) -> ToolResultPart:
    return ToolResultPart(call_id=call_id, name="look", content=(TextPart(text=text), *more), is_error=is_error)


def written(*messages: Message, quirks: Quirks | None = None, **options: Any) -> Any:
    request = ModelRequest(system=("a", "b"), tools=(TOOL,), messages=messages, options=RequestOptions(model="m", **options))
    body = DIALECT.encode_request(request, quirks or Quirks()).body
    assert [finding.rule for finding in DIALECT.check(body) if finding.severity == "error"] == []
    return json.loads(body)


def test_results_follow_in_the_order_of_the_calls_with_their_names() -> None:
    found = written(
        message("assistant", call("1"), call("2", raw='{"at": "b"}', name="peek")), message("tool", result("2", "B", PICTURE), result("1", "A", is_error=True))
    )["messages"]
    assert found == [
        {"role": "system", "content": "a\n\nb"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": "look", "arguments": {"at": "a"}}}, {"function": {"name": "peek", "arguments": {"at": "b"}}}],
        },
        {"role": "tool", "tool_name": "look", "content": "Error: A"},
        {"role": "tool", "tool_name": "peek", "content": "B", "images": ["iVBO"]},
    ]


@pytest.mark.parametrize(
    ("raw", "kind", "expected"),
    [("", "function", {}), ('{"a": ', "function", {"INVALID_JSON": '{"a": '}), ("[1]", "function", {"INVALID_JSON": "[1]"}), ("x", "custom", {"input": "x"})],
)
def test_arguments_are_always_an_object(raw: str, kind: Any, expected: Any) -> None:
    found = written(message("assistant", replace(call("1", raw=raw), kind=kind)), message("tool", result("1", "A")))["messages"]
    assert found[1]["tool_calls"][0]["function"]["arguments"] == expected


def test_pictures_stand_beside_the_text_and_what_cannot_go_is_named() -> None:
    address, file = ImagePart(media_type="", url="https://example.org/a.png"), FilePart(media_type="application/pdf", data="JVBE", name="a.pdf")
    (found,) = written(message("user", TextPart(text="see"), PICTURE, address, file))["messages"][1:]
    assert found["images"] == ["iVBO"]
    assert found["content"] == "see\n\n[picture: https://example.org/a.png]\n\n[file that could not be attached: a.pdf]"


OURS = Origin(dialect="ollama", provider="ollama", model="m")


@pytest.mark.parametrize(
    ("origin", "thought", "kept"),
    [
        (OURS, ReasoningPart(text="hm"), True),
        (None, ReasoningPart(text="hm"), True),
        (OURS, ReasoningPart(text="hm", field="think_tag"), False),
        (replace(OURS, dialect="chat_completions"), ReasoningPart(text="hm", field="reasoning_content"), False),
        (replace(OURS, dialect="anthropic"), ReasoningPart(text="hm", signature="s"), False),
        (None, ReasoningPart(text="hm", signature="s"), False),
        (replace(OURS, provider="other"), ReasoningPart(text="hm"), False),
    ],
)
def test_thinking_goes_back_only_to_its_maker(origin: Origin | None, thought: ReasoningPart, kept: bool) -> None:
    found = written(message("assistant", thought, TextPart(text="a"), origin=origin), quirks=Quirks(provider="ollama"))["messages"][1]
    assert found.get("thinking") == ("hm" if kept else None)


def test_settings_stand_in_options() -> None:
    body = written(
        message("user", TextPart(text="go")),
        quirks=Quirks(context_tokens=32_768),
        stream=False,
        max_output_tokens=9,
        temperature=0.5,
        stop=("a",),
        tool_choice="required",
        parallel_tool_calls=True,
        extra={"format": "json", "keep_alive": "5m", "stream_options": {}},
    )
    assert body["options"] == {"num_predict": 9, "temperature": 0.5, "stop": ["a"], "num_ctx": 32_768}
    assert set(body) == {"model", "messages", "tools", "stream", "options", "format", "keep_alive"}
    assert body["stream"] is False
    assert "strict" not in body["tools"][0]["function"]


def test_without_settings_there_are_no_options_and_stream_is_said() -> None:
    body = written(message("user", TextPart(text="go")), quirks=Quirks(stop=False), stop=("a",))
    assert "options" not in body
    assert body["stream"] is True


def test_no_tools_may_be_called_is_said_by_offering_none() -> None:
    assert "tools" not in written(message("user", TextPart(text="go")), tool_choice="none")


@pytest.mark.parametrize(("effort", "think"), [("none", False), ("minimal", "low"), ("low", "low"), ("medium", "medium"), ("xhigh", "high"), (None, None)])
def test_effort_becomes_think(effort: str | None, think: Any) -> None:
    assert written(message("user", TextPart(text="go")), reasoning_effort=effort).get("think") == think


BODIES: list[dict[str, Any]] = [
    {"model": "m", "messages": [{"role": "user", "content": "a", "images": ["iVBO", "/9j/"]}]},
    {"model": "m", "messages": [{"role": "user", "content": "a"}], "stream": False, "think": True, "options": {"num_ctx": 8192, "seed": 1, "stop": "x"}},
    {"model": "m", "messages": [{"role": "user", "content": "a"}], "stream": True, "think": "high", "options": {"num_predict": -1, "stop": ["a"]}},
    {"model": "m", "messages": [{"role": "user", "content": "a"}], "tools": [], "format": {"type": "object"}, "keep_alive": None, "options": {}},
    {"model": "m", "messages": [{"role": "system", "content": "a", "x": 1}, {"role": "system", "content": "b"}, {"role": "user", "content": "c"}]},
    {"model": "m", "messages": [{"role": "user"}, {"role": "user", "content": None}, {"role": "assistant", "content": "b", "thinking": "", "x": 1}]},
    {
        "model": "m",
        "stream": False,
        "tools": [{"type": "function", "function": {"name": "f", "strict": True}}],
        "messages": [
            {"role": "assistant", "thinking": "hm", "tool_calls": [{"id": "c", "function": {"index": 0, "name": "f", "arguments": {"b": 1, "a": "上"}}}]},
            {"role": "tool", "tool_call_id": "c", "content": "r"},
            {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": {}}}, {"function": {"name": "g", "arguments": {}}}]},
            {"role": "tool", "tool_name": "f", "content": ""},
            {"role": "tool", "tool_name": "g", "content": "r", "images": ["iVBO"]},
        ],
    },
]


@pytest.mark.parametrize("body", BODIES)
def test_a_request_is_read_and_written_again(body: dict[str, Any]) -> None:
    parsed = DIALECT.parse_request(json.dumps(body).encode())
    assert json.loads(DIALECT.encode_request(parsed).body) == body
    assert DIALECT.parse_request(json.dumps(body).encode()) == parsed


def test_results_find_their_calls_by_name_and_place() -> None:
    parsed = DIALECT.parse_request(json.dumps(BODIES[-1]).encode())
    names = {each.call_id: each.name for entry in parsed.messages for each in entry.calls()}
    assert [names[each.call_id] for entry in parsed.messages for each in entry.results()] == ["f", "f", "g"]
    assert parsed.messages[0].calls()[0].arguments_raw == '{"b":1,"a":"上"}'


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ('{"messages": [{"role": "user", "content": [{"type": "text"}]}]}', "/messages/0/content"),
        ('{"messages": [{"role": "function"}]}', "/messages/0/role"),
        ('{"messages": [{"role": "assistant", "content": "", "tool_calls": {"a": 1}}]}', "/messages/0/tool_calls"),
        ('{"messages": [{"role": "assistant", "content": "", "tool_calls": [{"name": "f"}]}]}', "/messages/0/tool_calls/0/function"),
        ('{"messages": [3]}', "/messages/0"),
        ('{"messages": 3}', "messages"),
        ("[", "JSON"),
    ],
)
def test_what_is_no_request_says_where(body: str, place: str) -> None:
    with pytest.raises(RequestUnreadable, match=place):
        DIALECT.parse_request(body.encode())


@settings(max_examples=80)
@given(requests())
def test_a_written_request_is_accepted_and_comes_back(request: ModelRequest) -> None:
    body = DIALECT.encode_request(request).body
    assert [finding.rule for finding in DIALECT.check(body) if finding.severity == "error"] == []
    value = json.loads(body)
    parsed = DIALECT.parse_request(body)
    assert json.loads(DIALECT.encode_request(parsed).body) == value
    before = [(part.name, part.arguments()) for entry in request.messages for part in entry.calls()]
    assert [(part.name, part.arguments()) for entry in parsed.messages for part in entry.calls()] == before
    texts = [part.text() for entry in request.messages for part in entry.results()]
    assert [part.text() for entry in parsed.messages for part in entry.results()] == texts


@settings(max_examples=40)
@given(requests())
def test_a_longer_conversation_begins_with_the_shorter_one(request: ModelRequest) -> None:
    writer = DIALECT.request_writer()
    longer = replace(request, messages=(*request.messages, message("user", TextPart(text="more"))))
    short, long = writer.encode(request), writer.encode(longer)
    assert long.pieces[: len(short.pieces) - 1] == short.pieces[:-1]
    assert long == DIALECT.encode_request(longer)
    assert writer.encode(request) == short, "also after a longer one"
