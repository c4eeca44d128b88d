"""Whole bodies, read and written, and streams written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.chat_completions.test_stream import HELLO
from tests.dialects.feeding import outcome_of
from tests.dialects.playback import play
from workbench.conversation.messages import FinishReason, Message, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, Usage
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallNamed,
    CallStarted,
    Problem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    StreamEvent,
    TextDelta,
)
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.chat_completions.finish import finish_word
from workbench.errors import ResponseUnreadable


def body(message: dict[str, Any] | None = None, finish: Any = "stop", **members: Any) -> bytes:
    return json.dumps({"id": "c1", "model": "m", "choices": [{"index": 0, "message": message or {}, "finish_reason": finish}], **members}).encode()


def answer(*parts: Part, reason: FinishReason = "end", **more: Any) -> Message:
    return Message(message_id="", role="assistant", parts=parts, finish_reason=reason, **more)


def written(message: Message) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(DIALECT.encode_response(message, response_id="r", model="m", created=7))
    return whole


def chunks(*events: StreamEvent) -> list[dict[str, Any]]:
    """Return the chunks that the encoder makes of events, without the end marker."""
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    stream = b"".join(map(encoder.feed, events)) + encoder.finish()
    return [json.loads(line.removeprefix("data: ")) for line in stream.decode().split("\n\n") if line and "[DONE]" not in line]


def deltas(*events: StreamEvent) -> list[dict[str, Any]]:
    return [chunk["choices"][0]["delta"] for chunk in chunks(*events) if chunk.get("choices")]


def test_an_answer_gets_a_stable_id() -> None:
    assert DIALECT.decode_response(body({"content": "x"})).message.message_id == "c1"
    nameless = json.dumps({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]}).encode()
    first, second = DIALECT.decode_response(nameless), DIALECT.decode_response(nameless)
    assert first == second
    assert first.message.message_id.startswith("msg_")


def test_a_body_without_a_word_at_the_end_holds_its_calls_back() -> None:
    call = {"id": "k", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    decoded = DIALECT.decode_response(body({"tool_calls": [call]}, finish=None))
    assert (decoded.message.finish_reason, decoded.calls_may_run) == ("unknown", False)


def test_an_error_inside_of_status_200_is_one() -> None:
    failure = DIALECT.decode_response(b'{"error":{"message":"filtered","code":"content_filter","status":400}}').failure
    assert failure is not None
    assert (failure.kind, failure.code) == ("bad_request", "content_filter")


def test_an_error_status_with_an_event_stream_is_read() -> None:
    failure = DIALECT.decode_response(b'data: {"error":{"message":"no","code":"invalid_api_key"}}\n\n', status=401).failure
    assert failure is not None
    assert failure.kind == "auth"
    plain = DIALECT.decode_response(b"data: nothing\n\n", status=503).failure
    assert plain is not None
    assert plain.kind == "overloaded"


def test_a_stream_that_was_not_asked_for_is_read() -> None:
    assert DIALECT.decode_response(HELLO).message.text() == "Hello"


@pytest.mark.parametrize("garbage", [b'{"a":1}', b"[1,2]", b'"text"', b"true"])
def test_json_that_is_no_answer_is_refused(garbage: bytes) -> None:
    with pytest.raises(ResponseUnreadable):
        DIALECT.decode_response(garbage)
    assert DIALECT.decode_response(garbage, status=400).failure is not None


def test_usage_of_xai_is_brought_to_the_normal_form() -> None:
    usage = {"prompt_tokens": 291, "completion_tokens": 26, "total_tokens": 513, "completion_tokens_details": {"reasoning_tokens": 196}}
    found = DIALECT.decode_response(body({"content": "x"}, usage=usage)).usage
    assert found is not None
    assert (found.output_tokens, found.reasoning_tokens, found.raw) == (222, 196, usage)


def test_usage_of_deepseek_tells_the_cache() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11, "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 2}
    found = DIALECT.decode_response(body({"content": "x"}, usage=usage)).usage
    assert found is not None
    assert (found.input_tokens, found.cached_tokens) == (10, 8)


def test_a_body_is_written_as_a_server_sends_it() -> None:
    call = ToolCallPart(call_id="k", name="read", arguments_raw='{"a": 1}', metadata={"extra_content": 1})
    thought = ReasoningPart(text="hm", field="reasoning_content")
    usage = Usage(input_tokens=3, output_tokens=2, reasoning_tokens=1, cached_tokens=0)
    assert written(answer(thought, TextPart(text="look"), call, reason="tool_use", usage=usage)) == {
        "id": "r",
        "object": "chat.completion",
        "created": 7,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "look",
                    "reasoning_content": "hm",
                    "tool_calls": [{"id": "k", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}, "extra_content": 1}],
                },
                "logprobs": None,
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "total_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    }


def test_a_refusal_is_written_as_one() -> None:
    message = written(answer(TextPart(text="No."), reason="refusal"))["choices"][0]
    assert (message["message"]["content"], message["message"]["refusal"], message["finish_reason"]) == (None, "No.", "stop")
    decoded = DIALECT.decode_response(json.dumps({"choices": [message]}).encode()).message
    assert (decoded.text(), decoded.finish_reason) == ("No.", "refusal")


def test_what_gemini_wants_back_is_written_beside_the_content() -> None:
    opaque = OpaquePart(dialect="chat_completions", provider="", item={"extra_content": {"google": 1}})
    assert written(answer(TextPart(text="x"), opaque))["choices"][0]["message"]["extra_content"] == {"google": 1}
    assert {"extra_content": {"google": 1}} in deltas(*play(answer(opaque), 3))


@pytest.mark.parametrize(
    ("reason", "raw", "word"),
    [
        ("end", "", "stop"),
        ("end", "end_turn", "end_turn"),
        ("tool_use", "", "tool_calls"),
        ("tool_use", "function_call", "function_call"),
        ("tool_use", "stop", "tool_calls"),
        ("length", "max_tokens", "max_tokens"),
        ("stop_sequence", "", "stop"),
        ("unknown", "brand_new", "brand_new"),
        ("unknown", "", "unknown"),
        ("incomplete", "", None),
        ("cancelled", "", None),
        (None, "", None),
    ],
)
def test_the_word_at_the_end_is_chosen(reason: FinishReason | None, raw: str, word: str | None) -> None:
    assert finish_word(reason, raw) == word


def test_a_stream_is_written_in_the_order_that_clients_expect() -> None:
    call = ToolCallPart(call_id="k", name="read", arguments_raw="{}")
    message = answer(TextPart(text="look"), call, reason="tool_use", usage=Usage(input_tokens=3, output_tokens=2))
    sent = chunks(*play(message, 2))
    assert [chunk["choices"][0]["delta"] for chunk in sent[:-1]] == [
        {"role": "assistant", "content": ""},
        {"content": "lo"},
        {"content": "ok"},
        {"tool_calls": [{"index": 0, "id": "k", "type": "function", "function": {"name": "read", "arguments": ""}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
        {},
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in sent[:-1]] == [None] * 5 + ["tool_calls"]
    assert sent[-1]["choices"] == []
    assert sent[-1]["usage"]["total_tokens"] == 5
    assert all(chunk["object"] == "chat.completion.chunk" and chunk["id"] == "r" for chunk in sent)


def test_tags_are_opened_and_closed_around_reasoning() -> None:
    thoughts: list[StreamEvent] = [ReasoningDelta(text=text, field="think_tag") for text in "ab"]
    end = ResponseEnded(finish_reason="end")
    assert "".join(delta.get("content", "") for delta in deltas(*thoughts, TextDelta(text="c"), end)) == "<think>ab</think>c"
    assert "".join(delta.get("content", "") for delta in deltas(*thoughts, end)) == "<think>ab</think>"


def test_what_a_decoder_settled_late_is_sent_late() -> None:
    events: list[StreamEvent] = [
        CallStarted(key=5, call_id="k"),
        CallNamed(key=5, name="read"),
        CallArgumentsDelta(key=5, text='{"a"'),
        CallDone(key=5, call_id="k", name="read", arguments_raw='{"a":1}', metadata={"extra": 1}),
    ]
    assert [delta["tool_calls"][0] for delta in deltas(*events)[1:]] == [
        {"index": 0, "id": "k", "type": "function", "function": {"arguments": ""}},
        {"index": 0, "function": {"name": "read"}},
        {"index": 0, "function": {"arguments": '{"a"'}},
        {"index": 0, "function": {"arguments": ":1}"}},
        {"index": 0, "extra": 1},
    ]


def test_a_custom_call_is_streamed_as_its_input() -> None:
    sent = deltas(*play(answer(ToolCallPart(call_id="k", name="sql", arguments_raw="SELECT", kind="custom"), reason="tool_use"), 3))
    inputs = [delta["tool_calls"][0].get("custom") for delta in sent if "tool_calls" in delta]
    assert inputs == [{"name": "sql", "input": ""}, {"input": "SEL"}, {"input": "ECT"}]


def test_reasoning_that_was_only_known_at_its_end_is_sent_then() -> None:
    done = ReasoningDone(part=ReasoningPart(text="ab", field="reasoning", details=({"type": "x"},)))
    assert deltas(ReasoningDelta(text="a", field="reasoning"), done)[1:] == [{"reasoning": "a"}, {"reasoning": "b"}, {"reasoning_details": [{"type": "x"}]}]


def test_events_without_a_wire_form_send_nothing() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    assert encoder.feed(Problem(code="x", text="y")) == encoder.feed(CallDropped(key=1)) == b""


def test_an_answer_that_broke_off_gets_no_end_marker() -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    stream = encoder.feed(ResponseStarted()) + encoder.feed(TextDelta(text="Hel")) + encoder.feed(ResponseEnded(finish_reason="incomplete")) + encoder.finish()
    assert b"[DONE]" not in stream
    assert outcome_of(DIALECT.stream_decoder(), [stream]).message.finish_reason == "incomplete"


@pytest.mark.parametrize("kind", ["auth", "quota", "rate_limit", "too_large", "overloaded", "context_too_long", "bad_request", "server"])
def test_an_error_written_is_read_as_the_same_class(kind: str) -> None:
    encoder = DIALECT.stream_encoder(response_id="r", model="m", created=7)
    stream = encoder.feed(TextDelta(text="Hel")) + encoder.feed(ResponseFailed(kind=kind, text="Something happened.")) + encoder.finish()
    outcome = outcome_of(DIALECT.stream_decoder(), [stream])
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.text, outcome.message.text()) == (kind, "Something happened.", "Hel")
