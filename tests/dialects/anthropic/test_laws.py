"""Laws that hold for all messages: nothing is lost that this dialect can carry, and no bytes break the reader."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.anthropic.drawn import ODD, answers, odd_streams, requests
from tests.dialects.anthropic.playing import play
from tests.dialects.feeding import cut_at, cut_every, outcome_of
from tests.dialects.test_history import MESSAGES
from tests.dialects.test_json_text import VALUES
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, ToolCallPart
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.base import Quirks
from workbench.dialects.spelling import forget_spelling
from workbench.errors import RequestUnreadable, ResponseUnreadable

NO_MARKS = Quirks(cache_marks=False)
QUIRKS = st.builds(Quirks, cache_marks=st.booleans(), thinking=st.sampled_from(["off", "budget", "adaptive"]))


def plain(request: ModelRequest) -> ModelRequest:
    """Return the request without what a wire cannot carry: the ids of messages, and the spelling."""
    return forget_spelling(replace(request, messages=tuple(replace(message, message_id="") for message in request.messages)))


def same_arguments(request: ModelRequest) -> ModelRequest:
    """Return the request with the arguments as objects are spelled here."""
    return replace(request, messages=tuple(replace(message, parts=tuple(map(_respelled, message.parts))) for message in request.messages))


def _respelled(part: Any) -> Any:
    return replace(part, arguments_raw=json.dumps(json.loads(part.arguments_raw), sort_keys=True)) if isinstance(part, ToolCallPart) else part


@given(requests())
def test_a_request_survives_the_wire(request: ModelRequest) -> None:
    parsed = DIALECT.parse_request(DIALECT.encode_request(request, NO_MARKS).body)
    assert same_arguments(plain(parsed)) == same_arguments(request)


@given(requests(), QUIRKS)
def test_writing_is_pure_and_reading_it_again_gives_the_same_bytes(request: ModelRequest, quirks: Quirks) -> None:
    written = DIALECT.encode_request(request, quirks)
    assert DIALECT.encode_request(request, quirks) == written == DIALECT.request_writer().encode(request, quirks)
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(written.body), quirks).body) == json.loads(written.body)


@given(requests())
def test_a_longer_conversation_begins_with_the_shorter(request: ModelRequest) -> None:
    whole = DIALECT.encode_request(request, NO_MARKS).pieces
    for place, message in enumerate(request.messages):
        if message.role == "assistant":
            shorter = DIALECT.encode_request(replace(request, messages=request.messages[:place]), NO_MARKS).pieces
            assert whole[: len(shorter) - 1] == shorter[:-1]


@given(st.lists(MESSAGES, min_size=1, max_size=8), QUIRKS, st.sampled_from([None, "low", "none"]))
def test_whatever_was_said_the_request_breaks_no_rule(messages: list[Message], quirks: Quirks, effort: str | None) -> None:
    request = ModelRequest(system=("Be brief.",), tools=(), messages=tuple(messages), options=RequestOptions(model="m", reasoning_effort=effort))
    body = DIALECT.encode_request(request, quirks).body
    assume(json.loads(body)["messages"])
    assert [finding for finding in DIALECT.check(body, quirks) if finding.severity == "error"] == []


@given(requests(), QUIRKS)
def test_a_request_that_can_be_carried_breaks_no_rule(request: ModelRequest, quirks: Quirks) -> None:
    assert [finding for finding in DIALECT.check(DIALECT.encode_request(request, quirks).body) if finding.severity == "error"] == []


@given(answers(), st.integers(1, 7), st.integers(1, 50))
def test_a_stream_says_what_the_body_says(message: Message, size: int, cut: int) -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    stream = b"".join(map(encoder.feed, play(message, size))) + encoder.finish()
    streamed = outcome_of(DIALECT.stream_decoder(), cut_every(stream, cut))
    body = DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=1))
    assert _said(streamed.message) == _said(body.message)
    assert (streamed.response_id, streamed.model) == (body.response_id, body.model) == ("r", "m")
    assert streamed.may_run == body.calls_may_run
    assert [problem.code for problem in body.problems] == streamed.codes


@given(answers())
def test_an_answer_survives_the_wire(message: Message) -> None:
    body = DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=1))
    if message.finish_reason != "tool_use" or message.calls():
        assert _said(body.message) == _said(message)


def _said(message: Message) -> object:
    usage = message.usage and replace(message.usage, raw={})
    return tuple(map(_respelled, message.parts)), message.finish_reason, usage


@settings(max_examples=200)
@given(odd_streams(), st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_no_stream_breaks_the_decoder_and_no_cut_changes_it(stream: bytes, places: list[int], cut_off: bool) -> None:
    stream = stream[:-7] if cut_off else stream
    whole = outcome_of(DIALECT.stream_decoder(), [stream])
    pieces = cut_at(stream, (place for place in places if place < len(stream)))
    assert outcome_of(DIALECT.stream_decoder(), pieces) == whole
    assert outcome_of(DIALECT.stream_decoder(), cut_every(stream, 1)) == whole
    said = [whole.message.text(), whole.message.reasoning(), *(problem.text for problem in whole.problems)]
    for text in (*said, *(field for call in whole.message.calls() for field in (call.call_id, call.wire_id, call.name, call.arguments_raw))):
        text.encode()


@given(st.binary(max_size=200), st.integers(1, 20))
def test_no_bytes_break_the_decoder(data: bytes, size: int) -> None:
    assert outcome_of(DIALECT.stream_decoder(), cut_every(data, size)) == outcome_of(DIALECT.stream_decoder(), [data])
    assert outcome_of(DIALECT.stream_decoder(), [b"data: ", data, b"\n\n"]) == outcome_of(DIALECT.stream_decoder(), [b"data: " + data + b"\n\n"])


@given(ODD | VALUES, st.sampled_from([200, 400, 500]))
def test_no_body_breaks_the_reader(value: Any, status: int) -> None:
    message = {"type": "message", "content": value, "stop_reason": value, "usage": value, "id": value, "model": value, "stop_details": value}
    for wrapped in (value, {"type": "message", "content": value}, message, {**message, "content": [value, {"type": "tool_use", "input": value, "id": value}]}):
        with suppress(*([ResponseUnreadable] if status == 200 else [])):
            DIALECT.decode_response(json.dumps(wrapped).encode(), status=status)


@given(st.binary(max_size=100))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    assert DIALECT.decode_response(data, status=500).failure
    with suppress(ResponseUnreadable):
        DIALECT.decode_response(data)


@given(ODD | VALUES)
def test_no_request_breaks_the_rules_or_the_reader(value: Any) -> None:
    kinds = ["text", "thinking", "redacted_thinking", "tool_use", "tool_result", "server_tool_use", "x_tool_result", "image", "document"]
    members = ["text", "thinking", "signature", "data", "id", "name", "input", "tool_use_id", "content", "source", "title", "cache_control", "is_error"]
    blocks = [{"type": kind, **dict.fromkeys(members, value)} for kind in kinds]
    for wrapped in (
        value,
        {"messages": value, "tools": value, "tool_choice": value, "model": value, "stream": value, "system": value, "thinking": value, "max_tokens": value},
        {"messages": [value, {"role": "assistant", "content": value}]},
        {"messages": [{"role": role, "content": [value, *blocks]} for role in ("user", "assistant", "user", "assistant", "assistant", "system")]},
        {"messages": [{"role": role, "content": blocks} for role in ("assistant", "user", "assistant", "user")], "output_config": value},
        {"messages": [], "tools": [value, {"name": value, "input_schema": value}, {"name": "x", "input_schema": {"properties": value}}], "temperature": value},
        {"messages": [], "thinking": {"type": "enabled", "budget_tokens": value}, "output_config": {"effort": value}, "tool_choice": {"type": value}},
    ):
        _handle(json.dumps(wrapped).encode())


def _handle(body: bytes) -> None:
    """Check, read and write again a request that may be anything."""
    for finding in DIALECT.check(body):
        assert finding.message
        assert finding.rule.startswith("anthropic.")
    with suppress(RequestUnreadable):
        assert isinstance(json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body), dict)
