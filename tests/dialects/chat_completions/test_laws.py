"""Laws that hold for all messages: nothing is lost that chat can carry, and no bytes break the reader."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import ODD, answers, numbered, odd_streams, requests
from tests.dialects.feeding import cut_at, cut_every, outcome_of
from tests.dialects.playback import play
from tests.dialects.test_history import MESSAGES
from tests.dialects.test_json_text import VALUES
from workbench.conversation.messages import Message, ModelRequest, RequestOptions
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.spelling import forget_spelling
from workbench.errors import RequestUnreadable, ResponseUnreadable

QUIRKS = st.builds(
    Quirks,
    empty_content=st.sampled_from(["null", "empty", "omit"]),
    reasoning_replay=st.just("always"),
    system_role=st.sampled_from(["system", "developer"]),
    max_tokens_field=st.sampled_from(["max_tokens", "max_completion_tokens"]),
    stream_usage=st.booleans(),
    result_name=st.booleans(),
)


def plain(request: ModelRequest) -> ModelRequest:
    """Return the request without what a wire cannot carry: the ids of messages, and the spelling."""
    return forget_spelling(replace(request, messages=tuple(replace(message, message_id="") for message in request.messages)))


@given(requests(), QUIRKS)
def test_a_request_survives_the_wire(request: ModelRequest, quirks: Quirks) -> None:
    parsed = DIALECT.parse_request(DIALECT.encode_request(request, quirks).body)
    assert plain(parsed) == request


@given(requests())
def test_what_needs_no_remembering_is_not_remembered(request: ModelRequest) -> None:
    parsed = DIALECT.parse_request(DIALECT.encode_request(request).body)
    assert parsed.options.wire == {}
    assert all(not message.wire for message in parsed.messages)
    assert all(not tool.wire for tool in parsed.tools)


@given(requests(), QUIRKS)
def test_writing_is_pure_and_reading_it_again_gives_the_same_bytes(request: ModelRequest, quirks: Quirks) -> None:
    written = DIALECT.encode_request(request, quirks)
    assert DIALECT.encode_request(request, quirks) == written
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(written.body), quirks).body) == json.loads(written.body)


@given(requests(), QUIRKS)
def test_a_longer_conversation_begins_with_the_shorter(request: ModelRequest, quirks: Quirks) -> None:
    whole = DIALECT.encode_request(request, quirks).pieces
    for place, message in enumerate(request.messages):
        if message.role == "user":
            shorter = DIALECT.encode_request(replace(request, messages=request.messages[:place]), quirks).pieces
            assert whole[: len(shorter) - 1] == shorter[:-1]


@given(requests(), QUIRKS)
def test_requests_of_a_growing_conversation_do_not_depend_on_what_was_written_before(request: ModelRequest, quirks: Quirks) -> None:
    writer = DIALECT.request_writer()
    for count in range(len(request.messages) + 1):
        grown = replace(request, messages=request.messages[:count])
        assert writer.encode(grown, quirks) == DIALECT.encode_request(grown, quirks)


@given(st.lists(st.lists(MESSAGES, max_size=4), min_size=1, max_size=4), st.data(), QUIRKS, st.sampled_from(["any", "mistral"]))
def test_requests_of_a_rewritten_conversation_do_not_depend_on_what_was_written_before(
    turns: list[list[Message]], data: st.DataObject, quirks: Quirks, ids: Any
) -> None:
    writer = DIALECT.request_writer()
    wanted = replace(quirks, call_id_format=ids)
    said: tuple[Message, ...] = ()
    for turn in turns:
        kept = data.draw(st.sampled_from([len(said)] * 5 + [*range(len(said))]))  # mostly the history only grows
        said = (*said[:kept], *turn)
        model = data.draw(st.sampled_from(["m", "m", "m", "other/m"]))
        request = ModelRequest(system=("Be brief.",), tools=(), messages=said, options=RequestOptions(model=model))
        assert writer.encode(request, wanted) == DIALECT.encode_request(request, wanted)


@given(st.lists(MESSAGES, min_size=1, max_size=8), QUIRKS, st.sampled_from(["any", "mistral"]), st.sampled_from(["never", "with_calls", "always"]))
def test_whatever_was_said_the_request_breaks_no_rule(messages: list[Message], quirks: Quirks, ids: Any, replay: Any) -> None:
    wanted = replace(quirks, call_id_format=ids, reasoning_replay=replay)
    request = ModelRequest(system=("Be brief.",), tools=(), messages=tuple(messages), options=RequestOptions(model="m"))
    errors = [finding for finding in DIALECT.check(DIALECT.encode_request(request, wanted).body, wanted) if finding.severity == "error"]
    told = {"chat.call-name", "chat.ends-with-assistant"}  # what a model called is sent as it is until somebody decides; who speaks last is given
    assert [finding for finding in errors if finding.rule not in told] == []


@given(requests())
def test_a_request_that_chat_can_carry_breaks_no_rule(request: ModelRequest) -> None:
    assert [finding for finding in DIALECT.check(DIALECT.encode_request(request).body) if finding.severity == "error"] == []


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
    found, expected = _said(body.message), _said(message)
    if not message.text().lstrip().startswith("<") and "</think>" not in message.reasoning():
        assert found == expected


def _said(message: Message) -> object:
    usage = message.usage and replace(message.usage, raw={})
    return message.parts, message.finish_reason, usage


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
    for wrapped in (value, {"choices": value}, {"choices": [{"message": value, "finish_reason": value}], "usage": value, "id": value}):
        with suppress(*([ResponseUnreadable] if status == 200 else [])):
            DIALECT.decode_response(json.dumps(wrapped).encode(), status=status)


@given(st.binary(max_size=100))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    assert DIALECT.decode_response(data, status=500).failure
    with suppress(ResponseUnreadable):
        DIALECT.decode_response(data)


@given(ODD | VALUES)
def test_no_request_breaks_the_rules_or_the_reader(value: Any) -> None:
    call = {"id": value, "type": "function", "function": {"name": value, "arguments": value}}
    parts = [value, {"type": "text", "text": value}, {"type": "image_url", "image_url": value}]
    turn = {"role": "assistant", "content": value, "tool_calls": [call], "reasoning_content": value, "reasoning_details": value}
    for wrapped in (
        value,
        {"messages": value, "tools": value, "tool_choice": value, "model": value, "stream": value, "stop": value, "stream_options": value},
        {"messages": [value, turn, {"role": "tool", "tool_call_id": value, "content": value}]},
        {"messages": [{"role": "user", "content": parts}], "tools": [value, {"function": value}, {"type": "function", "function": {"name": value}}]},
        {"messages": [{"role": "assistant", "tool_calls": value}]},
    ):
        _handle(json.dumps(wrapped).encode())


def _handle(body: bytes) -> None:
    """Check, read and write again a request that may be anything."""
    for finding in DIALECT.check(body, replace(NORM, call_id_format="mistral")):
        assert finding.message
        assert finding.rule.startswith("chat.")
    with suppress(RequestUnreadable):
        assert isinstance(json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body), dict)


@given(requests())
def test_numbering_gives_each_call_its_result(request: ModelRequest) -> None:
    assert numbered(list(request.messages)) == request.messages
