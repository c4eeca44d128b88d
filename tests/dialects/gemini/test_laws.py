"""Laws that hold for all messages: nothing is lost that Gemini can carry, and no bytes break the reader."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.drawn_conversations import conversations
from tests.dialects.feeding import cut_at, cut_every, outcome_of
from tests.dialects.gemini.drawn import ODD, answers, odd_streams, play, requests
from tests.dialects.test_history import MESSAGES
from tests.dialects.test_json_text import VALUES
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, ToolCallPart, ToolResultPart
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.gemini import DIALECT
from workbench.dialects.repairs import mended
from workbench.dialects.spelling import forget_spelling
from workbench.errors import RequestUnreadable, ResponseUnreadable

QUIRKS = st.builds(
    Quirks,
    json_schema=st.booleans(),
    thinking=st.sampled_from(["off", "budget", "adaptive"]),
    signature_stand_in=st.booleans(),
)


def plain(request: ModelRequest) -> ModelRequest:
    """Return the request without what the wire does not carry: ids of messages, ids of calls that no server gave, the spelling."""
    request = forget_spelling(request)
    ids: dict[str, str] = {}
    messages = []
    for place, message in enumerate(request.messages):
        parts: list[Any] = []
        for number, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart):
                ids[part.call_id] = part.metadata.get("id", f"{place} {number}")
                part = replace(part, call_id=ids[part.call_id])
            elif isinstance(part, ToolResultPart):
                part = replace(part, call_id=ids[part.call_id])
            parts.append(part)
        messages.append(replace(message, message_id="", parts=tuple(parts)))
    return replace(request, messages=tuple(messages))


@given(requests())
def test_a_request_survives_the_wire(request: ModelRequest) -> None:
    assert plain(DIALECT.parse_request(DIALECT.encode_request(request).body)) == plain(request)


@given(requests(), QUIRKS)
def test_writing_is_pure_and_reading_it_again_gives_the_same_json(request: ModelRequest, quirks: Quirks) -> None:
    written = DIALECT.encode_request(request, quirks)
    assert DIALECT.encode_request(request, quirks) == written
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(written.body)).body) == json.loads(written.body)


@given(requests(), QUIRKS)
def test_a_longer_conversation_begins_with_the_shorter(request: ModelRequest, quirks: Quirks) -> None:
    whole = DIALECT.encode_request(request, quirks).pieces
    for place, message in enumerate(request.messages):
        if message.role == "user" and place:
            shorter = DIALECT.encode_request(replace(request, messages=request.messages[:place]), quirks).pieces
            assert whole[: len(shorter) - 1] == shorter[:-1]
            assert len(shorter) == place + 2


@given(st.lists(MESSAGES, max_size=6).map(tuple), st.data())
def test_what_was_written_before_does_not_change_a_request(messages: tuple[Message, ...], data: st.DataObject) -> None:
    writer = DIALECT.request_writer()
    options = RequestOptions(model="m")
    for _ in range(4):
        some = messages[: data.draw(st.integers(0, len(messages)))]
        request = ModelRequest(system=(), tools=(), messages=some, options=options)
        assert writer.encode(request) == DIALECT.encode_request(request)


@given(st.lists(MESSAGES, max_size=6).map(tuple), QUIRKS)
def test_any_history_gives_a_request_without_fault(messages: tuple[Message, ...], quirks: Quirks) -> None:
    request = ModelRequest(system=("s",), tools=(), messages=messages, options=RequestOptions(model="m"))
    body = DIALECT.encode_request(request, quirks).body
    assert [finding for finding in DIALECT.check(body, quirks) if finding.severity == "error"] == []


@given(conversations(), QUIRKS)
def test_a_conversation_from_anywhere_gives_a_request_without_fault(request: ModelRequest, quirks: Quirks) -> None:
    body = DIALECT.encode_request(request, quirks).body
    assert [finding for finding in DIALECT.check(body, quirks) if finding.severity == "error"] == []


@given(requests(), QUIRKS)
def test_a_request_that_gemini_can_carry_breaks_no_rule(request: ModelRequest, quirks: Quirks) -> None:
    assert [finding.rule for finding in DIALECT.check(DIALECT.encode_request(request, quirks).body, quirks) if finding.severity == "error"] == []


@given(answers(), st.integers(1, 7), st.integers(1, 50))
def test_a_stream_says_what_the_body_says(message: Message, size: int, cut: int) -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1)
    stream = b"".join(map(encoder.feed, play(message, size))) + encoder.finish()
    streamed = outcome_of(DIALECT.stream_decoder(), cut_every(stream, cut))
    body = DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=1))
    assert _said(streamed.message) == _said(body.message) == _said(message)
    assert (streamed.response_id, streamed.model) == (body.response_id, body.model) == ("r", "m")
    assert streamed.may_run == body.calls_may_run == (message.finish_reason in ("end", "tool_use"))
    assert [problem.code for problem in body.problems] == streamed.codes


def _said(message: Message) -> object:
    return message.parts, message.finish_reason, message.usage and replace(message.usage, raw={})


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


@given(ODD | VALUES, st.sampled_from([200, 400, 500]))
def test_no_body_breaks_the_reader(value: Any, status: int) -> None:
    candidate = {"content": {"parts": [value, {"functionCall": value}, {"text": value}]}, "finishReason": value, "finishMessage": value}
    for wrapped in (value, [value, value], {"candidates": value}, {"candidates": [candidate], "usageMetadata": value}, {"promptFeedback": value}):
        with suppress(*([ResponseUnreadable] if status == 200 else [])):
            DIALECT.decode_response(json.dumps(wrapped).encode(), status=status)


@settings(max_examples=150)
@given(ODD | VALUES)
def test_no_request_breaks_the_rules_or_the_reader(value: Any) -> None:
    response = {"functionResponse": {"name": value, "id": value, "response": value, "parts": value}}
    part = {"functionCall": {"name": value, "args": value, "id": value}, "thoughtSignature": value}
    schema = {"type": value, "items": value, "enum": value, "required": value, "properties": {"a": value}, "anyOf": [value], "$ref": "#"}
    calling = {"functionCallingConfig": {"mode": value, "allowedFunctionNames": value}}
    for wrapped in (
        value,
        {"contents": value, "tools": value, "toolConfig": value, "generationConfig": value, "systemInstruction": value, "model": value},
        {"contents": [value, {"role": "model", "parts": [part]}, {"role": "user", "parts": [response, response]}], "toolConfig": calling},
        {"contents": [{"role": value, "parts": value}, {"parts": [value, {"text": value}, {"inlineData": value}]}]},
        {"contents": [], "tools": [value, {"functionDeclarations": [value, {"name": "a", "parameters": schema}, {"name": value}]}]},
        {"contents": [], "tools": [{"functionDeclarations": [{"name": "a", "parametersJsonSchema": schema}]}], "generationConfig": {"thinkingConfig": value}},
    ):
        _handle(json.dumps(wrapped).encode())


def _handle(body: bytes) -> None:
    """Check, repair, read and write again a request that may be anything."""
    for finding in DIALECT.check(body, replace(NORM, signature_stand_in=True)):
        assert finding.message
        assert finding.rule.startswith("gemini.")
    mended(DIALECT.check, body)
    with suppress(RequestUnreadable):
        parsed = DIALECT.parse_request(body)
        assert isinstance(json.loads(DIALECT.encode_request(parsed).body), dict)
        assert isinstance(json.loads(DIALECT.encode_request(forget_spelling(parsed), Quirks(json_schema=False)).body), dict)
