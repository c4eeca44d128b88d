"""Each rule of requests to Ollama: what it finds, and that its repair leaves nothing of it and nothing new."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from workbench.dialects.ollama import DIALECT, message_rules, rules
from workbench.dialects.repairs import mended, with_edits

OBJECT = {"type": "object", "properties": {}}
ASK = {"role": "user", "content": "go"}


def said(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), "stream": True, **members}


def tool(name: str = "f", **members: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": OBJECT, **members}}


def turn(*names: str, **call: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": name, "arguments": {}}, **call} for name in names]}


def result(name: str, content: Any = "done") -> dict[str, Any]:
    return {"role": "tool", "tool_name": name, "content": content}


def argued(arguments: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": arguments}}]}


LIST = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}]
MENDED: dict[str, tuple[dict[str, Any], str]] = {
    "ollama.stream": ({"model": "m", "messages": [ASK]}, "/stream"),
    "ollama.think": (said(ASK, think="very"), "/think"),
    "ollama.format": (said(ASK, format="yaml"), "/format"),
    "ollama.options": (said(ASK, options=3), "/options"),
    "ollama.option-place": (said(ASK, max_tokens=7), "/max_tokens"),
    "ollama.ignored": (said(ASK, tool_choice="required"), "/tool_choice"),
    "ollama.stop": (said(ASK, options={"stop": "a"}), "/options/stop"),
    "ollama.tools": (said(ASK, tools={}), "/tools"),
    "ollama.tool-shape": (said(ASK, tools=[{"name": "f"}]), "/tools/0"),
    "ollama.tool-type": (said(ASK, tools=[{"function": {"name": "f"}}]), "/tools/0/type"),
    "ollama.duplicate-tool": (said(ASK, tools=[tool(), tool()]), "/tools/1/function/name"),
    "ollama.schema-root": (said(ASK, tools=[tool(parameters={"properties": {}})]), "/tools/0/function/parameters"),
    "ollama.window": (said({"role": "user", "content": "x" * 20_000}), "/options/num_ctx"),
    "ollama.role": (said({"role": "developer", "content": "s"}, ASK), "/messages/0/role"),
    "ollama.content-type": (said({"role": "user", "content": LIST}), "/messages/0/content"),
    "ollama.images": (said({**ASK, "images": "iVBO"}), "/messages/0/images"),
    "ollama.image-data": (said({**ASK, "images": ["data:image/png;base64,iVBO"]}), "/messages/0/images/0"),
    "ollama.image-address": (said({**ASK, "images": ["https://example.org/a.png"]}), "/messages/0/images/0"),
    "ollama.empty-content": (said(ASK, {"role": "user", "content": ""}), "/messages/1"),
    "ollama.empty-turn": (said(ASK, {"role": "assistant", "content": ""}, ASK), "/messages/1"),
    "ollama.duplicate-call-id": (said(ASK, turn("f", "f", id="c"), result("f"), result("f")), "/messages/1/tool_calls/1/id"),
    "ollama.arguments-type": (said(ASK, argued('{"a": 1}'), result("f")), "/messages/1/tool_calls/0/function/arguments"),
    "ollama.orphan-result": (said(ASK, result("f")), "/messages/1"),
    "ollama.late-result": (said(ASK, turn("f"), ASK, result("f")), "/messages/3"),
    "ollama.unanswered-call": (said(ASK, turn("f", "g"), result("f"), ASK), "/messages/1/tool_calls/1"),
    "ollama.tool-name": (said(ASK, turn("f"), {"role": "tool", "content": "a"}), "/messages/2/tool_name"),
    "ollama.result-order": (said(ASK, turn("f", "g"), result("g"), result("f")), "/messages/2"),
    "ollama.result-name": (said(ASK, turn("f"), result("h")), "/messages/2"),
}
FOR_A_PERSON: dict[str, tuple[dict[str, Any], str]] = {
    "ollama.no-model": ({"messages": [ASK]}, "/model"),
    "ollama.shape": ({"messages": 3}, "/messages"),
    "ollama.no-messages": (said(), "/messages"),
    "ollama.too-many-tools": (said(ASK, tools=[tool(f"f{number}") for number in range(129)]), "/tools"),
    "ollama.many-tools": (said(ASK, tools=[tool(f"f{number}") for number in range(21)]), "/tools"),
    "ollama.calls-shape": (said(ASK, {"role": "assistant", "content": "", "tool_calls": {"a": 1}}), "/messages/1/tool_calls"),
    "ollama.call-shape": (said(ASK, {"role": "assistant", "content": "", "tool_calls": [{"name": "f"}]}, result("f")), "/messages/1/tool_calls/0"),
    "ollama.ends-with-assistant": (said(ASK, {"role": "assistant", "content": "a"}), "/messages/1"),
}


def found(body: dict[str, Any] | bytes) -> dict[str, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return {finding.rule: finding.pointer for finding in DIALECT.check(data)}


def repaired(body: dict[str, Any]) -> Any:
    done = mended(DIALECT.check, json.dumps(body).encode(), wanted=lambda _finding: True)
    assert done.left == ()
    return json.loads(done.body)


@pytest.mark.parametrize("rule", MENDED)
def test_a_fault_is_found_and_mended(rule: str) -> None:
    body, pointer = MENDED[rule]
    assert found(body)[rule] == pointer
    data = json.dumps(body).encode()
    (finding,) = [each for each in DIALECT.check(data) if each.rule == rule]
    edited = with_edits(data, finding.edits)
    assert edited.skipped == ()
    assert rule not in found(edited.body)
    errors = {each.rule for each in DIALECT.check(edited.body) if each.severity == "error"}
    assert errors <= {each.rule for each in DIALECT.check(data)} - {rule}
    repaired(body)


@pytest.mark.parametrize("rule", FOR_A_PERSON)
def test_a_fault_is_found_for_a_person(rule: str) -> None:
    body, pointer = FOR_A_PERSON[rule]
    assert found(body)[rule] == pointer


def test_every_rule_is_tested() -> None:
    source = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (rules, message_rules))
    assert {f"ollama.{word}" for word in re.findall(r'"ollama\.([a-z-]+)"', source)} == {*MENDED, *FOR_A_PERSON, "ollama.not-json"}


def test_what_is_no_json_is_said() -> None:
    assert found(b"{") == {"ollama.not-json": ""}


def test_a_request_of_chat_is_made_ollamas() -> None:
    body = {
        "model": "m",
        "messages": [
            {"role": "developer", "content": "s"},
            {"role": "user", "content": LIST},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]},
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "done"}]},
        ],
        "max_tokens": 7,
        "temperature": 0.5,
        "tool_choice": "auto",
    }
    mended_body = repaired(body)
    assert mended_body["options"] == {"num_predict": 7, "temperature": 0.5}
    assert mended_body["messages"][1] == {"role": "user", "content": "look", "images": ["iVBO"]}
    assert mended_body["messages"][2]["tool_calls"][0]["function"]["arguments"] == {"a": 1}
    assert mended_body["messages"][3]["tool_name"] == "f"


def test_all_missing_results_are_made_up_in_order() -> None:
    messages = repaired(said(ASK, turn("a", "b", "c"), result("a"), ASK))["messages"]
    assert [message.get("tool_name") for message in messages] == [None, None, "a", "b", "c", None]


def test_the_window_is_made_large_enough() -> None:
    body = said({"role": "user", "content": "x" * 40_000}, options={"num_ctx": 8192})
    assert repaired(body)["options"]["num_ctx"] == 16_384
    assert found(said({"role": "user", "content": "x" * 40_000}, options={"num_ctx": 16_384})) == {}
    assert found(said({**ASK, "images": ["x" * 40_000]})) == {}, "a picture is not counted by its letters"
