"""What the model is told of a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.tools.bash_text import result_of, seconds
from workbench.workspace.process import Command, Outcome
from workbench.workspace.process_tree import Process
from workbench.workspace.shell import ShellStatus
from workbench.workspace.terminal_text import Excerpt

WORKSPACE = Path("/ws")
COMMAND = Command(text="x", folder=WORKSPACE, environment={}, log=Path("/outputs/call_1.txt"))


LONGER = "Give a longer timeout, or use background for what runs on."
FINE = ShellStatus((0,), WORKSPACE)


def told(text: str = "out\n", *, status: ShellStatus | None = FINE, omitted: int = 0, **fields: Any) -> str:
    output = Excerpt(text, 1, len(text), omitted_characters=omitted)
    values: dict[str, Any] = {"ended": "exited", "exit_code": 0, "duration_s": 1.23, **fields}
    return result_of(Outcome(output=output, status=status, **values), COMMAND, WORKSPACE).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (told(), "out\n[exit code 0 · 1.2 s]"),
        (told("no newline"), "no newline\n[exit code 0 · 1.2 s]"),
        (told(""), "(no output)\n[exit code 0 · 1.2 s]"),
        (told("\n\n"), "(no output)\n[exit code 0 · 1.2 s]"),
        (told(exit_code=4), "out\n[exit code 4 · 1.2 s]"),
        (told(status=ShellStatus((1, 0), WORKSPACE)), "out\n[exit code 0; pipeline 1|0 · 1.2 s]"),
        (told(exit_code=1, status=ShellStatus((1, 0), WORKSPACE)), "out\n[exit code 1 · 1.2 s]"),
        (told(exit_code=127), "out\n[exit code 127: command not found · 1.2 s]"),
        (told(exit_code=137, signal="SIGKILL", status=None), "out\n[exit code 137 (SIGKILL): killed, often because memory ran out · 1.2 s]"),
        (told(omitted=5, log=COMMAND.log), "out\n[exit code 0 · 1.2 s]\n[the whole output: /outputs/call_1.txt]"),
        (
            told(survivors=(Process(4711, 1.0, "node server.js"),), log=COMMAND.log),
            "out\n[exit code 0 · 1.2 s]\n[still running: 4711 node server.js; log: /outputs/call_1.txt]",
        ),
        (
            told(status=ShellStatus((0,), WORKSPACE / "sub")),
            "out\n[exit code 0 · 1.2 s]\n(the command ended in sub/; the next call starts in the workspace folder again)",
        ),
        (
            told(ended="timed_out", exit_code=None, status=None),
            f"Error (timed_out): The command and all it started were stopped after 1.2 s.\n{LONGER}\nOutput so far:\nout",
        ),
    ],
)
def test_text(text: str, expected: str) -> None:
    assert text == expected


@pytest.mark.parametrize(
    ("ended", "code", "status", "kind", "facts"),
    [
        ("exited", 0, "ok", "", "exit 0 · 1.2 s"),
        ("exited", 4, "ok", "", "exit 4 · 1.2 s"),
        ("timed_out", None, "timed_out", "timed_out", "timed out · 1.2 s"),
        ("cancelled", None, "cancelled", "cancelled", "stopped · 1.2 s"),
        ("output_limit", None, "error", "output_limit", "too much output · 1.2 s"),
        ("running", None, "ok", "", "in the background"),
    ],
)
def test_status_kind_and_figures(ended: Any, code: int | None, status: str, kind: str, facts: str) -> None:
    outcome = Outcome(ended=ended, exit_code=code, output=Excerpt("", 0, 0), duration_s=1.23)
    result = result_of(outcome, COMMAND, WORKSPACE)
    assert (result.status, result.kind, result.facts, result.exit_code) == (status, kind, facts, code)


def test_what_took_no_time_is_told_in_milliseconds() -> None:
    outcome = Outcome(ended="exited", exit_code=0, output=Excerpt("", 0, 0), duration_s=0.0042)
    assert result_of(outcome, COMMAND, WORKSPACE).facts == "exit 0 · 4 ms"


def test_many_survivors_are_not_all_named() -> None:
    text = told(survivors=tuple(Process(number, 1.0, "x") for number in range(1, 15)))
    assert text.count("[still running:") == 10
    assert "[and 4 more processes]" in text


def test_seconds_and_minutes() -> None:
    assert [seconds(value) for value in (0.04, 59.94, 61.5, 3600)] == ["0.0 s", "59.9 s", "1 min 1 s", "60 min 0 s"]
