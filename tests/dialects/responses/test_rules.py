"""Each rule by a request that breaks it, and by its repair: after the edits the finding is gone and nothing new is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from workbench.dialects.base import Quirks
from workbench.dialects.repairs import mended
from workbench.dialects.responses import DIALECT, item_rules, rules

USER = {"role": "user", "content": "go"}
CALL = {"type": "function_call", "call_id": "c", "name": "read", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c", "output": "ok"}
TOOL = {"type": "function", "name": "read", "description": "Reads.", "parameters": {"type": "object", "properties": {}}, "strict": False}
THOUGHT = {"type": "reasoning", "summary": [], "encrypted_content": "E"}
SAID = {"role": "assistant", "content": "x"}
LONG = "x" * 70


def body(*items: Any, **members: Any) -> bytes:
    whole: dict[str, Any] = {"model": "m", "input": list(items), "store": False, **members}
    return json.dumps({name: value for name, value in whole.items() if value != "absent"}).encode()


def test_a_good_request_has_no_findings() -> None:
    again = {**CALL, "call_id": "d"}
    picture = {**OUTPUT, "call_id": "d", "output": [{"type": "input_image", "image_url": "data:image/png;base64,AA=="}]}
    items = [{"role": "developer", "content": "s"}, USER, THOUGHT, CALL, THOUGHT, again, picture, OUTPUT, {"role": "assistant", "content": "So."}, USER]
    assert DIALECT.check(body(*items, tools=[TOOL], tool_choice="auto", parallel_tool_calls=True, instructions="Be brief.")) == ()


BROKEN: list[tuple[str, bytes, bool]] = [
    ("no-model", body(USER, model=""), False),
    ("no-input", body(), False),
    ("input-shape", body(input=7), False),
    ("chat-member", body(USER, max_tokens=100), True),
    ("chat-member", body(USER, reasoning_effort="low"), True),
    ("chat-member", body(USER, stop=["x"]), True),
    ("two-chains", body(USER, previous_response_id="resp_1", conversation="conv_1"), True),
    ("encrypted-unsupported", body(USER, model="gpt-4o", include=["reasoning.encrypted_content"]), True),
    ("limit-too-low", body(USER, max_output_tokens=0), True),
    ("limit-low", body(USER, max_output_tokens=3), True),
    ("temperature", body(USER, temperature=-1), True),
    ("tools-shape", body(USER, tools={}), True),
    ("too-many-tools", body(USER, tools=[{**TOOL, "name": f"t{place}"} for place in range(129)]), False),
    ("many-tools", body(USER, tools=[{**TOOL, "name": f"t{place}"} for place in range(21)]), False),
    ("tool-shape", body(USER, tools=["read"]), True),
    ("tool-nested", body(USER, tools=[{"type": "function", "function": {"name": "read", "parameters": TOOL["parameters"]}}]), True),
    ("tool-type", body(USER, tools=[{name: value for name, value in TOOL.items() if name != "type"}]), True),
    ("tool-name", body(USER, {**CALL, "name": "a.b"}, OUTPUT, tools=[{**TOOL, "name": "a.b"}]), True),
    ("duplicate-tool", body(USER, tools=[TOOL, TOOL]), True),
    ("no-parameters", body(USER, tools=[{**TOOL, "parameters": None}]), True),
    ("schema-root", body(USER, tools=[{**TOOL, "parameters": {}}]), True),
    ("strict-unsaid", body(USER, tools=[{name: value for name, value in TOOL.items() if name != "strict"}]), True),
    ("strict-schema", body(USER, tools=[{**TOOL, "strict": True}]), True),
    ("tool-choice-without-tools", body(USER, tool_choice="required"), True),
    ("choice-nested", body(USER, tools=[TOOL], tool_choice={"type": "function", "function": {"name": "read"}}), True),
    ("unknown-tool-choice", body(USER, tools=[TOOL], tool_choice={"type": "function", "name": "write"}), True),
    ("thinking-tool-choice", body(USER, model="deepseek-v4-flash", tools=[TOOL], tool_choice="required"), True),
    ("ends-with-assistant", body(USER, {"role": "assistant", "content": "So"}), False),
    ("item-shape", body(USER, 7), True),
    ("id-length", body({**USER, "id": LONG}), True),
    ("output-shape", body(USER, CALL, {**OUTPUT, "output": None}), True),
    ("output-shape", body(USER, CALL, {**OUTPUT, "output": {"a": 1}}), True),
    ("reference-unstored", body(USER, {"type": "item_reference", "id": "fc_1"}, OUTPUT), False),
    ("role", body(USER, CALL, {"role": "tool", "tool_call_id": "c", "content": "ok"}), True),
    ("role", body({"role": "boss", "content": "x"}), False),
    ("chat-calls", body(USER, {"role": "assistant", "content": "x", "tool_calls": []}, USER), False),
    ("content-null", body(USER, {"role": "assistant", "content": None}, USER), True),
    ("empty-message", body(USER, {"role": "assistant", "content": ""}, USER), True),
    ("part-shape", body({"role": "user", "content": [{"text": "a"}, {"type": "input_text", "text": "b"}]}), True),
    ("part-type", body(USER, {"role": "assistant", "content": [{"type": "input_text", "text": "a"}]}, USER), True),
    ("part-type", body({"role": "user", "content": [{"type": "output_text", "text": "a"}]}), True),
    ("call-name", body(USER, {**CALL, "name": "a.b"}, OUTPUT), True),
    ("arguments-type", body(USER, {**CALL, "arguments": {"a": 1}}, OUTPUT), True),
    ("arguments-type", body(USER, {"type": "custom_tool_call", "call_id": "c", "name": "sql"}, {**OUTPUT, "type": "custom_tool_call_output"}), True),
    ("arguments-json", body(USER, {**CALL, "arguments": "15 * 4"}, OUTPUT), True),
    ("id-unstored", body(USER, {**CALL, "id": "fc_1"}, OUTPUT), True),
    ("reasoning-alone", body(USER, THOUGHT, USER), True),
    ("reasoning-alone", body(USER, THOUGHT), True),
    ("reasoning-unstored", body(USER, {"type": "reasoning", "id": "rs_1", "summary": []}, CALL, OUTPUT), True),
    ("reasoning-parted", body(USER, {**THOUGHT, "id": "rs_1"}, {"role": "assistant", "content": "x"}, USER, store="absent"), True),
    ("reasoning-summary", body(USER, {"type": "reasoning", "encrypted_content": "E"}, CALL, OUTPUT), True),
    ("no-call-id", body(USER, {"type": "function_call", "id": "fc_1", "name": "read", "arguments": "{}"}, {**OUTPUT, "call_id": "fc_1"}), True),
    ("call-id-length", body(USER, {**CALL, "call_id": LONG}, {**OUTPUT, "call_id": LONG}), True),
    ("duplicate-call-id", body(USER, CALL, OUTPUT, CALL, OUTPUT), True),
    ("call-unanswered", body(USER, CALL, USER), True),
    ("call-unanswered", body(USER, CALL, {**CALL, "call_id": "d"}, OUTPUT, USER), True),
    ("call-unanswered", body(USER, {"type": "apply_patch_call", "call_id": "p", "status": "completed", "operation": {}}, USER), True),
    ("call-unanswered", body(USER, {"type": "shell_call", "call_id": "p", "action": {}}, USER), True),
    ("output-late", body(USER, CALL, USER, OUTPUT), True),
    ("duplicate-output", body(USER, CALL, OUTPUT, OUTPUT), True),
    ("orphan-output", body(USER, OUTPUT), True),
    ("text-among-calls", body(USER, CALL, SAID, {**CALL, "call_id": "d"}, OUTPUT, {**OUTPUT, "call_id": "d"}, model="deepseek-v4"), True),
    ("chain-repeats", body({**CALL, "id": "fc_1"}, OUTPUT, previous_response_id="resp_1"), True),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "broken", "mends"), BROKEN, ids=[f"{rule}-{place}" for place, (rule, _, _) in enumerate(BROKEN)])
def test_a_broken_request_is_found_and_mended(rule: str, broken: bytes, mends: bool) -> None:
    found = DIALECT.check(broken)
    mine = [finding for finding in found if finding.rule == f"responses.{rule}"]
    assert mine, [finding.rule for finding in found]
    assert all(finding.message.endswith(".") for finding in found)
    assert all(bool(finding.edits) == mends for finding in mine)
    if mends:
        after = mended(DIALECT.check, broken, wanted=lambda finding: bool(finding.edits))
        assert [finding.rule for finding in after.left if finding.rule == f"responses.{rule}" or finding.severity == "error"] == []
        assert after.body != broken


def test_every_rule_is_broken_here() -> None:
    written = {word for module in (rules, item_rules) for word in re.findall(r'"responses\.([a-z-]+)"', Path(str(module.__file__)).read_text(encoding="utf-8"))}
    assert written - {rule for rule, _, _ in BROKEN} == {"not-json", "shape"}


def test_what_is_no_request_at_all_is_said() -> None:
    assert [finding.rule for finding in DIALECT.check(b"{")] == ["responses.not-json"]
    assert [finding.rule for finding in DIALECT.check(b"[]")] == ["responses.shape"]


def test_a_late_output_goes_directly_behind_its_calls() -> None:
    items = json.loads(mended(DIALECT.check, body(USER, CALL, {**CALL, "call_id": "d"}, USER, {**OUTPUT, "call_id": "d"}, OUTPUT)).body)["input"]
    assert [item.get("type", item.get("role")) for item in items] == ["user", "function_call", "function_call", *["function_call_output"] * 2, "user"]


def test_a_chain_may_hold_an_output_alone() -> None:
    assert DIALECT.check(body(OUTPUT, previous_response_id="resp_1")) == ()
    assert DIALECT.check(body(OUTPUT, conversation="conv_1")) == ()


def test_fewer_tools_may_be_allowed() -> None:
    found = DIALECT.check(body(USER, tools=[TOOL, {**TOOL, "name": "write"}]), Quirks(max_tools=1))
    assert [finding.rule for finding in found] == ["responses.too-many-tools"]
