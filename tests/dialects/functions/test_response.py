"""Answers with a `function_call`, whole and streamed, read by ourselves and by the official package."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import answers
from tests.dialects.chat_completions.test_openai_package import Answering
from tests.dialects.feeding import cut_every, events_of, outcome_of
from tests.dialects.playback import play
from workbench.conversation.messages import Message, TextPart, ToolCallPart
from workbench.conversation.stream import CallStarted, ResponseFailed
from workbench.dialects.functions import DIALECT


def one_call(message: Message) -> Message:
    """Return an answer as this dialect can give it: with its first call only."""
    first = message.calls()[:1]
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, ToolCallPart) or part in first))


def stream_of(message: Message, size: int = 3) -> bytes:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    return b"".join(map(encoder.feed, play(message, size))) + encoder.finish()


def meaning(message: Message) -> object:
    return [(call.name, call.arguments(), call.status) for call in message.calls()], message.text(), message.finish_reason


CALLING = Message(
    message_id="m",
    role="assistant",
    parts=(ToolCallPart(call_id="1", name="repl", arguments_raw='{"a": 1}'), ToolCallPart(call_id="2", name="repl", arguments_raw='{"a": 2}')),
    finish_reason="tool_use",
)


@settings(max_examples=60)
@given(answers(), st.integers(1, 5))
def test_body_and_stream_say_the_same(message: Message, size: int) -> None:
    message = one_call(message)
    body = DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=7))
    streamed = outcome_of(DIALECT.stream_decoder(), cut_every(stream_of(message, size), 7))
    assert meaning(body.message) == meaning(streamed.message)
    if message.finish_reason == "tool_use" or not message.calls():
        assert [(call.name, call.arguments_raw) for call in body.message.calls()] == [(call.name, call.arguments_raw) for call in message.calls()]
        assert body.calls_may_run == streamed.may_run


@settings(max_examples=30)
@given(answers())
def test_the_package_reads_our_bodies(message: Message) -> None:
    server = Answering(DIALECT.encode_response(one_call(message), response_id="r", model="m", created=7), "body")
    choice = server.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "go"}]).choices[0]
    server.close()
    found = choice.message.function_call
    assert choice.message.tool_calls is None
    assert ([(found.name, found.arguments)] if found else []) == [(call.name, call.arguments_raw) for call in message.calls()[:1]]


@settings(max_examples=30)
@given(answers(), st.integers(1, 5))
def test_the_package_reads_our_streams(message: Message, size: int) -> None:
    server = Answering(stream_of(message, size), "stream")
    chunks = list(server.client.chat.completions.create(model="m", messages=[{"role": "user", "content": "go"}], stream=True))
    server.close()
    deltas = [choice.delta for chunk in chunks for choice in chunk.choices]
    assert deltas[0].role == "assistant"
    assert all(delta.tool_calls is None for delta in deltas)
    arguments = "".join(delta.function_call.arguments or "" for delta in deltas if delta.function_call)
    assert arguments == "".join(call.arguments_raw for call in message.calls()[:1])


def test_the_first_chunk_of_a_call_is_the_one_of_2023() -> None:
    lines = [json.loads(line[6:]) for line in stream_of(CALLING, 4).decode().split("\n") if line.startswith("data: {")]
    deltas = [line["choices"][0]["delta"] for line in lines]
    assert deltas[0] == {"role": "assistant", "content": None, "function_call": {"name": "repl", "arguments": ""}}
    assert deltas[1:-1] == [{"function_call": {"arguments": '{"a"'}}, {"function_call": {"arguments": ": 1}"}}]
    assert (deltas[-1], lines[-1]["choices"][0]["finish_reason"]) == ({}, "function_call")


def test_a_forced_call_ends_with_stop_and_is_a_tool_turn() -> None:
    forced = replace(CALLING, parts=CALLING.parts[:1], finish_raw="stop")
    body = DIALECT.encode_response(forced, response_id="r", model="m", created=7)
    assert json.loads(body)["choices"][0]["finish_reason"] == "stop"
    decoded = DIALECT.decode_response(body)
    assert (decoded.message.finish_reason, decoded.calls_may_run) == ("tool_use", True)


def test_free_text_is_sent_as_the_parameter_input() -> None:
    custom = replace(CALLING, parts=(ToolCallPart(call_id="1", name="sql", arguments_raw="select\n1", kind="custom"),))
    for message in (outcome_of(DIALECT.stream_decoder(), [stream_of(custom)]).message, _decoded(custom)):
        (call,) = message.calls()
        assert (call.name, call.arguments()) == ("sql", {"input": "select\n1"})


def _decoded(message: Message) -> Message:
    return DIALECT.decode_response(DIALECT.encode_response(message, response_id="r", model="m", created=7)).message


def test_ids_are_made_up_the_same_every_time() -> None:
    stream = stream_of(CALLING)
    ids = [[event.call_id for event in events_of(DIALECT.stream_decoder(), cut_every(stream, size)) if isinstance(event, CallStarted)] for size in (1, 9)]
    assert ids[0] == ids[1]
    assert len(ids[0][0]) == 29


def test_an_answer_to_tools_is_still_read() -> None:
    body = {"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]}}]}
    decoded = DIALECT.decode_response(json.dumps(body).encode())
    assert [call.call_id for call in decoded.message.calls()] == ["c"]


@pytest.mark.parametrize("place", range(1, 12))
def test_a_cut_stream_runs_nothing(place: int) -> None:
    stream = stream_of(replace(CALLING, parts=CALLING.parts[:1]), 1)
    frames = stream.split(b"\n\n")
    outcome = outcome_of(DIALECT.stream_decoder(), [b"\n\n".join(frames[:place]) + b"\n\n"])
    assert not outcome.may_run or place > 9
    assert outcome.message.finish_reason == ("incomplete" if place < 10 else "tool_use")


def test_an_error_in_the_stream_ends_it() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    failed = ResponseFailed(kind="overloaded", text="Overloaded")
    outcome = outcome_of(DIALECT.stream_decoder(), [encoder.feed(CallStarted(key=0, call_id="c", name="f")), encoder.feed(failed), encoder.finish()])
    assert outcome.failure is not None
    assert outcome.failure.text == "Overloaded"
    assert [call.status for call in outcome.message.calls()] == ["truncated"]


def test_text_before_a_call_stays() -> None:
    said = replace(CALLING, parts=(TextPart(text="Look: "), *CALLING.parts))
    assert meaning(outcome_of(DIALECT.stream_decoder(), [stream_of(said)]).message) == ([("repl", {"a": 1}, "complete")], "Look: ", "tool_use")
