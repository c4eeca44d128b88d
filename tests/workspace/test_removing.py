"""An entry is removed, never what it leads to, and only the one that was meant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace
from workbench.errors import FileRefused
from workbench.workspace.paths import Workspace, resolve_entry
from workbench.workspace.removing import remove_entry


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = make_workspace(tmp_path)
    (tmp_path / "outside" / "d").mkdir()
    (tmp_path / "outside" / "d" / "secret").write_text("SECRET")
    return workspace


def refused(workspace: Workspace, name: str, *, with_content: bool = False) -> str:
    with pytest.raises(FileRefused) as caught:
        remove_entry(resolve_entry(name, workspace), with_content=with_content)
    return caught.value.kind


def test_link_goes_and_its_target_stays(workspace: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "outside" / "d" / "secret"
    for target, with_content in ((secret, False), (secret.parent, True)):
        (workspace.path / "l").symlink_to(target)
        remove_entry(resolve_entry("l", workspace), with_content=with_content)
        assert not os.path.lexists(workspace.path / "l")
    assert secret.read_text() == "SECRET"


def test_folder_goes_with_all_in_it_but_not_what_links_in_it_lead_to(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "d" / "e").mkdir(parents=True)
    (workspace.path / "d" / "e" / "f").write_text("x")
    (workspace.path / "d" / "e" / "o").symlink_to(tmp_path / "outside" / "d")
    (workspace.path / "d" / "s").hardlink_to(tmp_path / "outside" / "d" / "secret")
    assert refused(workspace, "d") == "is_directory"
    remove_entry(resolve_entry("d", workspace), with_content=True)
    assert list(workspace.path.iterdir()) == []
    assert (tmp_path / "outside" / "d" / "secret").read_text() == "SECRET"


def test_entry_behind_a_link_that_leaves_is_outside(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "o").symlink_to(tmp_path / "outside" / "d")
    assert not resolve_entry("o/secret", workspace).inside
    assert resolve_entry("o", workspace).inside


def test_what_took_the_name_meanwhile_stays(workspace: Workspace) -> None:
    (workspace.path / "a").write_text("x")
    entry = resolve_entry("a", workspace)
    (workspace.path / "b").write_text("theirs")
    (workspace.path / "b").rename(workspace.path / "a")
    with pytest.raises(FileRefused, match="another file"):
        remove_entry(entry)
    assert (workspace.path / "a").read_text() == "theirs"


def test_folder_on_the_way_that_became_a_link_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "d").mkdir()
    (workspace.path / "d" / "secret").write_text("x")
    entry = resolve_entry("d/secret", workspace)
    (workspace.path / "d").rename(workspace.path / "e")
    (workspace.path / "d").symlink_to(tmp_path / "outside" / "d")
    with pytest.raises(FileRefused):
        remove_entry(entry)
    assert ((tmp_path / "outside" / "d" / "secret").exists(), (workspace.path / "e" / "secret").exists()) == (True, True)


def test_root_itself_and_what_is_not_there_are_refused(workspace: Workspace) -> None:
    assert refused(workspace, "none") == "file_not_found"
    assert refused(workspace, "none/x") == "path_not_found"
    assert refused(workspace, str(workspace.path), with_content=True) == "changed_during_approval"
    for name in (".", "..", "", "~", "/"):
        with pytest.raises(FileRefused):
            resolve_entry(name, workspace)
    assert workspace.path.is_dir()
