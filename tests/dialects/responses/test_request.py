"""Requests as this dialect wants them: stateless, flat tools, items in order, reasoning only to its maker."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from workbench.conversation.messages import (
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
from workbench.dialects.responses import DIALECT
from workbench.errors import RequestUnreadable

HERE = Origin(dialect="responses", provider="openai", model="gpt-5")
THOUGHT = ReasoningPart(summary=("hm",), text="hm", encrypted="E", item_id="rs_1")
CALL = ToolCallPart(call_id="c1", name="read", arguments_raw='{"path": "a"}')
USER = text_message("user", "go")


def turn(*parts: Part, origin: Origin | None = HERE, **members: Any) -> Message:
    return Message(message_id="a", role="assistant", parts=parts, origin=origin, **members)


def results(*parts: ToolResultPart) -> Message:
    return Message(message_id="t", role="tool", parts=parts)


def result(call_id: str = "c1", text: str = "ok", **members: Any) -> ToolResultPart:
    return ToolResultPart(call_id=call_id, name="read", content=(TextPart(text=text),), **members)


def body(*messages: Message, tools: tuple[ToolDefinition, ...] = (), system: tuple[str, ...] = (), quirks: Quirks | None = None, **options: Any) -> Any:
    settings = RequestOptions(**{"model": "m", "stream": False, **options})
    return json.loads(DIALECT.encode_request(ModelRequest(system=system, tools=tools, messages=messages, options=settings), quirks or Quirks()).body)


def items(*messages: Message, **more: Any) -> list[Any]:
    found: list[Any] = body(*messages, **more)["input"]
    return found


def test_nothing_is_stored_and_reasoning_is_asked_for_where_there_is_some() -> None:
    assert body(USER) == {"model": "m", "input": [{"role": "user", "content": "go"}], "store": False}
    assert body(USER, reasoning_effort="low")["include"] == ["reasoning.encrypted_content"]
    assert body(USER, reasoning_effort="low")["reasoning"] == {"effort": "low", "summary": "auto"}
    assert body(USER, model="gpt-5.5")["include"] == ["reasoning.encrypted_content"]
    for model in ("gpt-4o", "gpt-5-chat-latest", "grok-4-1-fast-non-reasoning"):
        assert "include" not in body(USER, model=model)
    assert "stop" not in body(USER, stop=("x",))


def test_tools_are_flat_and_say_that_they_are_not_strict() -> None:
    tool = ToolDefinition(name="read", description="Reads.", input_schema={"type": "object", "properties": {}})
    sent = body(USER, tools=(tool,), tool_choice="read", parallel_tool_calls=True)
    assert sent["tools"] == [
        {"type": "function", "name": "read", "description": "Reads.", "parameters": {"type": "object", "properties": {}}, "strict": False}
    ]
    assert sent["tool_choice"] == {"type": "function", "name": "read"}
    assert body(USER, tools=(tool,), tool_choice="required", quirks=Quirks(forced_choice=False))["tool_choice"] == "auto"
    assert "tool_choice" not in body(USER, tool_choice="auto")


def test_reasoning_goes_back_before_its_item_and_without_ids() -> None:
    assert items(USER, turn(THOUGHT, TextPart(text="I read.", phase="commentary"), CALL), results(result()))[1:] == [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "E"},
        {"role": "assistant", "content": "I read.", "phase": "commentary"},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"path": "a"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]


def test_reasoning_that_led_to_nothing_stays_here() -> None:
    assert items(USER, turn(THOUGHT), USER) == items(USER, USER)
    assert [item.get("type") for item in items(USER, turn(CALL, THOUGHT), results(result()), USER)] == [None, "function_call", "function_call_output", None]


@pytest.mark.parametrize(
    ("part", "origin"),
    [
        (ReasoningPart(text="hm", field="reasoning_content"), None),
        (ReasoningPart(text="hm", signature="s"), None),
        (THOUGHT, Origin(dialect="anthropic", provider="anthropic", model="claude")),
        (THOUGHT, replace(HERE, provider="azure")),
        (OpaquePart(dialect="responses", provider="azure", item={"type": "compaction"}), HERE),
        (OpaquePart(dialect="gemini", provider="", item={"x": 1}), HERE),
    ],
)
def test_what_another_made_does_not_go_out(part: Part, origin: Origin | None) -> None:
    assert items(USER, turn(part, TextPart(text="ok"), origin=origin), USER, quirks=Quirks(provider="openai"))[1] == {"role": "assistant", "content": "ok"}
    assert len(items(USER, turn(part, TextPart(text="ok"), origin=origin), USER, quirks=Quirks(provider="openai"))) == 3


def test_readable_reasoning_of_open_models_goes_back_to_the_same_server() -> None:
    written = items(USER, turn(ReasoningPart(text="hm", item_id="rs"), CALL), results(result()))
    assert written[1] == {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}


def test_unknown_items_go_back_whole_to_their_maker() -> None:
    item = {"type": "web_search_call", "id": "ws", "status": "completed"}
    assert items(USER, turn(OpaquePart(dialect="responses", provider="", item=item), TextPart(text="ok")), USER)[1] == item


def test_all_calls_come_before_all_outputs() -> None:
    second = replace(CALL, call_id="c2")
    written = items(USER, turn(CALL, second), results(result("c2"), result("c1")))
    assert [item["type"] for item in written[1:]] == ["function_call", "function_call", "function_call_output", "function_call_output"]


def test_failures_say_so_and_pictures_stay_in_the_output() -> None:
    picture = ImagePart(media_type="image/png", data="AAAA")
    failed = ToolResultPart(call_id="c1", name="read", content=(TextPart(text="no"), picture), is_error=True)
    assert items(USER, turn(CALL), results(failed))[-1]["output"] == [
        {"type": "input_text", "text": "Error: no"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
    ]


def test_free_text_calls_have_outputs_of_their_own_kind() -> None:
    call = replace(CALL, kind="custom", arguments_raw="SELECT 1", name="sql")
    assert items(USER, turn(call), results(result()))[1:] == [
        {"type": "custom_tool_call", "call_id": "c1", "name": "sql", "input": "SELECT 1"},
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "ok"},
    ]
    tool = ToolDefinition(name="sql", description="", input_schema={"type": "object"})
    assert items(USER, turn(call), results(result()), tools=(tool,))[1] == {
        "type": "function_call", "call_id": "c1", "name": "sql", "arguments": '{"input":"SELECT 1"}'
    }  # fmt: skip


def test_patches_and_shell_calls_go_back_as_they_came() -> None:
    operation = {"type": "delete_file", "path": "a"}
    answers: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "apply_patch_call": ({"operation": operation}, {"type": "apply_patch_call_output", "call_id": "c1", "status": "failed", "output": "no"}),
        "shell_call": (
            {"action": {"commands": ["ls"]}},
            {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": "no", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}]},
        ),
    }
    for kind, (said, output) in answers.items():
        answer = {"object": "response", "status": "completed", "output": [{"type": kind, "call_id": "c1", "id": "x", "status": "completed", **said}]}
        decoded = replace(DIALECT.decode_response(json.dumps(answer).encode()).message, origin=HERE)
        assert items(USER, decoded, results(result(text="no", is_error=True)))[1:] == [{"type": kind, "call_id": "c1", "status": "completed", **said}, output]
        foreign = replace(decoded, origin=replace(HERE, provider="azure"))
        assert items(USER, foreign, results(result()), quirks=Quirks(provider="openai"))[1]["type"] == "function_call"


def test_long_ids_are_mapped_on_call_and_output() -> None:
    long = "x" * 70
    written = items(USER, turn(replace(CALL, call_id=long)), results(result(long)))
    assert written[1]["call_id"] == written[2]["call_id"] != long
    assert len(written[1]["call_id"]) <= 64


def test_texts_stand_before_the_calls_for_deepseek() -> None:
    second = replace(CALL, call_id="c2")
    messages = (USER, turn(CALL, TextPart(text="and"), second, origin=None), results(result("c1"), result("c2")))
    assert [item.get("type", "text") for item in items(*messages, model="deepseek-v4")[1:4]] == ["text", "function_call", "function_call"]
    assert [item.get("type", "text") for item in items(*messages)[1:4]] == ["function_call", "text", "function_call"]


def parsed(**members: Any) -> ModelRequest:
    return DIALECT.parse_request(json.dumps({"model": "m", **members}).encode())


def test_a_changed_item_is_written_anew_and_its_neighbours_as_they_were() -> None:
    said = {"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "a", "annotations": []}]}
    request = parsed(input=[{"role": "user", "content": "go"}, said, {**said, "id": "msg_2"}, {"role": "user", "content": "on"}])
    message = request.messages[1]
    changed = replace(message, parts=(TextPart(text="b"), message.parts[1]))
    written = json.loads(DIALECT.encode_request(replace(request, messages=(request.messages[0], changed, request.messages[2]))).body)
    assert written["input"][1:3] == [{"role": "assistant", "content": "b"}, {**said, "id": "msg_2"}]


def test_a_chain_keeps_its_outputs_though_their_calls_are_elsewhere() -> None:
    whole = {"model": "m", "input": [{"type": "function_call_output", "call_id": "c", "output": "x"}], "previous_response_id": "resp_1", "store": True}
    assert json.loads(DIALECT.encode_request(parsed(**whole)).body) == whole


@pytest.mark.parametrize(
    "whole",
    [
        {"input": "go", "instructions": None, "store": True, "include": []},
        {"input": "go", "stream": False, "tools": [], "tool_choice": "none", "parallel_tool_calls": True},
        {"input": [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}], "instructions": "i", "reasoning": {"effort": "low"}},
        {"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_file", "file_id": "f"}]}]},
        {"input": "go", "tools": [{"type": "custom", "name": "sql"}, {"type": "web_search"}], "tool_choice": {"type": "custom", "name": "sql"}},
    ],
)  # fmt: skip
def test_spellings_are_kept(whole: dict[str, Any]) -> None:
    assert json.loads(DIALECT.encode_request(parsed(**whole)).body) == {"model": "m", **whole}


def test_system_text_at_the_start_is_system_text() -> None:
    request = parsed(instructions="i", input=[{"role": "developer", "content": "d"}, {"role": "user", "content": "go"}, {"role": "system", "content": "s"}])
    assert request.system == ("i", "d")
    assert [(message.role, message.text()) for message in request.messages] == [("user", "go"), ("system", "s")]


@pytest.mark.parametrize(
    ("whole", "place"),
    [(b"{", ""), (b"[]", ""), (b'{"input": 7}', "/input"), (b'{"input": [7]}', "/input/0"), (b'{"input": [{"role": "boss"}]}', "/input/0/role")],
)
def test_what_is_no_request_says_where(whole: bytes, place: str) -> None:
    with pytest.raises(RequestUnreadable, match=place or "not JSON|an object"):
        DIALECT.parse_request(whole)
