"""What steers later runs can neither be changed from inside nor be planted there; what is new is moved away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workspace.holding import Den, Kind
from workbench.errors import ToolError
from workbench.workspace.sandbox_cage import hold
from workbench.workspace.sandbox_survey import shared_folder, survey
from workbench.workspace.sandbox_watch import put_aside


def repository(folder: Path) -> Path:
    """Return a new git repository with one commit."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "file").write_text("one\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "T")
    git(folder, "config", "user.email", "t@example.org")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def stands(path: Path) -> bool:
    """Say whether anything stands there, a link that leads nowhere, too."""
    return os.path.lexists(path)


@pytest.fixture(params=["bwrap", "landlock"])
def den(request: pytest.FixtureRequest, tmp_path: Path) -> Den:
    return Den(repository(tmp_path / "ws"), request.param)


@pytest.fixture
def walled(tmp_path: Path) -> Den:
    return Den(repository(tmp_path / "ws"), "bwrap")


async def test_git_works_inside(den: Den) -> None:
    outcome = await den.run("git status --short && git checkout -q -b topic && echo two > file && git add -A && git commit -qm two && git log --format=%s%an")
    assert (outcome.exit_code, outcome.output.text) == (0, "twoT\noneT\n")


async def test_tests_run_inside(walled: Den) -> None:
    (walled.folder / "test_it.py").write_text("def test_it(tmp_path):\n    (tmp_path / 'a').write_text('b')\n")
    outcome = await walled.run(f"{sys.executable!r} -m pytest -q -p no:cacheprovider test_it.py")
    assert "1 passed" in outcome.output.text


@pytest.mark.parametrize(
    "text",
    [
        "echo x > .git/hooks/pre-commit",
        "git config core.fsmonitor ./evil",
        "git config --local core.hooksPath .",
        "rm -rf .git/hooks",
        "mv .git/hooks .git/h && mkdir .git/hooks",
        "mv .git .g2 && mkdir -p .git/hooks && cp -r .g2/. .git/ && echo x > .git/hooks/pre-commit",
        "rm -rf .git",
        "mv .github g && mkdir -p .github/workflows && echo x > .github/workflows/ci.yml",
        "echo x > AGENTS.md",
        "rm AGENTS.md; ln -s file AGENTS.md",
        "mv deep d2 && mkdir deep && echo x > deep/CLAUDE.md",
        "echo x > .vscode/tasks.json",
        "echo x > .github/workflows/more.yml",
        "echo x > file && mv -f file AGENTS.md",
    ],
)
async def test_what_steers_later_runs_cannot_be_changed(walled: Den, text: str) -> None:
    contents = {"AGENTS.md": "rules", "deep/CLAUDE.md": "rules", ".vscode/tasks.json": "{}", ".github/workflows/ci.yml": "on: push"}
    for name, content in contents.items():
        (walled.folder / name).parent.mkdir(exist_ok=True, parents=True)
        (walled.folder / name).write_text(content)
    config = (walled.folder / ".git/config").read_text()
    await walled.leave(text)
    assert {name: (walled.folder / name).read_text() for name in contents} == contents
    assert (walled.folder / ".git/config").read_text() == config
    assert not (walled.folder / ".git/hooks/pre-commit").exists()
    assert not (walled.folder / ".github/workflows/more.yml").exists()


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("echo {} > .mcp.json", [".mcp.json"]),
        ("mkdir -p .vscode && echo {} > .vscode/tasks.json", [".vscode"]),
        ("mkdir -p sub/.git/hooks && echo x > sub/.git/hooks/post-checkout", ["sub/.git"]),
        ("git init -q sub && echo '[core]\nfsmonitor = ./x' >> sub/.git/config", ["sub/.git"]),
        ("echo ../evil > .git/commondir", [".git/commondir"]),
        ("ln -s / way && ln -s ~ home && ln -s /etc/passwd names", ["home", "names", "way"]),
        ("mkdir -p a && echo x > a/agents.MD", ["a/agents.MD"]),
        ("echo x > .bashrc", [".bashrc"]),
    ],
)
async def test_what_is_new_and_steers_is_moved_away(den: Den, text: str, moved: list[str]) -> None:
    aside = await den.leave(text)
    assert sorted(str(one.path.relative_to(den.folder)) for one in aside) == moved
    assert all(stands(one.kept) and not stands(one.path) for one in aside)
    assert not any(one.kept.is_relative_to(den.folder) for one in aside)


@pytest.mark.parametrize("text", ["git init -q sub", "echo x > ordinary.py; mkdir d; ln -s file d/link", "ln -s /usr/bin/env env", "git clone -q . copy"])
async def test_what_is_harmless_stays(den: Den, text: str) -> None:
    assert await den.leave(text) == ()


async def test_what_was_changed_under_landlock_is_put_back(tmp_path: Path) -> None:
    den = Den(repository(tmp_path / "ws"), "landlock")
    (den.folder / "AGENTS.md").write_text("rules")
    config = (den.folder / ".git/config").read_text()
    aside = await den.leave("echo evil > AGENTS.md; echo '[core]\nfsmonitor = ./x' >> .git/config; echo x > .git/hooks/pre-commit")
    assert ((den.folder / "AGENTS.md").read_text(), (den.folder / ".git/config").read_text()) == ("rules", config)
    assert not (den.folder / ".git/hooks/pre-commit").exists()
    assert {one.path.name: one.restored for one in aside} == {"AGENTS.md": True, "config": True, "pre-commit": False}
    assert next(one.kept for one in aside if one.path.name == "AGENTS.md").read_text() == "evil\n"


