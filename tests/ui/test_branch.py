"""The branch is read from git's files as git itself would say it, and nothing there can make the reader wait or fail."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from workbench.ui.branch import branch_of


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    names = ["-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *names, *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init")
    git(folder, "commit", "--allow-empty", "-m", "x")
    return folder


def test_branch_of_a_repository(repository: Path) -> None:
    assert branch_of(repository) == "main"
    git(repository, "switch", "-c", "feature/two words".replace(" ", "-"))
    assert branch_of(repository) == "feature/two-words"


def test_detached_repository_shows_a_short_hash(repository: Path) -> None:
    git(repository, "switch", "--detach")
    assert branch_of(repository) == git(repository, "rev-parse", "HEAD")[:7]


def test_branch_of_a_further_worktree(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-b", "other", str(tmp_path / "tree"))
    assert branch_of(tmp_path / "tree") == "other"


def test_folder_without_a_repository_has_no_branch(tmp_path: Path) -> None:
    assert branch_of(tmp_path) == ""
    assert branch_of(tmp_path / "missing") == ""


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"ref:", b"x" * 10_000, b"gitdir: /\0"])
def test_strange_files_are_no_branch(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert branch_of(tmp_path) == ""
    (tmp_path / "b" / ".git").mkdir(parents=True)
    (tmp_path / "b" / ".git" / "HEAD").write_bytes(content)
    assert branch_of(tmp_path / "b") == ""


def test_pipe_in_place_of_the_file_does_not_wait(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git" / "HEAD")
    assert branch_of(tmp_path) == ""


def test_hidden_characters_of_a_name_are_shown(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/a\u202eb\n")
    assert branch_of(tmp_path) == "a⟨U+202E⟩b"
