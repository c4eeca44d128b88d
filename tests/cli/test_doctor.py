"""`workbench doctor`: what is there, what is not, and a status that scripts can ask."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.cli.conftest import Inside
from tests.cli.program import Home
from tests.workspace.holding import program_folder, sandbox


def test_everything_is_told_and_the_status_says_whether_commands_are_confined(inside: Inside) -> None:
    sandbox("bwrap")
    done = inside("doctor", "--json")
    (report,) = done.objects()
    assert (done.status, report["fine"], report["sandbox"]["rung"], report["sandbox"]["confined"]) == (0, True, "bwrap", True)
    assert {one["name"] for one in report["found"]} >= {"python", "git", "rg", "bwrap", "keyring", "practice"}
    assert all(check["passed"] for check in report["sandbox"]["checks"])
    assert all(one["good"] for one in report["found"] if one["needed"])


def test_people_get_a_line_for_each(inside: Inside) -> None:
    lines = inside("doctor").answer.splitlines()
    assert any(line.startswith("✓ Python runs.") for line in lines)
    assert any("The practice model answers." in line for line in lines)


def test_without_bubblewrap_the_answer_is_no(home: Home, tmp_path: Path) -> None:
    environment = {**home.environment(), "PATH": str(program_folder(tmp_path / "bin"))}
    done = subprocess.run([sys.executable, "-P", "-m", "workbench.cli.main", "doctor"], env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 1
    assert "bubblewrap is not installed (package “bubblewrap”)." in done.stdout
    assert "Commands are partly confined" in done.stdout or "Commands are not confined" in done.stdout
