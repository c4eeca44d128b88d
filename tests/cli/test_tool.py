"""`workbench tool`: each tool by hand, through the same look-up, gate and run as a model's call."""

from __future__ import annotations

import json
import signal
import subprocess
from typing import Any

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Done, Home, lives, wait_for_pid

MEMBERS = ["status", "kind", "text", "files_changed", "truncated"]


def call(inside: Inside, name: str, arguments: dict[str, Any], *words: str) -> tuple[Done, dict[str, Any]]:
    done = inside("tool", name, json.dumps(arguments), "--json", *words)
    (result,) = done.objects()
    assert list(result) == MEMBERS
    assert done.status == (0 if result["status"] == "ok" else 1)
    return done, result


@pytest.mark.parametrize(
    ("name", "arguments", "found"),
    [
        ("read", {"file_path": "a.txt"}, "1: one"),
        ("list", {"path": "."}, "a.txt"),
        ("glob", {"pattern": "*.txt"}, "a.txt"),
        ("grep", {"pattern": "two"}, "a.txt"),
        ("calculator", {"expression": "6 * 7"}, "42"),
        ("get_current_time", {"timezone": "UTC"}, "UTC"),
        ("get_weather", {"city": "上海"}, "18°C"),
    ],
)
def test_tools_that_only_look_run_at_once(inside: Inside, home: Home, name: str, arguments: dict[str, Any], found: str) -> None:
    home.write(a_txt="one\ntwo\n")
    _done, result = call(inside, name, arguments)
    assert result["status"] == "ok"
    assert found in result["text"]
    assert result["files_changed"] == []


@pytest.mark.parametrize(
    ("name", "arguments", "change"),
    [
        ("write", {"file_path": "new.txt", "content": "x\n"}, ("new.txt", "create", 1, 0)),
        ("edit", {"file_path": "a.txt", "old_string": "two", "new_string": "2"}, ("a.txt", "modify", 1, 1)),
    ],
)
def test_tools_that_change_files_say_which(inside: Inside, home: Home, name: str, arguments: dict[str, Any], change: tuple[Any, ...]) -> None:
    home.write(a_txt="one\ntwo\n")
    _done, result = call(inside, name, arguments, "--approve", "none")
    assert (result["status"], result["files_changed"]) == ("denied", [])
    _done, result = call(inside, name, arguments, "--mode", "accept_edits")
    assert result["status"] == "ok", result["text"]
    (found,) = result["files_changed"]
    assert (found["path"], found["op"], found["added"], found["removed"]) == change
    assert found["after"]


def test_bash_runs_when_all_is_approved(inside: Inside, home: Home) -> None:
    arguments = {"command": "printf 'a\\033[31mb'; exit 3", "description": "Print"}
    _done, result = call(inside, "bash", arguments)
    assert result["status"] == "denied"
    _done, result = call(inside, "bash", arguments, "--approve", "all")
    assert "exit code 3" in result["text"]


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("nosuch", {}, "unknown_tool"),
        ("read", {}, "invalid_arguments"),
        ("read", {"file_path": "no.txt"}, "file_not_found"),
        ("edit", {"file_path": "no.txt", "old_string": "a", "new_string": "b"}, "file_not_found"),
        ("calculator", {"expression": "__import__('os')"}, None),
    ],
)
def test_calls_that_fail_are_a_result_and_status_1(inside: Inside, name: str, arguments: dict[str, Any], kind: str | None) -> None:
    done, result = call(inside, name, arguments, "--approve", "all")
    assert result["status"] == "error"
    assert kind is None or result["kind"] == kind
    assert result["text"].startswith(f"Error ({result['kind']}): ")
    assert done.err == ""


def test_people_get_the_text_and_the_changed_files(inside: Inside) -> None:
    done = inside("tool", "write", '{"file_path": "n.txt", "content": "x"}', "--approve", "all")
    assert done.status == 0
    assert "n.txt" in done.answer
    assert done.err == "create n.txt  +1 −0\n"


def test_arguments_come_from_standard_input_too(inside: Inside) -> None:
    done = inside("tool", "calculator", "-", "--json", stdin=b'{"expression": "1 + 1"}')
    assert done.objects()[0]["text"] == "2"


@pytest.mark.parametrize("raw", ["{", "[1]", "3", "", "[" * 50_000], ids=["cut", "list", "number", "empty", "deep"])
def test_arguments_that_are_no_object_are_wrong_usage(inside: Inside, raw: str) -> None:
    done = inside("tool", "read", raw)
    assert (done.status, done.out) == (2, b"")
    assert done.sentence().startswith("ARGS ")


def test_output_cannot_steer_the_terminal(inside: Inside, home: Home) -> None:
    home.write(a_txt="\x1b]0;owned\x07\u202e\n")
    done = inside("tool", "read", '{"file_path": "a.txt"}')
    assert "\x1b" not in done.answer
    assert "\u202e" not in done.answer


def test_interrupting_leaves_no_process(home: Home) -> None:
    arguments = json.dumps({"command": "sleep 300 & echo $! > pid; wait", "description": "Wait"})
    with subprocess.Popen(home.command("tool", "bash", arguments, "--approve", "all"), stderr=subprocess.PIPE, env=home.environment()) as process:
        pid = wait_for_pid(home.workspace / "pid")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert not lives(pid)
