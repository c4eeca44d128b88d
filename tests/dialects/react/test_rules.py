"""Each rule finds its fault, and each repair removes it without a new error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.conversation.messages import ModelRequest, RequestOptions, ToolDefinition, text_message
from workbench.dialects.base import Quirks
from workbench.dialects.react import DIALECT
from workbench.dialects.repairs import mended

TURN = {"role": "assistant", "content": "Thought: t\nAction: read\nAction Input: {}\n"}
SEEN = {"role": "user", "content": "Observation: x"}

SAID = {"role": "user", "content": "ok"}


def body(*messages: dict[str, Any], **members: Any) -> bytes:
    tool = ToolDefinition(name="read", description="d", input_schema={"type": "object", "properties": {}})
    request = ModelRequest(system=(), tools=(tool,), messages=(text_message("user", "Hi"),), options=RequestOptions(model="m", stream=False))
    value = json.loads(DIALECT.encode_request(request).body)
    value["messages"] += messages
    return json.dumps({name: member for name, member in {**value, **members}.items() if member != "absent"}).encode()


CALL = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"a": 1}'}}
FAULTS: dict[str, tuple[bytes, str, bool]] = {
    "react.beside-tools": (body(tools=[]), "/tools", True),
    "react.beside-tool-choice": (body(tool_choice="auto"), "/tool_choice", True),
    "react.no-stop": (body(stop=["END"]), "/stop", True),
    "react.unanswered-action": (body(TURN, {"role": "user", "content": "well?"}), "/messages/2", True),
    "react.orphan-observation": (body(SEEN), "/messages/2/content", True),
    "react.result-role": (body(TURN, {"role": "tool", "tool_call_id": "c", "content": "x\nAction: y"}), "/messages/3", True),
    "react.call-member": (body({"role": "assistant", "content": "I look", "tool_calls": [CALL]}, SEEN), "/messages/2", True),
    "react.observation-in-turn": (body({**TURN, "content": TURN["content"] + "Observation: 3"}, SAID), "/messages/2/content", True),
    "react.action-name": (body({**TURN, "content": "Action: get weather!\nAction Input: {}"}, SEEN), "/messages/2/content", True),
    "react.no-form": (json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi"}]}).encode(), "/messages/0/content", False),
    "react.not-json": (b"{", "", False),
    "react.shape": (b"[]", "/messages", False),
    "chat.no-model": (body(model=""), "/model", False),
}


def test_a_good_request_has_no_findings() -> None:
    assert DIALECT.check(body(TURN, SEEN)) == ()


@pytest.mark.parametrize("rule", FAULTS)
def test_a_fault_is_found_where_it_is_and_mended(rule: str) -> None:
    fault, pointer, repairable = FAULTS[rule]
    found = next(finding for finding in DIALECT.check(fault) if finding.rule == rule)
    assert found.pointer == pointer
    assert found.message.endswith(".")
    assert bool(found.edits) == repairable
    if repairable:
        after = mended(DIALECT.check, fault, wanted=lambda finding: bool(finding.edits))
        assert rule not in [finding.rule for finding in DIALECT.check(after.body)]
        assert [finding for finding in after.left if finding.severity == "error"] == []


def test_a_server_that_refuses_stop_is_sent_none() -> None:
    quirks = Quirks(stop=False)
    found = next(finding for finding in DIALECT.check(body(), quirks) if finding.severity == "error")
    assert (found.rule, found.pointer) == ("chat.stop-unsupported", "/stop")
    after = mended(lambda value: DIALECT.check(value, quirks), body())
    assert DIALECT.check(after.body, quirks) == ()


def test_a_renamed_action_keeps_the_rest_of_the_turn() -> None:
    fault, _, _ = FAULTS["react.action-name"]
    messages = json.loads(mended(DIALECT.check, fault).body)["messages"]
    assert messages[2]["content"] == "Action: get_weather_\nAction Input: {}"
