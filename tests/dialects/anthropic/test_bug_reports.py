"""Cases made after public bug reports, as far as they concern this dialect; each stream as given, by bytes, by sevens and whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.chat_completions.test_bug_reports import CASES as SHARED_CASES
from tests.dialects.chat_completions.test_bug_reports import CUTS, assistant, chunks_of, result
from tests.dialects.feeding import Outcome, outcome_of
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, TextPart, ToolCallPart, text_message
from workbench.conversation.values import from_json, json_bytes
from workbench.dialects.anthropic import DIALECT
from workbench.dialects.anthropic.usage import read_usage
from workbench.dialects.base import Quirks

FILE = Path(__file__).resolve().parents[2] / "cases/bug_reports_anthropic.jsonl"
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[:-1])}
STREAMS = [case for case in CASES.values() if case["input"]["type"] == "sse"]
STOPS = {"end": "end", "tool_use": "tool", "incomplete": "incomplete"}


def normal_form(outcome: Outcome) -> dict[str, Any]:
    """Return the form the cases speak; a call that was cut off is none."""
    message, usage, failure = outcome.message, outcome.message.usage, outcome.failure
    return {
        "text": message.text(),
        "calls": [{"id": call.call_id, "name": call.name, "args": call.arguments()} for call in message.calls() if call.status == "complete"],
        "stop": "error" if failure else STOPS.get(message.finish_reason or "", "error"),
        "usage": usage and {"input_total": usage.input_tokens, "output": usage.output_tokens},
        "error": failure and {"type": failure.code, "message": failure.text, "retryable": failure.kind in ("overloaded", "rate_limit", "server")},
        "runnable_calls": sum(call.status == "complete" for call in message.calls()) if outcome.may_run else 0,
    }


def next_messages(*messages: Message) -> list[dict[str, Any]]:
    request = ModelRequest(system=(), tools=(), messages=messages, options=RequestOptions(model="m"))
    body = DIALECT.encode_request(request, Quirks(cache_marks=False)).body
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []
    written: list[dict[str, Any]] = json.loads(body)["messages"]
    return written


def test_all_cases_are_here() -> None:
    assert len(CASES) == 6
    assert len(STREAMS) == 5


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("case", STREAMS, ids=[case["id"] for case in STREAMS])
def test_a_stream_comes_to_what_was_right(case: dict[str, Any], cut: str) -> None:
    outcome = outcome_of(DIALECT.stream_decoder(), chunks_of(case, cut))
    found, expected = normal_form(outcome), case["expect"]
    compared = {name: value for name, value in expected.items() if name in found}
    assert compared, "the case says something about the answer"
    assert {name: found[name] for name in compared} == compared


def test_interleaved_thinking_goes_back_byte_for_byte_after_being_stored() -> None:
    case = CASES["anthropic-interleaved-thinking-replay"]
    answer = from_json(json_bytes(outcome_of(DIALECT.stream_decoder(), chunks_of(case, "seven bytes")).message), Message)
    blocks = next_messages(text_message("user", "go"), answer, result("tu1", "1"))[1]["content"]
    expected = case["expect"]
    assert [block["type"] for block in blocks] == expected["replay_block_types"]
    assert blocks[0] == {"type": "thinking", "thinking": expected["replay_thinking"], "signature": expected["replay_signature"]}
    assert blocks[2] == {"type": "redacted_thinking", "data": expected["replay_redacted"]}


def test_no_blank_text_and_no_empty_output_is_sent() -> None:
    case = CASES["blank-text-block-not-replayed"]
    said: list[Message] = []
    for message in case["input"]["messages"]:
        match message:
            case {"role": "tool", "id": call_id, "output": output}:
                said.append(result(call_id, output))
            case {"role": "assistant", "blocks": blocks}:
                said.append(assistant(*(_part(block) for block in blocks)))
            case {"text": text}:
                said.append(text_message("user", text))
            case _:
                raise AssertionError(message)
    before = list(said)
    written = next_messages(*said)
    assert said == before
    assert [message["role"] for message in written] == ["user", "assistant", "user"]
    assert written[0]["content"] == [{"type": "text", "text": "hi"}, {"type": "text", "text": "again"}]
    assert [block["type"] for block in written[1]["content"]] == ["tool_use"]
    assert written[2]["content"][0]["content"] == case["expect"]["tool_output_sent"]


def _part(block: dict[str, Any]) -> TextPart | ToolCallPart:
    if block["type"] == "text":
        return TextPart(text=block["text"])
    return ToolCallPart(call_id=block["id"], name=block["name"], arguments_raw=json.dumps(block["input"]))


def test_one_id_in_every_round_is_unique_on_the_wire() -> None:
    case = SHARED_CASES["same-id-next-turn"]
    messages: list[Message] = [text_message("user", "go")]
    for turn, text in zip(case["input"]["model_turns"][:3], case["expect"]["result_texts_in_order"], strict=True):
        call_id, name, arguments = turn["calls"][0]
        messages += [assistant(ToolCallPart(call_id=call_id, name=name, arguments_raw=json.dumps(arguments))), result(call_id, text)]
    written = next_messages(*messages)
    ids = [message["content"][0]["id"] for message in written if message["role"] == "assistant"]
    assert len(set(ids)) == case["expect"]["runs"]
    answers = [(block["tool_use_id"], block["content"]) for message in written[2::2] for block in message["content"]]
    assert answers == list(zip(ids, case["expect"]["result_texts_in_order"], strict=True))


def test_a_program_that_died_in_a_call_can_go_on() -> None:
    case = SHARED_CASES["orphan-call-on-resume"]
    open_calls = case["input"]["events"][1]["assistant_calls"]
    calls = [ToolCallPart(call_id=call_id, name=name, arguments_raw=json.dumps(given)) for call_id, name, given in open_calls]
    written = next_messages(text_message("user", "go"), assistant(*calls), result("c2", "content"), text_message("user", "continue"))
    assert [message["role"] for message in written] == ["user", "assistant", "user"]
    blocks = written[2]["content"]
    assert [block.get("tool_use_id") for block in blocks] == [*case["expect"]["results_for"], None]
    assert blocks[0]["is_error"] is case["expect"]["c1_is_error"]
    assert blocks[2] == {"type": "text", "text": "continue"}


def test_half_characters_do_not_stop_the_next_request() -> None:
    case = SHARED_CASES["lone-surrogate"]
    call = ToolCallPart(call_id="k", name="question", arguments_raw=case["input"]["arguments_raw"])
    output = case["input"]["tool_output_escaped"].encode().decode("unicode_escape")
    written = next_messages(text_message("user", "go"), assistant(call), result("k", output))
    assert written[1]["content"][0]["input"] == case["expect"]["args"]
    assert written[2]["content"][0]["content"] == case["expect"]["output_sent"]


def test_cached_tokens_are_part_of_the_input() -> None:
    case = SHARED_CASES["cached-token-conventions"]
    compared = 0
    for item, (uncached, cached, written, output) in zip(case["input"]["items"], case["expect"]["norm"], strict=True):
        if item["dialect"] == "anthropic":
            usage = read_usage(item["usage"])
            counted = (usage.cached_tokens or 0, usage.cache_write_tokens or 0)
            assert ((usage.input_tokens or 0) - sum(counted), *counted, usage.output_tokens) == (uncached, cached, written, output)
            compared += 1
    assert compared == 1
