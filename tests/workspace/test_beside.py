"""What happens at the very moment in which a file takes its name harms neither what stands there then nor anything outside."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, open_descriptors, place
from tests.workspace.test_saving import FullDisk, kind_of, names, save
from workbench.workspace import beneath, renaming
from workbench.workspace.beside import FileBeside
from workbench.workspace.paths import Workspace, resolve
from workbench.workspace.saving import create_file


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


@pytest.fixture(params=["swap", "look and rename"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How a name is taken: with the kernel's swap, or without."""
    if request.param == "swap" and renaming._syscall() is None:
        pytest.skip("this system has no renameat2")
    if request.param != "swap":
        monkeypatch.setattr(renaming, "_syscall", lambda: None)
        monkeypatch.setattr(beneath, "best_way", lambda: "steps" if os.name == "posix" else "names")
    return str(request.param)


def when_filled(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> None:
    """Let something happen when the new file is complete, and is about to take the name."""
    fill = FileBeside.fill

    def filling(new: FileBeside, content: bytes) -> None:
        fill(new, content)
        happens()

    monkeypatch.setattr(FileBeside, "fill", filling)


def test_name_that_another_file_takes_in_the_last_moment_stays_with_it(way: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"old")
    (workspace.path / "theirs").write_bytes(b"old")
    when_filled(monkeypatch, lambda: (workspace.path / "theirs").rename(found.real))
    assert kind_of(lambda: save(found, b"new", b"old")) == "changed_during_approval"
    assert (names(workspace), found.real.read_bytes()) == (["a"], b"old")


def test_link_that_takes_the_name_in_the_last_moment_is_neither_followed_nor_lost(
    way: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = place(workspace, "a", b"old")
    (tmp_path / "outside" / "secret").write_bytes(b"SECRET")
    (workspace.path / "l").symlink_to(tmp_path / "outside" / "secret")
    when_filled(monkeypatch, lambda: (workspace.path / "l").rename(found.real))
    assert kind_of(lambda: save(found, b"new", b"old")) == "changed_during_approval"
    assert (names(workspace), found.real.is_symlink(), (tmp_path / "outside" / "secret").read_bytes()) == (["a"], True, b"SECRET")


def test_bytes_written_in_the_last_moment_are_not_lost(way: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"old")
    when_filled(monkeypatch, lambda: found.real.write_bytes(b"theirs"))
    assert kind_of(lambda: save(found, b"new", b"old")) == "changed_during_approval"
    assert (names(workspace), found.real.read_bytes()) == (["a"], b"theirs")


def test_file_removed_in_the_last_moment_stays_removed(way: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"old")
    when_filled(monkeypatch, found.real.unlink)
    assert kind_of(lambda: save(found, b"new", b"old")) in {"changed_during_approval", "file_not_found"}
    assert names(workspace) == []


@pytest.mark.parametrize("name", ["a", "new"])
def test_folder_that_is_moved_out_in_the_last_moment_takes_nothing_with_it(
    way: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (workspace.path / "d").mkdir()
    (workspace.path / "d" / "a").write_bytes(b"old")
    moved = tmp_path / "outside" / "moved"
    found = resolve(f"d/{name}", workspace)
    when_filled(monkeypatch, lambda: (workspace.path / "d").rename(moved))
    assert kind_of(lambda: save(found, b"new", b"old") if name == "a" else create_file(found, b"new")) == "changed_during_approval"
    assert {path.name: path.read_bytes() for path in moved.iterdir()} == {"a": b"old"}
    assert names(workspace) == []


def test_folder_that_is_moved_out_while_the_name_is_taken_gets_its_old_file_back(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if renaming._syscall() is None:
        pytest.skip("only where names can be swapped")
    (workspace.path / "d").mkdir()
    (workspace.path / "d" / "a").write_bytes(b"old")
    moved, become = tmp_path / "outside" / "moved", FileBeside.become

    def becoming(new: FileBeside, name: str, old: os.stat_result) -> None:
        become(new, name, old)
        (workspace.path / "d").rename(moved)

    monkeypatch.setattr(FileBeside, "become", becoming)
    assert kind_of(lambda: save(resolve("d/a", workspace), b"new", b"old")) == "changed_during_approval"
    assert {path.name: path.read_bytes() for path in moved.iterdir()} == {"a": b"old"}


def test_new_file_whose_name_is_taken_in_the_last_moment_gives_way(way: str, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = resolve("x/a", workspace)
    when_filled(monkeypatch, lambda: found.real.write_bytes(b"theirs"))
    assert kind_of(lambda: create_file(found, b"new")) == "file_exists"
    assert (names(workspace), found.real.read_bytes()) == (["x", "x/a"], b"theirs")


def test_folder_on_the_way_that_became_a_link_takes_no_new_file(way: str, workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "d").mkdir()
    for request in ("d/new", "d/e/new"):
        found = resolve(request, workspace)
        (workspace.path / "d").rmdir()
        (workspace.path / "d").symlink_to(tmp_path / "outside")
        assert kind_of(lambda found=found: create_file(found, b"new")) == "changed_during_approval"
        (workspace.path / "d").unlink()
        (workspace.path / "d").mkdir()
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "link"), reason="made of hard links")
def test_new_file_on_a_file_system_without_links_is_made_all_the_same(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(renaming, "_syscall", lambda: None)
    monkeypatch.setattr(os, "link", refused)
    create_file(resolve("a", workspace), b"new")
    assert (names(workspace), (workspace.path / "a").read_bytes()) == (["a"], b"new")
    assert kind_of(lambda: create_file(replace(resolve("a", workspace), status=None), b"mine")) == "file_exists"


def test_no_descriptor_is_left(way: str, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"1")
    before = open_descriptors()
    save(found, b"2", b"1")
    create_file(resolve("x/y/z", workspace), b"new")
    (workspace.path / "b").hardlink_to(found.real)
    save(resolve("a", workspace), b"3", b"2")
    kind_of(lambda: create_file(resolve("a", workspace), b"new"))
    kind_of(lambda: save(resolve("a", workspace), b"new", b"other"))
    outside = resolve(str(tmp_path / "outside" / "o"), workspace)
    create_file(outside, b"1")
    save(resolve(str(tmp_path / "outside" / "o"), workspace), b"2", b"1")
    FullDisk(monkeypatch, 2)
    kind_of(lambda: create_file(resolve("p/q", workspace), b"new"))
    kind_of(lambda: save(resolve("x/y/z", workspace), b"newer", b"new"))
    assert open_descriptors() == before
