"""Cases made after public bug reports, as far as they concern Gemini; the stream as given, by bytes, by sevens and whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.dialects.feeding import cut_every, outcome_of
from workbench.conversation.messages import Message, ModelRequest, RequestOptions, TextPart, ToolCallPart, ToolDefinition, ToolResultPart, text_message
from workbench.dialects.base import Quirks
from workbench.dialects.gemini import DIALECT
from workbench.dialects.gemini.schema import reduced
from workbench.dialects.gemini.usage import read_usage

FILE = Path(__file__).resolve().parents[2] / "cases/bug_reports_gemini.jsonl"
CASES: dict[str, dict[str, Any]] = {case["id"]: case for case in map(json.loads, FILE.read_text(encoding="utf-8").split("\n")[:-1])}


def next_contents(*messages: Message) -> list[dict[str, Any]]:
    request = ModelRequest(system=(), tools=(), messages=messages, options=RequestOptions(model="m"))
    body = DIALECT.encode_request(request).body
    assert [finding for finding in DIALECT.check(body) if finding.severity == "error"] == []
    written: list[dict[str, Any]] = json.loads(body)["contents"]
    return written


def test_all_cases_are_here() -> None:
    assert set(CASES) == {"gemini-thought-signature", "orphan-call-on-resume", "mcp-schema-ref", "cached-token-conventions"}


@pytest.mark.parametrize("cut", ["as given", "one byte", "seven bytes", "whole"])
def test_a_signature_stays_on_its_call(cut: str) -> None:
    case = CASES["gemini-thought-signature"]
    given = [chunk.encode() for chunk in case["input"]["chunks"]]
    whole = b"".join(given)
    chunks = {"as given": given, "one byte": cut_every(whole, 1), "seven bytes": cut_every(whole, 7), "whole": [whole]}[cut]
    outcome = outcome_of(DIALECT.stream_decoder(), chunks)
    answer, expected = outcome.message, case["expect"]
    assert (answer.reasoning(), answer.text()) == (expected["reasoning"], expected["text"])
    assert [{"name": call.name, "args": call.arguments()} for call in answer.calls()] == expected["calls"]
    assert answer.finish_reason == "tool_use"
    assert outcome.may_run
    assert len({call.call_id for call in answer.calls()}) == 2
    results = [ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text=call.arguments_raw),)) for call in reversed(answer.calls())]
    written = next_contents(text_message("user", "go"), answer, Message(message_id="r", role="tool", parts=tuple(results)))
    assert [part.get("thoughtSignature") for part in written[1]["parts"]] == expected["replay_signatures"]
    outputs = [json.loads(part["functionResponse"]["response"]["output"]) for part in written[2]["parts"]]
    assert outputs == [call["args"] for call in expected["calls"]]


def test_a_program_that_died_in_a_call_can_go_on() -> None:
    case = CASES["orphan-call-on-resume"]
    open_calls = case["input"]["events"][1]["assistant_calls"]
    calls = tuple(ToolCallPart(call_id=call_id, name=name, arguments_raw=json.dumps(given)) for call_id, name, given in open_calls)
    result = ToolResultPart(call_id="c2", name="read", content=(TextPart(text="content"),))
    messages = (
        text_message("user", "go"),
        Message(message_id="a", role="assistant", parts=calls),
        Message(message_id="r", role="tool", parts=(result,)),
        text_message("user", "continue"),
    )
    written = next_contents(*messages)
    responses = [part["functionResponse"] for part in written[2]["parts"]]
    assert [response["name"] for response in responses] == [name for _, name, _ in open_calls]
    assert responses[0]["response"] == {"error": "The tool call was interrupted; its outcome is unknown."}
    assert responses[1]["response"] == {"output": "content"}
    assert written[3]["parts"] == [{"text": "continue"}]


def test_references_of_a_schema_are_resolved_and_circles_end() -> None:
    case = CASES["mcp-schema-ref"]
    schema = case["input"]["inputSchema"]
    written = reduced(schema)
    assert written is not None
    text = json.dumps(written)
    assert not [key for key in (*case["expect"]["gemini_forbidden_keys"], "default") if f'"{key}"' in text]
    assert written["properties"]["q"] == {
        "type": "OBJECT",
        "description": "query",
        "properties": {"text": {"type": "STRING"}, "limit": {"type": "INTEGER"}},
        "required": ["text"],
    }
    assert written["properties"]["tree"] == {"type": "OBJECT", "properties": {"kids": {"type": "ARRAY", "items": {"type": "OBJECT"}}}}
    tool = ToolDefinition(name="t", description="", input_schema=schema)
    request = ModelRequest(system=(), tools=(tool,), messages=(text_message("user", "go"),), options=RequestOptions(model="m"))
    assert DIALECT.check(DIALECT.encode_request(request, Quirks(json_schema=False)).body) == ()


def test_cached_tokens_are_part_of_the_input() -> None:
    case = CASES["cached-token-conventions"]
    compared = 0
    for item, (uncached, cached, _, output) in zip(case["input"]["items"], case["expect"]["norm"], strict=True):
        if item["dialect"] == "gemini":
            usage = read_usage(item["usage"])
            assert usage is not None
            assert usage.cached_tokens is not None
            assert ((usage.input_tokens or 0) - usage.cached_tokens, usage.cached_tokens, usage.output_tokens) == (uncached, cached, output)
            compared += 1
    assert compared == 1
