"""What children see of our environment, and what they never see."""

from __future__ import annotations

from pathlib import Path

from workbench.workspace.environment import MARKER, NOBODY_IS_THERE, child_environment, for_command

OURS = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/home/p",
    "LC_TIME": "de_DE.UTF-8",
    "OPENAI_API_KEY": "sk-1",
    "DATABASE_URL": "postgres://u:p@h/d",
    "SSH_AUTH_SOCK": "/run/agent",
    "LD_PRELOAD": "/opt/x.so",
    "BASH_ENV": "/opt/x.sh",
    "GIT_DIR": "/elsewhere",
    "PYTHONPATH": "/opt",
    "JAVA_HOME": "/opt/java",
}


def test_only_named_variables_pass() -> None:
    seen = child_environment(OURS)
    assert set(seen) - set(NOBODY_IS_THERE) == {"PATH", "HOME", "LC_TIME", "LC_ALL"}
    assert seen["LC_ALL"] == "C.UTF-8"


def test_a_person_may_name_more_but_not_what_changes_how_programs_load_code() -> None:
    seen = child_environment(OURS, keep=("JAVA_HOME", "LD_PRELOAD", "BASH_ENV", "GIT_DIR", "PYTHONPATH", "SSH_AUTH_SOCK", "no name"))
    assert seen["JAVA_HOME"] == "/opt/java"
    assert not {"LD_PRELOAD", "BASH_ENV", "GIT_DIR", "PYTHONPATH", "SSH_AUTH_SOCK"} & set(seen)


def test_own_utf8_locale_stays() -> None:
    assert "LC_ALL" not in child_environment({"LANG": "zh_CN.utf8"})
    assert child_environment({"LC_ALL": "de_DE.UTF-8"})["LC_ALL"] == "de_DE.UTF-8"
    assert child_environment({"LC_ALL": "C", "LANG": "de_DE.UTF-8"})["LC_ALL"] == "C.UTF-8"


def test_nothing_of_the_workspace_stays_in_the_path(tmp_path: Path) -> None:
    inside = tmp_path / "ws" / "bin"
    inside.mkdir(parents=True)
    (tmp_path / "link").symlink_to(inside)
    path = f"{inside}:.::bin:/usr/bin:{tmp_path}/link:{tmp_path}/ws/../ws/bin:/bin:/usr/bin"
    assert child_environment({"PATH": path}, roots=(tmp_path / "ws",))["PATH"] == "/usr/bin:/bin"


def test_path_is_never_empty() -> None:
    assert "/usr/bin" in child_environment({"PATH": "."})["PATH"].split(":")


def test_what_was_put_in_afterwards_is_taken_out_again() -> None:
    seen = for_command({"A": "1", "LD_PRELOAD": "x", "PAGER": "less", "BROKEN": "a\0b"}, "mark")
    assert (seen["A"], seen["PAGER"], seen[MARKER]) == ("1", "cat", "mark")
    assert not {"LD_PRELOAD", "BROKEN"} & set(seen)
