"""The weather conversation of the background articles: every request, answer and stream of it in this dialect."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from tests.dialects.chat_completions import test_weather as chat
from tests.dialects.feeding import cuts, outcome_of
from tests.shared import needs_shared
from workbench.conversation.messages import Message, ModelRequest, Origin, RequestOptions, ToolResultPart
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.base import Quirks
from workbench.dialects.spelling import forget_spelling

pytestmark = needs_shared
CLAUDE = Quirks(cache_marks=False, thinking="budget", provider="anthropic")
OPTIONS = RequestOptions(model="claude-sonnet-4-5", stream=False, max_output_tokens=4096, reasoning_effort="low", tool_choice="auto")


def round_trip(number: int) -> tuple[Message, ...]:
    """Return the conversation up to the request of a round, the answers read from this dialect's own bodies."""
    said = list(chat.neutral())[: 2 * number - 1]
    for earlier in range(1, number):
        answer = DIALECT.decode_response((chat.folder() / f"anthropic.round{earlier}.response.json").read_bytes()).message
        said[2 * earlier - 1] = replace(answer, origin=Origin(dialect="anthropic", provider="anthropic", model="claude-sonnet-4-5"))
    return tuple(said)


def request(messages: tuple[Message, ...]) -> ModelRequest:
    known = chat.request(1)
    return ModelRequest(system=known.system, tools=forget_spelling(known).tools, messages=messages, options=OPTIONS)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_conversation_gives_the_recorded_request(number: int) -> None:
    written = DIALECT.encode_request(request(round_trip(number)), CLAUDE)
    assert json.loads(written.body) == chat.load(f"anthropic.round{number}.request.json")
    assert written.path == "/v1/messages"


def test_what_a_chat_server_thought_is_left_out_and_thinking_is_off() -> None:
    written = DIALECT.encode_request(request(chat.neutral()[:5]), CLAUDE)
    assert json.loads(written.body) == chat.load("anthropic.from_chat.round3.request.json")


@pytest.mark.parametrize("name", ["round1", "round2", "round3", "from_chat.round3"])
def test_a_request_is_read_and_written_again(name: str) -> None:
    body = (chat.folder() / f"anthropic.{name}.request.json").read_bytes()
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == json.loads(body)
    assert DIALECT.check(body) == ()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_stream_in_every_cut_and_the_body_say_the_same(number: int) -> None:
    expected = chat.neutral()[2 * number - 1]
    stream = (chat.folder() / f"anthropic.round{number}.stream.sse").read_bytes()
    body = DIALECT.decode_response((chat.folder() / f"anthropic.round{number}.response.json").read_bytes())
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), chunks) for name, chunks in cuts(stream, f"weather {number}")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    streamed = outcomes["whole"].message
    for message in (streamed, body.message):
        assert message.finish_reason == ("tool_use" if number < 3 else "end")
        assert message.text() == expected.text()
        assert [(call.call_id, call.name, call.arguments()) for call in message.calls()] == [
            (call.call_id, call.name, call.arguments()) for call in expected.calls()
        ]
        assert message.reasoning(), "all three answers think, signed"
    assert streamed.reasoning() == body.message.reasoning()
    assert [part for part in streamed.parts if part not in streamed.calls()] == [part for part in body.message.parts if part not in body.message.calls()]
    assert body.calls_may_run == outcomes["whole"].may_run is True


def test_the_tokens_add_up() -> None:
    for kind in ("response.json", "stream.sse"):
        usages = [DIALECT.decode_response((chat.folder() / f"anthropic.round{number}.{kind}").read_bytes()).usage for number in (1, 2, 3)]
        told = [(usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) for usage in usages if usage]
        assert told == [(503, 91, 61), (571, 83, 47), (624, 167, 107)]


def test_results_of_the_recorded_request_have_the_names_of_their_calls() -> None:
    parsed = DIALECT.parse_request((chat.folder() / "anthropic.round3.request.json").read_bytes())
    names = [part.name for message in parsed.messages for part in message.parts if isinstance(part, ToolResultPart)]
    assert names == ["get_weather", "calculator"]
