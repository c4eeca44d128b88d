"""A file's names are counted in its root only; whatever cannot be counted lies outside."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.workspace import hard_links
from workbench.workspace.hard_links import all_names_inside
from workbench.workspace.paths import Workspace, resolve

pytestmark = pytest.mark.skipif(os.name != "posix", reason="names are counted on POSIX only")


def inside(workspace: Workspace, name: str = "d/a") -> bool:
    found = resolve(name, workspace)
    assert found.status is not None
    return all_names_inside(found, found.status)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = make_workspace(tmp_path)
    (workspace.path / "d").mkdir()
    place(workspace, "d/a", b"x")
    return workspace


def test_single_name_is_inside(workspace: Workspace) -> None:
    assert inside(workspace)


def test_names_anywhere_in_the_root_are_found(workspace: Workspace) -> None:
    (workspace.path / "e" / "f").mkdir(parents=True)
    for name in ("d/b", "e/f/c", "top"):
        (workspace.path / name).hardlink_to(workspace.path / "d" / "a")
        assert inside(workspace)


def test_one_name_outside_is_enough(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "d" / "b").hardlink_to(workspace.path / "d" / "a")
    (tmp_path / "outside" / "c").hardlink_to(workspace.path / "d" / "a")
    assert not inside(workspace)


def test_name_behind_a_link_does_not_count(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside" / "c").hardlink_to(workspace.path / "d" / "a")
    (workspace.path / "out").symlink_to(tmp_path / "outside")
    (workspace.path / "c").symlink_to(tmp_path / "outside" / "c")
    assert not inside(workspace)


def test_search_ends_and_then_counts_as_outside(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace.path / "b").hardlink_to(workspace.path / "d" / "a")
    monkeypatch.setattr(hard_links, "ENTRIES_AT_MOST", 1)
    assert not inside(workspace)


def test_file_outside_all_roots_is_not_searched_for(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "outside" / "a").write_text("x")
    (tmp_path / "outside" / "b").hardlink_to(tmp_path / "outside" / "a")
    assert not inside(workspace, str(tmp_path / "outside" / "a"))
