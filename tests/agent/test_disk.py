"""The real disk as the gate sees it: kinds, links, and nothing opened but small files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.agent.disk import RealDisk


def test_kinds_are_told_apart_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "dangling").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    disk = RealDisk()
    kinds = {name: found.kind for name in ("file", "link", "dangling", "pipe", ".") if (found := disk.lstat(str(tmp_path / name)))}
    assert kinds == {"file": "file", "link": "link", "dangling": "link", "pipe": "other", ".": "folder"}
    assert disk.lstat(str(tmp_path / "nowhere")) is None
    assert disk.lstat(str(tmp_path / "file" / "x")) is None
    assert disk.readlink(str(tmp_path / "link")) == "file"
    assert sorted(disk.listdir(str(tmp_path))) == ["dangling", "file", "link", "pipe"]


def test_what_cannot_be_known_is_an_error(tmp_path: Path) -> None:
    disk = RealDisk()
    with pytest.raises(OSError, match="null"):
        disk.lstat("/a\0b")
    with pytest.raises(OSError, match="too long"):
        disk.lstat("/" + "x" * 300)
    with pytest.raises(OSError, match="No such file"):
        disk.listdir(str(tmp_path / "nowhere"))


def test_only_regular_files_are_read_and_only_their_beginning(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"ab\xffcd")
    os.mkfifo(tmp_path / "pipe")
    disk = RealDisk()
    assert disk.read_text(str(tmp_path / "file"), 4).encode("utf-8", "surrogateescape") == b"ab\xffc"
    with pytest.raises(OSError, match="not a regular file"):
        disk.read_text(str(tmp_path / "pipe"), 4)
