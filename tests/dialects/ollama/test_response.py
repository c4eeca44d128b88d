"""Answers that we write as Ollama would, held against its list of fields by a strict reader, and read again."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.dialects.chat_completions.drawn import answers
from tests.dialects.feeding import cut_every, outcome_of
from tests.dialects.playback import play
from workbench.conversation.messages import Message, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.stream import ResponseFailed, TextDelta
from workbench.dialects.ollama import DIALECT

COUNTS = {"total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration"}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def read_strictly(value: Any, *, last: bool) -> dict[str, Any]:
    """Return the message of a line, or of a body, that has the fields of the wire specification's section 7 and no others."""
    assert set(value) - COUNTS == {"model", "created_at", "message", "done"} | ({"done_reason"} if last else set())
    assert last or not COUNTS & set(value)
    assert isinstance(value["model"], str)
    assert TIME.fullmatch(value["created_at"])
    assert value["done"] is last
    assert all(type(value[name]) is int and value[name] >= 0 for name in COUNTS & set(value))
    if last:
        assert value["done_reason"] in {"stop", "length", "load", "unload", "content_filter"}
    message: dict[str, Any] = value["message"]
    assert {"role", "content"} <= set(message) <= {"role", "content", "thinking", "tool_calls"}
    assert message["role"] == "assistant"
    assert isinstance(message["content"], str)
    assert isinstance(message.get("thinking", ""), str)
    for call in message.get("tool_calls", []):
        assert set(call) == {"id", "function"}
        assert set(call["function"]) == {"index", "name", "arguments"}
        assert isinstance(call["function"]["arguments"], dict)
    return message


def body_of(message: Message) -> bytes:
    return DIALECT.encode_response(message, response_id="r", model="m", created=1_775_000_000)


def stream_of(message: Message, size: int = 3) -> bytes:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=1_775_000_000)
    return b"".join(map(encoder.feed, play(message, size))) + encoder.finish()


def meaning(message: Message) -> object:
    calls = [(call.call_id, call.name, call.arguments(), call.status) for call in message.calls()]
    return calls, message.text(), message.reasoning(), message.finish_reason


CALLING = Message(message_id="m", role="assistant", parts=(ToolCallPart(call_id="c", name="f", arguments_raw='{"a": 1}'),), finish_reason="tool_use")


@settings(max_examples=80)
@given(answers(), st.integers(1, 5))
def test_bodies_and_streams_have_ollamas_fields_and_say_the_same(message: Message, size: int) -> None:
    read_strictly(json.loads(body_of(message)), last=True)
    lines = [json.loads(line) for line in stream_of(message, size).split(b"\n") if line]
    for place, line in enumerate(lines):
        read_strictly(line, last=place == len(lines) - 1)
    body = DIALECT.decode_response(body_of(message))
    streamed = outcome_of(DIALECT.stream_decoder(), cut_every(stream_of(message, size), 7))
    assert meaning(body.message) == meaning(streamed.message)
    assert body.calls_may_run == streamed.may_run
    assert body.problems == streamed.problems
    assert [(call.name, call.arguments()) for call in body.message.calls()] == [(call.name, call.arguments()) for call in message.calls()]
    if not any(isinstance(part, ReasoningPart) and part.field == "think_tag" for part in message.parts):
        assert (body.message.text(), body.message.reasoning()) == (message.text(), message.reasoning())
    if message.usage:
        assert body.usage is not None
        assert (body.usage.input_tokens, body.usage.output_tokens) == (message.usage.input_tokens, message.usage.output_tokens)


def test_the_time_is_the_one_that_was_given() -> None:
    assert json.loads(body_of(CALLING))["created_at"] == "2026-03-31T23:33:20Z"


def test_a_body_is_the_one_of_the_server() -> None:
    message = replace(CALLING, parts=(ReasoningPart(text="Hm"), TextPart(text="So"), *CALLING.parts))
    written = json.loads(body_of(message))
    assert written["message"] == {
        "role": "assistant",
        "content": "So",
        "thinking": "Hm",
        "tool_calls": [{"id": "c", "function": {"index": 0, "name": "f", "arguments": {"a": 1}}}],
    }
    assert (written["done"], written["done_reason"]) == (True, "stop")


def test_text_that_is_no_object_is_held_by_one() -> None:
    broken = replace(CALLING, parts=(ToolCallPart(call_id="c", name="f", arguments_raw='{"a": ', status="invalid_json"),))
    custom = replace(CALLING, parts=(ToolCallPart(call_id="c", name="f", arguments_raw="select 1", kind="custom"),))
    for message, expected in ((broken, {"INVALID_JSON": '{"a": '}), (custom, {"input": "select 1"})):
        assert DIALECT.decode_response(body_of(message)).message.calls()[0].arguments() == expected
        assert outcome_of(DIALECT.stream_decoder(), [stream_of(message)]).message.calls()[0].arguments() == expected


def test_an_answer_that_did_not_end_says_so() -> None:
    cut = replace(CALLING, finish_reason="incomplete")
    assert DIALECT.decode_response(body_of(cut)).message.finish_reason == "incomplete"
    assert outcome_of(DIALECT.stream_decoder(), [stream_of(cut)]).message.finish_reason == "incomplete"


def test_an_error_is_a_line() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    sent = encoder.feed(TextDelta(text="Hel")) + encoder.feed(ResponseFailed(kind="server", text="gone")) + encoder.finish()
    assert json.loads(sent.split(b"\n")[1]) == {"error": "gone"}
    outcome = outcome_of(DIALECT.stream_decoder(), [sent])
    assert outcome.failure is not None
    assert (outcome.message.text(), outcome.failure.text) == ("Hel", "gone")
