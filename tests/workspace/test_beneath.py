"""Nothing below a held folder is reached through a link, in either way of opening, and no descriptor is left behind."""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workspace.folders import open_descriptors
from workbench.workspace import beneath
from workbench.workspace.beneath import HOLD, Entry, Folder, best_way

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows opens by name")
READ = os.O_RDONLY | os.O_NONBLOCK
FOLDER = os.O_DIRECTORY


@pytest.fixture(params=["openat2", "steps"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Open in one way, whichever the system would take."""
    if request.param == "openat2" and best_way() != "openat2":
        pytest.skip("this kernel has no openat2")
    monkeypatch.setattr(beneath, "best_way", lambda: request.param)
    return str(request.param)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "top"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_text("inside")
    (folder / "a" / "to_file").symlink_to("b/file")
    (folder / "to_a").symlink_to("a")
    (folder / "out").symlink_to(tmp_path)
    (folder / "self").symlink_to("/proc/self/root")
    (tmp_path / "secret").write_text("outside")
    return folder


def error_of(folder: Folder, relative: str, flags: int = READ) -> str:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the number is compared by the caller
        os.close(folder.open(relative, flags))
    return errno.errorcode[caught.value.errno or 0]


def test_plain_paths_are_opened(way: str, top: Path) -> None:
    folder = Folder.hold(top)
    for relative in ("a/b/file", "a/b", "a", "."):
        descriptor = folder.open(relative, READ)
        assert os.path.samestat(os.fstat(descriptor), (top / relative).stat())
        assert not os.get_inheritable(descriptor)
        os.close(descriptor)


@pytest.mark.parametrize("flags", [READ, HOLD, READ | FOLDER, HOLD | FOLDER, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT | os.O_EXCL])
def test_links_are_never_followed(way: str, top: Path, flags: int) -> None:
    folder = Folder.hold(top)
    for relative in ("to_a/b/file", "out/secret", "self/etc/passwd"):
        assert error_of(folder, relative, flags) == "ELOOP"
    if flags & (os.O_EXCL | FOLDER) == 0:
        for relative in ("a/to_file", "out", "to_a"):
            assert error_of(folder, relative, flags) == "ELOOP"
    assert (top.parent / "secret").read_text() == "outside"


@pytest.mark.parametrize("relative", ["..", "../secret", "a/../../secret", "/etc/passwd", "a//b", "./a", "a/", "", "a/./b", "a\0"])
def test_what_is_no_clean_relative_path_is_refused(way: str, top: Path, relative: str) -> None:
    assert error_of(Folder.hold(top), relative) == "EXDEV"


def test_what_is_not_there_is_said_alike(way: str, top: Path) -> None:
    folder = Folder.hold(top)
    assert [error_of(folder, name) for name in ("none", "a/none/x", "a/b/file/x")] == ["ENOENT", "ENOENT", "ENOTDIR"]
    assert error_of(folder, "a/b/file", HOLD | FOLDER) == "ENOTDIR"


def test_folder_is_used_wherever_it_was_moved(way: str, top: Path) -> None:
    folder = Folder.hold(top / "a")
    stood = folder.stands
    (top / "a").rename(top / "moved")
    (top / "a").symlink_to(top.parent)
    assert (stood, folder.stands) == (True, False)
    assert os.read(folder.open("b/file", READ), 99) == b"inside"
    assert error_of(folder, "secret") == "ENOENT"
    if sys.platform == "linux":
        assert subprocess.run(["/bin/ls"], cwd=folder.place_for_child, capture_output=True, check=True).stdout == b"b\nto_file\n"


def test_link_is_not_taken_for_the_folder_to_hold(top: Path) -> None:
    with pytest.raises(OSError, match="to_a"):
        Folder.hold(top / "to_a")


def test_entries_are_told_by_kind_and_never_through_links(way: str, top: Path) -> None:
    folder = Folder.hold(top)
    os.mkfifo(top / "a" / "pipe")
    found = sorted(folder.scan("a"))
    assert found == [Entry("b", "folder"), Entry("pipe", "other"), Entry("to_file", "link", target="b/file")]
    assert folder.scan("a/b") == [Entry("file", "file", 6)]
    with pytest.raises(OSError, match="ymbolic link"):
        folder.scan("to_a")


def test_status_is_of_regular_files_reached_without_links(way: str, top: Path) -> None:
    folder = Folder.hold(top)
    os.mkfifo(top / "pipe")
    status = folder.file_status("a/b/file")
    assert status is not None
    assert os.path.samestat(status, (top / "a/b/file").stat())
    assert [folder.file_status(name) for name in ("a", "a/to_file", "to_a/b/file", "out/secret", "pipe", "none", "../secret")] == [None] * 7
    assert folder.status("a/to_file").st_ino == (top / "a" / "to_file").lstat().st_ino


def test_no_descriptor_is_left(way: str, top: Path) -> None:
    before = open_descriptors()
    for _ in range(20):
        with Folder.hold(top) as folder:
            folder.scan("a")
            folder.status("a/b/file")
            folder.file_status("a/b/file")
            folder.file_status("a")
            with folder.folder("a/b") as inner:
                inner.status("file")
            for relative in ("to_a/b/file", "a/to_file", "none", "a/b/none", "a/b/file/x", "../x", "a/to_file/x"):
                for flags in (READ, HOLD, READ | FOLDER):
                    error_of(folder, relative, flags)
        folder.close()
        Folder.hold(top)  # nobody keeps it
    assert open_descriptors() == before


def test_kernel_that_is_asked_has_the_call_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """A filter that refuses the call as old container programs do leads to the other way, not to an error."""

    def refused(*_: object) -> int:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(beneath, "_by_openat2", refused)
    beneath._has_openat2.cache_clear()
    try:
        assert best_way() == "steps"
    finally:
        beneath._has_openat2.cache_clear()


@pytest.mark.skipif(best_way() != "openat2", reason="this kernel has no openat2")
def test_renames_at_the_same_moment_are_no_error(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may answer EAGAIN while folders are renamed; it is asked again."""
    real, left = beneath._syscall(), [errno.EAGAIN, errno.EINTR, errno.EAGAIN]

    def often_busy(*arguments: object) -> int:
        if left:
            ctypes.set_errno(left.pop())
            return -1
        return int(real(*arguments))

    monkeypatch.setattr(beneath, "_syscall", lambda: often_busy)
    os.close(Folder.hold(top).open("a/b/file", READ))
    assert left == []
