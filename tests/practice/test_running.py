"""Commands are run as they were said, and their end is told; tests by what the folder shows; the calculator and the clock."""

from __future__ import annotations

import json

import pytest

from tests.practice.dialogue import Dialogue


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("one\nOK\n[exit code 0 · 1.2 s]", "The command ended well (exit code 0). Its last line: “OK”"),
        ("boom\n[exit code 3 · 0.1 s]", "The command ended with exit code 3. Its last line: “boom”"),
        ("(no output)\n[exit code 0 · 0.0 s]", "The command ended well (exit code 0). It printed nothing."),
        ("[started in the background; it ends with the session at the latest]", "The command has ended. It printed nothing."),
    ],
)
def test_end_of_a_command_is_told(result: str, said: str) -> None:
    dialogue = Dialogue()
    dialogue.ask('run python3 -c "print(1)"')
    ((name, arguments),) = dialogue.calls()
    assert name == "bash"
    assert json.loads(arguments)["command"] == 'python3 -c "print(1)"'
    assert 4 <= len(json.loads(arguments)["description"].split()) <= 10
    assert dialogue.give(result).text() == said


def test_command_in_chinese() -> None:
    dialogue = Dialogue()
    dialogue.ask("运行 git status")
    assert json.loads(dialogue.calls()[0][1]) == {"command": "git status", "description": "运行用户要求的命令"}
    assert dialogue.give("clean\n[exit code 0 · 0.1 s]").text() == "命令正常结束（退出码 0）。最后一行：“clean”"


def test_command_that_timed_out_is_no_success() -> None:
    dialogue = Dialogue()
    dialogue.ask("run sleep 999")
    error = "Error (timed_out): The command and all it started were stopped after 120.0 s.\nGive a longer timeout."
    text = dialogue.give(f"{error}\nOutput so far:\n(no output)").text()
    assert "timed_out" in text
    assert "Give a longer timeout." in text


@pytest.mark.parametrize(
    ("listing", "command"),
    [
        ("src/\n  a.py\ntests/\n  test_a.py\npyproject.toml", "python3 -m unittest"),
        ("Cargo.toml\nsrc/\n  main.rs", "cargo test"),
        ("go.mod\nmain.go", "go test ./..."),
        ("package.json\nindex.js", "npm test"),
        ("Makefile\nmain.c", "make test"),
    ],
)
def test_tests_are_run_the_way_the_folder_shows(listing: str, command: str) -> None:
    dialogue = Dialogue()
    dialogue.ask("run the tests")
    assert dialogue.calls() == [("list", '{"path": "."}')]
    dialogue.give(listing)
    assert json.loads(dialogue.calls()[0][1])["command"] == command
    assert "exit code 0" in dialogue.give("OK\n[exit code 0 · 0.1 s]").text()


def test_folder_without_tests_is_told() -> None:
    dialogue = Dialogue()
    dialogue.ask("运行测试")
    assert "没有看到我认识的测试" in dialogue.give("a.txt").text()


def test_calculator_and_clock_answer_from_their_results() -> None:
    dialogue = Dialogue()
    dialogue.ask("calculate 12 * 34")
    assert dialogue.calls() == [("calculator", '{"expression": "12 * 34"}')]
    assert dialogue.give("408").text() == "`12 * 34` = 408"
    dialogue.ask("现在几点了？")
    assert dialogue.calls() == [("get_current_time", "{}")]
    assert dialogue.give("2026-11-29T20:15:00+08:00 Sunday").text() == "现在是 2026-11-29T20:15:00+08:00 Sunday。"
    dialogue.ask("calculate 1 / 0")
    assert "bad_expression" in dialogue.give("Error (bad_expression): division by zero").text()
