"""Streams as real servers send them: frames, how an answer is told, how it ends; each in every cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.feeding import Outcome, cuts, events_of, outcome_of
from workbench.conversation.messages import OpaquePart, ReasoningPart, TextPart
from workbench.conversation.stream import CallDone, ResponseEnded, ResponseStarted, TextDelta
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT


def delta(finish: Any = None, **members: Any) -> str:
    return json.dumps({"id": "c1", "model": "m", "choices": [{"index": 0, "delta": members, "finish_reason": finish}]}, ensure_ascii=False)


def call(index: int | None = 0, **members: Any) -> dict[str, Any]:
    function = {name: members.pop(name) for name in ("name", "arguments") if name in members}
    return {**({} if index is None else {"index": index}), **members, "function": function}


def sse(*chunks: str, end: str = "\n\n", done: bool = True) -> bytes:
    return "".join(f"data: {chunk}{end}" for chunk in (*chunks, *(["[DONE]"] if done else []))).encode()


def read(stream: bytes, **settings: Any) -> Outcome:
    """Return what a stream comes to, the same in every cut."""
    outcomes = {name: outcome_of(DIALECT.stream_decoder(**settings), chunks) for name, chunks in cuts(stream, "stream")}
    for name, outcome in outcomes.items():
        assert outcome == outcomes["whole"], name
    return outcomes["whole"]


STOP = delta("stop")
HELLO = sse(delta(content="Hel"), delta(content="lo"), STOP)


# Frames


@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n", "\r\r", "\n\r\n"])
def test_any_line_end_will_do(end: str) -> None:
    assert read(sse(delta(content="Hel"), delta(content="lo"), STOP, end=end)).message.text() == "Hello"


def test_line_separators_inside_of_text_are_text() -> None:
    text = "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"
    assert read(sse(delta(content=text), STOP)).message.text() == text


@pytest.mark.parametrize(
    "stream",
    [
        HELLO.replace(b"data: ", b"data:"),
        b" " + HELLO,
        b"\xef\xbb\xbf" + HELLO,
        b"\n\n" + HELLO,
        b": OPENROUTER PROCESSING\n\n" * 17 + HELLO,
        HELLO + b"data: what comes after the end is nothing to us\n\n",
        HELLO.rstrip(b"\n"),
        HELLO.replace(b"[DONE]", b" [DONE] "),
        HELLO.replace(b"\n\n", b"\nid: 7\nretry: 10\n\n"),
        sse(delta(content="Hel"), delta(content="lo"), STOP, done=False),
    ],
)
def test_odd_frames_do_no_harm(stream: bytes) -> None:
    outcome = read(stream)
    assert outcome.message.text() == "Hello"
    assert outcome.message.finish_reason == "end"
    assert outcome.codes == []


@pytest.mark.parametrize(("odd", "code"), [('{"choices": [', "frame-broken"), ("true", "frame-unknown"), ("[]", "frame-unknown"), ('"text"', "frame-unknown")])
def test_a_frame_that_is_no_chunk_is_told_and_left_out(odd: str, code: str) -> None:
    outcome = read(sse(delta(content="Hel"), odd, odd, delta(content="lo"), STOP))
    assert outcome.message.text() == "Hello"
    assert outcome.codes == [code]


HARMLESS = ["{}", '{"type":"ping"}', '{"choices":null}', '{"choices":[]}', '{"choices":[null,3]}', '{"error":null,"choices":[]}', "", "null"]


@pytest.mark.parametrize("harmless", HARMLESS)
def test_a_chunk_that_says_nothing_is_skipped(harmless: str) -> None:
    assert read(sse(delta(content="Hel"), harmless, delta(content="lo"), STOP)).message.text() == "Hello"


def test_not_a_number_and_halves_and_nul_do_not_lose_a_chunk() -> None:
    chunks = ['{"choices":[{"index":0,"delta":{"content":"a\\ud83d"},"logprobs":NaN}]}', '{"choices":[{"index":0,"delta":{"content":"\\ude00\\u0000b"}}]}']
    assert read(sse(*chunks, STOP)).message.text() == "a\U0001f600\x00b"


def test_a_half_that_stays_alone_becomes_a_mark() -> None:
    half = '{"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}'
    assert read(sse(half, delta(content="b"), STOP)).message.text() == "a\ufffdb"
    assert read(sse(half, STOP)).message.text() == "a\ufffd"
    assert read(sse(half.replace("content", "reasoning"), STOP)).message.reasoning() == "a\ufffd"


def test_events_name_the_frame_they_came_from() -> None:
    events = events_of(DIALECT.stream_decoder(), [b": comment\n\n" + HELLO])
    assert [(type(event), event.frame) for event in events] == [(ResponseStarted, 0), (TextDelta, 0), (TextDelta, 1), (ResponseEnded, -1)]
    assert read(HELLO).frames == 4


def test_a_decoder_says_when_it_has_seen_the_end() -> None:
    decoder = DIALECT.stream_decoder()
    decoder.feed(HELLO[:-12])
    before = decoder.ended
    decoder.feed(HELLO[-12:])
    assert (before, decoder.ended) == (False, True)
    assert decoder.feed(HELLO) == decoder.finish() == []


# What is said


def test_ids_that_come_late_are_kept() -> None:
    first = '{"id":"","model":"","object":"","choices":[],"prompt_filter_results":[]}'
    outcome = read(sse(first, delta(content="x"), STOP))
    assert (outcome.response_id, outcome.model) == ("c1", "m")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        (["a", {"text": "b"}], "ab"),
        ({"type": "text", "text": "ab"}, "ab"),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "output_text", "text": "ab"}], "ab"),
        ([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "ab"}], "ab"),
        ("\n\n", "\n\n"),
    ],
)
def test_content_may_be_a_list(content: Any, text: str) -> None:
    assert read(sse(delta(content=content), STOP)).message.text() == text


def test_unknown_content_is_told() -> None:
    outcome = read(sse(delta(content=[{"type": "hologram"}]), delta(content=3), STOP))
    assert outcome.codes == ["content-part-unknown", "empty-answer"]


def test_text_reasoning_and_a_call_in_one_delta_are_all_kept() -> None:
    outcome = read(sse(delta("tool_calls", content="look:", reasoning="hm", tool_calls=[call(id="k", name="read", arguments="{}")])))
    assert [type(part).__name__ for part in outcome.message.parts] == ["ReasoningPart", "TextPart", "ToolCallPart"]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_remembers_its_field(field: str) -> None:
    outcome = read(sse(delta(**{field: "a"}), delta(**{field: "b"}), delta(content="c"), STOP))
    assert outcome.message.parts == (ReasoningPart(text="ab", field=field), TextPart(text="c"))  # type: ignore[arg-type]


def test_reasoning_in_two_fields_counts_once() -> None:
    assert read(sse(delta(reasoning_content="a", reasoning="a"), STOP)).message.reasoning() == "a"


def test_reasoning_of_another_form_is_told() -> None:
    assert read(sse(delta(reasoning_content={"text": "a"}), delta(content="b"), STOP)).codes == ["reasoning-not-text"]


def test_tagged_reasoning_is_told_apart() -> None:
    outcome = read(sse(delta(content="<thi"), delta(content="nk>plan</"), delta(content="think>go"), STOP))
    assert outcome.message.parts == (ReasoningPart(text="plan", field="think_tag"), TextPart(text="go"))


def test_a_tag_that_was_none_comes_before_the_call() -> None:
    outcome = read(sse(delta(content="<thi"), delta("stop", tool_calls=[call(id="k", name="read", arguments="{}")])))
    assert [type(part).__name__ for part in outcome.message.parts] == ["TextPart", "ToolCallPart"]


def test_details_of_reasoning_are_joined_and_kept() -> None:
    def detail(**members: Any) -> list[dict[str, Any]]:
        return [{"type": "reasoning.text", "index": 0, "format": "f", **members}]

    outcome = read(
        sse(
            delta(reasoning="Th", reasoning_details=detail(text="Th", signature="")),
            delta(reasoning="ink", reasoning_details=detail(text="ink")),
            delta(reasoning=None, reasoning_details=detail(signature="SIG")),
            delta(content="ok"),
            delta("stop", reasoning_details=[{"type": "reasoning.encrypted", "data": "x"}]),
        )
    )
    (whole,) = detail(text="Think", signature="SIG")
    first = ReasoningPart(text="Think", field="reasoning", details=(whole,))
    last = ReasoningPart(field="reasoning", details=({"type": "reasoning.encrypted", "data": "x"},))
    assert outcome.message.parts == (first, TextPart(text="ok"), last)


def test_reasoning_that_stands_only_in_the_details_is_shown() -> None:
    details = [delta(reasoning_details=[{"type": "reasoning.summary", "summary": text, "index": 0}]) for text in ("a", "b")]
    outcome = read(sse(*details, delta("stop", content="c")))
    assert outcome.message.reasoning() == "ab"


def test_a_refusal_is_text_and_told_as_such() -> None:
    outcome = read(sse(delta(refusal="I "), delta(refusal="won't."), STOP))
    assert (outcome.message.text(), outcome.message.finish_reason) == ("I won't.", "refusal")


def test_a_refusal_may_stand_in_the_content() -> None:
    outcome = read(sse(delta(content=[{"type": "refusal", "refusal": "No."}]), STOP))
    assert (outcome.message.text(), outcome.message.finish_reason) == ("No.", "refusal")


def test_a_tag_that_was_never_closed_keeps_its_reasoning() -> None:
    assert read(sse(delta(content="<think>plan </th"), STOP)).message.reasoning() == "plan </th"


def test_a_whole_message_in_a_stream_is_taken_once() -> None:
    whole = json.dumps({"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]})
    assert read(sse(whole)).message.text() == "Hello"
    assert read(sse(delta(content="Hel"), delta(content="lo"), whole)).message.text() == "Hello"


def test_every_choice_of_index_zero_counts_and_no_other() -> None:
    choices = [{"index": index, "delta": {"content": text}} for index, text in ((0, "a"), (0, "b"), (1, "X"), (None, "c"))]
    del choices[-1]["index"]
    outcome = read(sse(json.dumps({"choices": choices}), STOP))
    assert outcome.message.text() == "abc"
    assert outcome.codes == ["other-choices"]


@pytest.mark.parametrize(
    "calls",
    [
        json.dumps([call(id="k", name="read", arguments="{}")]),
        json.dumps(call(id="k", name="read", arguments="{}")),
        call(id="k", name="read", arguments="{}"),
        [{"id": "k", "name": "read", "arguments": {}}],
        [None, call("0", id="k", type=None, name="read", arguments=None)],  # type: ignore[arg-type]
        [call(True, id="k", name="read", arguments="{}")],
    ],
)
def test_calls_may_come_in_odd_forms(calls: Any) -> None:
    outcome = read(sse(delta("tool_calls", tool_calls=calls)))
    assert [(found.call_id, found.name, found.arguments_raw) for found in outcome.message.calls()] == [("k", "read", "{}")]
    assert outcome.may_run


def test_calls_that_are_no_json_are_told() -> None:
    assert read(sse(delta("tool_calls", tool_calls="[{"))).codes == ["calls-not-json", "no-calls"]


def test_an_old_function_call_is_a_call() -> None:
    outcome = read(sse(delta(function_call={"name": "repl", "arguments": ""}), delta(function_call={"arguments": "{}"}), delta("function_call")))
    assert [(found.name, found.arguments_raw) for found in outcome.message.calls()] == [("repl", "{}")]
    assert (outcome.message.finish_reason, outcome.may_run) == ("tool_use", True)


def test_a_custom_call_keeps_its_text() -> None:
    items = [{"index": 0, "id": "k", "type": "custom", "custom": {"name": "sql", "input": "SEL"}}, {"index": 0, "custom": {"input": "ECT"}}]
    found = read(sse(*(delta(tool_calls=[item]) for item in items), delta("tool_calls"))).message.calls()[0]
    assert (found.kind, found.name, found.arguments_raw) == ("custom", "sql", "SELECT")


def test_signatures_of_gemini_stay_where_they_were() -> None:
    signature = {"google": {"thought_signature": "x"}}
    outcome = read(sse(delta("tool_calls", extra_content=signature, tool_calls=[call(id="", name="now", arguments="{}", extra_content=signature)])))
    assert outcome.message.calls()[0].metadata == {"extra_content": signature}
    assert outcome.message.parts[1] == OpaquePart(dialect="chat_completions", provider="", item={"extra_content": signature})
    assert outcome.message.calls()[0].call_id.startswith("call_")


def test_the_quirks_and_the_offered_tools_reach_the_calls() -> None:
    glued = sse(delta("stop", tool_calls=[call(id="k", name="read", arguments='{"a":1}{"a":2}')]))
    assert len(read(glued, quirks=Quirks(split_glued_arguments=True)).message.calls()) == 2
    pieces = sse(*(delta(tool_calls=[call(name=name)]) for name in ("read_", "file")), delta("stop"))
    assert read(pieces, tools=("read_file",)).message.calls()[0].name == "read_file"


# How it ends


def test_a_call_is_final_only_at_the_end_of_the_stream() -> None:
    find = delta(tool_calls=[call(id="k", name="find", arguments='{"q":"a"}')])
    events = events_of(DIALECT.stream_decoder(), [sse(find, delta("tool_calls"), '{"choices":[]}')])
    assert [type(event) for event in events[-2:]] == [CallDone, ResponseEnded]


@pytest.mark.parametrize(
    ("words", "reason", "raw"),
    [
        (["stop", None], "end", "stop"),
        (["length", "length", None], "length", "length"),
        (["stop", "length"], "length", "length"),
        (["content_filter"], "content_filter", "content_filter"),
        (["sensitive"], "content_filter", "sensitive"),
        (["network_error"], "error", "network_error"),
        (["brand_new"], "unknown", "brand_new"),
        ([""], "incomplete", ""),
        ([3], "unknown", "3"),
    ],
)
def test_the_word_at_the_end_is_understood(words: list[Any], reason: str, raw: str) -> None:
    message = read(sse(delta(content="x"), *(delta(word) for word in words))).message
    assert (message.finish_reason, message.finish_raw) == (reason, raw)


@pytest.mark.parametrize("word", ["stop", "tool_calls", "function_call"])
def test_calls_run_after_a_known_good_end(word: str) -> None:
    outcome = read(sse(delta(tool_calls=[call(id="k", name="read", arguments="{}")]), delta(word)))
    assert (outcome.may_run, outcome.message.finish_reason) == (True, "tool_use")


@pytest.mark.parametrize("word", ["length", "content_filter", "error", "end_turn", "brand_new", "STOP"])
def test_calls_are_held_back_after_any_other_end(word: str) -> None:
    outcome = read(sse(delta(tool_calls=[call(id="k", name="read", arguments="{}")]), delta(word)))
    assert not outcome.may_run
    assert outcome.message.calls()[0].status == "complete"


@pytest.mark.parametrize("word", ["length", "tool_calls", None])
def test_one_unfinished_call_holds_back_the_whole_batch(word: str | None) -> None:
    whole = [call(index, id=f"k{index}", name="read", arguments="{}") for index in (0, 1)]
    calls = [*whole, call(2, id="c", name="write", arguments='{"content":"')]
    outcome = read(sse(delta(tool_calls=calls), delta(word)))
    assert not outcome.may_run
    assert [found.status for found in outcome.message.calls()] == ["complete", "complete", "truncated"]
    assert outcome.codes == {"length": [], "tool_calls": ["call-cut-off"], None: ["no-finish-reason"]}[word]


@pytest.mark.parametrize("stream", [sse(delta(content="Hel"), done=False), sse(delta(tool_calls=[call(id="k", name="read", arguments="{")]), done=False)])
def test_a_lost_connection_is_no_end(stream: bytes) -> None:
    outcome = read(stream)
    assert (outcome.message.finish_reason, outcome.message.state, outcome.may_run) == ("incomplete", "incomplete", False)
    assert outcome.codes == ["stream-broken"]


def test_calls_that_were_promised_but_not_sent_are_an_error() -> None:
    outcome = read(sse(delta(content="I will look."), delta("tool_calls")))
    assert outcome.message.finish_reason == "error"
    assert outcome.codes == ["no-calls"]


@pytest.mark.parametrize("word", ["stop", "tool_calls"])
def test_a_call_that_leaked_into_the_text_is_told_and_not_run(word: str) -> None:
    outcome = read(sse(delta(content="Let me look.\n<tool_"), delta(content='call>\n{"name": "read"}\n</tool_call>'), delta(word)))
    assert outcome.message.calls() == ()
    assert outcome.message.finish_reason == "end"
    assert outcome.codes == ["leaked-call"]


def test_an_empty_answer_is_told() -> None:
    assert read(sse(STOP)).codes == ["empty-answer"]


USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


@pytest.mark.parametrize(
    "chunks",
    [
        [json.dumps({"choices": [], "usage": USAGE})],
        [json.dumps({"usage": USAGE})],
        [json.dumps({"choices": [], "usage": {**USAGE, "completion_tokens": 1}}), json.dumps({"choices": [], "usage": USAGE}), '{"choices":[],"usage":null}'],
        [json.dumps({"choices": [], "x_groq": {"usage": USAGE}})],
        [json.dumps({"choices": [], "usage": {name: str(value) for name, value in USAGE.items()}}), '{"choices":[],"usage":{}}'],
        [json.dumps({"choices": [], "usage": {name: float(value) for name, value in USAGE.items()}}), '{"choices":[],"usage":{"prompt_tokens":true}}'],
    ],
)
def test_the_last_usage_that_says_something_counts(chunks: list[str]) -> None:
    usage = read(sse(delta(content="x"), STOP, *chunks)).message.usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (3, 2)


def test_a_stream_without_usage_says_so() -> None:
    assert read(HELLO).message.usage is None
