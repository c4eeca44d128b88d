"""Our reading of ignore rules agrees with git's, and with ripgrep's for what git does not know."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.workspace.ignore_rules import IgnoreRules
from workbench.workspace.walk import walk
from workbench.workspace.worker import Stop

PATHS = [
    "a.log", "b.txt", "sub/a.log", "sub/b.txt", "sub/deep/a.log", "out/a", "out/keep.txt", "sub/out/x", "Build/x", "build/x", "sp ", "#tag", "!bang", "[x]",
    "a*b", "doc/a.txt", "doc/s/b.txt",
]  # fmt: skip
LINES = [
    "*.log", "!a.log", "out/", "out/*", "!out/keep.txt", "/sub", "sub/", "/sub/*", "sub/**/a.log", "**/deep", "doc/*.txt", "**/out/**", "Build/", "sp\\ ",
    "sp ", "\\#tag", "\\!bang", "# note", "", "  ", "[[]x]", "a\\*b", "?.txt", "*", "!*.txt", "!sub", "/", "//", "**", "a**b", "deep/", "[a-c].txt",
    "[!b].txt", "sub/deep/", "*.LOG", "***", "***/a.log", "out//", "/**/deep", "sub/deep/**", "\\", "a\\.log",
]  # fmt: skip


def listed_by_git(folder: Path) -> list[str]:
    shown = subprocess.run(["git", "ls-files", "-z", "-o", "--exclude-standard"], cwd=folder, check=True, capture_output=True).stdout
    return sorted(os.fsdecode(name) for name in shown.split(b"\0") if name)


def listed(folder: Path) -> list[str]:
    return sorted(walk(folder, Stop(), engine="scan").paths)


def make(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    make(folder, dict.fromkeys(PATHS, ""))
    return folder


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=st.lists(st.sampled_from(LINES), max_size=5), inner=st.lists(st.sampled_from(LINES), max_size=3))
def test_same_as_git(repository: Path, top: list[str], inner: list[str]) -> None:
    make(repository, {".gitignore": "\n".join(top), "sub/.gitignore": "\n".join(inner)})
    assert listed(repository) == listed_by_git(repository)


def test_exclude_files_count_after_the_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    make(tmp_path, {".git/info/exclude": "*.a\n", "config/git/ignore": "*.b\n", ".gitignore": "!x.a\n!x.b\nconfig\n"})
    make(tmp_path, dict.fromkeys(("x.a", "y.a", "x.b", "y.b"), ""))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert listed(tmp_path) == listed_by_git(tmp_path) == [".gitignore", "x.a", "x.b"]


def test_own_excludes_file_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME")
    make(tmp_path, {".gitconfig": '[core]\n\texcludesFile = "~/mine"\n', "mine": "*.log\n", "ws/a.log": "", "ws/b": ""})
    assert listed(tmp_path / "ws") == ["b"]


def test_rules_above_a_repository_do_not_count_but_ignore_files_do(tmp_path: Path) -> None:
    make(tmp_path, {".gitignore": "*.a\n", ".ignore": "*.b\n", "repo/.git/HEAD": "", "repo/x.a": "", "repo/x.b": ""})
    assert listed(tmp_path / "repo") == sorted(walk(tmp_path / "repo", Stop(), engine="ripgrep").paths) == ["x.a"]


def test_ignore_file_is_stronger_than_gitignore_wherever_it_is(tmp_path: Path) -> None:
    make(tmp_path, {".ignore": "!x.env\n", "sub/.gitignore": "*.env\n", "sub/x.env": "", "sub/y.env": ""})
    assert listed(tmp_path) == sorted(walk(tmp_path, Stop(), engine="ripgrep").paths) == [".ignore", "sub/.gitignore", "sub/x.env"]


def test_odd_rule_files_do_no_harm(tmp_path: Path) -> None:
    make(tmp_path, {"a": "", "d/b": ""})
    (tmp_path / ".gitignore").write_bytes(b"\xff\xfe[\n[z-a]\n\\\n" + b"x" * 100_000 + b"\n")
    (tmp_path / "d" / ".gitignore").mkdir()
    assert "d/b" in listed(tmp_path)


def test_git_folder_is_never_shown(tmp_path: Path) -> None:
    rules = IgnoreRules.of(tmp_path)
    assert rules.ignores(".git", is_folder=True)
    assert not rules.ignores(".github", is_folder=True)
