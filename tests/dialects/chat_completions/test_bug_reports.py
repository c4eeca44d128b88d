"""Cases made after public bug reports, as far as they concern this dialect; each stream as given, by bytes, by sevens and whole."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.feeding import Outcome, cut_every, outcome_of
from workbench.conversation.messages import (
    Message,
    ModelRequest,
    Part,
    RequestOptions,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    text_message,
)
from workbench.dialects.base import Quirks
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.chat_completions.usage import read_usage

FILE = Path(__file__).resolve().parents[2] / "cases/bug_reports_chat.jsonl"
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[:-1])}
STREAMS = [case for case in CASES.values() if case["input"]["type"] == "sse"]
STOPS = {"end": "end", "tool_use": "tool", "length": "length", "incomplete": "incomplete"}
CUTS = ["as given", "one byte", "seven bytes", "whole"]


def chunks_of(case: dict[str, Any], cut: str) -> list[bytes]:
    given = [base64.b64decode(chunk) for chunk in case["input"].get("chunks_b64", [])] or [chunk.encode() for chunk in case["input"]["chunks"]]
    whole = b"".join(given)
    return {"as given": given, "one byte": cut_every(whole, 1), "seven bytes": cut_every(whole, 7), "whole": [whole]}[cut]


def normal_form(outcome: Outcome) -> dict[str, Any]:
    """Return the form the cases speak."""
    message, usage = outcome.message, outcome.message.usage
    return {
        "text": message.text(),
        "reasoning": message.reasoning(),
        "calls": [{"id": call.call_id, "name": call.name, "args": call.arguments()} for call in message.calls()],
        "stop": "error" if outcome.failure else STOPS.get(message.finish_reason or "", "error"),
        "usage": usage and {"input_total": usage.input_tokens, "cached": usage.cached_tokens, "output": usage.output_tokens},
        "runnable_calls": sum(call.status == "complete" for call in message.calls()) if outcome.may_run else 0,
    }


def next_messages(*messages: Message, quirks: Quirks | None = None) -> list[dict[str, Any]]:
    request = ModelRequest(system=(), tools=(), messages=messages, options=RequestOptions(model="m"))
    body = DIALECT.encode_request(request, quirks or Quirks()).body
    assert [finding for finding in DIALECT.check(body, quirks or Quirks()) if finding.severity == "error"] == []
    written: list[dict[str, Any]] = json.loads(body)["messages"]
    return written


def result(call_id: str, text: str) -> Message:
    return Message(message_id="r", role="tool", parts=(ToolResultPart(call_id=call_id, name="bash", content=(TextPart(text=text),)),))


def assistant(*parts: Part) -> Message:
    return Message(message_id="a", role="assistant", parts=parts)


def test_all_cases_are_here() -> None:
    assert len(CASES) == 17
    assert len(STREAMS) == 11


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("case", STREAMS, ids=[case["id"] for case in STREAMS])
def test_a_stream_comes_to_what_was_right(case: dict[str, Any], cut: str) -> None:
    outcome = outcome_of(DIALECT.stream_decoder(), chunks_of(case, cut))
    found, expected = normal_form(outcome), case["expect"]
    compared = {name: value for name, value in expected.items() if name in found}
    assert compared, "the case says something about the answer"
    assert {name: found[name] for name in compared} == compared
    assert outcome.codes == {"args-cut-by-length": [], "idle-timeout-ignores-heartbeats": ["stream-broken"]}.get(case["id"], [])


def test_reasoning_goes_back_in_the_field_it_came_in() -> None:
    case = CASES["reasoning-content-replay"]
    answer = outcome_of(DIALECT.stream_decoder(), chunks_of(case, "as given")).message
    then = case["input"]["then"][0]["tool_result"]
    written = next_messages(answer, result(then["id"], then["output"]), quirks=Quirks(reasoning_replay="with_calls"))
    assert written[0]["reasoning_content"] == case["expect"]["next_request_assistant"]["reasoning_content"]
    assert written[1] == {"role": "tool", "tool_call_id": "k1", "content": "Mon"}
    assert "reasoning_content" not in next_messages(answer, result(then["id"], then["output"]))[0], "absent, not empty, elsewhere"


def test_a_call_cut_by_the_limit_is_answered_and_goes_back_as_an_object() -> None:
    answer = outcome_of(DIALECT.stream_decoder(), chunks_of(CASES["args-cut-by-length"], "whole")).message
    written = next_messages(answer, text_message("user", "go on"))
    assert [message["role"] for message in written] == ["assistant", "tool", "user"]
    assert list(json.loads(written[0]["tool_calls"][0]["function"]["arguments"])) == ["INVALID_JSON"]
    assert "smaller parts" in written[1]["content"]


def test_a_raw_line_break_in_the_arguments_is_accepted_and_sent_as_strict_json() -> None:
    case = CASES["args-raw-newline"]
    raw = case["input"]["arguments_raw"]
    call = {"index": 0, "id": "k", "function": {"name": "bash", "arguments": raw}}
    chunk = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": "stop"}]}
    answer = outcome_of(DIALECT.stream_decoder(), [b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"])
    assert answer.message.calls()[0].status == "complete"
    assert json.loads(answer.message.calls()[0].arguments_raw, strict=False) == case["expect"]["args"]
    sent = next_messages(answer.message, result("k", "ok"))[0]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(sent) == case["expect"]["args"]


def test_one_id_in_every_round_is_unique_on_the_wire() -> None:
    case = CASES["same-id-next-turn"]
    messages: list[Message] = [text_message("user", "go")]
    for turn, text in zip(case["input"]["model_turns"][:3], case["expect"]["result_texts_in_order"], strict=True):
        call_id, name, arguments = turn["calls"][0]
        messages += [assistant(ToolCallPart(call_id=call_id, name=name, arguments_raw=json.dumps(arguments))), result(call_id, text)]
    written = next_messages(*messages)
    ids = [message["tool_calls"][0]["id"] for message in written if message["role"] == "assistant"]
    assert len(set(ids)) == case["expect"]["runs"]
    assert ids[0] == "read:0", "the first use keeps its id"
    answers = [(message["tool_call_id"], message["content"]) for message in written if message["role"] == "tool"]
    assert answers == list(zip(ids, case["expect"]["result_texts_in_order"], strict=True))


def test_half_characters_do_not_stop_the_next_request() -> None:
    case = CASES["lone-surrogate"]
    call = ToolCallPart(call_id="k", name="question", arguments_raw=case["input"]["arguments_raw"])
    output = case["input"]["tool_output_escaped"].encode().decode("unicode_escape")
    assert "\udc88" in output
    written = next_messages(assistant(call), result("k", output))
    assert json.loads(written[0]["tool_calls"][0]["function"]["arguments"]) == case["expect"]["args"]
    assert written[1]["content"] == case["expect"]["output_sent"]


def test_a_program_that_died_in_a_call_can_go_on() -> None:
    case = CASES["orphan-call-on-resume"]
    open_calls = case["input"]["events"][1]["assistant_calls"]
    calls = [ToolCallPart(call_id=call_id, name=name, arguments_raw=json.dumps(given)) for call_id, name, given in open_calls]
    written = next_messages(text_message("user", "go"), assistant(*calls), result("c2", "content"), text_message("user", "continue"))
    assert [message.get("tool_call_id") for message in written[2:4]] == case["expect"]["results_for"]
    assert written[2]["content"] == "Error: The tool call was interrupted; its outcome is unknown."
    assert written[4] == {"role": "user", "content": "continue"}


def test_cached_tokens_are_part_of_the_input() -> None:
    case = CASES["cached-token-conventions"]
    compared = 0
    for item, (uncached, cached, _, output) in zip(case["input"]["items"], case["expect"]["norm"], strict=True):
        if item["dialect"] == "openai-chat":
            usage = read_usage(item["usage"])
            assert usage is not None
            assert usage.cached_tokens is not None
            assert ((usage.input_tokens or 0) - usage.cached_tokens, usage.cached_tokens, usage.output_tokens) == (uncached, cached, output)
            compared += 1
    assert compared == 2


def test_huge_arguments_take_linear_time() -> None:
    case = CASES["huge-args-linear"]
    arguments = json.dumps({"path": "big.md", "content": "line of text\n" * 80_000})
    pieces = [arguments[start : start + 20] for start in range(0, len(arguments), 20)]
    opener = {"index": 0, "id": "w", "type": "function", "function": {"name": "write", "arguments": ""}}
    deltas = [{"tool_calls": [opener]}, *({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in pieces)]
    choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas] + [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
    stream = [f"data: {json.dumps({'choices': [choice]})}\n\n".encode() for choice in choices]
    started = time.process_time()
    outcome = outcome_of(DIALECT.stream_decoder(), stream)
    assert time.process_time() - started < case["expect"]["max_total_s"]
    given = outcome.message.calls()[0].arguments()
    assert given is not None
    assert len(given["content"]) == case["expect"]["content_len"]
