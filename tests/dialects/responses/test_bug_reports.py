"""Cases made after public bug reports, as far as they concern this dialect; each stream as given, by bytes, by sevens and whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.feeding import Outcome, cut_every, outcome_of
from workbench.conversation.messages import Message, ModelRequest, ReasoningPart, RequestOptions, TextPart, ToolCallPart, ToolDefinition, ToolResultPart
from workbench.conversation.messages import text_message as said
from workbench.dialects.responses import DIALECT
from workbench.dialects.responses.usage import read_usage

FILE = Path(__file__).resolve().parents[2] / "cases/bug_reports_responses.jsonl"
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[:-1])}


def outcome(case: str, cut: str) -> Outcome:
    given = [chunk.encode() for chunk in CASES[case]["input"]["chunks"]]
    whole = b"".join(given)
    chunks = {"as given": given, "one byte": cut_every(whole, 1), "seven bytes": cut_every(whole, 7), "whole": [whole]}[cut]
    return outcome_of(DIALECT.stream_decoder(), chunks)


each_cut = pytest.mark.parametrize("cut", ["as given", "one byte", "seven bytes", "whole"])


def sent(*messages: Message, tools: tuple[ToolDefinition, ...] = ()) -> list[dict[str, Any]]:
    request = ModelRequest(system=(), tools=tools, messages=messages, options=RequestOptions(model="m"))
    body = DIALECT.encode_request(request).body
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []
    items: list[dict[str, Any]] = json.loads(body)["input"]
    return items


def result(call_id: str, text: str) -> Message:
    return Message(message_id="r", role="tool", parts=(ToolResultPart(call_id=call_id, name="bash", content=(TextPart(text=text),)),))


@each_cut
def test_items_that_finish_in_another_order_keep_their_places_and_their_encrypted_reasoning(cut: str) -> None:
    found = outcome("responses-out-of-order-items", cut)
    reasoning, call = found.message.parts
    assert isinstance(reasoning, ReasoningPart)
    assert reasoning.encrypted == "ENC=="
    assert (call, found.may_run) == (found.message.calls()[0], True)
    items = sent(found.message, result("call_1", "ok"))
    assert [item["type"] for item in items] == ["reasoning", "function_call", "function_call_output"]
    assert items[0]["encrypted_content"] == "ENC=="


@each_cut
def test_an_incomplete_end_is_no_good_end(cut: str) -> None:
    expect = CASES["responses-incomplete-terminal"]["expect"]
    found = outcome("responses-incomplete-terminal", cut)
    assert (found.message.finish_reason, found.message.finish_raw) == (expect["stop"], "max_output_tokens")
    assert found.message.calls()[0].status == "truncated"
    assert not found.may_run
    assert found.message.usage is not None
    assert (found.message.usage.input_tokens, found.message.usage.output_tokens) == (expect["usage"]["input_total"], expect["usage"]["output"])


def test_one_id_in_every_round_is_unique_on_the_wire() -> None:
    case = CASES["same-id-next-turn"]
    messages = [said("user", "go")]
    for turn, text in zip(case["input"]["model_turns"][:3], case["expect"]["result_texts_in_order"], strict=True):
        call_id, name, arguments = turn["calls"][0]
        call = ToolCallPart(call_id=call_id, name=name, arguments_raw=json.dumps(arguments))
        messages += [Message(message_id="a", role="assistant", parts=(call,)), result(call_id, text)]
    items = sent(*messages)
    ids = [item["call_id"] for item in items if item.get("type") == "function_call"]
    assert (len(set(ids)), ids[0]) == (case["expect"]["runs"], "read:0")
    outputs = [(item["call_id"], item["output"]) for item in items if item.get("type") == "function_call_output"]
    assert outputs == list(zip(ids, case["expect"]["result_texts_in_order"], strict=True))


def test_a_program_that_died_in_a_call_can_go_on() -> None:
    case = CASES["orphan-call-on-resume"]
    calls = tuple(ToolCallPart(call_id=key, name=name, arguments_raw=json.dumps(given)) for key, name, given in case["input"]["events"][1]["assistant_calls"])
    items = sent(said("user", "go"), Message(message_id="a", role="assistant", parts=calls), result("c2", "content"), said("user", "continue"))
    assert [item.get("call_id") for item in items[3:5]] == case["expect"]["results_for"]
    assert items[3]["output"] == "Error: The tool call was interrupted; its outcome is unknown."
    assert items[5] == {"role": "user", "content": "continue"}


def test_cached_tokens_are_part_of_the_input() -> None:
    case = CASES["cached-token-conventions"]
    compared = 0
    for item, (uncached, cached, _, output) in zip(case["input"]["items"], case["expect"]["norm"], strict=True):
        if item["dialect"] == "openai-responses":
            usage = read_usage(item["usage"])
            assert usage is not None
            assert ((usage.input_tokens or 0) - (usage.cached_tokens or 0), usage.cached_tokens, usage.output_tokens) == (uncached, cached, output)
            compared += 1
    assert compared == 1


def test_a_schema_with_definitions_goes_out_whole() -> None:
    schema = CASES["mcp-schema-ref"]["input"]["inputSchema"]
    request = ModelRequest(
        system=(), tools=(ToolDefinition(name="q", description="", input_schema=schema),), messages=(said("user", "x"),), options=RequestOptions(model="m")
    )
    tool = json.loads(DIALECT.encode_request(request).body)["tools"][0]
    assert (tool["parameters"], tool["strict"]) == (schema, False)
