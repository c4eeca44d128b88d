"""A judged place is reached through its root alone, also where the root or a folder on the way is no longer what it was."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.errors import FileRefused
from workbench.workspace import beneath, renaming
from workbench.workspace.files import read_file
from workbench.workspace.paths import Workspace, resolve
from workbench.workspace.reaching import MadeFolders, hold_folder, hold_parent, lies_there, open_place
from workbench.workspace.saving import create_file, replace_content
from workbench.workspace.tickets import Ticket


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


@pytest.mark.skipif(os.name == "nt" or renaming._syscall() is None, reason="only where names can be swapped")
@pytest.mark.parametrize("way", ["openat2", "steps"])
def test_folder_that_is_swapped_all_the_time_never_leads_out(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """Somebody exchanges a folder for a link to the outside as fast as they can, while files in it are read, changed and made."""
    if way == "steps":
        monkeypatch.setattr(beneath, "best_way", lambda: "steps")
    inside, outside, done = workspace.path / "d", tmp_path / "outside", threading.Event()
    inside.mkdir()
    (inside / "f").write_bytes(b"inside 0")
    (outside / "f").write_bytes(b"SECRET")

    (workspace.path / "l").symlink_to(outside)

    def swap() -> None:
        while not done.is_set():
            renaming.exchange(workspace.root.held, "d", "l")
            renaming.exchange(workspace.root.held, "d", "l")

    swapper = threading.Thread(target=swap)
    swapper.start()
    made = 0
    try:
        for number in range(400):
            with contextlib.suppress(FileRefused):
                found = resolve("d/f", workspace)
                file = read_file(found)
                assert not found.inside or file.content.startswith(b"inside")
                if found.inside and number % 8 == 0:
                    replace_content(found, b"inside %d" % number, ticket=Ticket.of(found, file))
            with contextlib.suppress(FileRefused):
                new = resolve(f"d/new{number}", workspace)
                if new.inside and number % 8 == 0:
                    create_file(new, b"x")
                    made += 1
    finally:
        done.set()
        swapper.join()
    assert [path.name for path in outside.iterdir()] == ["f"]
    assert (outside / "f").read_bytes() == b"SECRET"
    assert (inside / "f").read_bytes().startswith(b"inside")
    assert [path.name for path in inside.iterdir() if path.name.endswith(".tmp")] == []
    assert len([path for path in inside.iterdir() if path.name.startswith("new")]) == made
