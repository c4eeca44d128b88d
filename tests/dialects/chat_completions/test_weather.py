"""The weather conversation of the background articles: every request, answer and stream of it in this dialect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.dialects.feeding import cuts, outcome_of
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, Origin, Part, ReasoningPart, RequestOptions, TextPart, ToolCallPart, ToolResultPart
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.spelling import forget_spelling

pytestmark = needs_shared
EMPTY = Quirks(empty_content="empty", stream_usage=False)


def folder() -> Path:
    data = shared_data()
    assert data is not None
    return data / "weather"


def load(name: str) -> Any:
    return json.loads((folder() / name).read_bytes())


def neutral() -> tuple[Message, ...]:
    """Return the conversation as the neutral file has it."""
    return tuple(_message(place, message) for place, message in enumerate(load("neutral.json")["messages"]))


def _message(place: int, message: dict[str, Any]) -> Message:
    origin = message.get("origin")
    return Message(
        message_id=f"m{place}",
        role=message["role"],
        parts=tuple(_part(part) for part in message["parts"]),
        origin=Origin(dialect="chat_completions", provider=origin["provider"], model=origin["model"]) if origin else None,
        finish_reason=message.get("stop"),
        finish_raw=message.get("stop_raw", ""),
    )


def _part(part: dict[str, Any]) -> Part:
    match part["type"]:
        case "text":
            return TextPart(text=part["text"])
        case "reasoning":
            return ReasoningPart(text=part["text"], field=part["origin"]["field"])
        case "tool_call":
            return ToolCallPart(call_id=part["id"], name=part["name"], arguments_raw=part["arguments_raw"])
        case _:
            return ToolResultPart(call_id=part["call_id"], name=part["name"], content=(TextPart(text=part["content"][0]["text"]),))


def request(rounds: int, *, model: str = "qwen3.5-plus") -> ModelRequest:
    """Return the request of a round, made from the neutral conversation."""
    parsed = DIALECT.parse_request((folder() / "chat.round1.request.json").read_bytes())
    return ModelRequest(system=parsed.system, tools=parsed.tools, messages=neutral()[: 2 * rounds - 1], options=RequestOptions(model=model, stream=False))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_neutral_conversation_gives_the_recorded_request(number: int) -> None:
    written = DIALECT.encode_request(request(number), EMPTY)
    assert json.loads(written.body) == load(f"chat.round{number}.request.json")
    assert b'"arguments":"{\\"city\\": \\"' in written.body or number == 1, "the argument text keeps its space"


def test_reasoning_is_kept_where_a_server_wants_it() -> None:
    written = DIALECT.encode_request(request(3), replace(EMPTY, reasoning_replay="with_calls"))
    assert json.loads(written.body) == load("chat.keep_reasoning.round3.request.json")


def test_mistral_gets_its_own_ids_and_names() -> None:
    written = DIALECT.encode_request(request(3, model="mistral-large-latest"), replace(EMPTY, call_id_format="mistral", result_name=True))
    assert json.loads(written.body) == load("chat.mistral_ids.round3.request.json")


REQUESTS = ["chat.round1", "chat.round2", "chat.round3", "chat.keep_reasoning.round3", "chat.mistral_ids.round3", "seed.round1", "seed.round2"]


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_read_and_written_again(name: str) -> None:
    body = (folder() / f"{name}.request.json").read_bytes()
    parsed = DIALECT.parse_request(body)
    assert json.loads(DIALECT.encode_request(parsed).body) == json.loads(body)
    wanted = Quirks(empty_content="empty", call_id_format="mistral" if "mistral" in name else "any")
    errors = [finding.rule for finding in DIALECT.check(body, wanted) if finding.severity == "error"]
    assert errors == (["chat.no-model"] if name == "seed.round2" else [])


def test_a_request_without_parameters_keeps_its_empty_object() -> None:
    tools = json.loads(DIALECT.encode_request(forget_spelling(request(1))).body)["tools"]
    assert tools[1]["function"]["parameters"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stream_in_every_cut_and_the_body_say_what_the_neutral_file_says(number: int) -> None:
    expected = neutral()[2 * number - 1]
    stream = (folder() / f"chat.round{number}.stream.sse").read_bytes()
    body = DIALECT.decode_response((folder() / f"chat.round{number}.response.json").read_bytes())
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(stream, f"weather {number}")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    streamed = outcomes["whole"].message
    assert (streamed.finish_reason, streamed.finish_raw) == (expected.finish_reason, expected.finish_raw)
    assert streamed.calls() == expected.calls()
    assert streamed.text() == expected.text()
    if number < 3:
        assert streamed.parts == expected.parts == body.message.parts
    else:
        assert streamed.reasoning(), "the article prints none, and only the stream shows what was filled in"
        assert streamed.parts[1:] == expected.parts == body.message.parts
    assert streamed.usage == body.usage
    assert body.calls_may_run == outcomes["whole"].may_run is True


def test_the_tokens_add_up() -> None:
    usages = [DIALECT.decode_response((folder() / f"chat.round{number}.response.json").read_bytes()).usage for number in (1, 2, 3)]
    assert [(usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) for usage in usages if usage] == [(503, 91, 61), (571, 83, 47), (624, 167, 107)]
    assert sum(usage.input_tokens or 0 for usage in usages if usage) == 1698
    assert sum(usage.output_tokens or 0 for usage in usages if usage) == 341


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_answers_as_the_articles_print_them(number: int) -> None:
    printed = load(f"seed.round{number}.response.json")
    if "choices" not in printed:
        printed = {"choices": [{"index": 0, "finish_reason": printed.get("finish_reason", "stop"), "message": printed.get("message", printed)}]}
    message = DIALECT.decode_response(json.dumps(printed).encode()).message
    assert message.calls() == neutral()[2 * number - 1].calls()
