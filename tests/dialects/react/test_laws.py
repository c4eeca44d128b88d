"""What must hold for all conversations and all texts, drawn at random."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import odd_streams
from tests.dialects.drawn_conversations import conversations
from tests.dialects.feeding import cut_every, events_of, outcome_of
from tests.dialects.react.drawn import LINES, TEXTS, requests
from workbench.conversation.messages import Message, ModelRequest, Part, ToolCallPart, ToolResultPart
from workbench.dialects.base import Quirks
from workbench.dialects.react import DIALECT
from workbench.dialects.react.labels import label_at_start, quote, unquote
from workbench.dialects.react.reader import TurnReader, read_turn
from workbench.errors import RequestUnreadable, ResponseUnreadable


def _without_ids(request: ModelRequest) -> ModelRequest:
    messages = tuple(replace(one, message_id="", wire={}, parts=tuple(map(_without_id, one.parts))) for one in request.messages)
    return replace(request, messages=messages)


def _without_id(part: Part) -> Part:
    if isinstance(part, ToolCallPart):
        return replace(part, call_id="", correction="")
    return replace(part, call_id="") if isinstance(part, ToolResultPart) else part


def _numbered(request: ModelRequest) -> ModelRequest:
    messages: list[Message] = []
    for place, message in enumerate(request.messages):
        source = place if message.role == "assistant" else place - 1
        parts = [replace(part, call_id=f"c{source}") if isinstance(part, ToolCallPart | ToolResultPart) else part for part in message.parts]
        messages.append(replace(message, parts=tuple(parts)))
    return replace(request, messages=tuple(messages))


@given(requests())
@settings(max_examples=300)
def test_parsing_what_was_written_gives_the_conversation_back(request: ModelRequest) -> None:
    parsed = DIALECT.parse_request(DIALECT.encode_request(_numbered(request)).body)
    expected = _without_ids(_numbered(request))
    assert _without_ids(parsed).messages == expected.messages
    assert (parsed.system, parsed.options.stop, parsed.options.temperature) == (request.system, request.options.stop, request.options.temperature)
    assert [tool.name for tool in parsed.tools] == [tool.name for tool in request.tools]


@given(requests())
@settings(max_examples=100)
def test_a_longer_conversation_begins_with_the_bytes_of_the_shorter(request: ModelRequest) -> None:
    request = _numbered(request)
    writer = DIALECT.request_writer()
    before: tuple[bytes, ...] = ()
    for count in range(1, len(request.messages) + 1):
        shorter = replace(request, messages=request.messages[:count])
        pieces = writer.encode(shorter).pieces
        assert b"".join(pieces) == DIALECT.encode_request(shorter).body
        if not request.messages[count - 1].calls():
            assert pieces[: len(before)] == before
            before = pieces[:-1]


@given(conversations())
@settings(max_examples=200)
def test_every_conversation_becomes_a_request_without_findings(request: ModelRequest) -> None:
    body = DIALECT.encode_request(request).body
    assert [found for found in DIALECT.check(body) if found.severity == "error"] == []
    written = json.loads(body)
    assert "tools" not in written
    assert {message["role"] for message in written["messages"]} <= {"system", "user", "assistant"}
    assert json.loads(DIALECT.encode_request(DIALECT.parse_request(body)).body) == written


@given(TEXTS)
def test_quoted_text_holds_no_label_behind_its_first_line_and_comes_back(text: str) -> None:
    quoted = quote(text)
    assert unquote(quoted) == text
    for line in quoted.split("\n")[1:]:
        found = label_at_start(line)
        assert found is None or found.quoted


@given(TEXTS, st.integers(1, 9))
@settings(max_examples=400)
def test_no_cut_changes_what_a_turn_says(text: str, size: int) -> None:
    whole, said = read_turn(text)
    pieces = TurnReader()
    cut = [one for start in range(0, len(text), size) for one in pieces.feed(text[start : start + size])] + pieces.finish()
    for kind in ("text", "thought", "name", "input"):
        assert "".join(one.text for one in cut if one.kind == kind) == "".join(one.text for one in said if one.kind == kind)
    assert (pieces.name, pieces.input, pieces.kept, pieces.invented, pieces.answered) == (whole.name, whole.input, whole.kept, whole.invented, whole.answered)


@given(st.lists(LINES, max_size=8).map("\n".join))
@settings(max_examples=200)
def test_nothing_after_an_observation_is_ever_said(text: str) -> None:
    reader, said = read_turn(text)
    assert reader.kept + reader.invented == text
    shown = "".join(one.text for one in said)
    assert len(shown) <= len(reader.kept) + 1 + shown.count("\n")
    assert reader.invented == "" or (found := label_at_start(reader.invented.partition("\n")[0])) is None or found.label == "observation"


@given(odd_streams())
@settings(max_examples=200)
def test_no_bytes_break_the_decoder(body: bytes) -> None:
    try:
        outcome = outcome_of(DIALECT.stream_decoder(), [body])
        assert outcome == outcome_of(DIALECT.stream_decoder(), cut_every(body, 3))
    except ResponseUnreadable:
        pass


@given(st.binary(max_size=60))
def test_no_bytes_break_the_parser(body: bytes) -> None:
    for quirks in (Quirks(), Quirks(stop=False)):
        DIALECT.check(body, quirks)
    with pytest.raises(RequestUnreadable):
        DIALECT.parse_request(body)


@given(requests())
@settings(max_examples=150)
def test_a_stream_says_what_the_body_says(request: ModelRequest) -> None:
    for message in request.messages:
        if message.role != "assistant":
            continue
        end = replace(message, finish_reason="tool_use" if message.calls() else "end")
        whole = DIALECT.decode_response(DIALECT.encode_response(end, response_id="r", model="m", created=1))
        assert [_without_id(part) for part in whole.message.parts] == [_without_id(part) for part in message.parts]
        assert whole.calls_may_run
        written = DIALECT.stream_encoder(response_id="r", model="m", created=1)
        body = DIALECT.encode_response(end, response_id="r", model="m", created=1)
        stream = b"".join(written.feed(event) for event in events_of(DIALECT.stream_decoder(), [body])) + written.finish()
        streamed = outcome_of(DIALECT.stream_decoder(), cut_every(stream, 11))
        assert [_without_id(part) for part in streamed.message.parts] == [_without_id(part) for part in message.parts]
