"""Writing over a file's old bytes, for what a new file of the same name would break: hard links inside, a foreign owner, a closed folder.

Room is reserved first, and a failure puts the old bytes back. Blocking.
"""

from __future__ import annotations

import contextlib
import os

from workbench.workspace.files import NO_WAITING, FileBytes, refusal, swapped
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.reaching import closing, open_place


def write_in_place(place: ResolvedPath, content: bytes, old: FileBytes) -> None:
    """Give a file new bytes under all its names.

    Args:
        place: the file.
        content: all its new bytes.
        old: what it has now; another file, or one with more names by now, is left alone.

    Raises:
        FileRefused: ``changed_during_approval``, ``permission_denied``, ``no_space``; the old content is then unchanged.
    """
    try:
        opened = open_place(place, os.O_RDWR | NO_WAITING)
    except OSError as error:
        raise refusal(place, error) from error
    with closing(opened) as descriptor:
        now = os.fstat(descriptor)
        if not os.path.samestat(now, old.status) or now.st_nlink != old.status.st_nlink:
            raise swapped(place)
        try:
            _reserve(descriptor, len(content), len(old.content))
            _overwrite(descriptor, content)
        except OSError as error:
            with contextlib.suppress(OSError):
                _overwrite(descriptor, old.content)
            raise refusal(place, error) from error


def write_all(descriptor: int, content: bytes) -> None:
    """Write all bytes and make them durable.

    Raises:
        OSError: the disk is full, or fails.
    """
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)


def _reserve(descriptor: int, size_bytes: int, old_size_bytes: int) -> None:
    if size_bytes > old_size_bytes and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, old_size_bytes, size_bytes - old_size_bytes)
        except OSError:
            os.ftruncate(descriptor, old_size_bytes)
            raise


def _overwrite(descriptor: int, content: bytes) -> None:
    os.lseek(descriptor, 0, os.SEEK_SET)
    write_all(descriptor, content)
    os.ftruncate(descriptor, len(content))
    os.fsync(descriptor)
