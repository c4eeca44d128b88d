"""Requests written from the neutral form: what goes out, to whom, and what a history is made into."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
from workbench.dialects.base import Quirks
from workbench.dialects.gemini import DIALECT
from workbench.dialects.gemini.contents import OPENING
from workbench.dialects.gemini.parts import STAND_IN

GO = text_message("user", "go")
HERE = Origin(dialect="gemini", provider="google", model="gemini-3-pro")
CHAT = Origin(dialect="chat_completions", provider="google", model="gemini-3-pro")
PICTURE = ImagePart(media_type="image/png", data="iVBO")
TOOL = ToolDefinition(name="read", description="d", input_schema={"type": "object", "properties": {}})


def said(*parts: Part, origin: Origin | None = HERE) -> Message:
    return Message(message_id="a", role="assistant", parts=parts, origin=origin)


def call(call_id: str = "k", name: str = "read", raw: str = "{}", **members: Any) -> ToolCallPart:
    return ToolCallPart(call_id=call_id, name=name, arguments_raw=raw, **members)


def results(*call_ids: str, content: tuple[Any, ...] = (TextPart(text="ok"),), is_error: bool = False) -> Message:
    parts = [ToolResultPart(call_id=call_id, name="read", content=content, is_error=is_error) for call_id in call_ids]
    return Message(message_id="r", role="tool", parts=tuple(parts))


def written(*messages: Message, quirks: Quirks | None = None, tools: tuple[ToolDefinition, ...] = (), **options: Any) -> dict[str, Any]:
    request = ModelRequest(system=(), tools=tools, messages=messages, options=RequestOptions(model=options.pop("model", "gemini-3-pro"), **options))
    body = DIALECT.encode_request(request, quirks or Quirks(provider="google")).body
    assert [finding.rule for finding in DIALECT.check(body) if finding.severity == "error"] == []
    value: dict[str, Any] = json.loads(body)
    return value


def contents(*messages: Message, **settings: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = written(*messages, **settings)["contents"]
    return found


# Path


@pytest.mark.parametrize(
    ("model", "stream", "path"),
    [
        ("gemini-3-pro", False, "/v1beta/models/gemini-3-pro:generateContent"),
        ("models/gemini-3-pro", True, "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"),
        ("tunedModels/mine", False, "/v1beta/tunedModels/mine:generateContent"),
        ("a/b c?ü", False, "/v1beta/models/a%2Fb%20c%3F%C3%BC:generateContent"),
    ],
)
def test_the_path_names_the_model_and_the_stream(model: str, stream: bool, path: str) -> None:
    request = ModelRequest(system=(), tools=(), messages=(GO,), options=RequestOptions(model=model, stream=stream))
    encoded = DIALECT.encode_request(request)
    assert encoded.path == path
    read = DIALECT.with_path(DIALECT.parse_request(encoded.body), path)
    assert (read.options.model, read.options.stream) == (model.removeprefix("models/").removeprefix("tunedModels/"), stream)


def test_a_path_that_names_no_model_changes_nothing() -> None:
    request = DIALECT.parse_request(b'{"contents":[],"model":"models/gemini-3"}')
    assert DIALECT.with_path(request, "/v1/chat/completions") is request
    assert (request.options.model, request.options.stream) == ("gemini-3", False)


# Ids, signatures, and who made them


def test_an_id_goes_back_only_where_this_provider_gave_it() -> None:
    given = call(metadata={"id": "96c1su3s"})
    here = contents(GO, said(given), results("k"))
    assert here[1]["parts"][0]["functionCall"]["id"] == here[2]["parts"][0]["functionResponse"]["id"] == "96c1su3s"
    for turn in (said(call()), said(given, origin=CHAT)):
        other = contents(GO, turn, results("k"))
        assert "id" not in other[1]["parts"][0]["functionCall"]
        assert "id" not in other[2]["parts"][0]["functionResponse"]


def test_signatures_go_back_on_their_very_parts_to_their_maker_only() -> None:
    parts = (
        ReasoningPart(text="plan", signature="T"),
        ReasoningPart(text="unsigned"),
        TextPart(text="a", signature="S+/="),
        call(metadata={"thoughtSignature": "C"}),
        TextPart(text="", signature="E"),
    )
    here = contents(GO, said(*parts), results("k"))[1]["parts"]
    assert here == [
        {"text": "plan", "thought": True, "thoughtSignature": "T"},
        {"text": "a", "thoughtSignature": "S+/="},
        {"functionCall": {"name": "read", "args": {}}, "thoughtSignature": "C"},
        {"text": "", "thoughtSignature": "E"},
    ]
    for elsewhere in (CHAT, Origin(dialect="gemini", provider="vertex", model="gemini-3-pro")):
        assert contents(GO, said(*parts, origin=elsewhere), results("k"))[1]["parts"] == [{"text": "a"}, {"functionCall": {"name": "read", "args": {}}}]


def test_only_the_first_call_of_each_step_gets_the_stand_in() -> None:
    foreign = [said(call("a"), call("b"), origin=CHAT), results("a", "b"), said(call("c"), origin=CHAT), results("c")]
    quirks = Quirks(provider="google", signature_stand_in=True)
    found = contents(GO, *foreign, quirks=quirks)
    assert [part.get("thoughtSignature") for content in found if content["role"] == "model" for part in content["parts"]] == [STAND_IN, None, STAND_IN]
    own = contents(GO, said(call(metadata={"thoughtSignature": "C"})), results("k"), quirks=quirks)
    assert own[1]["parts"][0]["thoughtSignature"] == "C"
    assert "thoughtSignature" not in json.dumps(contents(GO, *foreign))


def test_opaque_items_go_back_to_gemini_only() -> None:
    item = {"executableCode": {"code": "1"}}
    parts = (OpaquePart(dialect="gemini", provider="", item=item), OpaquePart(dialect="anthropic", provider="", item={"type": "x"}))
    assert contents(GO, said(*parts), GO)[1]["parts"] == [item]
    assert len(contents(GO, said(*parts, origin=CHAT), GO)) == 2


# Calls and results


@pytest.mark.parametrize(
    ("raw", "args"),
    [
        ('{"city": "上海"}', {"city": "上海"}),
        ("", {}),
        ("15 * 4", {"INVALID_JSON": "15 * 4"}),
        ('{"a', {"INVALID_JSON": '{"a'}),
        ("[1]", {"INVALID_JSON": "[1]"}),
    ],
)
def test_arguments_are_an_object(raw: str, args: dict[str, Any]) -> None:
    assert contents(GO, said(call(raw=raw)), results("k"))[1]["parts"][0]["functionCall"]["args"] == args


def test_free_text_of_a_custom_call_is_its_input() -> None:
    assert contents(GO, said(call(raw="SELECT", kind="custom")), results("k"))[1]["parts"][0]["functionCall"]["args"] == {"input": "SELECT"}


@pytest.mark.parametrize(("name", "sent"), [("", "unknown"), ("a b", "a_b"), ("1x", "_1x"), ("x" * 80, "x" * 64), ("mcp:a.b-c", "mcp:a.b-c")])
def test_a_call_is_never_without_a_proper_name(name: str, sent: str) -> None:
    found = contents(GO, said(call(name=name), origin=CHAT), results("k"))
    assert found[1]["parts"][0]["functionCall"]["name"] == found[2]["parts"][0]["functionResponse"]["name"] == sent


def test_results_stand_in_one_content_in_the_order_of_their_calls() -> None:
    found = contents(GO, said(call("a"), call("b"), call("c")), results("c", content=(TextPart(text="C"),)), results("a", content=(TextPart(text="A"),)))
    assert [content["role"] for content in found] == ["user", "model", "user"]
    responses = [part["functionResponse"]["response"] for part in found[2]["parts"]]
    assert (responses[0], responses[2]) == ({"output": "A"}, {"output": "C"})
    assert list(responses[1]) == ["error"]


@pytest.mark.parametrize(("is_error", "response"), [(False, {"output": "3.5"}), (True, {"error": "3.5"})])
def test_a_result_is_an_object(is_error: bool, response: dict[str, Any]) -> None:
    found = contents(GO, said(call()), results("k", content=(TextPart(text="3.5"),), is_error=is_error))
    assert found[2]["parts"][0]["functionResponse"]["response"] == response


def test_a_picture_stands_in_the_result_or_behind_all_results() -> None:
    turn = (GO, said(call("a"), call("b")), results("a", "b", content=(TextPart(text="see"), PICTURE)))
    inline = {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}
    nested = contents(*turn)
    assert nested[2]["parts"][0]["functionResponse"]["parts"] == [inline]
    behind = contents(*turn, model="gemini-2.5-pro")
    assert len(behind[2]["parts"]) == 2
    assert "attached" in behind[2]["parts"][0]["functionResponse"]["response"]["output"]
    assert behind[3] == {"role": "user", "parts": [{"text": "From the result of read:"}, inline, {"text": "From the result of read:"}, inline]}


def test_pictures_and_files_of_a_user_are_parts() -> None:
    message = Message(message_id="u", role="user", parts=(TextPart(text="see"), PICTURE, FilePart(media_type="application/pdf", data="JVBE", name="a.pdf")))
    linked = Message(message_id="u", role="user", parts=(ImagePart(media_type="image/png", url="https://example.org/a.png"),))
    assert contents(message)[0]["parts"][1:] == [
        {"inlineData": {"mimeType": "image/png", "data": "iVBO"}},
        {"inlineData": {"mimeType": "application/pdf", "data": "JVBE"}},
    ]
    assert contents(linked)[0]["parts"] == [{"fileData": {"fileUri": "https://example.org/a.png", "mimeType": "image/png"}}]


# Turns


def test_a_conversation_starts_with_the_user() -> None:
    opening = {"role": "user", "parts": [{"text": OPENING}]}
    assert contents(said(call()), results("k"))[0] == opening
    assert contents(said(TextPart(text="a")), GO)[0] == opening
    assert contents() == [opening]


def test_calls_come_after_a_users_turn() -> None:
    found = contents(GO, said(TextPart(text="a")), said(call()), results("k"))
    assert [content["role"] for content in found] == ["user", "model", "user", "model", "user"]


def test_nothing_empty_is_sent() -> None:
    empty = Message(message_id="u", role="user", parts=(TextPart(text=""),))
    assert contents(GO, said(), said(ReasoningPart(text="only thoughts")), empty, GO) == [{"role": "user", "parts": [{"text": "go"}]}] * 2


def test_a_system_note_in_the_middle_is_the_users() -> None:
    assert contents(GO, text_message("system", "note"))[1] == {"role": "user", "parts": [{"text": "note"}]}


# Settings


@pytest.mark.parametrize(
    ("choice", "calling"),
    [
        ("auto", {"mode": "AUTO"}),
        ("none", {"mode": "NONE"}),
        ("required", {"mode": "ANY"}),
        ("read", {"mode": "ANY", "allowedFunctionNames": ["read"]}),
    ],
)
def test_a_choice_is_a_mode(choice: str, calling: dict[str, Any]) -> None:
    assert written(GO, tools=(TOOL,), tool_choice=choice)["toolConfig"] == {"functionCallingConfig": calling}
    assert "toolConfig" not in written(GO, tool_choice=choice)
    assert "toolConfig" not in written(GO, tools=(TOOL,))


@pytest.mark.parametrize(
    ("thinking", "effort", "config"),
    [
        ("off", "high", None),
        ("budget", None, {"includeThoughts": True}),
        ("budget", "low", {"includeThoughts": True, "thinkingBudget": 1024}),
        ("budget", "none", {"thinkingBudget": 0}),
        ("adaptive", "high", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("adaptive", "xhigh", {"includeThoughts": True, "thinkingLevel": "HIGH"}),
        ("adaptive", "strange", {"includeThoughts": True}),
    ],
)
def test_thinking_is_asked_for_by_budget_or_level(thinking: Any, effort: str | None, config: dict[str, Any] | None) -> None:
    found = written(GO, quirks=Quirks(thinking=thinking), reasoning_effort=effort)
    assert found.get("generationConfig", {}).get("thinkingConfig") == config


def test_settings_stand_in_the_generation_config() -> None:
    found = written(GO, max_output_tokens=9, temperature=0.5, stop=("x",), extra={"safetySettings": []})
    assert found["generationConfig"] == {"maxOutputTokens": 9, "temperature": 0.5, "stopSequences": ["x"]}
    assert found["safetySettings"] == []


def test_all_declarations_stand_in_one_entry() -> None:
    tools = (TOOL, ToolDefinition(name="glob", description="", input_schema={"type": "object", "properties": {"a": {"type": "string"}}}))
    (entry,) = written(GO, tools=tools, quirks=Quirks(json_schema=False))["tools"]
    assert [list(each) for each in entry["functionDeclarations"]] == [["name", "description"], ["name", "description", "parameters"]]
    (whole,) = written(GO, tools=tools)["tools"]
    assert [each["parametersJsonSchema"] for each in whole["functionDeclarations"]] == [tool.input_schema for tool in tools]
