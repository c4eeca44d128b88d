"""Each rule of requests with `functions`: what it finds, and that its repair leaves nothing of it and nothing new."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from workbench.dialects.base import Quirks
from workbench.dialects.functions import DIALECT, message_rules, rules
from workbench.dialects.repairs import mended, with_edits

OBJECT = {"type": "object", "properties": {}}
ASK = {"role": "user", "content": "go"}
CALL = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "function", "name": "f", "content": "done"}


def said(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **members}


def function(name: Any = "f", **members: Any) -> dict[str, Any]:
    return {"name": name, "parameters": OBJECT, **members}


def calling(**call: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}", **call}}


def tool_turn(*ids: str) -> list[dict[str, Any]]:
    calls = [{"id": call_id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for call_id in ids]
    return [{"role": "assistant", "content": None, "tool_calls": calls}, *({"role": "tool", "tool_call_id": call_id, "content": "r"} for call_id in ids)]


MENDED: dict[str, tuple[dict[str, Any], str]] = {
    "functions.beside-tools": (said(ASK, functions=[function()], tools=[]), "/tools"),
    "functions.beside-tool-choice": (said(ASK, functions=[function()], tool_choice="auto"), "/tool_choice"),
    "functions.beside-parallel-tool-calls": (said(ASK, parallel_tool_calls=True), "/parallel_tool_calls"),
    "functions.stream-options": (said(ASK, stream_options={"include_usage": True}), "/stream_options"),
    "functions.two-limits": (said(ASK, max_tokens=1, max_completion_tokens=1), "/max_tokens"),
    "functions.empty": (said(ASK, functions=[]), "/functions"),
    "functions.function-shape": (said(ASK, functions=[3, function()]), "/functions/0"),
    "functions.wrapped": (said(ASK, functions=[{"type": "function", "function": function()}]), "/functions/0"),
    "functions.no-name": (said(ASK, functions=[function(None), function()]), "/functions/0/name"),
    "functions.name": (
        said(ASK, calling(name="f.g"), {**RESULT, "name": "f.g"}, functions=[function("f.g")], function_call={"name": "f.g"}),
        "/functions/0/name",
    ),
    "functions.duplicate": (said(ASK, functions=[function(), function()]), "/functions/1/name"),
    "functions.schema-root": (said(ASK, functions=[function(parameters={"properties": {}})]), "/functions/0/parameters"),
    "functions.choice-without-functions": (said(ASK, function_call="auto"), "/function_call"),
    "functions.unknown-choice": (said(ASK, functions=[function()], function_call={"name": "g"}), "/function_call/name"),
    "functions.choice": (said(ASK, functions=[function()], function_call="required"), "/function_call"),
    "functions.several-calls": (said(ASK, *tool_turn("1", "2")), "/messages/1/tool_calls"),
    "functions.tool-message": (said(ASK, *tool_turn("1")), "/messages/1/tool_calls"),
    "functions.no-content": (said(ASK, {"role": "user", "content": None}), "/messages/1/content"),
    "functions.empty-content": (said(ASK, {"role": "user", "content": ""}), "/messages/1/content"),
    "functions.part-type": (said({"role": "user", "content": [{"text": "go"}]}), "/messages/0/content/0/type"),
    "functions.empty-turn": (said(ASK, {"role": "assistant", "content": None}, ASK), "/messages/1"),
    "functions.call-name": (said(ASK, calling(name="f g"), {**RESULT, "name": "f g"}), "/messages/1/function_call/name"),
    "functions.arguments-type": (said(ASK, calling(arguments={"a": 1}), RESULT), "/messages/1/function_call/arguments"),
    "functions.arguments-json": (said(ASK, calling(arguments='{"a": '), RESULT), "/messages/1/function_call/arguments"),
    "functions.result-content": (said(ASK, CALL, {"role": "function", "name": "f"}), "/messages/2/content"),
    "functions.result-text": (said(ASK, CALL, {**RESULT, "content": [{"type": "text", "text": "a"}]}), "/messages/2/content"),
    "functions.result-name": (said(ASK, CALL, {"role": "function", "content": "a"}), "/messages/2/name"),
    "functions.late-result": (said(ASK, CALL, ASK, RESULT), "/messages/3"),
    "functions.orphan-result": (said(ASK, RESULT), "/messages/1"),
    "functions.unanswered-call": (said(ASK, CALL, ASK), "/messages/1/function_call"),
}

FOR_A_PERSON: dict[str, tuple[dict[str, Any], str]] = {
    "functions.no-model": ({"messages": [ASK]}, "/model"),
    "functions.shape": ({"messages": 3}, "/messages"),
    "functions.no-messages": (said(), "/messages"),
    "functions.too-many": (said(ASK, functions=[function(f"f{number}") for number in range(129)]), "/functions"),
    "functions.many": (said(ASK, functions=[function(f"f{number}") for number in range(21)]), "/functions"),
    "functions.description-length": (said(ASK, functions=[function(description="x" * 1025)]), "/functions/0/description"),
    "functions.role": (said({"role": "narrator", "content": "a"}), "/messages/0/role"),
    "functions.image-place": (said({"role": "system", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}, ASK), "/messages/0/content/0"),
    "functions.call-shape": (said(ASK, {"role": "assistant", "content": None, "function_call": "f"}), "/messages/1/function_call"),
    "functions.ends-with-assistant": (said(ASK, {"role": "assistant", "content": "a"}), "/messages/1"),
}


def found(body: dict[str, Any] | bytes) -> dict[str, str]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return {finding.rule: finding.pointer for finding in DIALECT.check(data)}


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
    assert mended(DIALECT.check, data).mends


@pytest.mark.parametrize("rule", FOR_A_PERSON)
def test_a_fault_is_found_for_a_person(rule: str) -> None:
    body, pointer = FOR_A_PERSON[rule]
    assert found(body)[rule] == pointer


def test_every_rule_is_tested() -> None:
    source = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (rules, message_rules))
    named = {f"functions.{word}" for word in re.findall(r'"functions\.([a-z-]+)"', source)}
    beside = {"functions.beside-tools", "functions.beside-tool-choice", "functions.beside-parallel-tool-calls"}
    assert named | beside == {*MENDED, *FOR_A_PERSON, "functions.not-json"}


def test_what_is_no_json_is_said() -> None:
    assert found(b"{") == {"functions.not-json": ""}


def test_names_stay_apart_when_they_are_mended() -> None:
    body = said(ASK, functions=[function("a.b"), function("a_b")])
    names = [each["name"] for each in json.loads(mended(DIALECT.check, json.dumps(body).encode()).body)["functions"]]
    assert names == ["a_b_2", "a_b"]


def test_tools_become_functions() -> None:
    body = said(ASK, tools=[{"type": "function", "function": function()}])
    assert json.loads(mended(DIALECT.check, json.dumps(body).encode()).body)["functions"] == [function()]


def test_several_missing_results_are_all_made_up() -> None:
    repaired = mended(DIALECT.check, json.dumps(said(ASK, CALL, CALL, CALL)).encode())
    assert repaired.mends
    assert [message["role"] for message in json.loads(repaired.body)["messages"]] == ["user", *["assistant", "function"] * 3]


def test_the_number_of_functions_is_the_servers() -> None:
    body = json.dumps(said(ASK, functions=[function("a"), function("b")])).encode()
    assert [each.rule for each in DIALECT.check(body, Quirks(max_tools=1))] == ["functions.too-many"]