async def test_no_file_is_left_for_what_was_guarded(walled: Den) -> None:
    before = sorted(path for path in walled.folder.rglob("*") if ".git/" not in str(path))
    await walled.run("true")
    assert sorted(path for path in walled.folder.rglob("*") if ".git/" not in str(path)) == before


@pytest.mark.parametrize("name", [".git", ".mcp.json", ".vscode", ".github/workflows"])
def test_a_guarded_name_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    den = Den(tmp_path / "ws", "bwrap")
    (tmp_path / "target").mkdir()
    (den.folder / name).parent.mkdir(exist_ok=True)
    (den.folder / name).symlink_to(tmp_path / "target")
    with pytest.raises(ToolError) as refused:
        hold(den.sandbox, den.bounds)
    assert refused.value.kind == "sandbox_refused"
    assert name in refused.value.text


async def test_a_link_between_guarded_files_is_fine(walled: Den) -> None:
    (walled.folder / "CLAUDE.md").write_text("rules")
    (walled.folder / "AGENTS.md").symlink_to("CLAUDE.md")
    aside = await walled.leave("echo evil > AGENTS.md; rm AGENTS.md; echo evil > AGENTS.md")
    assert (walled.folder / "CLAUDE.md").read_text() == "rules"
    assert [(one.path.name, one.restored) for one in aside] == [("AGENTS.md", True)]
    assert (walled.folder / "AGENTS.md").readlink() == Path("CLAUDE.md")


@pytest.mark.parametrize("kind", ["bwrap", "landlock"])
async def test_a_worktree_of_git_works_and_its_hooks_are_safe(tmp_path: Path, kind: Kind) -> None:
    main = repository(tmp_path / "main")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    den = Den(tmp_path / "tree", kind)
    if kind == "landlock":
        den = den.with_bounds(writable=(main / ".git",))
    outcome = await den.run(f"echo two > file && git commit -qam two && git log --format=%s; echo x > {main}/.git/hooks/post-commit; echo x > {main}/file")
    assert outcome.output.text.startswith("two\none\n")
    assert (main / "file").read_text() == "one\n"
    if kind == "bwrap":
        assert not (main / ".git/hooks/post-commit").exists()


def test_a_worktree_must_be_known_to_its_main_checkout(tmp_path: Path) -> None:
    main = repository(tmp_path / "main")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert shared_folder(tmp_path / "tree") == main / ".git"
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text((tmp_path / "tree" / ".git").read_text())
    assert shared_folder(other) is None
    assert shared_folder(main) is None


def test_survey_does_not_enter_what_others_installed(tmp_path: Path) -> None:
    den = Den(tmp_path / "ws", "bwrap")
    for name in ("node_modules/a/.vscode/x", "src/.env", "src/.vscode/x"):
        (den.folder / name).parent.mkdir(parents=True)
        (den.folder / name).write_text("x")
    found = survey(den.bounds)
    assert list(found.protected) == [den.folder / "src/.vscode"]
    assert found.secrets == [den.folder / "src/.env"]
    assert found.complete


def test_nothing_is_moved_through_a_link_that_was_laid_meanwhile(tmp_path: Path) -> None:
    den = Den(tmp_path / "ws", "bwrap")
    held = hold(den.sandbox, den.bounds)
    (den.folder / "a/.vscode").mkdir(parents=True)
    after = survey(den.bounds)
    (tmp_path / "mine/.vscode").mkdir(parents=True)
    (den.folder / "a").rename(den.folder / "b")
    (den.folder / "a").symlink_to(tmp_path / "mine")
    put_aside(held.before, after, bounds=den.bounds, sandbox=den.sandbox, quarantine=tmp_path / "quarantine")
    assert (tmp_path / "mine/.vscode").is_dir()


async def test_a_huge_folder_does_not_use_up_what_is_looked_at(den: Den, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.workspace.sandbox_survey.ENTRIES_AT_MOST", 100)
    for folder in ("a", "z"):
        (den.folder / folder / "deep").mkdir(parents=True)
        for number in range(150):
            (den.folder / folder / "deep" / str(number)).touch()
    (den.folder / "m").mkdir()
    (den.folder / "m" / ".mcp.json").touch()
    found = survey(den.bounds)
    assert not found.complete
    assert den.folder / "m/.mcp.json" in found.protected


async def test_more_protected_files_than_can_be_mounted_are_taken_back(den: Den, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("workbench.workspace.sandbox_bwrap", "workbench.workspace.sandbox_cage"):
        monkeypatch.setattr(f"{module}.MOUNTS_AT_MOST", 3, raising=False)
    places = [den.folder / f"{letter}/AGENTS.md" for letter in "abcdef"]
    for place in places:
        place.parent.mkdir()
        place.write_text("before")
    await den.leave("for f in */AGENTS.md; do echo planted > $f; done; rm f/AGENTS.md; true")
    assert [place.read_text() for place in places] == ["before"] * 6
