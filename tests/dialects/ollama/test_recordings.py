"""The weather conversation and every recording of Ollama's dialect, in every cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from tests.dialects.chat_completions.test_weather import neutral
from tests.dialects.feeding import cuts, outcome_of
from tests.dialects.recordings import Recorded, exchanges, index
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, ToolCallPart
from workbench.dialects.ollama import DIALECT
from workbench.dialects.registry import detect
from workbench.dialects.spelling import forget_spelling

pytestmark = needs_shared


def folder() -> Path:
    data = shared_data()
    assert data is not None
    return data


def load(name: str) -> bytes:
    return (folder() / "weather" / name).read_bytes()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_weather_request_is_read_and_written_again(number: int) -> None:
    body = load(f"ollama.round{number}.request.json")
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == json.loads(body)
    assert DIALECT.check(body) == ()


def test_our_answers_go_back_as_the_next_request_has_them() -> None:
    parsed = DIALECT.parse_request(load("ollama.round3.request.json"))
    answers = [DIALECT.decode_response(load(f"ollama.round{number}.response.json")).message for number in (1, 2)]
    results = [message for message in parsed.messages if message.role == "tool"]
    told = [_answering(message, answer) for message, answer in zip(results, answers, strict=True)]
    messages = (parsed.messages[0], answers[0], told[0], answers[1], told[1])
    written = json.loads(DIALECT.encode_request(replace(parsed, messages=messages)).body)
    assert written == json.loads(load("ollama.round3.request.json"))


def _answering(results: Message, answer: Message) -> Message:
    parts = (replace(results.results()[0], call_id=answer.calls()[0].call_id),)
    return replace(results, parts=parts, wire={})


def test_a_conversation_held_with_a_chat_server_leaves_its_reasoning_behind() -> None:
    parsed = forget_spelling(DIALECT.parse_request(load("ollama.round3.request.json")))
    request = replace(parsed, messages=neutral()[:5], options=RequestOptions(model="qwen3:8b", stream=False))
    expected = json.loads(load("ollama.round3.request.json"))
    del expected["think"]
    for message in expected["messages"]:
        message.pop("thinking", None)
    assert json.loads(DIALECT.encode_request(request).body) == expected


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_weather_stream_in_every_cut_and_the_body_say_the_same(number: int) -> None:
    expected, stream = neutral()[2 * number - 1], load(f"ollama.round{number}.stream.ndjson")
    body = DIALECT.decode_response(load(f"ollama.round{number}.response.json"))
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(stream, f"{number}")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    streamed = outcomes["whole"]
    assert streamed.message.parts == body.message.parts
    assert streamed.message.usage == body.usage
    assert body.usage is not None
    assert (body.usage.input_tokens, body.usage.output_tokens) == [(503, 91), (571, 83), (624, 167)][number - 1]
    assert [(call.name, call.arguments()) for call in body.message.calls()] == [(call.name, call.arguments()) for call in expected.calls()]
    assert body.message.text() == expected.text()
    assert number == 3 or body.message.reasoning() == expected.reasoning()
    assert (body.message.finish_reason, body.message.finish_raw) == (expected.finish_reason, "stop")
    assert streamed.may_run
    assert body.calls_may_run


class Expected(NamedTuple):
    """What a recorded answer says: text and reasoning (beginning, length), calls, tokens, the neutral end."""

    text: tuple[str, int]
    thought: tuple[str, int]
    calls: tuple[tuple[str, str, str], ...]
    tokens: tuple[int, int] | None
    reason: str


WEATHER_CALL = ("call_mo1wm122", "getWeather", '{"location":"San Francisco, CA"}')
EXPECTED = {
    "TestClient_GenerateChatWithThink.httprr": [Expected(("2 + 2 = 4\n\n**Reasoning:**\n\nA", 184), ("", 0), (), (20, 55), "end")],
    "TestCloudToolCall.httprr": [
        Expected(("", 0), ("User asks about weather ", 66), (WEATHER_CALL,), (145, 44), "tool_use"),
        Expected(("San\u202fFrancisco is currently *", 51), ("", 0), (), (189, 21), "end"),
    ],
    "test_ollama_chat_tool_calls_legacy.yaml": [Expected(("This is a simple example, bu", 535), ("", 0), (), (44, 113), "end")],
    "test_ollama_streaming_chat_legacy.yaml": [Expected(("Why did the OpenTelemetry ag", 212), ("", 0), (), (17, 50), "end")],
    "TestToolCall.httprr": [Expected(("", 0), ("", 0), (), None, "error")],
}


def _recorded() -> dict[str, list[Recorded]]:
    data = shared_data()
    rows = index(data) if data else []
    return {row.file.rpartition("/")[2]: exchanges(folder() / "recordings" / row.file) for row in rows if row.dialect.startswith("ollama")}


RECORDED = _recorded()
ANSWERS = [(f"{name} {number}", each, EXPECTED[name][number]) for name, found in RECORDED.items() for number, each in enumerate(found)]
each_answer = pytest.mark.parametrize(("exchange", "expected"), [answer[1:] for answer in ANSWERS], ids=[answer[0] for answer in ANSWERS])


def test_every_recording_is_in_the_table() -> None:
    assert {name: len(found) for name, found in RECORDED.items()} == {name: len(found) for name, found in EXPECTED.items()}


@each_answer
def test_a_recorded_answer_says_what_it_says(exchange: Recorded, expected: Expected) -> None:
    decoded = DIALECT.decode_response(exchange.response, status=exchange.status)
    message = decoded.message
    assert (message.text()[:28], len(message.text())) == expected.text
    assert (message.reasoning()[:24], len(message.reasoning())) == expected.thought
    assert tuple((call.call_id, call.name, call.arguments_raw) for call in message.calls()) == expected.calls
    usage = decoded.usage
    assert (usage and (usage.input_tokens, usage.output_tokens)) == expected.tokens
    assert message.finish_reason == expected.reason
    assert decoded.problems == ()


@each_answer
def test_no_cut_changes_a_recorded_answer(exchange: Recorded, expected: Expected) -> None:
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(exchange.response, expected.reason)}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    whole = outcomes["whole"].message
    lines = [json.loads(line) for line in exchange.response.split(b"\n") if line.strip()]
    assert whole.text() == "".join(line["message"]["content"] for line in lines if "message" in line), "as a naive reader has it"
    assert whole.parts == DIALECT.decode_response(exchange.response, status=exchange.status).message.parts


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_request_is_read_and_written_again(name: str) -> None:
    for each in RECORDED[name]:
        assert json.loads(DIALECT.encode_request(DIALECT.parse_request(each.request)).body) == json.loads(each.request)
        assert [finding for finding in DIALECT.check(each.request) if finding.severity == "error"] == []
        assert detect("/api/chat", each.request) == "ollama"


def test_an_answer_goes_back_as_the_recorded_client_sent_it() -> None:
    first, second = RECORDED["TestCloudToolCall.httprr"]
    answer = DIALECT.decode_response(first.response).message
    assert isinstance(answer.parts[-1], ToolCallPart)
    request = ModelRequest(system=(), tools=(), messages=(answer,), options=RequestOptions(model="gpt-oss:120b"))
    ours = json.loads(DIALECT.encode_request(request).body)["messages"][0]
    theirs: dict[str, Any] = json.loads(second.request)["messages"][1]
    assert ours.pop("thinking"), "its client left the thinking out, gpt-oss wants it back"
    assert theirs["tool_calls"][0]["function"].pop("index") == 0
    assert ours == theirs


def test_a_model_without_tools_says_so_in_its_own_words() -> None:
    (refused,) = RECORDED["TestToolCall.httprr"]
    for failure in (DIALECT.decode_response(refused.response, status=400).failure, outcome_of(DIALECT.stream_decoder(), [refused.response]).failure):
        assert failure is not None
        assert failure.text == "registry.ollama.ai/library/gemma3:1b does not support tools"
    decoded = DIALECT.decode_response(refused.response, status=400).failure
    assert decoded is not None
    assert decoded.kind == "bad_request"
