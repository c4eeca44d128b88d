"""Listing files: with every engine the same, bounded, and the folder tree in the order people count in."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path

import pytest

from workbench.workspace import ripgrep
from workbench.workspace.ignore_rules import IgnoreRules
from workbench.workspace.walk import Engine, list_files, natural_key, problem_lines, read_folder, walk
from workbench.workspace.worker import Stop

ENGINES: tuple[Engine, ...] = ("ripgrep", "git", "scan")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text("node_modules/\n*.log\n")
    for name in ("a.py", "x.log", ".github/ci.yml", "node_modules/p/i.js", "src/b.py", "src/deep/c.py", "naïve 文.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "link.py").symlink_to("a.py")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_agree(project: Path, engine: Engine) -> None:
    listing = walk(project, Stop(), engine=engine)
    assert sorted(listing.paths) == [".github/ci.yml", ".gitignore", "a.py", "naïve 文.txt", "src/b.py", "src/deep/c.py"]
    assert (listing.complete, listing.problems) == (True, ())


@pytest.mark.parametrize("engine", ["ripgrep", "scan"])
def test_ignored_files_come_on_request(project: Path, engine: Engine) -> None:
    listing = walk(project, Stop(), include_ignored=True, engine=engine)
    assert {"x.log", "node_modules/p/i.js"} <= set(listing.paths)
    assert not [path for path in listing.paths if path.startswith(".git/")]


@pytest.mark.parametrize("engine", ENGINES)
def test_limit_makes_a_listing_incomplete_only_if_there_is_more(project: Path, engine: Engine) -> None:
    assert walk(project, Stop(), limit=6, engine=engine).complete
    cut = walk(project, Stop(), limit=5, engine=engine)
    assert (len(cut.paths), cut.complete) == (5, False)


@pytest.mark.parametrize("engine", ENGINES)
def test_stopped_walk_is_incomplete(project: Path, engine: Engine) -> None:
    stop = Stop()
    stop.request()
    assert not walk(project, stop, engine=engine).complete


@pytest.mark.parametrize("engine", ENGINES)
def test_folder_in_an_ignored_folder_is_listed_if_asked_for(project: Path, engine: Engine) -> None:
    (project / ".gitignore").write_text("node_modules/**\n")
    assert walk(project / "node_modules" / "p", Stop(), engine=engine).paths == ("i.js",)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
@pytest.mark.parametrize("engine", ["ripgrep", "scan"])
def test_unreadable_folder_is_told_and_the_rest_listed(project: Path, engine: Engine) -> None:
    (project / "src" / "deep").chmod(0)
    listing = walk(project, Stop(), engine=engine)
    (project / "src" / "deep").chmod(0o755)
    assert "src/b.py" in listing.paths
    assert any("src/deep" in problem for problem in listing.problems)


def test_what_ripgrep_could_not_read_is_told(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "failing"
    program.write_text("#!/bin/sh\nprintf './a.py\\000'\necho 'rg: ./src/deep: Permission denied (os error 13)' >&2\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: program)
    listing = walk(project, Stop())
    assert (listing.paths, listing.complete) == (("a.py",), True)
    assert listing.problems == ("src/deep: Permission denied (os error 13)",)


@pytest.mark.parametrize(("repository", "engine"), [(True, "git"), (False, "scan")])
def test_files_are_listed_though_ripgrep_went_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: bool, engine: Engine) -> None:
    (tmp_path / "a.py").write_text("a")
    if repository:
        subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: tmp_path / "gone" / "rg")
    listing = walk(tmp_path, Stop())
    assert (listing.paths, listing.complete, listing.engine) == (("a.py",), True, engine)


def test_problems_are_few_lines() -> None:
    assert problem_lines("rg: x\n\n" * 50) == ("x",) * 10


def test_folders_may_be_nested_deeper_than_calls(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert walk(tmp_path, Stop(), engine="scan").paths == ()
    subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)


async def test_time_limit_returns_what_was_found() -> None:
    started = time.monotonic()
    listing = await list_files(Path("/usr"), include_ignored=True, limit=10_000_000, limit_s=0.0)
    assert time.monotonic() - started < 1
    assert not listing.complete


async def test_listing_does_not_hold_the_loop(project: Path) -> None:
    async with asyncio.TaskGroup() as group:
        listing = group.create_task(list_files(project))
        await asyncio.sleep(0)
        assert not listing.done()
    assert len(listing.result().paths) == 6


def test_folder_entries_are_in_the_order_people_count_in(tmp_path: Path) -> None:
    for name in ("a10.txt", "a2.txt", "B.txt", "b1.txt", "Z", "z10", "z9"):
        (tmp_path / name).mkdir() if name[0] in "Zz" else (tmp_path / name).write_text("12345")
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / ".gitignore").write_text("z9/\nB.txt\n")
    entries = read_folder(tmp_path, IgnoreRules.of(tmp_path))
    assert [entry.name for entry in entries] == ["Z", "z9", "z10", ".gitignore", "a2.txt", "a10.txt", "b1.txt", "B.txt", "link"]
    assert [entry.name for entry in entries if entry.ignored] == ["z9", "B.txt"]
    kinds = {entry.name: (entry.kind, entry.size_bytes, entry.target) for entry in entries}
    assert (kinds["a2.txt"], kinds["link"], kinds["Z"]) == (("file", 5, ""), ("link", 0, "nowhere"), ("folder", 0, ""))


def test_natural_key_takes_numbers_of_any_length() -> None:
    assert sorted(["x" + "9" * 30, "x10", "x9", "x", "10", "²"], key=natural_key)[:3] == ["10", "x", "x9"]
