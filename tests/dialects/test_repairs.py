"""Repairs: one after the other until nothing is left, never for ever, and never half."""

from __future__ import annotations

import json
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.dialects.registry import dialect
from workbench.dialects.repairs import mended, with_edits


def finding(rule: str, pointer: str, *edits: Edit, severity: str = "error") -> Finding:
    return Finding(rule=rule, severity=severity, pointer=pointer, message="It is wrong.", edits=edits)  # type: ignore[arg-type]


def remove(pointer: str) -> Edit:
    return Edit(op="remove", pointer=pointer)


def negative(body: bytes) -> tuple[Finding, ...]:
    """A rule: no number of the list is negative; zero is only worth a warning."""
    found = enumerate(json.loads(body)["list"])
    return tuple(finding("t.negative", f"/list/{n}", remove(f"/list/{n}"), severity="error" if x < 0 else "warning") for n, x in found if x <= 0)


def test_all_that_can_be_mended_is_and_warnings_stay() -> None:
    done = mended(negative, b'{"list":[1, -2,-3 ,4,0,-5] }')
    assert json.loads(done.body) == {"list": [1, 4, 0]}
    assert [one.pointer for one in done.applied] == ["/list/1", "/list/2", "/list/5"]
    assert [(one.severity, one.pointer) for one in done.left] == [("warning", "/list/2")]
    assert done.mends
    assert b"".join(done.pieces) == done.body


def test_what_was_asked_for_is_mended_too() -> None:
    assert json.loads(mended(negative, b'{"list":[0,1]}', wanted=lambda _finding: True).body) == {"list": [1]}
    assert json.loads(mended(negative, b'{"list":[-1]}', wanted=lambda _finding: False).body) == {"list": [-1]}


def test_a_body_without_faults_keeps_its_bytes() -> None:
    body = b' {"list" :[1]}\n'
    assert mended(negative, body) == (body, (), (), (body,))


def test_repairs_that_undo_each_other_end() -> None:
    def flip(body: bytes) -> tuple[Finding, ...]:
        now = json.loads(body)["a"]
        return (finding("t.flip", "/a", Edit(op="replace", pointer="/a", value=not now)),)

    done = mended(flip, b'{"a":true}')
    assert len(done.applied) == 1
    assert done.left
    assert not done.mends


def test_a_repair_that_mends_nothing_ends() -> None:
    calls: list[bytes] = []

    def never(body: bytes) -> tuple[Finding, ...]:
        calls.append(body)
        return (finding("t.grow", "/a", Edit(op="add", pointer="/a/-", value=1)),)

    done = mended(never, b'{"a":[]}')
    assert len(calls) <= 1_001
    assert not done.mends


def test_a_repair_that_leads_to_nothing_is_not_done_by_halves() -> None:
    def half(body: bytes) -> tuple[Finding, ...]:
        value: dict[str, Any] = json.loads(body)
        broken = (finding("t.half", "/a", remove("/a"), remove("/nothing")),) if "a" in value else ()
        return (*broken, *((finding("t.whole", "/b", remove("/b")),) if "b" in value else ()))

    done = mended(half, b'{"a":1,"b":2}')
    assert json.loads(done.body) == {"a": 1}
    assert [one.rule for one in done.applied] == ["t.whole"]
    assert [one.rule for one in done.left] == ["t.half"]


def test_repairs_of_two_rules_do_not_meet_in_one_round() -> None:
    """A call gets a new id; the result that is made up for it must have the new one, in every dialect."""
    call = {"type": "tool_use", "id": "t:1", "name": "read", "input": {}}
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": [call]}, {"role": "user", "content": "b"}]
    body = json.dumps({"model": "c", "max_tokens": 9, "messages": messages}).encode()
    done = mended(dialect("anthropic").check, body)
    assert done.mends
    assert [one.rule for one in done.applied] == ["anthropic.result-missing", "anthropic.id-letters"]
    old = {"role": "assistant", "content": None, "function_call": {"name": "a.b", "arguments": "{}"}}
    done = mended(dialect("functions").check, json.dumps({"model": "m", "messages": [old, {"role": "user", "content": "x"}]}).encode())
    assert not done.left


def test_a_bad_edit_is_skipped_and_told() -> None:
    body, skipped = with_edits(b'{"a":[1]}', (remove("/b"), remove("/a/0")))
    assert body == b'{"a":[]}'
    assert [edit.pointer for edit, _reason in skipped] == ["/b"]
    assert "leads to nothing" in skipped[0][1]


def test_the_same_body_gives_the_same_bytes() -> None:
    body = json.dumps({"list": [1, -1] * 50}).encode()
    assert mended(negative, body).body == mended(negative, body).body
