"""Laws between dialects: what one can read another can write without a fault, twice the same; a stream says what the body says, also one
that was made out of another dialect's stream."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.anthropic import drawn as anthropic
from tests.dialects.anthropic.playing import play as play_anthropic
from tests.dialects.chat_completions import drawn as chat_completions
from tests.dialects.drawn_conversations import conversations
from tests.dialects.feeding import cut_every, events_of, outcome_of
from tests.dialects.gemini import drawn as gemini
from tests.dialects.playback import play
from tests.dialects.responses import drawn as responses
from tests.dialects.responses.test_laws import play as play_responses
from tests.shared import needs_shared, shared_data
from workbench.conversation.messages import DialectName, Message, ModelRequest, Origin, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.stream import StreamEvent
from workbench.dialects.chat_completions import DIALECT as CHAT
from workbench.dialects.losses import lost
from workbench.dialects.registry import detect, dialect, names

NAMES = names()
PAIRS = [(source, target) for source in NAMES for target in NAMES if source != target]
PAIR_IDS = [f"{source} to {target}" for source, target in PAIRS]
SHORT = {"chat_completions": "chat", "functions": "legacy"}
"""What the weather files call a dialect."""


def few(examples: int) -> settings:
    return settings(max_examples=examples, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


# Requests


def made_in(source: DialectName, body: bytes) -> ModelRequest:
    """Return a request whose answers say which dialect they were made in, so that what only it understands stays behind."""
    request = dialect(source).parse_request(body)
    origin = Origin(dialect=source, provider="", model="m")
    said_here = [replace(message, origin=origin) if message.role == "assistant" else message for message in request.messages]
    return replace(request, messages=tuple(said_here), options=replace(request.options, model="m"))


def rewritten(body: bytes, source: DialectName, target: DialectName) -> ModelRequest:
    """Return what a request says once it was read as `source`, written as `target` for a model that nobody knows, and read again."""
    request = made_in(source, body)
    codec = dialect(target)
    written = codec.encode_request(request).body
    assert codec.encode_request(request).body == written, "the same request gives the same bytes"
    assert [finding for finding in codec.check(written) if finding.severity == "error"] == []
    return codec.parse_request(written)


def pairs_of(request: ModelRequest) -> list[tuple[str, str]]:
    """Return the tools that were called, each with whether a result follows under its id, all in order."""
    found: list[tuple[str, str]] = []
    open_calls: dict[str, ToolCallPart] = {}
    for message in request.messages:
        for call in message.calls():
            assert call.call_id not in open_calls
            open_calls[call.call_id] = call
        found += [(open_calls.pop(result.call_id).name, result.text()) for result in message.results()]
    assert not open_calls, "each call is answered"
    return found


def weather(name: DialectName, number: int) -> bytes:
    data = shared_data()
    assert data is not None
    return (data / f"weather/{SHORT.get(name, name)}.round{number}.request.json").read_bytes()


@needs_shared
@pytest.mark.parametrize(("source", "target"), PAIRS, ids=PAIR_IDS)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_weather_conversation_can_go_on_in_every_other_dialect(number: int, source: DialectName, target: DialectName) -> None:
    request = rewritten(weather(source, number), source, target)
    original = dialect(source).parse_request(weather(source, number))
    assert [name for name, _ in pairs_of(request)] == ["get_weather", "calculator"][: number - 1]
    for (_, here), (_, there) in zip(pairs_of(request), pairs_of(original), strict=True):
        assert "".join(here.split()) == "".join(there.split())
    assert [call.arguments() for message in request.messages for call in message.calls()] == [
        call.arguments() for message in original.messages for call in message.calls()
    ]
    assert request.messages[0].text() == original.messages[0].text()
    assert [tool.name for tool in request.tools] == [tool.name for tool in original.tools]


class Capture(NamedTuple):
    """A request that a real agent sent, and the dialect it is in."""

    name: str
    source: DialectName
    body: bytes


def _captures() -> Iterator[Capture]:
    data = shared_data()
    for file in sorted((data / "captures").glob("*/*-request.json")) if data else ():
        loaded = json.loads(file.read_bytes())
        body = json.dumps(loaded["body"]).encode()
        if found := detect(loaded["path"], body):
            yield Capture(f"{file.parent.name} {file.name[:3]}", found, body)


CAPTURES = list(_captures())


@needs_shared
@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("capture", CAPTURES, ids=[capture.name for capture in CAPTURES])
def test_a_real_request_can_be_sent_in_every_other_dialect(capture: Capture, target: DialectName) -> None:
    if capture.source == target:
        again = dialect(target).encode_request(dialect(target).parse_request(capture.body)).body
        assert json.loads(again) == json.loads(capture.body)
        return
    request = rewritten(capture.body, capture.source, target)
    original = dialect(capture.source).parse_request(capture.body)
    calls = Counter(call.name for message in original.messages for call in message.calls())
    assert Counter(call.name for message in request.messages for call in message.calls()) == calls
    assert len(pairs_of(request)) == calls.total()


@pytest.mark.parametrize(("source", "target"), PAIRS, ids=PAIR_IDS)
@few(20)
@given(drawn=conversations())
def test_any_conversation_can_be_sent_in_every_other_dialect(source: DialectName, target: DialectName, drawn: ModelRequest) -> None:
    first = dialect(source).encode_request(drawn).body
    request = rewritten(first, source, target)
    before = pairs_of(dialect(source).parse_request(first))
    assert [name for name, _ in pairs_of(request)] == [name for name, _ in before]


@pytest.mark.parametrize("target", NAMES)
def test_a_tool_that_only_its_provider_runs_is_offered_by_nobody_else(target: DialectName) -> None:
    """And the losses say so; functions and free text go along."""
    function = {"type": "function", "name": "read", "parameters": {"type": "object", "properties": {}}, "strict": False}
    tools = [{"type": "web_search"}, function, {"type": "custom", "name": "patch"}]
    for choice, left in ((None, None), ({"type": "function", "name": "read"}, "read")):
        body = json.dumps({"model": "m", "input": "go", "tools": tools, **({"tool_choice": choice} if choice else {})}).encode()
        request = made_in("responses", body)
        written = dialect(target).encode_request(request).body
        if target == "responses":
            assert json.loads(written)["tools"] == tools
            continue
        assert b"web_search" not in written
        assert [tool.name for tool in dialect(target).parse_request(written).tools] == ["read", "patch"]
        assert "tool-foreign" in [loss.rule for loss in lost(request, target)]
        if target in ("chat_completions", "functions", "anthropic", "gemini"):
            assert dialect(target).parse_request(written).options.tool_choice == left


# Answers


class Drawing(NamedTuple):
    """How answers of a dialect are drawn, and played as the events of a stream."""

    answers: Callable[[], st.SearchStrategy[Message]]
    play: Callable[[Message, int], Iterable[StreamEvent]]


DRAWN: dict[DialectName, Drawing] = {
    "chat_completions": Drawing(chat_completions.answers, play),
    "responses": Drawing(responses.answers, play_responses),
    "anthropic": Drawing(anthropic.answers, play_anthropic),
    "gemini": Drawing(gemini.answers, gemini.play),
    "ollama": Drawing(chat_completions.answers, play),
}
NAMED: dict[str, Any] = {"response_id": "r", "model": "m", "created": 1}


def said(message: Message, target: DialectName) -> object:
    """Return what an answer means; ReAct text keeps its letters, but not which of them were thought."""
    calls = [(call.name, call.arguments(), call.status) for call in message.calls()]
    words = sorted("".join((message.text() + message.reasoning()).split())) if target == "react" else (message.text(), message.reasoning())
    return words, calls, message.finish_reason


def stream_of(name: DialectName, events: list[StreamEvent]) -> bytes:
    encoder = dialect(name).stream_encoder(**NAMED)
    return b"".join(map(encoder.feed, events)) + encoder.finish()


def alike(target: DialectName, stream: bytes, body: bytes, cut: int) -> None:
    """Hold a stream against a body that must mean the same."""
    streamed = outcome_of(dialect(target).stream_decoder(), cut_every(stream, cut))
    whole = dialect(target).decode_response(body)
    assert said(streamed.message, target) == said(whole.message, target)
    assert streamed.may_run == whole.calls_may_run
    assert (streamed.response_id, streamed.model) == (whole.response_id, whole.model)


@pytest.mark.parametrize("source", DRAWN)
@pytest.mark.parametrize("target", NAMES)
@few(25)
@given(data=st.data(), size=st.integers(1, 7), cut=st.integers(1, 40))
def test_a_stream_made_out_of_another_says_what_the_body_says(target: DialectName, source: DialectName, data: st.DataObject, size: int, cut: int) -> None:
    """A server that passes on what another said, as the practice server does: event by event, and whole."""
    message = data.draw(DRAWN[source].answers())
    assume(message.finish_reason != "refusal")  # a stream has sent the words as words before it is known that they refuse
    if target == "react":
        assume(_in_order(message))
    arrived = events_of(dialect(source).stream_decoder(), [stream_of(source, list(DRAWN[source].play(message, size)))])
    whole = dialect(source).decode_response(dialect(source).encode_response(message, **NAMED)).message
    alike(target, stream_of(target, arrived), dialect(target).encode_response(whole, **NAMED), cut)


def _in_order(message: Message) -> bool:
    """Whether all reasoning comes before all text: in ReAct text a thought behind the answer would begin a new turn."""
    kinds = [isinstance(part, TextPart) for part in message.parts if isinstance(part, TextPart | ReasoningPart)]
    return kinds == sorted(kinds) and not any(part.phase for part in message.parts if isinstance(part, TextPart))


@pytest.mark.parametrize("name", DRAWN)
@few(60)
@given(data=st.data(), size=st.integers(1, 7), cut=st.integers(1, 40))
def test_a_stream_says_what_the_body_says(name: DialectName, data: st.DataObject, size: int, cut: int) -> None:
    message = data.draw(DRAWN[name].answers())
    alike(name, stream_of(name, list(DRAWN[name].play(message, size))), dialect(name).encode_response(message, **NAMED), cut)


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("raw", ["SELECT 1", '{"a": 1}', "", 'say "hi"\n'])
def test_free_text_of_a_call_is_the_same_streamed_and_whole(target: DialectName, raw: str) -> None:
    """Dialects without free text carry it as the parameter `input`, also where it comes in pieces."""
    call = ToolCallPart(call_id="k", name="sql", arguments_raw=raw, kind="custom")
    answer = Message(message_id="m", role="assistant", parts=(call,), finish_reason="tool_use")
    arrived = events_of(CHAT.stream_decoder(), [stream_of("chat_completions", list(play(answer, 3)))])
    stream, body = stream_of(target, arrived), dialect(target).encode_response(answer, **NAMED)
    (streamed,) = outcome_of(dialect(target).stream_decoder(), [stream]).message.calls()
    (whole,) = dialect(target).decode_response(body).message.calls()
    assert (streamed.name, streamed.kind, streamed.status) == (whole.name, whole.kind, whole.status) == ("sql", whole.kind, "complete")
    if whole.kind == "custom":
        assert streamed.arguments_raw == whole.arguments_raw == raw
    else:
        assert streamed.arguments() == whole.arguments() == {"input": raw}
