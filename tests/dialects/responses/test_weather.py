"""The weather conversation of the background articles: every request, answer and stream of it in this dialect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.dialects.feeding import cuts, outcome_of
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import Message, ModelRequest, Origin
from workbench.dialects import chat_completions
from workbench.dialects.responses import DIALECT
from workbench.dialects.spelling import forget_spelling

pytestmark = needs_shared


def folder() -> Path:
    data = shared_data()
    assert data is not None
    return data / "weather"


def load(name: str) -> Any:
    return json.loads((folder() / name).read_bytes())


def parsed(number: int) -> ModelRequest:
    return DIALECT.parse_request((folder() / f"responses.round{number}.request.json").read_bytes())


@pytest.mark.parametrize("name", ["round1", "round2", "round3", "from_chat.round3"])
def test_a_request_is_read_and_written_again(name: str) -> None:
    body = (folder() / f"responses.{name}.request.json").read_bytes()
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == json.loads(body)
    assert DIALECT.check(body) == ()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_neutral_request_is_written_as_the_file_has_it_without_any_spelling(number: int) -> None:
    assert json.loads(DIALECT.encode_request(forget_spelling(parsed(number))).body) == load(f"responses.round{number}.request.json")


def test_a_conversation_with_our_answers_gives_the_third_request() -> None:
    origin = Origin(dialect="responses", provider="openai", model="gpt-5.5")
    third = forget_spelling(parsed(3))
    answers = [DIALECT.decode_response((folder() / f"responses.round{number}.response.json").read_bytes()).message for number in (1, 2)]
    messages = list(third.messages)
    messages[1], messages[3] = (replace(answer, origin=origin) for answer in answers)
    written = DIALECT.encode_request(replace(third, messages=tuple(messages))).body
    assert json.loads(written) == load("responses.round3.request.json")
    assert b'"arguments":"{\\"city\\": \\"' in written, "the argument text keeps its space"


def test_a_conversation_held_in_chat_goes_on_here_without_its_reasoning() -> None:
    chat = chat_completions.DIALECT.parse_request((folder() / "chat.keep_reasoning.round3.request.json").read_bytes())
    assert any(message.reasoning() for message in chat.messages)
    options = replace(parsed(3).options, wire={})
    written = DIALECT.encode_request(forget_spelling(replace(chat, options=options))).body
    assert json.loads(written) == load("responses.from_chat.round3.request.json")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stream_in_every_cut_and_the_body_say_the_same(number: int) -> None:
    body = DIALECT.decode_response((folder() / f"responses.round{number}.response.json").read_bytes())
    stream = (folder() / f"responses.round{number}.stream.sse").read_bytes()
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(stream, f"weather {number}")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    whole = outcomes["whole"]
    assert _plain(whole.message) == _plain(body.message)
    assert (whole.codes, whole.may_run, body.calls_may_run) == ([], True, True)
    assert whole.message.finish_reason == ("end" if number == 3 else "tool_use"), "decided by the presence of calls"
    assert whole.message.finish_raw == "completed"


def _plain(message: Message) -> Message:
    return replace(message, message_id="")


def test_what_the_first_answer_says() -> None:
    message = DIALECT.decode_response((folder() / "responses.round1.response.json").read_bytes()).message
    reasoning, call = message.parts
    assert getattr(reasoning, "encrypted", "") == "gAAAAABweather1"
    assert message.reasoning().startswith("用户问明天上海天气怎么样")
    assert (message.calls()[0].call_id, message.calls()[0].name, message.calls()[0].arguments_raw) == (
        "call_9af19d6503564492a3d6abc3",
        "get_weather",
        '{"city": "上海"}',
    )
    assert call == message.calls()[0]


def test_the_tokens_add_up() -> None:
    usages = [DIALECT.decode_response((folder() / f"responses.round{number}.response.json").read_bytes()).usage for number in (1, 2, 3)]
    assert [(usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) for usage in usages if usage] == [(503, 91, 61), (571, 83, 47), (624, 167, 107)]
