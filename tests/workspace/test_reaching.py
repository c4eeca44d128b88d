"""A judged place is reached through its root alone, also where the root or a folder on the way is no longer what it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.errors import FileRefused
from workbench.workspace.paths import Workspace, resolve
from workbench.workspace.reaching import MadeFolders, hold_folder, hold_parent, lies_there, open_place


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


def read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def test_place_is_opened_inside_and_outside(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside" / "a").write_bytes(b"out")
    assert read(open_place(place(workspace, "a", b"in"), os.O_RDONLY)) == b"in"
    assert read(open_place(resolve("../outside/a", workspace), os.O_RDONLY)) == b"out"


def test_link_that_appears_after_judging_is_not_followed_outside_either(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside" / "d").mkdir()
    (tmp_path / "outside" / "d" / "a").write_bytes(b"x")
    judged = resolve("../outside/d/a", workspace)
    (tmp_path / "outside" / "d").rename(tmp_path / "outside" / "e")
    (tmp_path / "outside" / "d").symlink_to("e")
    with pytest.raises(OSError, match="symbolic link"):
        open_place(judged, os.O_RDONLY)


def test_root_that_was_replaced_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    judged = place(workspace, "a", b"mine")
    workspace.path.rename(tmp_path / "was")
    (tmp_path / "outside" / "a").write_bytes(b"theirs")
    for replaced_by in ("folder", "link"):
        if replaced_by == "folder":
            workspace.path.mkdir()
        else:
            workspace.path.symlink_to(tmp_path / "was")
        for use in (lambda: open_place(judged, os.O_RDONLY), lambda: hold_parent(judged), lambda: hold_folder(judged)):
            with pytest.raises(FileRefused) as refused:
                use()
            assert refused.value.kind == "changed_during_approval"
        if replaced_by == "folder":
            workspace.path.rmdir()
        else:
            workspace.path.unlink()
    (tmp_path / "was").rename(workspace.path)
    assert read(open_place(judged, os.O_RDONLY)) == b"mine"


def test_root_has_no_parent_to_be_reached(workspace: Workspace) -> None:
    with pytest.raises(OSError, match="above a root"):
        hold_parent(resolve(".", workspace))
    with hold_folder(resolve(".", workspace)) as held:
        assert held.inode == workspace.root.inode


def test_folder_that_was_moved_no_longer_holds_the_place(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "d").mkdir()
    judged = resolve("d/a", workspace)
    with hold_parent(judged) as parent:
        assert lies_there(judged, parent)
        (workspace.path / "d").rename(tmp_path / "outside" / "d")
        assert not lies_there(judged, parent)
        (workspace.path / "d").symlink_to(tmp_path / "outside" / "d")
        assert not lies_there(judged, parent)


def test_only_folders_that_were_made_are_taken_away_again(workspace: Workspace) -> None:
    (workspace.path / "a").mkdir()
    made = MadeFolders()
    with made.hold_parent(resolve("a/b/c/file", workspace)):
        assert (workspace.path / "a/b/c").is_dir()
    (workspace.path / "a" / "theirs").touch()
    made.remove()
    assert sorted(str(path.relative_to(workspace.path)) for path in workspace.path.rglob("*")) == ["a", "a/theirs"]
