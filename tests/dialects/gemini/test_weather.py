"""The weather conversation in Gemini's dialect: as it was held there, and as it is told to Gemini after a chat server held it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.dialects.chat_completions.test_weather import neutral
from tests.dialects.feeding import cuts, outcome_of
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, Origin, RequestOptions, ToolResultPart
from workbench.dialects import chat_completions
from workbench.dialects.base import Quirks
from workbench.dialects.gemini import DIALECT
from workbench.dialects.spelling import forget_spelling

pytestmark = needs_shared

SUBSET = Quirks(json_schema=False, thinking="budget")
NAMES = ["gemini.round1", "gemini.round2", "gemini.round3", "gemini.json_schema.round1", "gemini.from_chat.round3", "gemini3.from_chat.round3"]


def folder() -> Path:
    data = shared_data()
    assert data is not None
    return data / "weather"


def read(name: str) -> bytes:
    return (folder() / name).read_bytes()


def load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(read(name))
    return loaded


def asked(messages: tuple[Message, ...], model: str = "gemini-2.5-flash") -> ModelRequest:
    """Return the request with these messages; tools and system text come from the chat server's first request."""
    parsed = forget_spelling(chat_completions.DIALECT.parse_request(read("chat.round1.request.json")))
    return ModelRequest(system=parsed.system, tools=parsed.tools, messages=messages, options=RequestOptions(model=model, stream=False, tool_choice="auto"))


def held_here(rounds: int) -> tuple[Message, ...]:
    """Return the conversation as Gemini's own answers make it."""
    messages = [neutral()[0]]
    for number in range(1, rounds):
        answer = DIALECT.decode_response(read(f"gemini.round{number}.response.json")).message
        (call,) = answer.calls()
        (result,) = neutral()[2 * number].results()
        messages.append(replace(answer, origin=Origin(dialect="gemini", provider="google", model="gemini-2.5-flash")))
        messages.append(Message(message_id=f"r{number}", role="tool", parts=(replace(result, call_id=call.call_id),)))
    return tuple(messages)


@pytest.mark.parametrize("name", NAMES)
def test_a_request_is_read_and_written_again(name: str) -> None:
    body = read(f"{name}.request.json")
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == json.loads(body)
    assert DIALECT.check(body, Quirks(signature_stand_in="gemini3" in name)) == ()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_conversation_held_here_keeps_its_signatures_and_leaves_thoughts_out(number: int) -> None:
    written = DIALECT.encode_request(asked(held_here(number)), replace(SUBSET, provider="google"))
    assert json.loads(written.body) == load(f"gemini.round{number}.request.json")
    assert written.path == "/v1beta/models/gemini-2.5-flash:generateContent"


def test_schemas_go_whole_where_the_server_takes_them() -> None:
    written = DIALECT.encode_request(asked(neutral()[:1]), Quirks(thinking="adaptive"))
    assert json.loads(written.body) == load("gemini.json_schema.round1.request.json")


def test_a_conversation_from_a_chat_server_loses_its_reasoning_and_its_ids() -> None:
    assert json.loads(DIALECT.encode_request(asked(neutral()[:5]), SUBSET).body) == load("gemini.from_chat.round3.request.json")


def test_gemini_3_gets_the_stand_in_for_signatures_that_nobody_made() -> None:
    written = DIALECT.encode_request(asked(neutral()[:5], "gemini-3-pro"), replace(SUBSET, signature_stand_in=True))
    assert json.loads(written.body) == load("gemini3.from_chat.round3.request.json")
    assert DIALECT.check(written.body, model="gemini-3-pro") == ()
    without = DIALECT.check(read("gemini.from_chat.round3.request.json"), model="gemini-3-pro")
    assert [finding.rule for finding in without] == ["gemini.signature-missing"] * 2


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stream_in_every_cut_says_what_the_body_says(number: int) -> None:
    stream = read(f"gemini.round{number}.stream.sse")
    assert b"\r\n" in stream
    body = DIALECT.decode_response(read(f"gemini.round{number}.response.json"))
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(stream, f"weather {number}")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    streamed, expected = outcomes["whole"].message, neutral()[2 * number - 1]
    assert streamed.parts == body.message.parts
    assert (streamed.finish_reason, streamed.usage) == (body.message.finish_reason, body.usage)
    assert streamed.finish_reason == ("end" if number == 3 else "tool_use")
    assert streamed.text() == expected.text()
    assert streamed.reasoning() == expected.reasoning() or number == 3
    assert [(call.name, call.arguments()) for call in streamed.calls()] == [(call.name, call.arguments()) for call in expected.calls()]
    assert body.calls_may_run == outcomes["whole"].may_run is True


def test_the_tokens_add_up() -> None:
    usages = [DIALECT.decode_response(read(f"gemini.round{number}.response.json")).usage for number in (1, 2, 3)]
    assert [(usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) for usage in usages if usage] == [(503, 91, 61), (571, 83, 47), (624, 167, 107)]


def test_arguments_are_an_object_and_a_tool_without_parameters_has_none() -> None:
    written = DIALECT.encode_request(asked(held_here(2)), SUBSET).body
    assert b'"args":{"city":"' in written
    assert list(json.loads(written)["tools"][0]["functionDeclarations"][1]) == ["name", "description"]


def test_results_are_known_by_their_place() -> None:
    parsed = DIALECT.parse_request(read("gemini.round3.request.json"))
    calls = [call for message in parsed.messages for call in message.calls()]
    results = [part for message in parsed.messages for part in message.parts if isinstance(part, ToolResultPart)]
    assert [(result.call_id, result.name, result.text()) for result in results] == [
        (call.call_id, call.name, result.text()) for call, result in zip(calls, results, strict=True)
    ]
    assert len({call.call_id for call in calls}) == 2
