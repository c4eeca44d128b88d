"""`workbench lint`: what is found, how it ends, and what --fix writes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home

ORPHAN: dict[str, Any] = {"role": "tool", "tool_call_id": "x", "content": "y"}
USER: dict[str, Any] = {"role": "user", "content": "hi"}


def body(*messages: dict[str, Any], **members: Any) -> str:
    return json.dumps({"model": "m", "messages": list(messages), **members})


def write(home: Home, text: str) -> str:
    path = home.workspace / "request.json"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_clean_request_ends_well_and_says_so(inside: Inside, home: Home) -> None:
    done = inside("lint", write(home, body(USER)))
    assert (done.status, done.answer, done.sentence()) == (0, "", "Nothing is wrong with this request.")
    assert inside("lint", write(home, body(USER)), "--json").objects() == []


def test_what_would_be_refused_is_told_with_place_and_repair(inside: Inside, home: Home) -> None:
    done = inside("lint", write(home, body(ORPHAN, USER)))
    assert done.status == 1
    assert done.answer.splitlines() == [
        "error  chat.orphan-result  /messages/0",
        "    The result of 'x' has no call before it.",
        "    → Leave the result out. (--fix does it)",
    ]
    done = inside("lint", write(home, body(ORPHAN, USER)), "--json")
    assert done.status == 1
    (finding,) = done.objects()
    assert (finding["rule"], finding["severity"], finding["pointer"], finding["mends"]) == ("chat.orphan-result", "error", "/messages/0", True)


def test_warnings_alone_are_no_refusal(inside: Inside, home: Home) -> None:
    done = inside("lint", write(home, body({"role": "user", "content": ""})), "--json")
    assert done.status == 0
    assert [finding["severity"] for finding in done.objects()] == ["warning"]


def test_fix_writes_the_repaired_body_and_nothing_else(inside: Inside, home: Home) -> None:
    done = inside("lint", write(home, body(ORPHAN, USER)), "--fix")
    assert (done.status, json.loads(done.answer)) == (0, json.loads(body(USER)))
    assert done.sentence() == "repaired: chat.orphan-result /messages/0: The result of 'x' has no call before it."
    done = inside("lint", write(home, body({"role": "robot"}, USER)), "--fix")
    assert done.status == 1
    assert done.sentence().startswith("still wrong: chat.role")


def test_a_captured_request_says_its_dialect_by_its_address(inside: Inside, home: Home) -> None:
    captured = {"method": "POST", "path": "/v1/messages", "headers": {}, "body": {"model": "claude", "max_tokens": 5, "messages": []}}
    done = inside("lint", write(home, json.dumps(captured)), "--json")
    assert {finding["rule"].partition(".")[0] for finding in done.objects()} == {"anthropic"}
    done = inside("lint", write(home, body(USER)), "--dialect", "anthropic", "--json")
    assert {finding["rule"].partition(".")[0] for finding in done.objects()} == {"anthropic"}


def test_the_rules_of_a_profile_count(inside: Inside, home: Home) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    turn = {"role": "assistant", "content": None, "tool_calls": [call]}
    file = write(home, body(USER, turn, {"role": "tool", "tool_call_id": "call_1", "content": "x"}))
    assert inside("lint", file).status == 0
    done = inside("lint", file, "--profile", "mistral", "--json")
    assert (done.status, [finding["rule"] for finding in done.objects()]) == (1, ["chat.mistral-id"])
    done = inside("lint", file, "--profile", "nobody")
    assert done.status == 2
    assert "nobody" in done.sentence()


@pytest.mark.parametrize(("text", "said"), [("x{", "is not JSON"), ("{}", "is no request of a known dialect"), ("[]", "is no request of a known dialect")])
def test_what_cannot_be_read_is_told_in_one_sentence(inside: Inside, home: Home, text: str, said: str) -> None:
    done = inside("lint", write(home, text))
    assert (done.status, done.answer) == (2, "")
    assert said in done.sentence()


def test_a_missing_file_is_told(inside: Inside) -> None:
    assert inside("lint", "no-such-file").status == 2


def test_the_last_request_of_a_session_is_checked(inside: Inside, home: Home) -> None:
    assert home.run("run", "hello").status == 0
    done = inside("lint", "last")
    assert done.status == 0
