"""The weather conversation with `functions`, and every recording of that shape."""

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
from workbench.conversation.messages import RequestOptions
from workbench.dialects.base import Quirks
from workbench.dialects.functions import DIALECT
from workbench.dialects.registry import detect
from workbench.dialects.spelling import forget_spelling

pytestmark = needs_shared
PLAIN = Quirks(stream_usage=False)


def folder() -> Path:
    data = shared_data()
    assert data is not None
    return data


def load(name: str) -> bytes:
    return (folder() / "weather" / name).read_bytes()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_request_is_read_and_written_again(number: int) -> None:
    body = load(f"legacy.round{number}.request.json")
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == json.loads(body)
    assert DIALECT.check(body) == ()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_conversation_held_with_a_chat_server_gives_the_same_request(number: int) -> None:
    parsed = DIALECT.parse_request(load(f"legacy.round{number}.request.json"))
    options = RequestOptions(model="qwen3.5-plus", stream=False, tool_choice="auto")
    request = replace(forget_spelling(parsed), messages=neutral()[: 2 * number - 1], options=options)
    written = DIALECT.encode_request(request, PLAIN)
    assert json.loads(written.body) == json.loads(load(f"legacy.round{number}.request.json"))
    assert b'"arguments":"{\\"city\\": \\"' in written.body or number == 1, "the argument text keeps its space"


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stream_in_every_cut_and_the_body_say_the_same(number: int) -> None:
    expected = neutral()[2 * number - 1]
    body = DIALECT.decode_response(load(f"legacy.round{number}.response.json"))
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(load(f"legacy.round{number}.stream.sse"), f"{number}")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    for message in (outcomes["whole"].message, body.message):
        assert [(call.name, call.arguments_raw) for call in message.calls()] == [(call.name, call.arguments_raw) for call in expected.calls()]
        assert message.text() == expected.text()
        assert message.finish_raw == ("stop" if number == 3 else "function_call")
        assert message.finish_reason == ("end" if number == 3 else "tool_use")
    assert outcomes["whole"].may_run
    assert body.calls_may_run
    assert body.usage is not None
    assert (body.usage.input_tokens, body.usage.output_tokens) == [(503, 91), (571, 83), (624, 167)][number - 1]


class Expected(NamedTuple):
    """What a recorded answer says: name and arguments of its call, else its text; the provider's word for its end."""

    name: str
    said: str
    word: str


EXPECTED = {
    "TestClient_FunctionCall.httprr": [Expected("get_weather", '{"location":"Boston"}', "function_call")],
    "TestExecutorWithOpenAIFunctionAgent.httprr": [
        Expected("GoogleSearch", '{\n  "__arg1": "Unix first release year at Bell Labs"\n}', "tool_calls"),
        Expected("", "Unix was first released at Bell Labs in November 1971.", "stop"),
    ],
    "test_openai_functions.yaml": [
        Expected("Joke", '{"setup":"Why did the scarecrow win an award?","punchline":"Because he was outstanding in his field!"}', "function_call")
    ],
    "test_open_ai_function_calls.yaml": [
        *[Expected("get_current_weather", '{\n  "location": "Boston"\n}', "function_call")] * 2,
        Expected("get_current_weather", '{\n  "location": "Boston, MA"\n}', "function_call"),
        Expected("get_current_weather", '{\n  "location": "Boston"\n}', "function_call"),
    ],
}
BESIDE_TOOLS = "TestExecutorWithOpenAIFunctionAgent.httprr"
"""A client that offers tools and answers with a function message without a call: OpenAI took it."""


def _recorded() -> dict[str, list[Recorded]]:
    data = shared_data()
    rows = index(data) if data else []
    return {
        row.file.rpartition("/")[2]: exchanges(folder() / "recordings" / row.file) for row in rows if row.dialect == "legacy" and not row.file.endswith(".md")
    }


RECORDED = _recorded()
ANSWERS = [(f"{name} {number}", each, EXPECTED[name][number]) for name, found in RECORDED.items() for number, each in enumerate(found)]


def test_every_recording_is_in_the_table() -> None:
    assert {name: len(found) for name, found in RECORDED.items()} == {name: len(found) for name, found in EXPECTED.items()}


@pytest.mark.parametrize(("exchange", "expected"), [answer[1:] for answer in ANSWERS], ids=[answer[0] for answer in ANSWERS])
def test_a_recorded_answer_in_every_cut(exchange: Recorded, expected: Expected) -> None:
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(exchange.response, expected.said)}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    message = DIALECT.decode_response(exchange.response).message
    assert message.parts == outcomes["whole"].message.parts
    assert [(call.name, call.arguments_raw) for call in message.calls()] == ([(expected.name, expected.said)] if expected.name else [])
    assert message.text() == ("" if expected.name else expected.said)
    assert message.finish_raw == expected.word
    assert outcomes["whole"].may_run


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_request_is_read_and_written_again(name: str) -> None:
    for each in RECORDED[name]:
        body: dict[str, Any] = json.loads(each.request)
        written = json.loads(DIALECT.encode_request(DIALECT.parse_request(each.request)).body)
        errors = [finding.rule for finding in DIALECT.check(each.request) if finding.severity == "error"]
        if name == BESIDE_TOOLS:
            assert written["messages"] == [message for message in body["messages"] if message["role"] != "function"], "an orphan is left out"
            assert errors == ["functions.beside-tools"]
        else:
            assert written == body
            assert errors == []
            assert detect("/v1/chat/completions", each.request) == "functions"


def samples() -> list[bytes]:
    """Return the streams that the samples of 2023 print."""
    row = next(row for row in index(folder()) if row.file.endswith("sample_responses.md"))
    text = (folder() / "recordings" / row.file).read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```bash\n")[1:]]
    return ["".join(f"data: {line}\n\n" for line in block.strip().split("\n")).encode() for block in blocks]


def test_a_stream_of_2023_in_every_cut() -> None:
    found = samples()
    assert len(found) == 2
    for number, stream in enumerate(found):
        outcomes = [outcome_of(DIALECT.stream_decoder(), chunks) for _, chunks in cuts(stream, f"{number}")]
        assert all(outcome == outcomes[0] for outcome in outcomes)
        (call,) = outcomes[0].message.calls()
        arguments = call.arguments()
        assert arguments is not None
        assert arguments["language"] == "python"
        assert outcomes[0].message.finish_raw == "function_call"
        named = b'"name":"repl"' in stream
        assert (call.name, call.status) == (("repl", "complete") if named else ("", "invalid_json")), "a call without a name cannot run"
