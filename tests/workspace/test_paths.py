"""A request leads to its real place, inside or outside, and a folder that cannot be a workspace is refused with one sentence."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace
from workbench.errors import FileRefused, WorkspaceError
from workbench.workspace.paths import LINK_LIMIT, open_workspace, resolve


def refused_folder(path: Path, **options: Path) -> str:
    with pytest.raises(WorkspaceError) as caught:
        open_workspace(path, **options)
    text = caught.value.text
    assert str(path) in text
    assert text.endswith(".")
    return caught.value.message_id


def test_folder_that_does_not_exist(tmp_path: Path) -> None:
    assert refused_folder(tmp_path / "none") == "workspace.missing"


def test_file_as_workspace(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    assert refused_folder(tmp_path / "f") == "workspace.not_a_folder"


def test_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", denied)  # modes do not stop root, who may run the tests
    assert refused_folder(tmp_path) == "workspace.unreadable"


def test_home_folder_and_what_holds_it(tmp_path: Path) -> None:
    home = tmp_path / "people" / "me"
    home.mkdir(parents=True)
    assert refused_folder(home, home=home) == "workspace.is_home"
    assert refused_folder(tmp_path / "people", home=home) == "workspace.holds_home"
    (tmp_path / "link").symlink_to(home)
    with pytest.raises(WorkspaceError, match="your home folder"):
        open_workspace(tmp_path / "link", home=home)


def test_data_folder_what_holds_it_and_what_it_holds(tmp_path: Path) -> None:
    data = tmp_path / "share" / "workbench"
    (data / "sessions" / "s1").mkdir(parents=True)
    (data / "sample").mkdir()
    assert refused_folder(data, data_folder=data) == "workspace.is_data"
    assert refused_folder(data / "sessions" / "s1", data_folder=data) == "workspace.is_data"
    assert refused_folder(tmp_path / "share", data_folder=data) == "workspace.holds_data"
    assert open_workspace(data / "sample", data_folder=data).path == data / "sample"


def test_workspace_opened_through_a_link_is_its_real_folder(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (tmp_path / "link").symlink_to(workspace.path)
    linked = open_workspace(tmp_path / "link")
    assert linked.path == workspace.path
    (workspace.path / "a").write_text("")
    assert resolve(str(tmp_path / "link" / "a"), linked).relative == "a"


def test_place_inside_has_its_relative_name(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / "src").mkdir()
    (workspace.path / "src" / "a.py").write_text("x")
    found = resolve("src/./../src//a.py", workspace)
    assert (found.inside, found.relative, found.real, found.is_file) == (True, "src/a.py", workspace.path / "src" / "a.py", True)
    top = resolve("", workspace)
    assert (top.relative, top.is_folder) == (".", True)
    missing = resolve("new/deep/x", workspace)
    assert (missing.relative, missing.exists, missing.dangling) == ("new/deep/x", False, False)


def test_base_folder_is_where_relative_requests_start(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / "sub").mkdir()
    assert resolve("../a", workspace, base=workspace.path / "sub").relative == "a"


def test_folder_replaced_after_opening_is_not_the_workspace(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    workspace.path.rename(tmp_path / "moved")
    with pytest.raises(WorkspaceError, match="no longer there"):
        resolve("a", workspace)
    workspace.path.mkdir()
    with pytest.raises(WorkspaceError, match="not the folder that was opened"):
        resolve("a", workspace)


def test_links_up_to_the_limit_are_followed(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / "l0").write_text("x")
    for number in range(1, LINK_LIMIT + 2):
        (workspace.path / f"l{number}").symlink_to(f"l{number - 1}")
    assert resolve(f"l{LINK_LIMIT}", workspace).relative == "l0"
    with pytest.raises(FileRefused) as caught:
        resolve(f"l{LINK_LIMIT + 1}", workspace)
    assert caught.value.kind == "symlink_loop"


def test_dangling_link_is_told_from_a_missing_file(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / "dead").symlink_to("nowhere")
    (workspace.path / "sub").mkdir()
    (workspace.path / "alive").symlink_to("sub")
    assert resolve("dead", workspace).dangling
    assert not resolve("alive/missing", workspace).dangling


def test_file_with_a_slash_behind_it_is_not_a_folder(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / "a.txt").write_text("")
    for request in ("a.txt/", "a.txt/.", "a.txt/..", "a.txt/x"):
        with pytest.raises(FileRefused) as caught:
            resolve(request, workspace)
        assert caught.value.kind == "not_a_directory"


def test_granted_folder_is_inside_with_its_own_right(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    lib = tmp_path / "outside" / "lib"
    lib.mkdir()
    (lib / "x").write_text("")
    assert not resolve(str(lib / "x"), workspace).inside
    found = resolve(str(lib / "x"), workspace.granting(lib, writable=False))
    assert (found.inside, found.writable, found.relative) == (True, False, "x")
    nested = workspace.granting(tmp_path / "outside", writable=False).granting(lib, writable=True)
    assert resolve(str(lib / "x"), nested).writable


def test_socket_and_device_inside_are_found_but_devices_outside_are_refused(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(workspace.path / "s"))
    found = resolve("s", workspace)
    assert found.exists
    assert not found.is_file
    with pytest.raises(FileRefused) as caught:
        resolve("/dev/null", workspace)
    assert caught.value.kind == "not_regular_file"


def test_undecodable_name_is_followed(tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    (workspace.path / os.fsdecode(b"\xff.txt")).write_text("x")
    assert resolve("\udcff.txt", workspace).is_file
