"""The entry point: statuses, one sentence for each mistake, and readers who leave early."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Inside
from tests.cli.program import Home, of_type
from workbench import __version__
from workbench.cli import main as entry


def test_version_and_help_are_answers(inside: Inside) -> None:
    done = inside("--version")
    assert (done.status, done.answer.strip()) == (0, f"workbench {__version__}")
    done = inside("--help")
    assert done.status == 0
    assert all(name in done.answer for name in entry.COMMANDS)
    for name in entry.COMMANDS:
        assert inside(name, "--help").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "PROMPT"),
        (("run", "hi", "--approve", "maybe"), "maybe"),
        (("run", "hi", "--bogus"), "--bogus"),
        (("inspect",), "ID"),
        (("sessions", "--limit", "many"), "many"),
        (("nosuch",), "neither a command nor a folder named “nosuch”"),
        (("nosuch", "hi", "--workspace", "."), "neither a command nor a folder named “nosuch”"),
        (("/no/such/folder",), "does not exist"),
        ((".", "more"), "more"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(inside: Inside, words: Sequence[str], said: str) -> None:
    done = inside(*words)
    assert (done.status, done.out) == (2, b"")
    assert said in done.sentence()


def test_a_folder_without_a_terminal_says_what_to_do(inside: Inside) -> None:
    done = inside(".")
    assert done.status == 2
    assert "workbench run PROMPT" in done.sentence()


def test_the_installed_script_and_the_module_are_the_same_program(home: Home) -> None:
    script = Path(sys.executable).with_name("workbench")
    done = subprocess.run([script, "--version"], capture_output=True, env=home.environment(), text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, f"workbench {__version__}")


def test_mistakes_of_the_command_line_reach_no_terminal_raw(inside: Inside) -> None:
    done = inside("run", "hi", "--approve", "\x1b[2J\u202e")
    assert "\x1b" not in done.err
    assert "\u202e" not in done.err


def test_an_error_of_ours_is_a_sentence_and_a_log(inside: Inside, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    def fail(*_: object) -> int:
        raise ZeroDivisionError("planned")

    monkeypatch.setattr("workbench.cli.sessions.run_sessions", fail)
    done = inside("sessions")
    assert (done.status, done.out) == (70, b"")
    assert "what was written before is safe" in done.err
    assert "planned" in caplog.text


@pytest.mark.parametrize("words", [("run", "introduce this project", "--json"), ("run", "introduce this project")], ids=["facts", "lines"])
def test_a_reader_who_leaves_early_ends_the_turn(home: Home, words: Sequence[str]) -> None:
    home.settings("[practice]\ntokens_per_s = 300\n")
    with subprocess.Popen(home.command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.environment(), text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
    assert "Traceback" not in said
    assert process.returncode == 1
    facts = home.session() if home.sessions() else []  # a session whose turn had not begun is not kept
    assert [fact["end"] for fact in of_type(facts, "TurnFinished")] in ([], ["stopped"]), "nobody reads on, so no turn goes on"


def test_the_language_of_the_environment_is_spoken(home: Home) -> None:
    done = home.run("--help", environment={"LC_ALL": "zh_CN.UTF-8"}, anywhere=True)
    assert any("\u4e00" <= character <= "\u9fff" for character in done.answer)
