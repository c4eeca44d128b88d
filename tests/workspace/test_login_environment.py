"""What a login shell sets up is found, and one that misbehaves costs nothing but time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from workbench.workspace.login_environment import login_environment, started_from_desktop


def home(tmp_path: Path, profile: str, shell: str = "/bin/bash") -> dict[str, str]:
    (tmp_path / ".bash_profile").write_text(profile)
    return {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "SHELL": shell}


def test_what_the_profile_sets_is_found_although_it_chats(tmp_path: Path) -> None:
    found = login_environment(home(tmp_path, "echo Welcome; export PATH=$HOME/bin:$PATH SECOND=$'two\\nlines'\ntrap 'echo bye' EXIT\n"))
    assert found["PATH"].startswith(f"{tmp_path}/bin:/")
    assert found["SECOND"] == "two\nlines"


@pytest.mark.parametrize("profile", ["exit 3\n", "exec true\n", "kill -9 $$\n"])
def test_profile_that_fails_changes_nothing(tmp_path: Path, profile: str) -> None:
    ours = home(tmp_path, profile)
    assert login_environment(ours) == ours


def test_profile_that_waits_or_leaves_something_running_is_not_waited_for(tmp_path: Path) -> None:
    ours = home(tmp_path, "sleep 51\n")
    started = time.monotonic()
    assert login_environment(ours, limit_s=0.3) == ours
    assert login_environment(home(tmp_path, "sleep 52 & export A=1\n"))["A"] == "1"
    assert time.monotonic() - started < 4


@pytest.mark.parametrize("shell", ["", "bash", "/no/shell", "/etc"])
def test_without_a_usable_shell_nothing_changes(tmp_path: Path, shell: str) -> None:
    ours = home(tmp_path, "export A=1\n", shell)
    assert login_environment(ours) == ours


def test_terminal_is_told_from_the_desktop() -> None:
    assert started_from_desktop({"DISPLAY": ":0", "HOME": "/h"})
    assert not started_from_desktop({"TERM": "xterm"})
    assert not started_from_desktop({"SHLVL": "1"})
