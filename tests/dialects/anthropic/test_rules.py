"""The rules: each finds its fault, at its place, and what its repair leaves is in order; a good request has no findings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.dialects.anthropic import DIALECT
from workbench.dialects.anthropic.rules import check
from workbench.dialects.base import Quirks
from workbench.dialects.repairs import with_edits

MARK = {"type": "ephemeral"}
TOOL = {"name": "read", "description": "d", "input_schema": {"type": "object", "properties": {}}}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
ON = {"thinking": {"type": "enabled", "budget_tokens": 1024}}


def text(words: str = "x", **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def call(call_id: Any = "k", name: Any = "read", **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}, **more}


def result(call_id: Any = "k", content: Any = "ok", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks) if blocks and not isinstance(blocks[0], str) else blocks[0] if blocks else "go"}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def loop(*blocks: Any) -> list[dict[str, Any]]:
    """Return messages that end in a tool loop whose turn holds `blocks` and a call."""
    return [user(), assistant(*blocks, call()), user(result())]


def body(*messages: Any, **members: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5", "max_tokens": 4096, "messages": list(messages), **members}


def found(request: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(finding.rule.removeprefix("anthropic."), finding.severity, finding.pointer) for finding in DIALECT.check(json.dumps(request).encode())]


def test_a_good_request_has_no_findings() -> None:
    turn = assistant(THOUGHT, text(), SEARCH, FOUND, call("a"), call("b"))
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    messages = [user(), turn, user(result("b", [text(), picture]), result("a", "", is_error=True), text(cache_control=MARK))]
    members: dict[str, Any] = {"system": [text(cache_control=MARK)], "tools": [{**TOOL, "cache_control": MARK}], "tool_choice": {"type": "auto"}, **ON}
    assert found(body(*messages, **members, stream=True, stop_sequences=["x"])) == []


# name, request, (rule, pointer), whether a repair mends it without a person
FAULTS: list[tuple[str, dict[str, Any], tuple[str, str], bool]] = [
    # calls and results
    ("no result at the end", body(user(), assistant(call())), ("result-missing", "/messages/1/content/0"), True),
    ("no result before a question", body(user(), assistant(call()), user("so?")), ("result-missing", "/messages/1/content/0"), True),
    ("one of two", body(user(), assistant(call("a"), call("b")), user(result("a"), text())), ("result-missing", "/messages/1/content/1"), True),
    ("too late", body(user(), assistant(call()), user(), assistant(text()), user(result(), text())), ("result-missing", "/messages/1/content/0"), True),
    ("orphan", body(user(), assistant(text()), user(result("z"), text())), ("result-orphan", "/messages/2/content/0"), True),
    ("orphan alone", body(user(result("z"))), ("result-orphan", "/messages/0/content/0"), True),
    ("orphan in the middle", body(user(), assistant(text()), user(result("z")), assistant(text()), user()), ("result-orphan", "/messages/2/content/0"), True),
    ("orphan of the assistant", body(user(), assistant(text(), result("z")), user()), ("result-orphan", "/messages/1/content/1"), True),
    ("result of a server's call", body(user(), assistant(SEARCH, FOUND), user(result("srvtoolu_1"), text())), ("result-orphan", "/messages/2/content/0"), True),
    ("two results", body(*loop()[:2], user(result(), result())), ("result-repeated", "/messages/2/content/1"), True),
    ("text before", body(*loop()[:2], user(text(), result())), ("results-first", "/messages/2/content/1"), True),
    ("result in a second message", body(*loop()[:2], user(), user(result(), text())), ("results-first", "/messages/3/content/0"), True),
    ("id twice in a turn", body(user(), assistant(call(), call()), user(result(), result())), ("id-twice", "/messages/1/content/1/id"), True),
    ("id of Kimi", body(user(), assistant(call("functions.x:0")), user(result("functions.x:0"))), ("id-letters", "/messages/1/content/0/id"), True),
    ("no id", body(user(), assistant({"type": "tool_use", "name": "read", "input": {}}), user()), ("call-without-id", "/messages/1/content/0"), True),
    ("called name", body(user(), assistant(call(name="a.b")), user(result())), ("call-name", "/messages/1/content/0/name"), True),
    ("call of a user", body(user(text(), call())), ("call-place", "/messages/0/content/1"), True),
    ("input a text", body(user(), assistant(call(input='{"a":1}')), user(result())), ("input-object", "/messages/1/content/0/input"), True),
    ("input broken", body(user(), assistant(call(input='{"a":')), user(result())), ("input-object", "/messages/1/content/0/input"), True),
    ("call before a server's", body(user(), assistant(call(), SEARCH, FOUND), user(result())), ("calls-last", "/messages/1/content/0"), True),
    ("server's call alone", body(user(), assistant(SEARCH, text()), user()), ("server-call-alone", "/messages/1/content/0"), True),
    ("server's result alone", body(user(), assistant(FOUND, text()), user()), ("server-call-alone", "/messages/1/content/0"), True),
    # blocks
    (
        "piece of a stream",
        body(user(), assistant(text(), {"type": "input_json_delta", "partial_json": ""}), user()),
        ("delta-block", "/messages/1/content/1"),
        True,
    ),
    ("empty text", body(user(), assistant(text(""), call()), user(result())), ("empty-text", "/messages/1/content/0"), True),
    ("blank text alone", body(user(), assistant(text("\n\n")), user()), ("empty-text", "/messages/1/content/0"), True),
    ("blank in a result", body(*loop()[:2], user(result(content=[text(" ")]))), ("empty-text", "/messages/2/content/0/content/0"), True),
    ("empty system", body(user(), system=[text(""), text()]), ("empty-text", "/system/0"), True),
    ("empty message", body(user(), assistant(), user()), ("empty-message", "/messages/1/content"), True),
    ("empty question", body(user(""),), ("empty-message", "/messages/0/content"), True),
    ("block without type", body(user({"text": "x"})), ("block-type", "/messages/0/content/0"), True),
    ("role", body(user(), {"role": "tool", "content": "x"}, user()), ("role", "/messages/1/role"), False),
    ("content a number", body({"role": "user", "content": 3}), ("content-shape", "/messages/0/content"), False),
    ("text a number", body(user(text(), {"type": "text", "text": 3})), ("text-shape", "/messages/0/content/1/text"), True),
    ("result an object", body(*loop()[:2], user(result(content={"a": 1}))), ("result-content", "/messages/2/content/0/content"), True),
    ("result with a call", body(*loop()[:2], user(result(content=[call("z")]))), ("result-content", "/messages/2/content/0/content/0"), False),
    ("picture of the assistant", body(user(), assistant(text(), {"type": "image", "source": {}}), user()), ("picture-place", "/messages/1/content/1"), True),
    (
        "picture type",
        body(user({"type": "image", "source": {"type": "base64", "media_type": "image/tiff", "data": "x"}})),
        ("picture-type", "/messages/0/content/0/source/media_type"),
        False,
    ),
    # how it ends
    ("white space at the end", body(user(), assistant(text("so ")), model="claude-3"), ("trailing-space", "/messages/1/content/0"), True),
    ("prefill for a new model", body(user(), assistant(text("so")), model="claude-opus-4-7"), ("ends-with-assistant", "/messages/1"), True),
    # thinking
    ("unsigned", body(user(), assistant({**THOUGHT, "signature": ""}, text()), user()), ("thinking-unsigned", "/messages/1/content/0"), True),
    ("redacted nothing", body(user(), assistant({"type": "redacted_thinking"}, text()), user()), ("thinking-unsigned", "/messages/1/content/0"), True),
    ("thinking of a user", body(user(THOUGHT, text())), ("thinking-place", "/messages/0/content/0"), True),
    (
        "thinking without text",
        body(user(), assistant({"type": "thinking", "signature": "s"}, text()), user()),
        ("thinking-shape", "/messages/1/content/0/thinking"),
        True,
    ),
    (
        "thinking marked",
        body(user(), assistant({**THOUGHT, "cache_control": MARK}, text()), user()),
        ("thinking-mark", "/messages/1/content/0/cache_control"),
        True,
    ),
    ("loop without thinking", body(*loop(), **ON), ("thinking-missing", "/thinking"), True),
    ("thinking off, thought last", body(user(), assistant(THOUGHT, text()), model="claude-3"), ("thinking-last", "/messages/1/content/0"), True),
    ("forced while thinking", body(user(), tools=[TOOL], tool_choice={"type": "any"}, **ON), ("thinking-choice", "/tool_choice"), True),
    ("warm while thinking", body(user(), temperature=0.5, **ON), ("thinking-temperature", "/temperature"), True),
    ("small budget", body(user(), thinking={"type": "enabled", "budget_tokens": 100}), ("budget-small", "/thinking/budget_tokens"), True),
    ("small budget and limit", body(user(), thinking={"type": "enabled"}, max_tokens=500), ("budget-small", "/thinking/budget_tokens"), True),
    ("budget over the limit", body(user(), thinking={"type": "enabled", "budget_tokens": 5000}), ("budget-limit", "/max_tokens"), True),
    ("thinking a word", body(user(), thinking="on"), ("thinking-type", "/thinking"), True),
    ("unknown effort", body(user(), output_config={"effort": "huge"}), ("effort", "/output_config/effort"), True),
    ("effort of newer models", body(user(), output_config={"effort": "xhigh"}), ("effort-model", "/output_config/effort"), True),
    # tools
    ("tool name", body(user(), assistant(call(name="a b")), user(result()), tools=[{**TOOL, "name": "a b"}]), ("tool-name", "/tools/0/name"), True),
    ("one name twice", body(user(), tools=[TOOL, TOOL]), ("tool-twice", "/tools/1/name"), True),
    ("schema without type", body(user(), tools=[{**TOOL, "input_schema": {"properties": {}}}]), ("schema-root", "/tools/0/input_schema"), True),
    ("no schema", body(user(), tools=[{"name": "read"}]), ("schema-root", "/tools/0/input_schema"), True),
    (
        "schema of choices",
        body(user(), tools=[{**TOOL, "input_schema": {"type": "object", "oneOf": []}}]),
        ("schema-combined", "/tools/0/input_schema/oneOf"),
        True,
    ),
    (
        "argument name",
        body(user(), tools=[{**TOOL, "input_schema": {"type": "object", "properties": {"a b": {}}}}]),
        ("property-name", "/tools/0/input_schema/properties"),
        False,
    ),
    ("tool of chat", body(user(), tools=[{"type": "function", "function": {"name": "x"}}]), ("tool-shape", "/tools/0"), True),
    ("tool a text", body(user(), tools=["x"]), ("tool-shape", "/tools/0"), False),
    ("tools an object", body(user(), tools={"a": 1}), ("tools-shape", "/tools"), False),
    ("129 tools", body(user(), tools=[{**TOOL, "name": f"t{number}"} for number in range(129)]), ("too-many-tools", "/tools"), False),
    ("choice without tools", body(user(), tool_choice={"type": "auto"}), ("choice-without-tools", "/tool_choice"), True),
    ("choice a word", body(user(), tools=[TOOL], tool_choice="required"), ("choice-shape", "/tool_choice"), True),
    ("choice of no tool", body(user(), tools=[TOOL], tool_choice={"type": "tool", "name": "z"}), ("choice-unknown", "/tool_choice/name"), False),
    (
        "five marks",
        body(*[user(text(cache_control=MARK)) for _ in range(3)], system=[text(cache_control=MARK)], tools=[{**TOOL, "cache_control": MARK}]),
        ("cache-marks", "/messages/0/content/0/cache_control"),
        True,
    ),
    # the rest
    ("no limit", {"model": "m", "messages": [user()]}, ("no-max-tokens", "/max_tokens"), True),
    ("no model", {"max_tokens": 5, "messages": [user()]}, ("no-model", "/model"), False),
    ("no messages", body(), ("no-messages", "/messages"), False),
    ("message a text", body("x"), ("message-shape", "/messages"), False),
    ("hot", body(user(), temperature=1.5), ("temperature", "/temperature"), True),
    ("member of chat", body(user(), stop=["x"]), ("extra-member", "/stop"), True),
    ("system a number", body(user(), system=3), ("system-shape", "/system"), False),
]


@pytest.mark.parametrize(("request_", "expected", "mends"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_fault_is_found_and_its_repair_leaves_nothing(request_: dict[str, Any], expected: tuple[str, str], mends: bool) -> None:
    written = json.dumps(request_).encode()
    errors = [finding for finding in DIALECT.check(written) if finding.severity == "error"]
    mine = next(finding for finding in errors if (finding.rule, finding.pointer) == (f"anthropic.{expected[0]}", expected[1]))
    assert bool(mine.edits) == mends
    if mends:
        edited = with_edits(written, mine.edits)
        assert edited.skipped == ()
        left = [finding.rule for finding in DIALECT.check(edited.body) if finding.severity == "error"]
        others = [finding.rule for finding in errors if finding is not mine]
        assert len(left) <= len(others), "no new error appears"
        assert set(left) <= set(others)


WARNINGS: list[tuple[str, dict[str, Any], list[tuple[str, str, str]]]] = [
    ("system in the middle", body(user(), {"role": "system", "content": "x"}), [("system-role", "warning", "/messages/1/role")]),
    ("id again in a later turn", body(*loop(), assistant(call()), user(result())), [("id-twice", "warning", "/messages/3/content/0/id")]),
    ("prefill", body(user(), assistant(text("so"))), [("ends-with-assistant", "warning", "/messages/1")]),
    ("21 tools", body(user(), tools=[{**TOOL, "name": f"t{number}"} for number in range(21)]), [("many-tools", "warning", "/tools")]),
    ("unknown member", body(user(), colour="red"), [("extra-member", "warning", "/colour")]),
    ("unknown member of a block", body(user(text(colour="red"))), [("extra-member", "warning", "/messages/0/content/0")]),
    ("unknown member of a message", body({**user(), "id": 1}), [("extra-member", "warning", "/messages/0")]),
    ("unknown member of a tool", body(user(), tools=[{**TOOL, "colour": "red"}]), [("extra-member", "warning", "/tools/0")]),
    (
        "forced while adaptive",
        body(user(), tools=[TOOL], tool_choice={"type": "any"}, thinking={"type": "adaptive"}),
        [("thinking-choice", "warning", "/tool_choice")],
    ),
]


@pytest.mark.parametrize(("request_", "expected"), [case[1:] for case in WARNINGS], ids=[case[0] for case in WARNINGS])
def test_what_only_some_servers_take_is_a_warning(request_: dict[str, Any], expected: list[tuple[str, str, str]]) -> None:
    assert found(request_) == expected


def test_what_is_no_request_at_all_is_said() -> None:
    assert [finding.rule for finding in check(b"{")] == ["anthropic.not-json"]
    assert [finding.rule for finding in check(b"[]")] == ["anthropic.not-object"]


FINE: list[tuple[str, dict[str, Any]]] = [
    ("the answer paused in a search", body(user(), assistant(text(), SEARCH))),
    ("an assistant begins", body(assistant(text("hi")), user())),
    ("two users in a row", body(user(), user())),
    (
        "a loop that goes on without thinking between",
        body(user(), assistant(THOUGHT, call("a")), user(result("a")), assistant(call("b")), user(result("b")), **ON),
    ),
    ("adaptive needs no thinking in the loop", body(*loop(), thinking={"type": "adaptive"})),
    ("thinking without words but signed", body(user(), assistant({**THOUGHT, "thinking": ""}, call()), user(result()), **ON)),
    ("effort of a new model", body(user(), model="claude-opus-4-7", output_config={"effort": "xhigh"})),
    ("four marks", body(user(text(cache_control=MARK)), system=[text(cache_control=MARK)], tools=[{**TOOL, "cache_control": MARK}], cache_control=MARK)),
    ("a tool of the provider", body(user(), tools=[{"type": "web_search_20250305", "name": "web_search", "max_uses": 3}])),
]


@pytest.mark.parametrize("request_", [case[1] for case in FINE], ids=[case[0] for case in FINE])
def test_what_is_taken_is_not_complained_about(request_: dict[str, Any]) -> None:
    if request_["messages"][-1]["role"] == "assistant":
        request_ = {**request_, "tools": []}
    assert [finding for finding in DIALECT.check(json.dumps(request_).encode()) if finding.severity == "error"] == []


def test_a_provider_with_fewer_tools_says_so() -> None:
    many = body(user(), tools=[{**TOOL, "name": f"t{number}"} for number in range(3)])
    findings = DIALECT.check(json.dumps(many).encode(), Quirks(max_tools=2))
    assert [finding.rule for finding in findings] == ["anthropic.too-many-tools"]


def test_a_late_result_is_brought_back_and_not_made_up() -> None:
    late = body(user(), assistant(call()), user(), assistant(text()), user(result(content="late"), text()))
    missing = DIALECT.check(json.dumps(late).encode())[0]
    mended = json.loads(with_edits(json.dumps(late).encode(), missing.edits).body)
    assert mended["messages"][2]["content"] == [result(content="late"), text("go")]
    assert mended["messages"][4]["content"] == [text()]


def test_a_renamed_tool_is_called_by_its_new_name() -> None:
    request = body(user(), assistant(call(name="a b")), user(result()), tools=[{**TOOL, "name": "a b"}], tool_choice={"type": "tool", "name": "a b"})
    finding = next(each for each in DIALECT.check(json.dumps(request).encode()) if each.rule == "anthropic.tool-name")
    mended = json.loads(with_edits(json.dumps(request).encode(), finding.edits).body)
    assert [mended["tools"][0]["name"], mended["messages"][1]["content"][0]["name"], mended["tool_choice"]["name"]] == ["a_b"] * 3
