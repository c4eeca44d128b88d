"""A folder that is held cannot be renamed, and an open file tells where it really lies. Runs on Windows only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from workbench.workspace import windows_folders

pytestmark = pytest.mark.skipif(sys.platform != "win32", reason="only on Windows; not run so far")


def test_held_folder_cannot_be_renamed(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    handle = windows_folders.keep(tmp_path / "d")
    with pytest.raises(PermissionError):
        (tmp_path / "d").rename(tmp_path / "e")
    windows_folders.let_go(handle)
    (tmp_path / "d").rename(tmp_path / "e")


def test_junction_is_not_taken_for_a_folder_and_a_file_behind_it_is_found_out(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("x")
    subprocess.run(["cmd", "/c", "mklink", "/J", str(tmp_path / "j"), str(tmp_path / "out")], check=True, capture_output=True)
    with pytest.raises(OSError, match="another place"):
        windows_folders.keep(tmp_path / "j")
    descriptor = os.open(tmp_path / "j" / "a", os.O_RDONLY)
    assert not windows_folders.is_at(descriptor, tmp_path / "j" / "a")
    assert windows_folders.is_at(descriptor, tmp_path / "out" / "a")
    os.close(descriptor)
