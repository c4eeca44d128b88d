"""Change a file on disk so that it is either as before or as wanted: a temporary file beside it takes its name, or a careful write in place.

In place is for what a new file would break: hard links, a foreign owner, a folder in which nothing can be made. Modes, extended
attributes and links stay. All functions block: call them from a worker thread.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time
from pathlib import Path

from workbench.errors import FileRefused
from workbench.workspace.files import FileBytes, check_kind, read_file, refusal, swapped
from workbench.workspace.paths import ResolvedPath

NEW_FILE_MODE = 0o666
_ANY_WRITE_BIT = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_SHARING_RETRIES = 5
_SHARING_DELAY_S = 0.05


def check_writable(place: ResolvedPath) -> None:
    """Refuse a file without any write bit: taking its name would get round the bit, also for root.

    Raises:
        FileRefused: ``read_only_file``, or the kinds of `check_kind`.
    """
    check_kind(place)
    if place.status is not None and not place.status.st_mode & _ANY_WRITE_BIT:
        raise FileRefused("read_only_file", f"{place.request!r} is read-only.", "Ask the user to make it writable if it is to be changed.")


def check_creatable(place: ResolvedPath) -> None:
    """Refuse a place where no file can be made because a part of its path is a file.

    Raises:
        FileRefused: ``not_a_directory``, ``is_directory`` for a name that ends like a folder's.
    """
    if place.request.endswith(("/", os.sep)):
        raise FileRefused("is_directory", f"{place.request!r} names a folder.", "Add the file's name.")
    for folder in place.real.parents:
        if folder.exists():
            if not folder.is_dir():
                raise FileRefused("not_a_directory", f"{str(folder)!r} is a file, so nothing can be made below it.")
            return


def create_file(place: ResolvedPath, content: bytes) -> None:
    """Make a new file and the folders it needs; nothing that stands there is ever replaced.

    Raises:
        FileRefused: ``file_exists``, ``not_a_directory``, ``permission_denied``, ``no_space``; then nothing is left behind.
    """
    made = _make_folders(place)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(place.real, flags, NEW_FILE_MODE)
    except FileExistsError:
        raise FileRefused("file_exists", f"{place.request!r} exists by now; nothing was written.", "Read it first.") from None
    except OSError as error:
        _remove_folders(made)
        raise refusal(place, error) from error
    try:
        _fill(descriptor, content)
    except OSError as error:
        _remove(place.real)
        _remove_folders(made)
        raise refusal(place, error) from error
    finally:
        os.close(descriptor)
    _sync_folder(place.real.parent)


def replace_content(place: ResolvedPath, content: bytes, *, base_sha256: str) -> None:
    """Give an existing file new content, if it still has the content the change was made from.

    Args:
        place: the file, with the status it had when it was judged or any later one of the same file.
        content: all its new bytes.
        base_sha256: hash of the bytes it must have at this moment.

    Raises:
        FileRefused: ``changed_during_approval``, ``read_only_file``, ``permission_denied``, ``no_space``, ``file_too_large``; the old
            content is then unchanged.
    """
    check_writable(place)
    now = read_file(place)
    if now.sha256 != base_sha256:
        raise FileRefused("changed_during_approval", f"{place.request!r} was changed meanwhile; nothing was written.", "Read it again, then repeat the change.")
    if _must_stay_in_place(place, now.status):
        _write_in_place(place, content, now)
    else:
        _write_beside(place, content, now)


def _must_stay_in_place(place: ResolvedPath, status: os.stat_result) -> bool:
    foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    return status.st_nlink > 1 or foreign or not os.access(place.real.parent, os.W_OK | os.X_OK)


def _write_beside(place: ResolvedPath, content: bytes, old: FileBytes) -> None:
    temporary = place.real.with_name(f".{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(temporary, flags, 0o600)  # others may read it only once it has the old file's mode
    except PermissionError:
        _write_in_place(place, content, old)
        return
    except OSError as error:
        raise refusal(place, error) from error
    try:
        try:
            _take_over_attributes(descriptor, place.real, old.status)
            _fill(descriptor, content)
        finally:
            os.close(descriptor)  # Windows renames no open file
        _check_still_there(place, old.status)
        _replace(temporary, place.real)
    except OSError as error:
        raise refusal(place, error) from error
    finally:
        _remove(temporary)
    _sync_folder(place.real.parent)


def _write_in_place(place: ResolvedPath, content: bytes, old: FileBytes) -> None:
    """Write over the old bytes; room is reserved first, and a failure puts the old bytes back."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(place.real, flags)
    except OSError as error:
        raise refusal(place, error) from error
    try:
        if not os.path.samestat(os.fstat(descriptor), old.status):
            raise swapped(place)
        _reserve(descriptor, len(content), len(old.content))
        _overwrite(descriptor, content)
    except OSError as error:
        with contextlib.suppress(OSError):
            _overwrite(descriptor, old.content)
        raise refusal(place, error) from error
    finally:
        os.close(descriptor)


def _reserve(descriptor: int, size_bytes: int, old_size_bytes: int) -> None:
    if size_bytes > old_size_bytes and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, old_size_bytes, size_bytes - old_size_bytes)
        except OSError:
            os.ftruncate(descriptor, old_size_bytes)
            raise


def _overwrite(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    _write_all(descriptor, content)
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)


def _fill(descriptor: int, content: bytes) -> None:
    _write_all(descriptor, content)
    os.fsync(descriptor)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _take_over_attributes(descriptor: int, old: Path, status: os.stat_result) -> None:
    """Give the new file the old one's group, mode and extended attributes, before it has content."""
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr"):
        for name in _attribute_names(old):
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(old, name, follow_symlinks=False))
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _attribute_names(path: Path) -> list[str]:
    try:
        return os.listxattr(path, follow_symlinks=False)
    except OSError:  # a file system without them
        return []


def _check_still_there(place: ResolvedPath, status: os.stat_result) -> None:
    if not os.path.samestat(os.lstat(place.real), status):
        raise swapped(place)


def _replace(temporary: Path, target: Path) -> None:
    """Take over the name; on Windows another program may hold the file for a moment."""
    for _ in range(_SHARING_RETRIES if os.name == "nt" else 0):
        with contextlib.suppress(PermissionError):
            temporary.replace(target)
            return
        time.sleep(_SHARING_DELAY_S)
    temporary.replace(target)


def _make_folders(place: ResolvedPath) -> list[Path]:
    """Make the folders that are missing above the place, the outermost first; return them."""
    missing: list[Path] = []
    for folder in place.real.parents:
        if os.path.lexists(folder):
            break
        missing.append(folder)
    made: list[Path] = []
    for folder in reversed(missing):
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        except OSError as error:
            _remove_folders(made)
            raise refusal(place, error) from error
        made.append(folder)
    return made


def _remove_folders(made: list[Path]) -> None:
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a new name durable, where folders can be synchronised."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


