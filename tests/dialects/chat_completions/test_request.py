"""Requests written: what is sent, what is left out, and how a broken history is repaired."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.conversation.messages import (
    FilePart,
    ImagePart,
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
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions import DIALECT

READ = ToolDefinition(name="read", description="Reads.", input_schema={"type": "object", "properties": {}})


def message(role: Any, *parts: Part, **more: Any) -> Message:
    return Message(message_id="m", role=role, parts=parts, **more)


def call(call_id: str = "k", arguments: str = "{}", **more: Any) -> ToolCallPart:
    return ToolCallPart(call_id=call_id, name=more.pop("name", "read"), arguments_raw=arguments, **more)


def result(call_id: str = "k", *content: TextPart | ImagePart | FilePart, **more: Any) -> Message:
    return message("tool", ToolResultPart(call_id=call_id, name="read", content=content or (TextPart(text="ok"),), **more))


def body(*messages: Message, quirks: Quirks = NORM, tools: tuple[ToolDefinition, ...] = (), system: tuple[str, ...] = (), **options: Any) -> dict[str, Any]:
    request = ModelRequest(system=system, tools=tools, messages=messages, options=RequestOptions(model="m", **options))
    whole: dict[str, Any] = json.loads(DIALECT.encode_request(request, quirks).body)
    return whole


def sent(*messages: Message, **settings: Any) -> list[dict[str, Any]]:
    written: list[dict[str, Any]] = body(*messages, **settings)["messages"]
    return written


ASK = text_message("user", "go")


# Settings


def test_a_plain_request_says_only_what_it_must() -> None:
    assert body(ASK, stream=False) == {"model": "m", "messages": [{"role": "user", "content": "go"}]}


def test_every_setting_has_its_member() -> None:
    numbers: dict[str, Any] = {"max_output_tokens": 5, "temperature": 0.5, "extra": {"top_p": 1}}
    written = body(ASK, tools=(READ,), **numbers, reasoning_effort="low", tool_choice="read", parallel_tool_calls=False, stop=("x",))
    assert {name: value for name, value in written.items() if name not in ("messages", "tools")} == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 5,
        "temperature": 0.5,
        "reasoning_effort": "low",
        "tool_choice": {"type": "function", "function": {"name": "read"}},
        "parallel_tool_calls": False,
        "stop": ["x"],
        "top_p": 1,
    }
    assert written["tools"] == [{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": READ.input_schema}}]


def test_the_quirks_choose_members_and_roles() -> None:
    quirks = Quirks(max_tokens_field="max_completion_tokens", stream_usage=False, system_role="developer")
    written = body(ASK, message("system", TextPart(text="note")), quirks=quirks, system=("Be brief.",), max_output_tokens=5)
    assert written["max_completion_tokens"] == 5
    assert "stream_options" not in written
    assert [each["role"] for each in written["messages"]] == ["developer", "user", "developer"]


def test_what_is_about_tools_is_left_out_without_tools() -> None:
    written = body(ASK, tool_choice="auto", parallel_tool_calls=True, extra={"tool_choice": {"type": "allowed_tools"}})
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & written.keys()
    assert body(ASK, tools=(READ,), extra={"tool_choice": {"type": "allowed_tools"}})["tool_choice"] == {"type": "allowed_tools"}


def test_extra_members_never_replace_known_ones() -> None:
    assert body(ASK, temperature=1.0, extra={"temperature": 2, "model": "other", "messages": []})["temperature"] == 1.0
    assert body(ASK, extra={"model": "other"})["model"] == "m"


def test_system_blocks_become_one_message_in_front() -> None:
    assert sent(ASK, system=("Be brief.", "", "Be kind."))[0] == {"role": "system", "content": "Be brief.\n\nBe kind."}


def test_strict_is_only_sent_when_asked_for() -> None:
    function = body(ASK, tools=(replace(READ, strict=True),))["tools"][0]["function"]
    assert function["strict"] is True


# Messages


def test_a_picture_makes_a_list_of_parts() -> None:
    pictures = (ImagePart(media_type="image/png", data="iVBO"), ImagePart(media_type="", url="https://example.org/a.png"))
    file = FilePart(media_type="application/pdf", data="JVBE")
    assert sent(message("user", TextPart(text="see"), *pictures, file))[0]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "file", "file": {"filename": "file", "file_data": "data:application/pdf;base64,JVBE"}},
    ]


@pytest.mark.parametrize(("form", "expected"), [("null", {"content": None}), ("empty", {"content": ""}), ("omit", {})])
def test_a_turn_with_only_calls_has_the_content_the_server_wants(form: Any, expected: dict[str, Any]) -> None:
    turn = sent(message("assistant", call()), result(), quirks=Quirks(empty_content=form))[0]
    assert {name: value for name, value in turn.items() if name == "content"} == expected


@pytest.mark.parametrize("parts", [(), (TextPart(text=""),), (ReasoningPart(text="hm", field="reasoning_content"),), (ReasoningPart(text="hm"),)])
def test_a_turn_with_neither_text_nor_calls_is_left_out(parts: tuple[Part, ...]) -> None:
    assert sent(message("assistant", *parts), ASK, quirks=Quirks(reasoning_replay="always")) == [{"role": "user", "content": "go"}]


def test_text_around_calls_is_one_text_and_blocks_of_another_dialect_are_paragraphs() -> None:
    parts = (TextPart(text="Let me look."), call(), TextPart(text="And then?"))
    assert sent(message("assistant", *parts), result())[0]["content"] == "Let me look.And then?"
    elsewhere = Origin(dialect="anthropic", provider="anthropic", model="claude")
    assert sent(message("assistant", *parts, origin=elsewhere), result())[0]["content"] == "Let me look.\n\nAnd then?"


def test_half_characters_are_never_sent() -> None:
    turn = message("assistant", TextPart(text="\ude00"), call(arguments='{"a":"\ud83d"}'))
    written = sent(text_message("user", "a\ud83db"), turn, result("k", TextPart(text="\udc88")))
    assert "\ufffd" in written[0]["content"]
    json.dumps(written, ensure_ascii=False).encode()


# Calls and results


def test_arguments_go_back_byte_for_byte() -> None:
    raw = '{"city": "上海",  "n":1.0}'
    assert sent(message("assistant", call(arguments=raw)), result())[0]["tool_calls"][0]["function"]["arguments"] == raw


@pytest.mark.parametrize("status", ["invalid_json", "truncated"])
def test_broken_calls_go_back_as_objects_with_a_result(status: Any) -> None:
    written = sent(message("assistant", call(arguments='{"a":', status=status)), ASK)
    assert json.loads(written[0]["tool_calls"][0]["function"]["arguments"]) == {"INVALID_JSON": '{"a":'}
    assert written[1]["role"] == "tool"
    assert written[1]["content"]


def test_a_name_that_servers_refuse_is_sent_as_it_is_and_found() -> None:
    request = ModelRequest(
        system=(), tools=(), messages=(message("assistant", call(name="mcp.read file")), result()), options=RequestOptions(model="m")
    )
    body = DIALECT.encode_request(request).body
    assert json.loads(body)["messages"][0]["tool_calls"][0]["function"]["name"] == "mcp.read file"
    assert [finding.rule for finding in DIALECT.check(body)] == ["chat.call-name"]


def test_what_a_provider_said_of_a_call_never_replaces_its_id() -> None:
    marks = {"id": "other", "type": "x", "function": {}, "extra_content": {"google": {}}}
    turn, answer = sent(message("assistant", call("k", metadata=marks)), result("k"))
    assert turn["tool_calls"] == [{"id": "k", "type": "function", "function": {"name": "read", "arguments": "{}"}, "extra_content": {"google": {}}}]
    assert answer["tool_call_id"] == "k"


def test_a_custom_call_becomes_a_function_where_the_tool_is_one() -> None:
    custom = message("assistant", call(name="sql", arguments="SELECT", kind="custom"))
    assert sent(custom, result())[0]["tool_calls"][0] == {"id": "k", "type": "custom", "custom": {"name": "sql", "input": "SELECT"}}
    as_function = sent(custom, result(), tools=(replace(READ, name="sql"),))[0]["tool_calls"][0]
    assert as_function["function"] == {"name": "sql", "arguments": '{"input":"SELECT"}'}


@pytest.mark.parametrize(("text", "expected"), [("no file", "Error: no file"), ("Error (file_not_found): a", "Error (file_not_found): a"), ("", "Error: ")])
def test_a_failure_says_that_it_is_one(text: str, expected: str) -> None:
    assert sent(message("assistant", call()), result("k", TextPart(text=text), is_error=True))[1]["content"] == expected


def test_pictures_of_results_follow_after_the_whole_group() -> None:
    picture = ImagePart(media_type="image/png", data="iVBO")
    results = message("tool", *result("a", TextPart(text="shot"), picture).parts, *result("b", picture).parts)
    written = sent(message("assistant", call("a"), call("b")), results, ASK)
    assert [each["role"] for each in written] == ["assistant", "tool", "tool", "user", "user"]
    assert [each["content"] for each in written[1:3]] == ["shot\n[1 attached: see the next message]", "[1 attached: see the next message]"]
    assert [part["type"] for part in written[3]["content"]] == ["text", "image_url", "text", "image_url"]
    assert written[3]["content"][0]["text"] == "From the result of read:"


def test_results_carry_the_name_where_the_server_wants_it() -> None:
    assert sent(message("assistant", call()), result(), quirks=Quirks(result_name=True))[1]["name"] == "read"


def test_mistral_gets_a_turn_between_result_and_question() -> None:
    written = sent(message("assistant", call()), result(), ASK, quirks=Quirks(call_id_format="mistral"))
    assert [each["role"] for each in written] == ["assistant", "tool", "assistant", "user"]
    assert len(written[1]["tool_call_id"]) == 9
    assert written[1]["tool_call_id"] == written[0]["tool_calls"][0]["id"]


# Reasoning


def thinking(*, field: Any = "reasoning_content", origin: Origin | None = None, **more: Any) -> Message:
    return message("assistant", ReasoningPart(text="hm", field=field, **more), TextPart(text="so"), call(), origin=origin)


@pytest.mark.parametrize(("replay", "more"), [("never", []), ("with_calls", ["reasoning_content"]), ("always", ["reasoning_content"])])
def test_reasoning_goes_back_only_where_it_is_wanted(replay: Any, more: list[str]) -> None:
    assert sorted(sent(thinking(), result(), quirks=Quirks(reasoning_replay=replay))[0]) == sorted(["content", "role", "tool_calls", *more])


def test_a_turn_without_reasoning_gets_an_empty_one_where_it_must_be_there() -> None:
    messages = (thinking(field="reasoning"), result(), message("assistant", call("l")), result("l"), text_message("assistant", "x"))
    written = sent(*messages, quirks=Quirks(reasoning_replay="with_calls"))
    assert [each.get("reasoning") for each in written if each["role"] == "assistant"] == ["hm", "", None]


def test_each_kind_of_reasoning_goes_back_where_it_stood() -> None:
    always = Quirks(reasoning_replay="always")
    assert sent(thinking(field="think_tag"), result(), quirks=always)[0]["content"] == "<think>hm</think>so"
    assert sent(thinking(field="thinking_content"), result(), quirks=always)[0]["content"] == [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": True},
        {"type": "text", "text": "so"},
    ]
    detailed = sent(thinking(field="reasoning", details=({"type": "x", "signature": "S"},)), result(), quirks=always)[0]
    assert (detailed["reasoning"], detailed["reasoning_details"]) == ("hm", [{"type": "x", "signature": "S"}])


@pytest.mark.parametrize(
    ("origin", "goes_back"),
    [
        (None, True),
        (Origin(dialect="chat_completions", provider="deepseek", model="v4"), True),
        (Origin(dialect="chat_completions", provider="", model="v4"), True),
        (Origin(dialect="chat_completions", provider="groq", model="v4"), False),
        (Origin(dialect="responses", provider="deepseek", model="v4"), False),
    ],
)
def test_reasoning_goes_only_to_the_provider_that_made_it(origin: Origin | None, goes_back: bool) -> None:
    written = sent(thinking(origin=origin), result(), quirks=Quirks(reasoning_replay="always", provider="deepseek"))[0]
    assert ("reasoning_content" in written) is goes_back


def test_reasoning_goes_only_to_the_maker_of_the_model() -> None:
    origin = Origin(dialect="chat_completions", provider="openrouter", model="anthropic/claude-4")
    for model, goes_back in (("anthropic/claude-5", True), ("openai/gpt-5", False)):
        request = ModelRequest(system=(), tools=(), messages=(thinking(origin=origin), result()), options=RequestOptions(model=model))
        written = json.loads(DIALECT.encode_request(request, Quirks(reasoning_replay="always", provider="openrouter")).body)["messages"][0]
        assert ("reasoning_content" in written) is goes_back


def test_what_only_another_provider_understands_is_left_out() -> None:
    audio = {"type": "input_audio", "input_audio": {"data": "x"}}
    ours, foreign = (OpaquePart(dialect=dialect, provider="", item=audio) for dialect in ("chat_completions", "gemini"))
    assert sent(message("user", TextPart(text="hear"), ours, foreign))[0]["content"] == [{"type": "text", "text": "hear"}, audio]
    signature = message("assistant", call(metadata={"extra_content": 1}), origin=Origin(dialect="chat_completions", provider="gemini", model="g"))
    assert "extra_content" not in sent(signature, result(), quirks=Quirks(provider="groq"))[0]["tool_calls"][0]
    assert sent(signature, result(), quirks=Quirks(provider="gemini"))[0]["tool_calls"][0]["extra_content"] == 1
