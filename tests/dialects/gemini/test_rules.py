"""What is told before a request is sent: each rule by an example, and each repair mends what it says without a new error."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from tests.dialects.gemini.test_recordings import WITH_REQUEST
from workbench.conversation.checks import Finding
from workbench.dialects.base import Quirks
from workbench.dialects.gemini import DIALECT
from workbench.dialects.repairs import mended, with_edits


class Case(NamedTuple):
    """A body with one fault; `rule` is what must be found, at `pointer`."""

    rule: str
    pointer: str
    body: dict[str, Any]
    severity: str = "error"
    mends: bool = True


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def call(name: Any = "read", **members: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **members}}


def result(name: Any = "read", output: Any = None, **members: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": "ok"} if output is None else output, **members}}


def body(*contents: Any, **members: Any) -> dict[str, Any]:
    return {"contents": list(contents), **members}


def offering(parameters: Any, **members: Any) -> dict[str, Any]:
    return body(GO, tools=[{"functionDeclarations": [{"name": "read", "description": "d", "parameters": parameters, **members}]}])


def choosing(mode: Any, *names: str, tools: bool = True) -> dict[str, Any]:
    calling = {"mode": mode, **({"allowedFunctionNames": list(names)} if names else {})}
    return body(GO, toolConfig={"functionCallingConfig": calling}, **({"tools": [{"functionDeclarations": [TOOL]}]} if tools else {}))


GO = user({"text": "go"})
TOOL = {"name": "read", "description": "d"}
TEXT = {"type": "STRING"}
ALLOWED = "/toolConfig/functionCallingConfig/allowedFunctionNames"
PARAMETERS = "/tools/0/functionDeclarations/0/parameters"
CASES = [
    Case("gemini.no-contents", "/contents", body(systemInstruction={"parts": [{"text": "s"}]})),
    Case("gemini.content-shape", "/contents/0", body("go", GO)),
    Case("gemini.role", "/contents/1/role", body(GO, {"role": "assistant", "parts": [{"text": "a"}]}, GO)),
    Case("gemini.role", "/contents/0/role", body({"role": "system", "parts": [{"text": "a"}]})),
    Case("gemini.empty-parts", "/contents/0/parts", body(user())),
    Case("gemini.empty-parts", "/contents/1/parts", body(GO, model(), GO)),
    Case("gemini.empty-part", "/contents/0/parts/1", body(user({"text": "a"}, {}))),
    Case("gemini.empty-part", "/contents/1/parts/0", body(GO, model({}), GO)),
    Case("gemini.empty-text", "/contents/0/parts/1/text", body(user({"text": "a"}, {"text": ""})), "warning"),
    Case("gemini.empty-text", "/contents/0/parts/0/text", body(user({"text": ""}), model(call()), user(result())), "warning"),
    Case("gemini.empty-parts", "/contents/2/parts", body(GO, model({"text": "a"}), user(), model(call()), user(result()))),
    Case("gemini.starts-with-model", "/contents/0", body(model({"text": "a"}), GO)),
    Case("gemini.starts-with-model", "/contents/0", body(model(call()), user(result()))),
    Case("gemini.call-order", "/contents/2", body(GO, model({"text": "a"}), model(call()), user(result()))),
    Case("gemini.call-role", "/contents/1/role", body(GO, user(call()), user(result()))),
    Case("gemini.result-role", "/contents/2/role", body(GO, model(call()), model(result()))),
    Case("gemini.ends-with-model", "/contents/1", body(GO, model({"text": "a"})), "warning", mends=False),
    Case("gemini.arguments", "/contents/1/parts/0/functionCall/args", body(GO, model(call(args='{"a":1}')), user(result()))),
    Case("gemini.arguments", "/contents/1/parts/0/functionCall/args", body(GO, model(call(args=[1])), user(result()))),
    Case("gemini.response-shape", "/contents/2/parts/0/functionResponse/response", body(GO, model(call()), user(result(output=3.5)))),
    Case("gemini.call-name", "/contents/1/parts/0/functionCall/name", body(GO, model(call("")), user(result("")))),
    Case("gemini.call-name", "/contents/1/parts/0/functionCall/name", body(GO, model(call("a b")), user(result("a b")))),
    Case("gemini.result-missing", "/contents/1/parts/1/functionCall", body(GO, model(call("a"), call("b")), user(result("a")))),
    Case("gemini.result-missing", "/contents/1/parts/0/functionCall", body(GO, model(call("a"), call("b")), user(result("b")))),
    Case("gemini.result-missing", "/contents/1/parts/0/functionCall", body(GO, model(call()), GO)),
    Case("gemini.result-missing", "/contents/1/parts/0/functionCall", body(GO, model(call(id="k")))),
    Case("gemini.orphan-result", "/contents/1/parts/0/functionResponse", body(GO, user(result()))),
    Case("gemini.orphan-result", "/contents/2/parts/1/functionResponse", body(GO, model(call()), user(result(), result()))),
    Case("gemini.result-name", "/contents/2/parts/0/functionResponse/name", body(GO, model(call()), user(result("other")))),
    Case("gemini.result-order", "/contents/2/parts", body(GO, model(call("a"), call("b"), call("c")), user(result("c"), result("a"), result("b")))),
    Case("gemini.split-results", "/contents/3", body(GO, model(call("a"), call("b")), user(result("a")), user(result("b")), GO), "warning"),
    Case("gemini.late-results", "/contents/3", body(GO, model(call()), GO, user(result()))),
    Case("gemini.result-id", "/contents/2/parts/0/functionResponse/id", body(GO, model(call(id="a")), user(result(id="b")))),
    Case("gemini.result-id", "/contents/2/parts/0/functionResponse/id", body(GO, model(call()), user(result(id="b"))), "warning"),
    Case("gemini.result-id", "/contents/2/parts/0/functionResponse/id", body(GO, model(call(id="b")), user(result())), "warning"),
    Case("gemini.duplicate-call-id", "/contents/1/parts/1/functionCall/id", body(GO, model(call(id="a"), call(id="a")), user(result(id="a"), result(id="a")))),
    Case(
        "gemini.reused-call-id",
        "/contents/3/parts/0/functionCall/id",
        body(GO, model(call(id="a")), user(result(id="a")), model(call(id="a")), user(result(id="a"))),
        "warning",
    ),
    Case("gemini.signature-missing", "/contents/1/parts/0", body(GO, model(call(), call()), user(result(), result()))),
    Case("gemini.tool-name", "/tools/0/functionDeclarations/0/name", body(GO, tools=[{"functionDeclarations": [{"name": "1 b"}]}])),
    Case("gemini.tool-name-length", "/tools/0/function_declarations/0/name", body(GO, tools=[{"function_declarations": [{"name": "x" * 71}]}])),
    Case("gemini.tool-shape", "/tools/0/functionDeclarations/0", body(GO, tools=[{"functionDeclarations": [{"description": "d"}]}]), mends=False),
    Case("gemini.tools-shape", "/tools", body(GO, tools="read"), mends=False),
    Case("gemini.tools-shape", "/tools", body(GO, tools={"functionDeclarations": [TOOL]}), "warning"),
    Case("gemini.tool-name", "/tools/functionDeclarations/0/name", body(GO, tools={"functionDeclarations": [{"name": "1 b"}]})),
    Case("gemini.empty-tools", "/tools", body(GO, tools={})),
    Case("gemini.empty-tools", "/tools/0", body(GO, tools=[{}])),
    Case("gemini.duplicate-tool", "/tools/0/functionDeclarations/1/name", body(GO, tools=[{"functionDeclarations": [TOOL, TOOL]}])),
    Case("gemini.many-tools", "/tools", body(GO, tools=[{"functionDeclarations": [{"name": f"t{n}"} for n in range(21)]}]), "warning", mends=False),
    Case("gemini.too-many-tools", "/tools", body(GO, tools=[{"functionDeclarations": [{"name": f"t{n}"} for n in range(129)]}]), mends=False),
    Case(
        "gemini.several-tool-entries",
        "/tools/1",
        body(GO, tools=[{"functionDeclarations": [TOOL]}, {"functionDeclarations": [{"name": "b"}, {"name": "c"}]}]),
        "warning",
    ),
    Case("gemini.two-schemas", PARAMETERS, offering({"type": "OBJECT", "properties": {"a": TEXT}}, parametersJsonSchema={"type": "object"})),
    Case("gemini.schema-root", PARAMETERS, offering({"type": "STRING"})),
    Case("gemini.schema-empty-object", PARAMETERS, offering({"type": "OBJECT", "properties": {}}), "warning"),
    Case("gemini.schema-items", f"{PARAMETERS}/properties/a/items", offering({"type": "OBJECT", "properties": {"a": {"type": "ARRAY"}}})),
    Case("gemini.schema-enum", f"{PARAMETERS}/properties/a/enum", offering({"type": "object", "properties": {"a": {"type": "integer", "enum": [0, 1]}}})),
    Case("gemini.schema-enum", f"{PARAMETERS}/properties/a/enum", offering({"type": "OBJECT", "properties": {"a": {"type": "STRING", "enum": ["", "x"]}}})),
    Case("gemini.schema-required", f"{PARAMETERS}/required/0", offering({"type": "OBJECT", "properties": {"a": TEXT}, "required": ["b"]})),
    Case("gemini.schema-type", f"{PARAMETERS}/properties/a/type", offering({"type": "OBJECT", "properties": {"a": {"type": ["string", "null"]}}})),
    *(
        Case("gemini.schema-key", f"{PARAMETERS}/properties/a/{key}", offering({"type": "OBJECT", "properties": {"a": {"type": "STRING", key: value}}}))
        for key, value in {
            "additionalProperties": False,
            "$schema": "x",
            "const": "x",
            "propertyNames": {},
            "$ref": "#/$defs/x",
            "oneOf": [TEXT],
            "patternProperties": {},
            "exclusiveMinimum": 1,
            "$defs": {},
        }.items()
    ),
    Case("gemini.mode", "/toolConfig/functionCallingConfig/mode", choosing("SOMETIMES")),
    Case("gemini.choice-without-tools", "/toolConfig/functionCallingConfig", choosing("ANY", tools=False)),
    Case("gemini.allowed-names-mode", ALLOWED, choosing("AUTO", "read")),
    Case("gemini.unknown-allowed-name", f"{ALLOWED}/1", choosing("ANY", "read", "write")),
    Case("gemini.unknown-allowed-name", f"{ALLOWED}/0", choosing("ANY", "write")),
    Case(
        "gemini.thinking-twice",
        "/generationConfig/thinkingConfig/thinkingBudget",
        body(GO, generationConfig={"thinkingConfig": {"thinkingBudget": 1, "thinkingLevel": "LOW"}}),
    ),
]


def found_in(written: bytes, case: Case) -> list[Finding]:
    return list(DIALECT.check(written, Quirks(signature_stand_in=case.rule == "gemini.signature-missing")))


@pytest.mark.parametrize("case", CASES, ids=[f"{case.rule} {number}" for number, case in enumerate(CASES)])
def test_a_fault_is_found_and_its_repair_mends_it(case: Case) -> None:
    written = json.dumps(case.body).encode()
    before = found_in(written, case)
    (finding,) = [each for each in before if (each.rule, each.pointer) == (case.rule, case.pointer)]
    assert finding.severity == case.severity
    assert finding.message.endswith(".")
    assert bool(finding.edits) == case.mends
    if case.mends:
        edited = with_edits(written, finding.edits)
        assert edited.skipped == ()
        after = found_in(edited.body, case)
        assert len([each for each in after if each.rule == case.rule]) < len([each for each in before if each.rule == case.rule])
        assert {each.rule for each in after if each.severity == "error"} <= {each.rule for each in before}
        whole = mended(lambda changed: tuple(found_in(changed, case)), written, wanted=lambda each: bool(each.edits))
        assert [each for each in whole.left if each.edits] == []
        assert whole.mends


def test_every_rule_has_an_example() -> None:
    from_sources = {"gemini.not-json", "gemini.shape"}
    assert [finding.rule for finding in DIALECT.check(b"{")] == ["gemini.not-json"]
    assert [finding.rule for finding in DIALECT.check(b"{}")] == ["gemini.shape"]
    assert len({case.rule for case in CASES} | from_sources) > 40


def test_two_results_that_are_missing_are_made_up_in_the_order_of_their_calls() -> None:
    written = json.dumps(body(GO, model(call("a"), call("b"), call("c")), user(result("b")), GO)).encode()
    after = json.loads(mended(DIALECT.check, written).body)
    assert [part["functionResponse"]["name"] for part in after["contents"][2]["parts"]] == ["a", "b", "c"]
    assert "error" in after["contents"][2]["parts"][0]["functionResponse"]["response"]


def test_results_are_put_in_order_by_name_and_together() -> None:
    written = json.dumps(body(GO, model(call("a"), call("b")), user(result("b", {"output": "B"})), user(result("a", {"output": "A"})))).encode()
    after = json.loads(mended(DIALECT.check, written, wanted=lambda finding: True).body)
    assert [part["functionResponse"]["response"]["output"] for part in after["contents"][2]["parts"]] == ["A", "B"]


def test_equal_names_are_matched_by_position() -> None:
    good = body(GO, model(call("a", args={"n": 1}), call("a", args={"n": 2})), user(result("a"), result("a")))
    assert DIALECT.check(json.dumps(good).encode()) == ()


def test_a_renamed_tool_is_renamed_everywhere() -> None:
    declared = [{"name": "a b"}, {"name": "a_b"}]
    choice = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["a b"]}}
    written = json.dumps(body(GO, model(call("a b")), user(result("a b")), tools=[{"functionDeclarations": declared}], toolConfig=choice)).encode()
    repaired = mended(DIALECT.check, written)
    assert repaired.left == ()
    assert repaired.body.count(b'"a_b_2"') == 4
    assert b'"a b"' not in repaired.body


def test_signatures_are_wanted_in_the_current_turn_only() -> None:
    turns = body(GO, model(call()), user(result()), model({"text": "x"}), GO, model({**call(), "thoughtSignature": "S"}, call()), user(result(), result()))
    assert DIALECT.check(json.dumps(turns).encode(), model="gemini-3-pro") == ()
    steps = body(GO, model({**call(), "thought_signature": "S"}), user(result()), model(call()), user(result()))
    assert [finding.pointer for finding in DIALECT.check(json.dumps(steps).encode(), model="gemini-3.1-pro")] == ["/contents/3/parts/0"]
    assert DIALECT.check(json.dumps(steps).encode(), model="gemini-2.5-pro") == ()
    assert DIALECT.check(json.dumps({**steps, "model": "models/gemini-3-pro"}).encode()) != ()


def test_a_recorded_refusal_would_have_been_told() -> None:
    """The bodies behind the error texts that public reports quote."""
    unequal = body(GO, model(call("a"), call("b")), user(result("a")))
    assert "gemini.result-missing" in [finding.rule for finding in DIALECT.check(json.dumps(unequal).encode())]
    assert WITH_REQUEST == [] or len(WITH_REQUEST) > 30
