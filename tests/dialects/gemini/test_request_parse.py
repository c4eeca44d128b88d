"""Requests of other programs, read: every member known or kept, every spelling remembered, and forgotten once it says something else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.conversation.messages import FilePart, ImagePart, OpaquePart, ReasoningPart, RequestOptions, TextPart, ToolResultPart
from workbench.dialects.gemini import DIALECT
from workbench.errors import RequestUnreadable

GO = {"role": "user", "parts": [{"text": "go"}]}
TURN = {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"a": 1}}, "thoughtSignature": "S"}]}
RESULT = {"functionResponse": {"name": "read", "response": {"output": "ok"}}}
TOOLS = [{"functionDeclarations": [{"name": "read", "description": "d", "parametersJsonSchema": {"type": "object"}}]}]


def parse(*contents: Any, **members: Any) -> Any:
    return DIALECT.parse_request(json.dumps({"contents": contents, **members}).encode())


def again(*contents: Any, **members: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(DIALECT.encode_request(parse(*contents, **members)).body)
    return value


def test_every_known_member_is_read() -> None:
    request = parse(
        GO,
        TURN,
        {"role": "user", "parts": [RESULT]},
        systemInstruction={"parts": [{"text": "a"}, {"text": "b"}]},
        tools=TOOLS,
        toolConfig={"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["read"]}},
        generationConfig={"maxOutputTokens": 7, "temperature": 0, "stopSequences": ["x"], "thinkingConfig": {"thinkingLevel": "HIGH"}, "topK": 3},
        safetySettings=[],
    )
    options: RequestOptions = request.options
    assert request.system == ("a", "b")
    assert (options.max_output_tokens, options.temperature, options.stop, options.reasoning_effort, options.tool_choice) == (7, 0, ("x",), "high", "read")
    assert options.extra == {"safetySettings": []}
    assert [(tool.name, tool.description, tool.input_schema) for tool in request.tools] == [("read", "d", {"type": "object"})]
    (call,) = request.messages[1].calls()
    assert (call.name, call.arguments_raw, call.metadata) == ("read", '{"a":1}', {"thoughtSignature": "S"})
    assert request.messages[2].results() == (ToolResultPart(call_id=call.call_id, name="read", content=(TextPart(text="ok"),)),)


PARTS: list[tuple[dict[str, Any], Any]] = [
    ({"text": "a"}, TextPart(text="a")),
    ({"text": "a", "thoughtSignature": "S"}, TextPart(text="a", signature="S")),
    ({"text": "a", "thought_signature": "S"}, TextPart(text="a", signature="S")),
    ({"text": ""}, TextPart(text="")),
    ({"text": "a", "thought": True}, ReasoningPart(text="a")),
    ({"text": "a", "thought": False}, TextPart(text="a")),
    ({"inlineData": {"mimeType": "image/png", "data": "iVBO"}}, ImagePart(media_type="image/png", data="iVBO")),
    ({"inline_data": {"mime_type": "application/pdf", "data": "JVBE"}}, FilePart(media_type="application/pdf", data="JVBE")),
    ({"fileData": {"fileUri": "https://x/y.png", "mimeType": "image/png"}}, ImagePart(media_type="image/png", url="https://x/y.png")),
    ({"executableCode": {"code": "1"}}, OpaquePart(dialect="gemini", provider="", item={"executableCode": {"code": "1"}})),
    ({"text": "a", "videoMetadata": {"fps": 1}}, TextPart(text="a")),
]


@pytest.mark.parametrize(("raw", "part"), PARTS, ids=[str(number) for number in range(len(PARTS))])
@pytest.mark.parametrize("role", ["user", "model"])
def test_a_part_is_read_and_written_as_it_was(raw: dict[str, Any], part: Any, role: str) -> None:
    content = {"role": role, "parts": [raw]}
    assert parse(GO, content).messages[1].parts == (part,)
    assert again(GO, content, GO)["contents"] == [GO, content, GO]


@pytest.mark.parametrize(
    "members",
    [
        {"system_instruction": {"role": "user", "parts": [{"text": "s"}]}},
        {"systemInstruction": {"parts": []}},
        {"generation_config": {"max_output_tokens": 5, "thinking_config": {"thinking_budget": 0}}},
        {"generationConfig": {}},
        {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 8192}, "responseMimeType": "x"}},
        {"tools": TOOLS, "tool_config": {"function_calling_config": {"mode": "ANY", "allowed_function_names": ["read"]}}},
        {"tools": TOOLS, "toolConfig": {"functionCallingConfig": {"mode": "VALIDATED"}, "retrievalConfig": {}}},
        {"tools": [{"function_declarations": [{"name": "a", "parameters": {"type": 6, "properties": {"x": {"type": 1}}}}]}]},
        {"tools": [*TOOLS, {"googleSearch": {}}, {"functionDeclarations": [{"name": "b", "response": {}}], "codeExecution": {}}]},
        {"tools": [{"functionDeclarations": [{"name": "a", "parameters_json_schema": {"type": "object"}}]}]},
        {"tools": []},
        {"tools": {"function_declarations": [{"name": "a", "parameters": {"type": "object", "properties": {"x": {"type": "string"}}}}]}},
        {"tools": {"googleSearch": {}}},
        {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}},
        {"cachedContent": "c", "labels": {"a": "b"}, "model": "models/gemini-3"},
    ],
)
def test_every_spelling_survives(members: dict[str, Any]) -> None:
    assert again(GO, **members) == {"contents": [GO], **members}


@pytest.mark.parametrize(
    "response",
    [
        {"name": "read", "response": {"return_value": "Mexico"}},
        {"name": "read", "response": {"name": "read", "content": [{"text": "x"}]}},
        {"name": "read", "response": {"error": {"code": 1}}},
        {"name": "read", "response": {"output": [1, 2]}},
        {"name": "read", "response": {}},
        {"name": "read", "response": {"output": "x"}, "parts": [{"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]},
        {"name": "read", "response": {"output": "x"}, "scheduling": "IDLE"},
    ],
)
@pytest.mark.parametrize("role", ["user", "function"])
def test_every_shape_of_a_result_survives(response: dict[str, Any], role: str) -> None:
    contents = [GO, TURN, {"role": role, "parts": [{"functionResponse": response}]}]
    assert again(*contents)["contents"] == contents
    result = parse(*contents).messages[2].results()[0]
    assert result.is_error == ("error" in response["response"])


def test_a_result_of_one_text_is_that_text() -> None:
    responses = [{"return_value": "Mexico"}, {"result": "Mexico"}, {"output": "Mexico"}]
    for response in responses:
        part = {"functionResponse": {"name": "read", "response": response}}
        assert parse(GO, TURN, {"role": "user", "parts": [part]}).messages[2].results()[0].text() == "Mexico"


def test_results_beside_other_parts_stay_in_one_content() -> None:
    contents = [GO, TURN, {"role": "user", "parts": [RESULT, {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]}, GO]
    request = parse(*contents)
    assert [message.role for message in request.messages] == ["user", "assistant", "tool", "user", "user"]
    assert again(*contents)["contents"] == contents


def test_results_without_ids_are_matched_by_name_and_place() -> None:
    turn = {"role": "model", "parts": [{"functionCall": {"name": name, "args": {"n": n}}} for n, name in enumerate("aab")]}
    answered = {"role": "user", "parts": [{"functionResponse": {"name": name, "response": {"output": name}}} for name in "baa"]}
    request = parse(GO, turn, answered)
    ids = [call.call_id for call in request.messages[1].calls()]
    assert [result.call_id for result in request.messages[2].results()] == [ids[2], ids[0], ids[1]]


def test_ids_match_before_names() -> None:
    turn = {"role": "model", "parts": [{"functionCall": {"name": "a", "args": {}, "id": wire_id}} for wire_id in ("x", "y")]}
    answered = {"role": "user", "parts": [{"functionResponse": {"name": "a", "id": wire_id, "response": {"output": wire_id}}} for wire_id in ("y", "x")]}
    request = parse(GO, turn, answered)
    assert [result.call_id for result in request.messages[2].results()] == ["y", "x"]
    assert [part["functionResponse"]["id"] for part in again(GO, turn, answered)["contents"][2]["parts"]] == ["x", "y"], "sorted for the wire"


def test_a_text_and_a_call_in_one_part_are_both_read() -> None:
    part = {"text": "Let me see.", "functionCall": {"name": "read", "args": {}}}
    request = parse(GO, {"role": "model", "parts": [part]})
    assert request.messages[1].text() == "Let me see."
    assert len(request.messages[1].calls()) == 1


def test_a_spelling_is_forgotten_once_it_says_something_else() -> None:
    request = parse(GO, {"role": "user", "parts": [{"text": "a", "videoMetadata": {}}]}, generation_config={"temperature": 1, "topK": 3})
    changed = replace(request.messages[1], parts=(TextPart(text="b"),))
    options = replace(request.options, temperature=0.5)
    written = json.loads(DIALECT.encode_request(replace(request, messages=(request.messages[0], changed), options=options)).body)
    assert written["contents"][1]["parts"] == [{"text": "b"}]
    assert written["generationConfig"] == {"temperature": 0.5, "topK": 3}


def test_a_model_in_the_body_is_left_out_for_another_model() -> None:
    request = parse(GO, model="models/gemini-3")
    other = replace(request, options=replace(request.options, model="gemini-2.5"))
    assert "model" not in json.loads(DIALECT.encode_request(other).body)


def test_a_request_of_chat_does_not_bring_its_settings_along() -> None:
    options = RequestOptions(model="m", extra={"top_p": 1}, wire={"chat_completions": {"stop": "string"}})
    assert "top_p" not in json.loads(DIALECT.encode_request(replace(parse(GO), options=options)).body)


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"{", "not JSON"),
        (b"[]", "`contents`"),
        (b'{"contents":"go"}', "`contents`"),
        (b'{"contents":["go"]}', "/contents/0"),
        (b'{"contents":[{"role":"assistant","parts":[]}]}', "/contents/0/role"),
        (b'{"contents":[{"parts":{}}]}', "/contents/0/parts"),
        (b'{"contents":[{"parts":["go"]}]}', "/contents/0/parts/0"),
    ],
)
def test_what_is_no_request_is_refused_with_its_place(body: bytes, place: str) -> None:
    with pytest.raises(RequestUnreadable, match=place):
        DIALECT.parse_request(body)
