"""A file is as before or as wanted, whatever fails, and keeps its mode, links and other names."""

from __future__ import annotations

import errno
import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.workspace.folders import make_workspace, place
from workbench.errors import FileRefused
from workbench.workspace.beneath import Folder
from workbench.workspace.files import hash_bytes, read_file
from workbench.workspace.paths import ResolvedPath, Workspace, resolve
from workbench.workspace.saving import check_creatable, check_writable, create_file, replace_content
from workbench.workspace.tickets import Ticket


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return make_workspace(tmp_path)


def names(workspace: Workspace) -> list[str]:
    return sorted(str(path.relative_to(workspace.path)) for path in workspace.path.rglob("*"))


def save(found: ResolvedPath, content: bytes, old: bytes) -> None:
    """Write as if the file had been planned as it is now, with the bytes `old`."""
    replace_content(found, content, ticket=replace(Ticket.of(found, read_file(found)), sha256=hash_bytes(old)))


def kind_of(call: object) -> str:
    with pytest.raises(FileRefused) as caught:
        call()  # type: ignore[operator]
    return caught.value.kind


class FullDisk:
    """A disk that takes so many more bytes, then none."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room_bytes: int) -> None:
        self.room_bytes = room_bytes
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)

    def write(self, descriptor: int, content: memoryview) -> int:
        if self.room_bytes <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self._write(descriptor, content[: self.room_bytes])
        self.room_bytes -= written
        return written


def test_new_content_takes_the_name_and_nothing_else_is_left(workspace: Workspace) -> None:
    found = place(workspace, "a", b"old")
    save(found, b"new", b"old")
    assert (found.real.read_bytes(), names(workspace)) == (b"new", ["a"])


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4755, 0o640])
def test_mode_is_kept(workspace: Workspace, mode: int) -> None:
    found = place(workspace, "a", b"old")
    found.real.chmod(mode)
    save(found, b"new", b"old")
    assert found.real.stat().st_mode & 0o7777 == mode


def test_private_file_is_never_readable_by_others_meanwhile(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"old")
    found.real.chmod(0o600)
    modes: list[int] = []
    write = os.write

    def watching(descriptor: int, content: memoryview) -> int:
        modes.append(os.fstat(descriptor).st_mode & 0o077)
        return write(descriptor, content)

    monkeypatch.setattr(os, "write", watching)
    save(found, b"new", b"old")
    assert modes == [0]


def test_name_outside_keeps_the_old_file(workspace: Workspace, tmp_path: Path) -> None:
    found = place(workspace, "a", b"old")
    (workspace.path / "b").hardlink_to(found.real)
    (tmp_path / "outside" / "c").hardlink_to(found.real)
    save(resolve("a", workspace), b"new", b"old")
    assert [found.real.read_bytes(), (workspace.path / "b").read_bytes(), (tmp_path / "outside" / "c").read_bytes()] == [b"new", b"old", b"old"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can own files as somebody else")
def test_file_of_somebody_else_with_a_name_outside_is_not_written_over(workspace: Workspace, tmp_path: Path) -> None:
    found = place(workspace, "a", b"old")
    os.chown(found.real, 12345, 12345)
    (tmp_path / "outside" / "c").hardlink_to(found.real)
    save(resolve("a", workspace), b"new", b"old")
    assert ((tmp_path / "outside" / "c").read_bytes(), found.real.read_bytes(), found.real.stat().st_uid) == (b"old", b"new", 12345)


def closed_to_new_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every folder refuse new files, as one without write permission does for people who are not root."""
    opened = Folder.open

    def refusing(folder: Folder, relative: str, flags: int, mode: int = 0o600) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(folder, relative, flags, mode)

    monkeypatch.setattr(Folder, "open", refusing)


def test_folder_that_takes_no_new_file_is_no_obstacle(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"a longer old content")
    closed_to_new_files(monkeypatch)
    save(found, b"new", b"a longer old content")
    assert found.real.read_bytes() == b"new"
    assert os.path.samestat(found.real.stat(), found.status or found.real.parent.stat())


def test_shared_file_in_a_folder_that_takes_no_new_file_is_refused(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"old")
    (tmp_path / "outside" / "c").hardlink_to(found.real)
    closed_to_new_files(monkeypatch)
    assert kind_of(lambda: save(resolve("a", workspace), b"new", b"old")) == "permission_denied"
    assert (tmp_path / "outside" / "c").read_bytes() == b"old"


def test_both_names_of_a_hard_link_keep_one_file(workspace: Workspace) -> None:
    found = place(workspace, "a", b"a longer old content")
    (workspace.path / "b").hardlink_to(found.real)
    save(resolve("a", workspace), b"new", b"a longer old content")
    assert (workspace.path / "b").read_bytes() == b"new"
    assert (workspace.path / "b").samefile(found.real)


def test_read_only_file_is_refused(workspace: Workspace) -> None:
    found = place(workspace, "a", b"old")
    found.real.chmod(0o444)
    found = resolve("a", workspace)
    assert kind_of(lambda: check_writable(found)) == "read_only_file"
    assert kind_of(lambda: save(found, b"new", b"old")) == "read_only_file"
    assert found.real.read_bytes() == b"old"


