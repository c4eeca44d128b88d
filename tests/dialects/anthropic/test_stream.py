"""Streams: what servers get wrong, how they break off, and what only the provider understands."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.dialects.anthropic.sse import begin, call, delta, end, event, say, start, stop
from tests.dialects.feeding import Outcome, cut_every, outcome_of
from workbench.conversation.messages import OpaquePart, ReasoningPart, TextPart
from workbench.dialects.anthropic import DIALECT

OVERLOADED = b'event: error\ndata: {"type":"error","error":{"details":null,"type":"overloaded_error","message":"Overloaded"}               }\n\n'


def read(stream: bytes) -> Outcome:
    whole = outcome_of(DIALECT.stream_decoder(), [stream])
    assert outcome_of(DIALECT.stream_decoder(), cut_every(stream, 1)) == whole
    return whole


def test_blocks_stay_apart_and_in_order() -> None:
    thought = begin(1, type="thinking", thinking="", signature="") + delta(1, "thinking", thinking="hm") + delta(1, "signature", signature="sig==") + stop(1)
    outcome = read(start() + say(0, "a", "b") + thought + say(2, "c") + say(3, "d") + call(4, "k", '{"p', '":1}') + end("tool_use"))
    said = [part for part in outcome.message.parts if not hasattr(part, "arguments_raw")]
    assert said == [TextPart(text="ab"), ReasoningPart(text="hm", signature="sig=="), TextPart(text="c"), TextPart(text="d")]
    assert [given.arguments() for given in outcome.message.calls()] == [{"p": 1}]
    assert outcome.may_run
    assert outcome.codes == []


def test_an_error_as_the_first_event_is_a_failure_with_nothing_shown() -> None:
    outcome = read(OVERLOADED)
    assert outcome.failure is not None
    assert (outcome.failure.kind, outcome.failure.code, outcome.failure.text) == ("overloaded", "overloaded_error", "Overloaded")
    assert outcome.message.parts == ()


def test_an_error_in_the_middle_keeps_what_came_but_no_signature_of_an_open_block() -> None:
    thought = begin(0, type="thinking", thinking="", signature="") + delta(0, "thinking", thinking="hm") + delta(0, "signature", signature="half")
    outcome = read(start() + thought + OVERLOADED)
    assert outcome.message.parts == (ReasoningPart(text="hm"),)
    assert outcome.message.state == "error"


def test_a_second_start_of_the_same_message_is_ignored_and_of_another_an_error() -> None:
    assert read(start("a") + say(0, "x") + start("a") + end()).message.text() == "x"
    spliced = read(start("a") + call(0, "k", "{}") + start("b") + say(0, "y") + end())
    assert spliced.failure is not None
    assert spliced.failure.code == "spliced-stream"
    assert "y" not in spliced.message.text()
    assert not spliced.may_run


def test_a_start_without_a_message_is_tolerated() -> None:
    outcome = read(event("message_start", message=None) + say(0, "x") + end())
    assert (outcome.message.text(), outcome.message.finish_reason) == ("x", "end")


@pytest.mark.parametrize("cut", ["no end", "half a call"])
def test_a_stream_that_breaks_off_is_incomplete(cut: str) -> None:
    rest = say(0, "x") if cut == "no end" else call(0, "k", '{"a": "')[: -len(stop(0))]
    outcome = read(start() + rest)
    assert (outcome.message.finish_reason, outcome.message.state, outcome.codes) == ("incomplete", "incomplete", ["stream-broken"])
    assert not outcome.may_run
    assert {given.status for given in outcome.message.calls()} <= {"truncated"}
    assert outcome.message.usage is not None
    assert outcome.message.usage.output_tokens is None, "the first count is only a placeholder"


def test_interrupted_thinking_has_no_signature() -> None:
    thought = begin(0, type="thinking", thinking="", signature="") + delta(0, "thinking", thinking="hm") + delta(0, "signature", signature="abc")
    assert read(start() + thought).message.parts == (ReasoningPart(text="hm"),)


def test_a_reason_without_the_last_event_is_an_end() -> None:
    stream = start() + say(0, "x") + end()
    outcome = read(stream[: -len(event("message_stop"))])
    assert (outcome.message.finish_reason, outcome.codes) == ("end", [])


def test_the_last_event_without_a_reason_holds_calls_back() -> None:
    outcome = read(start() + call(0, "k", '{"a":1}') + event("message_stop"))
    assert (outcome.message.finish_reason, outcome.codes, outcome.may_run) == ("unknown", ["no-finish-reason"], False)


@pytest.mark.parametrize("word", ["max_tokens", "stop_sequence", "pause_turn", "refusal", "model_context_window_exceeded", "brand_new"])
def test_calls_run_only_after_the_ends_that_are_known(word: str) -> None:
    outcome = read(start() + call(0, "a", '{"a":1}') + call(1, "b", '{"b":1}') + end(word))
    assert not outcome.may_run
    assert outcome.message.finish_raw == word


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("end_turn", "end"), ("max_tokens", "length"), ("stop_sequence", "stop_sequence"), ("pause_turn", "pause"), ("refusal", "refusal"),
        ("model_context_window_exceeded", "length"), ("brand_new", "unknown"),
    ],
)
def test_every_end_has_its_neutral_word(word: str, reason: str) -> None:
    assert read(start() + say(0, "x") + end(word)).message.finish_reason == reason


def test_calls_beside_a_plain_end_make_a_tool_turn() -> None:
    outcome = read(start() + call(0, "k", "{}") + end("end_turn"))
    assert (outcome.message.finish_reason, outcome.message.finish_raw, outcome.may_run) == ("tool_use", "end_turn", True)


@pytest.mark.parametrize("pieces", [("",), (), ("", "", "")])
def test_no_arguments_at_all_mean_an_empty_object(pieces: tuple[str, ...]) -> None:
    outcome = read(start() + call(0, "k", *pieces) + end("tool_use"))
    assert [(given.arguments(), given.status) for given in outcome.message.calls()] == [({}, "complete")]
    assert outcome.may_run


@pytest.mark.parametrize("raw", ['path": "a"}', '{"path": "a"', '{"path": "a" "b"}', '{"path": a}'])
def test_arguments_that_lost_a_piece_do_not_run(raw: str) -> None:
    outcome = read(start() + call(0, "k", raw[:3], raw[3:]) + end("tool_use"))
    assert outcome.message.calls()[0].status in ("invalid_json", "truncated")
    assert outcome.message.calls()[0].arguments_raw == raw, "no brace is guessed"


def test_indices_are_hints() -> None:
    outcome = read(start() + call(3, "a", '{"n":1}') + call(3, "b", '{"n":2}') + call(7, "", '{"n":3}') + end("tool_use"))
    assert [given.arguments() for given in outcome.message.calls()] == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert len({given.call_id for given in outcome.message.calls()}) == 3


def test_calls_whose_pieces_are_mixed_get_their_own() -> None:
    opened = begin(0, type="tool_use", id="a", name="x", input={}) + begin(1, type="tool_use", id="b", name="x", input={})
    pieces = delta(0, "input_json", partial_json='{"n":') + delta(1, "input_json", partial_json='{"n":2') + delta(0, "input_json", partial_json="1}")
    outcome = read(start() + opened + pieces + delta(1, "input_json", partial_json="}") + end("tool_use"))
    assert [(given.call_id, given.arguments()) for given in outcome.message.calls()] == [("a", {"n": 1}), ("b", {"n": 2})]


def test_a_call_that_comes_whole_in_its_start_is_taken() -> None:
    opened = begin(0, type="tool_use", id="a", name="x", input={"n": 1}) + stop(0)
    assert read(start() + opened + end("tool_use")).message.calls()[0].arguments() == {"n": 1}


def test_hidden_and_redacted_thinking_are_kept_as_they_came() -> None:
    hidden = begin(0, type="thinking", thinking="", signature="") + delta(0, "signature", signature="sig==") + stop(0)
    redacted = begin(1, type="redacted_thinking", data="DATA==") + stop(1)
    outcome = read(start() + hidden + redacted + say(2, "x") + end())
    assert outcome.message.parts == (ReasoningPart(signature="sig=="), ReasoningPart(redacted_data="DATA=="), TextPart(text="x"))


def test_tools_of_the_provider_and_citations_are_kept_unread() -> None:
    searching = begin(0, type="server_tool_use", id="srvtoolu_1", name="web_search", input={}) + delta(0, "input_json", partial_json='{"query":"x"}') + stop(0)
    found = begin(1, type="web_search_tool_result", tool_use_id="srvtoolu_1", content=[{"encrypted_content": "E"}]) + stop(1)
    cited = begin(2, type="text", text="") + delta(2, "text", text="so") + delta(2, "citations", citation={"cited_text": "c"}) + stop(2)
    outcome = read(start() + searching + found + cited + end())
    items = [part.item for part in outcome.message.parts if isinstance(part, OpaquePart)]
    assert items == [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}},
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "E"}]},
        {"citations": [{"cited_text": "c"}]},
    ]
    assert outcome.message.calls() == ()


def test_a_broken_call_of_a_server_tool_is_left_out() -> None:
    searching = begin(0, type="server_tool_use", id="s", name="web_search", input={}) + delta(0, "input_json", partial_json='{"que')
    outcome = read(start() + searching + end("max_tokens"))
    assert outcome.message.parts == ()
    assert "server-call-broken" in outcome.codes


def test_unknown_events_and_deltas_are_ignored() -> None:
    odd = event("new_thing", x=1) + event("ping") + delta(0, "brand_new", x=1)
    outcome = read(start() + begin(0, type="text", text="") + odd + delta(0, "text", text="x") + stop(0) + end())
    assert (outcome.message.text(), outcome.codes) == ("x", [])


def test_later_counts_win_unless_they_say_nothing() -> None:
    usage = {"input_tokens": 0, "output_tokens": 12, "cache_read_input_tokens": 7, "cache_creation_input_tokens": None}
    first: dict[str, Any] = {"input_tokens": 5, "output_tokens": 1, "cache_creation_input_tokens": 2}
    counted = read(start(**first) + say(0, "x") + end(usage=usage)).message.usage
    assert counted is not None
    assert (counted.input_tokens, counted.output_tokens, counted.cached_tokens, counted.cache_write_tokens) == (14, 12, 7, 2)


def test_unknown_members_of_the_last_delta_are_kept() -> None:
    outcome = read(start() + say(0, "x") + end(context_management={"applied_edits": []}))
    assert outcome.message.usage is not None
    assert outcome.message.usage.raw["context_management"] == {"applied_edits": []}


def test_a_refusal_says_why() -> None:
    stream = start() + end("refusal", delta={"stop_reason": "refusal", "stop_details": {"type": "refusal", "explanation": "Not that."}})
    outcome = read(stream)
    assert (outcome.message.finish_reason, [problem.text for problem in outcome.problems]) == ("refusal", ["Not that."])


def test_tokens_without_a_block_are_said() -> None:
    assert read(start() + end()).codes == ["empty-answer"]


def test_a_tool_turn_without_calls_is_an_error() -> None:
    outcome = read(start() + say(0, "x") + end("tool_use"))
    assert (outcome.message.finish_reason, outcome.codes) == ("error", ["no-calls"])


def test_a_stream_of_another_dialect_names_it() -> None:
    outcome = read(b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n')
    assert outcome.failure is not None
    assert "Chat Completions" in outcome.failure.text


def test_a_body_on_a_stream_request_is_read() -> None:
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"}
    outcome = read(json.dumps(body).encode())
    assert (outcome.message.text(), outcome.message.finish_reason) == ("x", "end")


def test_line_ends_and_separators_inside_of_texts_change_nothing() -> None:
    stream = start() + say(0, "a\u2028b\u0085c") + end()
    raw = stream.decode().encode().replace(b"\\u2028", "\u2028".encode()).replace(b"\\u0085", "\u0085".encode())
    for variant in (raw, raw.replace(b"\n", b"\r\n"), raw.replace(b"\n", b"\r"), raw.replace(b"data: ", b"data:")):
        assert read(variant).message.text() == "a\u2028b\u0085c"


def test_half_characters_are_joined_over_pieces() -> None:
    assert read(start() + say(0, "\ud83d", "\ude00") + end()).message.text() == "\U0001f600"


def test_the_caller_of_a_call_is_kept_unless_it_is_the_model_itself() -> None:
    direct = call(0, "a", "{}", caller={"type": "direct"})
    coded = call(1, "b", '{"n":1}', caller={"type": "code_execution_20250825", "tool_id": "srvtoolu_1"})
    first, second = read(start() + direct + coded + end("tool_use")).message.calls()
    assert first.metadata == {}
    assert second.metadata == {"caller": {"type": "code_execution_20250825", "tool_id": "srvtoolu_1"}}
