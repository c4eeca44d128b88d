"""Streams of Ollama: whole calls, errors in the middle, broken ends, bodies in place of lines, and bytes that are none of these."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dialects.chat_completions.drawn import ODD
from tests.dialects.feeding import Outcome, cut_at, cut_every, outcome_of
from workbench.conversation.messages import ReasoningPart, TextPart
from workbench.dialects.chat_completions import DIALECT as CHAT
from workbench.dialects.ollama import DIALECT
from workbench.errors import ResponseUnreadable

DONE = {"model": "m", "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop", "prompt_eval_count": 7, "eval_count": 3}


def call(name: str, arguments: Any, **members: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments, **({"index": members.pop("index")} if "index" in members else {})}
    return {"model": "m", "message": {"role": "assistant", "content": "", "tool_calls": [{"function": function, **members}]}, "done": False}


def said(text: str, **members: Any) -> dict[str, Any]:
    return {"model": "m", "message": {"role": "assistant", "content": text, **members}, "done": False}


def lines(*values: Any) -> bytes:
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def read(stream: bytes, size: int = 0) -> Outcome:
    return outcome_of(DIALECT.stream_decoder(), cut_every(stream, size) if size else [stream])


def calls_of(outcome: Outcome) -> list[tuple[str, Any]]:
    return [(each.name, each.arguments()) for each in outcome.message.calls()]


def test_two_lines_in_one_slot_are_two_calls() -> None:
    outcome = read(lines(call("read", {"p": 1}, index=0), call("read", {"p": 2}, index=0), DONE))
    assert calls_of(outcome) == [("read", {"p": 1}), ("read", {"p": 2})]
    assert len({each.call_id for each in outcome.message.calls()}) == 2
    assert (outcome.message.finish_reason, outcome.message.finish_raw, outcome.may_run) == ("tool_use", "stop", True)


def test_equal_calls_without_ids_are_two_calls() -> None:
    assert calls_of(read(lines(call("tick", {}), call("tick", {}), DONE))) == [("tick", {}), ("tick", {})]


def test_one_id_for_two_calls_keeps_both_and_a_repeat_counts_once() -> None:
    outcome = read(lines(call("a", {"x": 1}, id="c"), call("a", {"x": 1}, id="c"), call("a", {"x": 2}, id="c"), DONE))
    assert calls_of(outcome) == [("a", {"x": 1}), ("a", {"x": 2})]
    assert len({each.call_id for each in outcome.message.calls()}) == 2


def test_arguments_as_text_are_taken_too() -> None:
    assert calls_of(read(lines(call("a", '{"x": 1}'), call("b", None), DONE))) == [("a", {"x": 1}), ("b", {})]


def test_a_cut_by_the_limit_holds_whole_looking_calls() -> None:
    outcome = read(lines(call("write", {"path": "a"}), {**DONE, "done_reason": "length"}))
    assert (outcome.message.finish_reason, outcome.may_run) == ("length", False)


@pytest.mark.parametrize("word", ["load", "unload", "odd", None, 3])
def test_only_stop_lets_calls_run(word: Any) -> None:
    assert not read(lines(call("a", {}), {**DONE, "done_reason": word})).may_run


def test_a_broken_stream_runs_nothing() -> None:
    outcome = read(lines(said("So: "), call("a", {})))
    assert (outcome.message.finish_reason, outcome.may_run, outcome.codes) == ("incomplete", False, ["stream-broken"])
    assert outcome.message.text() == "So: "


def test_a_call_that_the_server_could_not_read_is_shown_raw() -> None:
    raw = """[{"name": "bash", "args"""
    outcome = read(lines(said("Now"), {"error": f"error parsing tool call: raw='{raw}', err=unexpected end of JSON input"}))
    assert outcome.failure is not None
    assert raw in outcome.failure.text
    assert outcome.codes == ["call-unreadable"]
    assert raw in outcome.problems[0].text
    assert outcome.message.text() == "Now"


def test_an_error_line_ends_the_answer() -> None:
    outcome = read(lines(call("a", {}), {"error": "llama runner process has terminated"}, DONE))
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.text, outcome.may_run) == ("server", "llama runner process has terminated", False)


def test_a_prompt_that_was_cached_whole_has_no_count() -> None:
    usage = read(lines({name: value for name, value in DONE.items() if name != "prompt_eval_count"})).message.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.raw) == (None, 3, {"eval_count": 3})


def test_thinking_and_tags_are_reasoning() -> None:
    for thought, field in ((said("", thinking="so"), ""), (said("<think>so</think>"), "think_tag")):
        outcome = read(lines(thought, said("Yes"), DONE))
        assert outcome.message.parts == (ReasoningPart(text="so", field=field), TextPart(text="Yes"))  # type: ignore[arg-type]
    assert read(lines(said("<thi"), said("nk>so</th"), said("ink>Yes"), DONE)).message.parts == outcome.message.parts