def test_changed_content_is_refused(workspace: Workspace) -> None:
    found = place(workspace, "a", b"old")
    found.real.write_bytes(b"theirs, and longer than both")
    assert kind_of(lambda: save(found, b"new", b"old")) == "changed_during_approval"
    assert (found.real.read_bytes(), names(workspace)) == (b"theirs, and longer than both", ["a"])


def test_full_disk_leaves_the_old_content_and_no_leftovers(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    found = place(workspace, "a", b"precious\n" * 100)
    FullDisk(monkeypatch, 100)
    assert kind_of(lambda: save(found, b"new\n" * 200, b"precious\n" * 100)) == "no_space"
    assert (found.real.read_bytes(), names(workspace)) == (b"precious\n" * 100, ["a"])


def test_full_disk_leaves_a_hard_linked_file_as_it_was(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    old = b"precious\n" * 100
    found = place(workspace, "a", old)
    (workspace.path / "b").hardlink_to(found.real)

    def full(*_args: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    assert kind_of(lambda: save(resolve("a", workspace), b"new" * 1000, old)) == "no_space"
    assert found.real.read_bytes() == old


def test_failure_in_the_middle_of_writing_in_place_puts_the_old_bytes_back(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    old = b"precious\n" * 100
    found = place(workspace, "a", old)
    (workspace.path / "b").hardlink_to(found.real)
    write, calls = os.write, iter(["some", "fail"])

    def failing(descriptor: int, content: memoryview) -> int:
        match next(calls, "all"):
            case "some":
                return write(descriptor, content[:7])
            case "fail":
                raise OSError(errno.EIO, "Input/output error")
            case _:
                return write(descriptor, content)

    monkeypatch.setattr(os, "write", failing)
    assert kind_of(lambda: save(resolve("a", workspace), b"new\n" * 200, old)) == "permission_denied"
    assert found.real.read_bytes() == old


def test_new_file_gets_the_usual_mode_and_its_folders(workspace: Workspace) -> None:
    found = resolve("x/y/z.txt", workspace)
    umask = os.umask(0o027)
    try:
        create_file(found, b"new")
    finally:
        os.umask(umask)
    assert (found.real.read_bytes(), found.real.stat().st_mode & 0o777) == (b"new", 0o640)


def test_new_file_never_replaces_one(workspace: Workspace) -> None:
    found = resolve("a", workspace)
    found.real.write_bytes(b"theirs")
    assert kind_of(lambda: create_file(found, b"mine")) == "file_exists"
    found.real.unlink()
    found.real.symlink_to("elsewhere")
    assert kind_of(lambda: create_file(found, b"mine")) == "file_exists"
    assert not (workspace.path / "elsewhere").exists()


def test_failed_new_file_leaves_neither_file_nor_folders(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    (workspace.path / "x").mkdir()
    FullDisk(monkeypatch, 10)
    assert kind_of(lambda: create_file(resolve("x/y/z.txt", workspace), b"n" * 100)) == "no_space"
    assert names(workspace) == ["x"]


def test_only_one_of_many_new_files_wins(workspace: Workspace) -> None:
    found = resolve("deep/a", workspace)
    barrier, outcomes = threading.Barrier(8), list[str]()

    def make(number: int) -> None:
        barrier.wait()
        try:
            create_file(found, str(number).encode())
            outcomes.append(str(number))
        except FileRefused as refused:
            outcomes.append(refused.kind)

    threads = [threading.Thread(target=make, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [outcome for outcome in outcomes if outcome != "file_exists"]
    assert winners == [found.real.read_text()]


def test_place_below_a_file_and_names_of_folders_are_refused(workspace: Workspace) -> None:
    (workspace.path / "a").write_text("")
    (workspace.path / "link").symlink_to("a")
    assert kind_of(lambda: check_creatable(resolve("new/", workspace))) == "is_directory"
    for request in ("a/b", "link/b", "a/b/c"):
        assert kind_of(lambda request=request: check_creatable(resolve(request, workspace))) == "not_a_directory"
    check_creatable(resolve("new/b", workspace))


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="extended attributes can be set on Linux only")
def test_extended_attributes_are_kept(workspace: Workspace) -> None:
    found = place(workspace, "a", b"old")
    try:
        os.setxattr(found.real, "user.note", b"mine")
    except OSError as error:
        pytest.skip(f"this file system has no extended attributes: {error}")
    save(found, b"new", b"old")
    assert os.getxattr(found.real, "user.note") == b"mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can own files as somebody else")
def test_file_of_somebody_else_keeps_its_owner_and_inode(workspace: Workspace) -> None:
    found = place(workspace, "a", b"old")
    os.chown(found.real, 12345, 12345)
    found = resolve("a", workspace)
    assert found.status is not None
    save(found, b"new", b"old")
    after = found.real.stat()
    assert (after.st_uid, after.st_gid, after.st_ino, found.real.read_bytes()) == (12345, 12345, found.status.st_ino, b"new")
