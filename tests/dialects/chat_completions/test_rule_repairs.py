"""The repairs of the rules: each removes its finding and brings no new error, alone and together, and changes nothing else."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dialects.chat_completions.test_rules import FUNCTION, IMAGE, MEMBERS, MESSAGES, TEXT, USER, call, result, tool, turn
from workbench.conversation.checks import Finding
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.chat_completions import DIALECT
from workbench.dialects.repairs import Mended, mended, with_edits

A_PERSON_DECIDES = {
    "chat.no-messages", "chat.role", "chat.calls-shape", "chat.too-many-calls", "chat.ends-with-assistant", "chat.no-model", "chat.too-many-tools",
    "chat.many-tools", "chat.tool-shape", "chat.tool-name", "chat.schema-root", "chat.not-json", "chat.shape",
}  # fmt: skip
"""Rules that have no repair, or not in every case."""

MISTRAL = Quirks(call_id_format="mistral")
THINKS = Quirks(reasoning_replay="with_calls")
TUPLE = {"type": "object", "properties": {"a": {"type": "array", "items": [{"type": "string"}]}, "b": {"type": "array", "prefixItems": [{"type": "null"}]}}}
EITHER = {"type": "object", "properties": {"a": {"type": "string", "anyOf": [{"minLength": 1}, {"type": "null"}]}}}


def body_of(messages: list[Any], **members: Any) -> bytes:
    return json.dumps({"model": "m", "messages": messages, **members}).encode()


def repaired(body: bytes, quirks: Quirks = NORM) -> Mended:
    return mended(lambda text: DIALECT.check(text, quirks), body)


def errors(findings: tuple[Finding, ...]) -> Counter[str]:
    return Counter(finding.rule for finding in findings if finding.severity == "error")


def check_each(body: bytes, quirks: Quirks = NORM) -> set[str]:
    """Check the repair of each finding of a body by itself; return the rules."""
    before = DIALECT.check(body, quirks)
    for finding in before:
        if not finding.edits:
            alone = len(json.loads(body)["messages"]) == 1 and finding.rule == "chat.empty-content"
            assert finding.rule in A_PERSON_DECIDES or alone or any(other.edits for other in before), finding
            continue
        after, skipped = with_edits(body, finding.edits)
        assert not skipped, (finding, skipped)
        left = DIALECT.check(after, quirks)
        assert Counter(one.rule for one in left)[finding.rule] < Counter(one.rule for one in before)[finding.rule], finding
        assert not errors(left) - errors(before), (finding, left)
    return {finding.rule for finding in before}


CASES: list[tuple[str, bytes, Quirks]] = [
    *((name, body_of(messages), NORM) for name, messages, _ in MESSAGES),
    *((name, json.dumps({"model": "m", "messages": [USER], **members}).encode(), NORM) for name, members, _ in MEMBERS),
    ("mistral id", body_of([turn(call("a"), call("b")), result("b"), result("a"), {"role": "assistant", "content": "x"}, USER]), MISTRAL),
    ("mistral order", body_of([turn(call("abcdefghi")), result("abcdefghi"), USER]), MISTRAL),
    ("reasoning", body_of([turn(call()), result(), USER]), THINKS),
    ("reasoning back", body_of([{"role": "assistant", "content": "x", "reasoning_content": "y"}, USER], model="deepseek-r1"), NORM),
    ("o1", body_of([{"role": "system", "content": "s"}, USER], model="o1-mini"), NORM),
    ("picture of a system", body_of([{"role": "system", "content": [IMAGE]}, USER]), NORM),
    ("picture among results", body_of([turn(call("a"), call("b")), result("a", [IMAGE, TEXT]), result("b"), USER]), NORM),
    ("typeless parts", body_of([{"role": "user", "content": ["x", {"image_url": {"url": "u"}}, 5]}]), NORM),
    ("one bad name everywhere", body_of([turn(call(name="a.b")), {**result(), "name": "a.b"}, USER], tools=[tool(name="a.b")]), NORM),
    ("names that become one", body_of([USER], tools=[tool(name="a.b"), tool(name="a:b"), tool(name="a_b")]), NORM),
    ("a rootless schema", body_of([USER], tools=[tool(parameters={"properties": {}})]), NORM),
    ("tuples at Moonshot", body_of([USER], model="kimi-k2", tools=[tool(parameters=TUPLE)]), NORM),
    ("alternatives at Moonshot", body_of([USER], model="kimi-k2", tools=[tool(parameters=EITHER)]), NORM),
    ("stop by profile", body_of([USER], stop=["x"]), Quirks(stop=False)),
    ("forced by profile", body_of([USER], tools=[FUNCTION], tool_choice="required"), Quirks(forced_choice=False)),
    ("both limits at o3", body_of([USER], model="o3", max_tokens=1, max_completion_tokens=2), NORM),
    ("result before its call", body_of([result(), turn(call()), USER]), NORM),
    ("late, of two", body_of([turn(call("a"), call("b")), result("b"), USER, turn(call("c")), result("a"), result("c"), USER]), NORM),
    ("empty, but not alone", body_of([{"role": "user", "content": ""}, USER]), NORM),
    ("nothing but an orphan", body_of([result("x"), result("y")]), NORM),
]


@pytest.mark.parametrize(("body", "quirks"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_repair_removes_its_finding_and_brings_no_error(body: bytes, quirks: Quirks) -> None:
    check_each(body, quirks)
    done = repaired(body, quirks)
    assert {finding.rule for finding in done.left if finding.severity == "error"} <= A_PERSON_DECIDES | {"chat.orphan-result", "chat.duplicate-tool"}
    assert not any(finding.edits for finding in done.left if finding.severity == "error")


def test_every_rule_of_the_table_has_a_repair_that_was_tried() -> None:
    seen = {finding.rule for _, body, quirks in CASES for finding in DIALECT.check(body, quirks)}
    mendable = {finding.rule for _, body, quirks in CASES for finding in DIALECT.check(body, quirks) if finding.edits}
    assert seen - mendable <= A_PERSON_DECIDES
    assert len(mendable) >= 30


def messages_of(done: Mended) -> list[Any]:
    found: list[Any] = json.loads(done.body)["messages"]
    return found


def test_a_missing_result_is_made_up_right_behind_the_call() -> None:
    done = repaired(body_of([turn(call("a"), call("b")), result("b"), USER]))
    assert [message.get("tool_call_id") for message in messages_of(done)] == [None, "b", "a", None]
    assert messages_of(done)[2]["content"] == "The tool call was interrupted; its outcome is unknown."


def test_a_late_result_is_moved_and_not_made_up() -> None:
    done = repaired(body_of([turn(call("a"), call("b")), result("b"), USER, result("a", "late"), USER]))
    assert [message.get("content") for message in messages_of(done)] == [None, "ok", "late", "go", "go"]


def test_a_name_is_replaced_in_declaration_choice_call_and_result() -> None:
    choice = {"type": "function", "function": {"name": "a.b"}}
    body = body_of([turn(call(name="a.b")), {**result(), "name": "a.b"}, USER], tools=[tool(name="a.b")], tool_choice=choice)
    assert b"a.b" not in repaired(body).body
    assert repaired(body).body.count(b"a_b") == 4


def test_argument_texts_and_spaces_stay_as_they_were() -> None:
    odd = json.dumps(r'{"city":  "\u4e0a海", "n": 1.0}')
    body = f'{{"model": "m" ,"messages":[{{"role":"assistant","content":null,"tool_calls":[{json.dumps(call("k")).replace(json.dumps("{}"), odd)}]}}]}}'
    done = repaired(body.encode())
    assert odd.encode() in done.body
    assert done.body.startswith(body.encode()[:-3])


def test_the_same_repair_gives_the_same_beginning_in_a_longer_request() -> None:
    start = [USER, turn(call("a", name="x.y")), result("a"), result("zz"), turn(call("b")), USER]
    short, long = repaired(body_of(start)), repaired(body_of([*start, {"role": "assistant", "content": "x"}, USER]))
    assert long.pieces[: len(short.pieces) - 1] == short.pieces[:-1]


IDS = st.sampled_from(["a", "b", "c" * 41, "", None])
NAMES = st.sampled_from(["read", "a.b", "n" * 65, "", 5, None])
ARGUMENTS: st.SearchStrategy[Any] = st.sampled_from(["{}", "15 * 4", '{"a', "[]", {}, None])
CALLS = st.builds(call, IDS, NAMES, ARGUMENTS)
PARTS = st.sampled_from([TEXT, IMAGE, {"text": "x"}, "x", 5])
CONTENT = st.sampled_from(["x", "", None]) | st.lists(PARTS, max_size=2)
PLAIN = st.builds(lambda role, content: {"role": role, "content": content}, st.sampled_from(["user", "system", "assistant"]), CONTENT)
ANSWERS = st.builds(lambda calls, content: turn(*calls, content=content), st.lists(CALLS, min_size=1, max_size=3), st.sampled_from([None, "", "x"]))
RESULTS = st.builds(result, IDS, CONTENT)
HISTORIES = st.lists(PLAIN | ANSWERS | RESULTS | RESULTS, min_size=1, max_size=8)
TOOLS = st.lists(st.builds(lambda name: tool(name=name), NAMES), min_size=1, max_size=3)


@given(HISTORIES, TOOLS | st.none(), st.sampled_from([NORM, THINKS, MISTRAL]))
def test_any_broken_history_is_mended_as_far_as_no_person_is_needed(messages: list[Any], tools: list[Any] | None, quirks: Quirks) -> None:
    body = body_of(messages, **({"tools": tools} if tools else {}))
    before = DIALECT.check(body, quirks)
    done = repaired(body, quirks)
    left = [finding for finding in done.left if finding.severity == "error"]
    assert not [finding for finding in left if finding.edits]
    assert {finding.rule for finding in left} <= A_PERSON_DECIDES | {finding.rule for finding in before if not finding.edits}
    assert repaired(done.body, quirks).body == done.body
