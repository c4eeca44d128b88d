"""Laws that hold for all messages: nothing is lost that this dialect can carry, and no bytes break the reader."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import ODD
from tests.dialects.drawn_conversations import conversations
from tests.dialects.feeding import cut_at, cut_every, outcome_of
from tests.dialects.responses.drawn import answers, odd_streams, requests
from tests.dialects.test_history import MESSAGES
from tests.dialects.test_json_text import VALUES
from workbench.conversation.messages import Message, ModelRequest, OpaquePart, ReasoningPart, RequestOptions, TextPart, ToolCallPart
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallStarted,
    OpaqueItem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.dialects.base import Quirks
from workbench.dialects.responses import DIALECT
from workbench.dialects.spelling import forget_spelling
from workbench.errors import RequestUnreadable, ResponseUnreadable


def play(message: Message, size: int) -> list[StreamEvent]:
    """Return the events of an answer in order, texts in pieces of `size` letters."""
    events: list[StreamEvent] = [ResponseStarted(response_id="r", model="m")]
    last: list[StreamEvent] = []
    for key, part in enumerate(message.parts):
        match part:
            case TextPart():
                events += [TextDelta(text=piece, phase=part.phase) for piece in _pieces(part.text, size)]
            case ReasoningPart():
                events += [ReasoningDelta(text=piece, begins=not place) for place, piece in enumerate(_pieces(part.text, size))]
                events.append(ReasoningDone(part=part))
            case ToolCallPart():
                events.append(CallStarted(key=key, call_id=part.call_id, name=part.name, kind=part.kind))
                events += [CallArgumentsDelta(key=key, text=piece) for piece in _pieces(part.arguments_raw, size)]
                last.append(CallDone(key=key, call_id=part.call_id, name=part.name, arguments_raw=part.arguments_raw, kind=part.kind))
            case OpaquePart():
                events.append(OpaqueItem(part=part))
            case _:
                raise AssertionError(part)
    if message.usage:
        last.append(UsageReported(usage=message.usage))
    return [*events, *last, ResponseEnded(finish_reason=message.finish_reason or "end", finish_raw=message.finish_raw)]


def _pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def _said(message: Message) -> object:
    parts = [replace(part, item_id="") if isinstance(part, ReasoningPart) else part for part in message.parts]  # servers give ids of their own
    return parts, message.finish_reason, message.finish_raw, message.usage and replace(message.usage, raw={})


@given(requests())
def test_a_request_survives_the_wire(request: ModelRequest) -> None:
    parsed = forget_spelling(DIALECT.parse_request(DIALECT.encode_request(request).body))
    again = DIALECT.parse_request(DIALECT.encode_request(parsed).body)
    assert replace(forget_spelling(again)) == parsed
    assert parsed.tools == request.tools
    assert (parsed.system, replace(parsed.options, extra={}, wire={})) == (request.system, replace(request.options, extra={}, wire={}))
    said = [text for message in parsed.messages for part in message.parts if isinstance(text := getattr(part, "text", None), str)]
    assert said == [part.text for message in request.messages for part in message.parts if isinstance(part, TextPart)]


@given(requests())
def test_writing_is_pure_and_reading_it_again_gives_the_same_bytes(request: ModelRequest) -> None:
    written = DIALECT.encode_request(request)
    assert DIALECT.encode_request(request) == written
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(written.body)).body) == json.loads(written.body)


@given(conversations())
def test_whatever_was_said_the_request_breaks_no_rule(request: ModelRequest) -> None:
    body = DIALECT.encode_request(request).body
    strict = {"responses.strict-schema", "responses.tool-choice-without-tools"}  # the tools are drawn with open schemas
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error" and finding.rule not in strict] == []


@given(st.lists(MESSAGES, min_size=1, max_size=8))
def test_a_broken_history_is_mended(messages: list[Message]) -> None:
    request = ModelRequest(system=(), tools=(), messages=tuple(messages), options=RequestOptions(model="m"))
    errors = [finding.rule for finding in DIALECT.check(DIALECT.encode_request(request).body) if finding.severity == "error"]
    assert set(errors) <= {"responses.no-input"}


@given(conversations())
def test_a_growing_conversation_does_not_depend_on_what_was_written_before(request: ModelRequest) -> None:
    writer = DIALECT.request_writer()
    for count in range(len(request.messages) + 1):
        grown = replace(request, messages=request.messages[:count])
        assert writer.encode(grown) == DIALECT.encode_request(grown)
        if count and request.messages[count - 1].role == "user" and count < len(request.messages):
            shorter, whole = DIALECT.encode_request(grown).pieces, DIALECT.encode_request(request).pieces
            calls_open = any(message.calls() for message in grown.messages)
            assert calls_open or whole[: len(shorter) - 1] == shorter[:-1]


@given(answers(), st.integers(1, 7), st.integers(1, 50))
def test_a_stream_says_what_the_body_says(message: Message, size: int, cut: int) -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    data = b"".join(map(encoder.feed, play(message, size))) + encoder.finish()
    streamed = outcome_of(DIALECT.stream_decoder(), cut_every(data, cut))
    body = DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=1))
    assert _said(streamed.message) == _said(body.message)
    assert (streamed.response_id, streamed.model) == (body.response_id, body.model) == ("r", "m")
    assert streamed.may_run == body.calls_may_run
    assert [problem.code for problem in body.problems] == streamed.codes


@given(answers())
def test_an_answer_survives_the_wire(message: Message) -> None:
    body = DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=1))
    assert _said(body.message) == _said(message)


@settings(max_examples=200)
@given(odd_streams(), st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_no_stream_breaks_the_decoder_and_no_cut_changes_it(stream: bytes, places: list[int], cut_off: bool) -> None:
    stream = stream[:-7] if cut_off else stream
    whole = outcome_of(DIALECT.stream_decoder(), [stream])
    assert outcome_of(DIALECT.stream_decoder(), cut_at(stream, (place for place in places if place < len(stream)))) == whole
    assert outcome_of(DIALECT.stream_decoder(), cut_every(stream, 1)) == whole
    said = [whole.message.text(), whole.message.reasoning(), *(problem.text for problem in whole.problems)]
    for text in (*said, *(field for call in whole.message.calls() for field in (call.call_id, call.wire_id, call.name, call.arguments_raw))):
        text.encode()


@given(ODD | VALUES, st.sampled_from([200, 400]))
def test_no_body_breaks_the_reader(value: Any, status: int) -> None:
    item = {"type": "function_call", "call_id": value, "name": value, "arguments": value, "status": value}
    thought = {"type": "reasoning", "summary": value, "content": value, "encrypted_content": value, "id": value}
    said = {"type": "message", "content": value, "phase": value}
    for wrapped in (value, {"output": value}, {"object": "response", "output": [value, item, thought, said], "status": value, "error": value, "usage": value}):
        with suppress(*([ResponseUnreadable] if status == 200 else [])):
            DIALECT.decode_response(json.dumps(wrapped).encode(), status=status)


@given(ODD | VALUES)
@example({"type": []})
@example({"type": {}})
def test_no_request_breaks_the_rules_or_the_reader(value: Any) -> None:
    call = {"type": "function_call", "call_id": value, "name": value, "arguments": value, "id": value}
    output = {"type": "function_call_output", "call_id": value, "output": value}
    thought = {"type": "reasoning", "summary": value, "content": value, "encrypted_content": value}
    turn = {"role": "assistant", "content": value, "phase": value}
    members = ("tools", "tool_choice", "model", "stream", "include", "store", "reasoning", "instructions", "temperature", "previous_response_id")
    for wrapped in (
        value,
        {"input": value, **dict.fromkeys(members, value)},
        {"input": [value, turn, call, thought, output, {"role": value, "content": value}], "store": False},
        {"input": [{"role": "user", "content": [value, {"type": "input_text", "text": value}, {"type": "input_image", "image_url": value}]}]},
        {"input": "x", "tools": [value, {"type": "function", "name": value, "parameters": value}, {"type": value, "function": value}]},
    ):
        body = json.dumps(wrapped).encode()
        assert all(finding.message and finding.rule.startswith("responses.") for finding in DIALECT.check(body, Quirks()))
        with suppress(RequestUnreadable):
            assert isinstance(json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body), dict)
