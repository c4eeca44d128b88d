"""Names are swapped or taken in one step, and where that cannot be, nothing is lost either."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

import pytest

from workbench.workspace import renaming
from workbench.workspace.beneath import Folder
from workbench.workspace.renaming import exchange, rename_new

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has its own ways")


@pytest.fixture(params=["in one step", "without the call", "on a file system that cannot"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    def cannot(*_: object) -> int:
        ctypes.set_errno(errno.EINVAL)
        return -1

    if request.param == "in one step" and renaming._syscall() is None:
        pytest.skip("this system has no renameat2")
    if request.param != "in one step":
        monkeypatch.setattr(renaming, "_syscall", lambda: None if request.param == "without the call" else cannot)
    return str(request.param)


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_two_names_are_swapped_or_nothing_happens(way: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    swapped = exchange(Folder.hold(tmp_path), "one", "two")
    assert swapped == (way == "in one step")
    assert texts(tmp_path) == ({"one": "2", "two": "1"} if swapped else {"one": "1", "two": "2"})


def test_name_that_nobody_has_is_taken(way: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    rename_new(Folder.hold(tmp_path), "one", "two")
    assert texts(tmp_path) == {"two": "1"}


def test_name_that_somebody_has_is_left_alone(way: str, tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    (tmp_path / "two").write_text("2")
    (tmp_path / "dangling").symlink_to("nowhere")
    for name in ("two", "dangling"):
        with pytest.raises(FileExistsError):
            rename_new(Folder.hold(tmp_path), "one", name)
    (tmp_path / "dangling").unlink()
    assert texts(tmp_path) == {"one": "1", "two": "2"}


def test_missing_name_is_said(tmp_path: Path) -> None:
    (tmp_path / "one").write_text("1")
    if renaming._syscall() is not None:
        with pytest.raises(FileNotFoundError):
            exchange(Folder.hold(tmp_path), "one", "two")
    with pytest.raises(FileNotFoundError):
        rename_new(Folder.hold(tmp_path), "none", "two")