def test_a_call_in_the_text_is_told() -> None:
    assert read(lines(said('<tool_call>\n{"name": "a"}\n</tool_call>'), DONE)).codes == ["leaked-call"]
    assert read(lines(DONE)).codes == ["empty-answer"]


BODY = {**DONE, "message": {"role": "assistant", "content": "天气 \u2028 ok", "tool_calls": [{"function": {"name": "a", "arguments": {"x": "é"}}}]}}


@pytest.mark.parametrize("size", [0, 1, 7])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_body_in_place_of_lines_is_read(indent: int | None, size: int) -> None:
    body = json.dumps(BODY, ensure_ascii=False, indent=indent).encode()
    outcome = read(body, size)
    assert (outcome.message.text(), calls_of(outcome), outcome.may_run, outcome.codes) == ("天气 \u2028 ok", [("a", {"x": "é"})], True, [])
    assert DIALECT.decode_response(body).message.parts[0] == outcome.message.parts[0]


@pytest.mark.parametrize("size", [0, 1, 7])
def test_line_separators_in_texts_end_no_line(size: int) -> None:
    text = "a\u2028b\u2029c\u0085d\u000be\u000cf\u001cg"
    assert read(lines(said(text), DONE), size).message.text() == text


def test_an_error_printed_over_several_lines_is_read() -> None:
    failure = read(json.dumps({"error": "model 'x' not found"}, indent=2).encode()).failure
    assert failure is not None
    assert failure.text == "model 'x' not found"


def test_a_web_page_is_named() -> None:
    failure = read(b"<html>\n<title>502 Bad Gateway</title>\n</html>").failure
    assert failure is not None
    assert "502 Bad Gateway" in failure.text


def test_a_broken_first_line_does_not_hide_the_rest() -> None:
    outcome = read(b'{"model": "m", "mess\n' + lines(said("on"), DONE), 5)
    assert (outcome.message.text(), outcome.codes) == ("on", ["frame-broken"])


def test_two_lines_come_as_soon_as_they_are_there() -> None:
    decoder = DIALECT.stream_decoder()
    first = decoder.feed(lines(said("a")))
    assert [type(event).__name__ for event in first] == ["ResponseStarted", "TextDelta"]
    ends = [decoder.ended, bool(decoder.feed(lines(DONE))), decoder.ended]
    assert ends == [False, True, True]
    assert decoder.finish() == []


CHUNK = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "hi"}, "finish_reason": None}]}
OTHERS = [
    b"data: " + json.dumps(CHUNK).encode() + b"\n\ndata: [DONE]\n\n",
    json.dumps({**CHUNK, "object": "chat.completion"}).encode(),
    json.dumps({"candidates": [{"content": {}}]}, indent=1).encode(),
    b"event: message_start\ndata: " + json.dumps({"type": "message_start", "message": {}}).encode() + b"\n\n",
]


@pytest.mark.parametrize("body", OTHERS)
@pytest.mark.parametrize("size", [0, 1])
def test_another_dialect_is_named(body: bytes, size: int) -> None:
    failure = read(body, size).failure
    assert failure is not None
    assert failure.code == "wrong_dialect"
    assert "not Ollama" in failure.text


def test_our_lines_are_named_by_other_dialects() -> None:
    failure = outcome_of(CHAT.stream_decoder(), [lines(said("a"), DONE)]).failure
    assert failure is not None
    assert "speaks the dialect Ollama" in failure.text


def test_a_body_of_another_dialect_is_refused() -> None:
    with pytest.raises(ResponseUnreadable):
        DIALECT.decode_response(json.dumps({**CHUNK, "object": "chat.completion"}).encode())


PIECES = st.fixed_dictionaries(
    {"message": st.dictionaries(st.sampled_from(["content", "thinking", "tool_calls", "role"]), ODD, max_size=3)},
    optional={"done": st.booleans(), "done_reason": ODD, "model": ODD, "eval_count": ODD, "error": ODD},
)
ODD_STREAMS = st.lists((PIECES | ODD).map(lambda value: json.dumps(value).encode()) | st.binary(max_size=9), max_size=5).map(b"\n".join)


@settings(max_examples=150)
@given(ODD_STREAMS, st.lists(st.integers(0, 400), max_size=6))
def test_no_bytes_break_the_decoder_and_no_cut_changes_what_it_says(stream: bytes, places: list[int]) -> None:
    whole = outcome_of(DIALECT.stream_decoder(), [stream])
    cut = outcome_of(DIALECT.stream_decoder(), cut_at(stream, [place for place in places if place < len(stream)]))
    assert cut == whole
    with contextlib.suppress(ResponseUnreadable):
        DIALECT.decode_response(stream)
