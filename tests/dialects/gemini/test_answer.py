"""Answers as Gemini and its gateways send them: parts, calls in pieces, how they end; each stream in every cut."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.dialects.feeding import Outcome, cuts, outcome_of
from workbench.conversation.messages import OpaquePart, ReasoningPart, TextPart
from workbench.dialects import chat_completions
from workbench.dialects.gemini import DIALECT
from workbench.errors import ResponseUnreadable


def chunk(*parts: dict[str, Any], finish: Any = None, **members: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "responseId": "r", "modelVersion": "m", **members}


def call(name: str | None = None, part: dict[str, Any] | None = None, **members: Any) -> dict[str, Any]:
    return {"functionCall": {**({"name": name} if name is not None else {}), **members}, **(part or {})}


def piece(path: str, value: Any, kind: str = "stringValue", **members: Any) -> dict[str, Any]:
    return call(partialArgs=[{"jsonPath": path, kind: value, **members}], willContinue=True)


def sse(*chunks: Any, end: str = "\r\n\r\n") -> bytes:
    return "".join(f"data: {json.dumps(each, ensure_ascii=False)}{end}" for each in chunks).encode()


def read(*chunks: Any, end: str = "\r\n\r\n") -> Outcome:
    """Return what a stream comes to, the same in every cut."""
    stream = sse(*chunks, end=end)
    outcomes = {name: outcome_of(DIALECT.stream_decoder(), pieces) for name, pieces in cuts(stream, "stream")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    return outcomes["whole"]


def said(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(each.name, each.arguments_raw, each.status) for each in outcome.message.calls()]


STOP = chunk({"text": ""}, finish="STOP")


# Frames


@pytest.mark.parametrize("end", ["\r\n\r\n", "\n\n", "\r\r"])
def test_any_line_end_will_do(end: str) -> None:
    assert read(chunk({"text": "Hel"}), chunk({"text": "lo"}), STOP, end=end).message.text() == "Hello"


def test_line_separators_and_characters_of_several_bytes_are_text() -> None:
    text = "上\u2028b\u0085c\U0001f600"
    assert read(chunk({"text": text}), STOP).message.text() == text


def test_a_stream_that_came_as_one_list_is_read() -> None:
    body = json.dumps([chunk({"text": "Hel"}), chunk({"text": "lo"}, finish="STOP")]).encode()
    decoded = DIALECT.decode_response(body)
    assert (decoded.message.text(), decoded.calls_may_run) == ("Hello", True)
    assert outcome_of(DIALECT.stream_decoder(), [body]).message.text() == "Hello"
    failed = DIALECT.decode_response(json.dumps([chunk({"text": "Hel"}), {"error": {"code": 503, "message": "Overloaded."}}]).encode())
    assert failed.failure is not None
    assert (failed.failure.kind, failed.message.text()) == ("overloaded", "Hel")
    assert DIALECT.decode_response(json.dumps([chunk({"text": "a"}), chunk({"text": "b"})]).encode()).message.finish_reason == "incomplete"


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("status", [200, 429])
def test_an_error_is_read_alone_or_in_a_list(wrapped: bool, status: int) -> None:
    error = {"error": {"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "34.4s"}]}}
    decoded = DIALECT.decode_response(json.dumps([error] if wrapped else error).encode(), status=status)
    assert decoded.failure is not None
    assert (decoded.failure.kind, decoded.failure.text) == ("rate_limit", "Slow down.")


def test_an_error_in_the_middle_of_a_stream_ends_it() -> None:
    outcome = read(chunk(call("read", args={})), {"error": {"code": 500, "message": "Internal error.", "status": "INTERNAL"}})
    assert outcome.failure is not None
    assert outcome.failure.kind == "server"
    assert not outcome.may_run


def test_the_stream_of_another_dialect_is_named() -> None:
    outcome = outcome_of(DIALECT.stream_decoder(), [b'data: {"object":"chat.completion.chunk","choices":[]}\n\n'])
    assert outcome.failure is not None
    assert "Chat Completions" in outcome.failure.text
    other = outcome_of(chat_completions.DIALECT.stream_decoder(), [sse(chunk({"text": "x"}))])
    assert other.failure is not None
    assert "Gemini" in other.failure.text


# Text, thoughts and signatures


def test_thoughts_are_no_text() -> None:
    outcome = read(chunk({"text": "pl", "thought": True}), chunk({"text": "an", "thought": True}), chunk({"text": "Hi"}), STOP)
    assert outcome.message.parts == (ReasoningPart(text="plan"), TextPart(text="Hi"))


def test_a_signature_on_an_empty_text_belongs_to_the_text_before_it() -> None:
    outcome = read(chunk({"text": "Hel"}), chunk({"text": "lo"}), chunk({"text": "", "thoughtSignature": "S"}, finish="STOP"))
    assert outcome.message.parts == (TextPart(text="Hello", signature="S"),)


def test_a_signature_on_an_empty_text_behind_a_call_is_a_part_of_its_own() -> None:
    outcome = read(chunk(call("read", args={}), {"text": "", "thoughtSignature": "S"}), STOP)
    assert outcome.message.parts[1] == TextPart(text="", signature="S")


def test_signed_and_unsigned_texts_stay_apart() -> None:
    parts = [{"text": "a", "thoughtSignature": "S"}, {"text": "b"}, {"text": "c", "thoughtSignature": "T"}]
    expected = (TextPart(text="a", signature="S"), TextPart(text="b"), TextPart(text="c", signature="T"))
    assert read(chunk(*parts), STOP).message.parts == expected
    assert read(*(chunk(part) for part in parts), STOP).message.parts == expected


def test_a_signed_thought_keeps_its_signature() -> None:
    outcome = read(chunk({"text": "hm", "thought": True, "thoughtSignature": "S"}, {"text": "go", "thought": True}, {"text": "x"}), STOP)
    assert outcome.message.parts == (ReasoningPart(text="hm", signature="S"), ReasoningPart(text="go"), TextPart(text="x"))


def test_the_order_of_parts_is_kept() -> None:
    outcome = read(chunk({"text": "a"}, call("read", args={}), {"text": "b"}, call("glob", args={})), STOP)
    assert [type(part).__name__ for part in outcome.message.parts] == ["TextPart", "ToolCallPart", "TextPart", "ToolCallPart"]


def test_one_part_may_hold_a_text_and_a_call() -> None:
    outcome = read(chunk(call("read", {"text": "Let me see.", "thoughtSignature": "S"}, args={"a": 1})), STOP)
    assert outcome.message.text() == "Let me see."
    assert [each.metadata for each in outcome.message.calls()] == [{"thoughtSignature": "S"}]


def test_what_only_gemini_understands_is_kept_whole() -> None:
    code = {"executableCode": {"language": "PYTHON", "code": "1+1"}}
    assert read(chunk(code, {"text": "2"}), STOP).message.parts[0] == OpaquePart(dialect="gemini", provider="", item=code)


def test_half_characters_are_joined() -> None:
    stream = "".join(f"data: {json.dumps(each)}\n\n" for each in (chunk({"text": "a\ud83d"}), chunk({"text": "\ude00"}, finish="STOP")))
    assert outcome_of(DIALECT.stream_decoder(), [stream.encode()]).message.text() == "a\U0001f600"


# Calls


def test_a_call_in_one_chunk_and_the_stop_in_the_next_is_a_tool_turn() -> None:
    outcome = read(chunk(call("read", {"thoughtSignature": "S"}, args={"a": "上"})), STOP)
    assert said(outcome) == [("read", '{"a":"上"}', "complete")]
    assert (outcome.message.finish_reason, outcome.may_run, outcome.codes) == ("tool_use", True, [])


def test_a_call_without_arguments_has_an_empty_object() -> None:
    assert said(read(chunk(call("now")), STOP)) == [("now", "{}", "complete")]
    assert said(read(chunk(call("now", args=None)), STOP)) == [("now", "{}", "complete")]


def test_equal_calls_without_ids_are_two_calls() -> None:
    outcome = read(chunk(call("roll", args={}), call("roll", args={})), STOP)
    assert len(outcome.message.calls()) == len({each.call_id for each in outcome.message.calls()}) == 2


def test_ids_are_those_of_the_server_or_made_from_the_response() -> None:
    first, second = (read(chunk(call("a", args={}, id=wire_id)), STOP).message.calls()[0] for wire_id in ("96c1su3s", ""))
    assert (first.call_id, first.metadata) == ("96c1su3s", {"id": "96c1su3s"})
    assert (second.call_id[:5], second.metadata) == ("call_", {})
    body = DIALECT.decode_response(json.dumps(chunk(call("a", args={}), finish="STOP")).encode())
    assert body.message.calls()[0].call_id == second.call_id, "stream and body of one response agree"


def test_a_call_without_a_name_cannot_run() -> None:
    outcome = read(chunk(call("", args={"a": 1})), STOP)
    assert said(outcome) == [("", '{"a":1}', "invalid_json")]
    assert "call-without-name" in outcome.codes


@pytest.mark.parametrize("args", ["text", [1], 3])
def test_arguments_that_are_no_object_are_not_an_object(args: Any) -> None:
    (found,) = read(chunk(call("a", args=args)), STOP).message.calls()
    assert found.arguments() is None


def test_arguments_come_in_pieces() -> None:
    outcome = read(
        chunk(call("write", {"thoughtSignature": "S"}, willContinue=True)),
        chunk(piece("$.list[0].name", "Fr", willContinue=True)),
        chunk(piece("$.list[0].name", "esh", willContinue=True)),
        chunk(piece("$.list[0].name", "")),
        chunk(call(willContinue=True)),
        chunk(piece("$.list[1]['a b']", 0.5, "numberValue")),
        chunk(piece("$.yes", True, "boolValue"), piece("$.none", "NULL_VALUE", "nullValue")),
        chunk(call()),
        STOP,
    )
    assert said(outcome) == [("write", '{"list":[{"name":"Fresh"},{"a b":0.5}],"yes":true,"none":null}', "complete")]
    assert outcome.message.calls()[0].metadata == {"thoughtSignature": "S"}


def test_the_next_call_or_the_end_closes_an_open_one() -> None:
    opened = [chunk(call("a", willContinue=True)), chunk(piece("$.x", "1"))]
    outcome = read(*opened, chunk(call("b", willContinue=True)), chunk(piece("$.y", "2")), STOP)
    assert said(outcome) == [("a", '{"x":"1"}', "complete"), ("b", '{"y":"2"}', "complete")]
    assert outcome.may_run


def test_an_open_call_is_cut_off_where_the_stream_breaks_off() -> None:
    outcome = read(chunk(call("a", willContinue=True)), chunk(piece("$.x", "1")))
    assert said(outcome) == [("a", '{"x":"1"', "truncated")]
    assert outcome.codes == ["stream-broken"]
    still_open = read(chunk(call("a", willContinue=True)), chunk(piece("$.x", "1", willContinue=True)), STOP)
    assert (said(still_open)[0][2], still_open.may_run, still_open.codes) == ("truncated", False, ["call-cut-off"])


@pytest.mark.parametrize("path", ["x", "$", "$.a[7]", "$.a[99999999]", "$..x", 3, "$.k.x"])
def test_a_piece_that_leads_nowhere_makes_the_call_unreadable(path: Any) -> None:
    outcome = read(chunk(call("a", willContinue=True)), chunk(piece("$.k", "1")), chunk(piece(path, "2")), chunk(call()), STOP)
    assert said(outcome)[0][2] == "invalid_json"
    assert outcome.codes == ["arguments-broken"]


def test_a_long_text_in_many_pieces_takes_linear_time() -> None:
    chunks = [chunk(piece("$.content", "line of text\n" * 2, willContinue=True)) for _ in range(20_000)]
    stream = sse(chunk(call("write", willContinue=True)), *chunks, chunk(piece("$.content", "")), chunk(call()), STOP)
    started = time.process_time()
    (found,) = outcome_of(DIALECT.stream_decoder(), [stream]).message.calls()
    assert time.process_time() - started < 5
    assert found.arguments() == {"content": "line of text\n" * 40_000}


def test_texts_that_grow_in_turn_are_put_together() -> None:
    pieces = [piece(f"$.{name}", text, willContinue=text != "3") for text in "123" for name in "ab"]
    outcome = read(chunk(call("write", willContinue=True)), *map(chunk, pieces), STOP)
    assert said(outcome) == [("write", '{"a":"123","b":"123"}', "complete")]


# Ends


@pytest.mark.parametrize("word", ["MAX_TOKENS", "SAFETY", "OTHER", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "WHO_KNOWS", 2, 10, 99])
def test_every_other_end_than_stop_holds_calls_back(word: Any) -> None:
    outcome = read(chunk(call("read", args={"a": 1})), chunk(finish=word))
    assert len(outcome.message.calls()) == 1
    assert not outcome.may_run


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("STOP", "end"),
        (1, "end"),
        ("MAX_TOKENS", "length"),
        *((word, "content_filter") for word in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY")),
        *((word, "error") for word in ("LANGUAGE", "OTHER", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE")),
        ("NEW_WORD", "unknown"),
    ],
)
def test_a_word_has_a_reason(word: Any, reason: str) -> None:
    assert read(chunk({"text": "x"}, finish=word)).message.finish_reason == reason


def test_a_malformed_call_is_told_with_what_the_provider_says_of_it() -> None:
    candidate = {"content": {}, "finishReason": "UNEXPECTED_TOOL_CALL", "finishMessage": "Model tried to call an undeclared function: x"}
    outcome = read({"candidates": [candidate]})
    assert outcome.codes == ["call-unexpected"]
    assert "undeclared function: x" in outcome.problems[0].text
    assert outcome.message.finish_reason == "error"
    assert read(chunk({"text": 'x"}'}, finish="MALFORMED_FUNCTION_CALL")).codes == ["call-malformed"]


def test_a_blocked_prompt_is_told() -> None:
    feedback = {"promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "No."}}
    for outcome in (read(feedback), read({**feedback, "candidates": []})):
        assert outcome.codes == ["prompt-blocked"]
        assert (outcome.message.finish_reason, outcome.message.finish_raw, outcome.may_run) == ("content_filter", "SAFETY", False)
    assert DIALECT.decode_response(json.dumps(feedback).encode()).message.finish_reason == "content_filter"


@pytest.mark.parametrize("content", [{"content": {"role": "model"}}, {"content": {"parts": None}}, {"content": None}, {}])
def test_content_and_parts_may_be_missing(content: dict[str, Any]) -> None:
    outcome = read({"candidates": [{**content, "finishReason": "MAX_TOKENS"}]})
    assert (outcome.message.parts, outcome.codes) == ((), ["budget-spent"])
    assert read({"candidates": [{**content, "finishReason": "STOP"}]}).codes == ["empty-answer"]


def test_a_stream_without_a_finish_reason_is_broken() -> None:
    outcome = read(chunk({"text": "Hel"}))
    assert (outcome.message.finish_reason, outcome.codes) == ("incomplete", ["stream-broken"])


def test_the_last_count_wins_and_a_traffic_type_is_none() -> None:
    counts = {"promptTokenCount": 9, "candidatesTokenCount": 5, "thoughtsTokenCount": 4, "cachedContentTokenCount": 3, "toolUsePromptTokenCount": 2}
    outcome = read(
        chunk({"text": "a"}, usageMetadata={"promptTokenCount": 169}),
        chunk({"text": "b"}, finish="STOP", usageMetadata=counts),
        {"usageMetadata": {"trafficType": "X"}},
    )
    usage = outcome.message.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens) == (11, 9, 4, 3)


def test_only_the_first_candidate_is_kept() -> None:
    both = {"candidates": [{"index": 1, "content": {"parts": [{"text": "no"}]}}, {"index": 0, "content": {"parts": [{"text": "yes"}]}, "finishReason": "STOP"}]}
    outcome = read(both)
    assert (outcome.message.text(), outcome.codes) == ("yes", ["other-candidates"])


def test_a_call_that_leaked_into_the_text_is_told() -> None:
    assert read(chunk({"text": "<tool_call>{}</tool_call>"}, finish="STOP")).codes == ["leaked-call"]


@pytest.mark.parametrize("body", [b"", b"x", b'{"a":1}', b"[]", b'{"usageMetadata":{"promptTokenCount":1}}'])
def test_what_is_no_answer_is_refused(body: bytes) -> None:
    try:
        decoded = DIALECT.decode_response(body)
    except ResponseUnreadable:
        return
    assert decoded.failure is not None
