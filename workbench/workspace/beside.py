"""A new file made under a passing name in the folder of the file it is meant for, which then takes that file's name in one step.

What came out under the passing name is looked at: if it is not the file that was to be replaced, both names are given back. Blocking.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from typing import Self

from workbench.workspace.beneath import Folder
from workbench.workspace.in_place import write_all
from workbench.workspace.renaming import exchange, rename_new

_SHARING_RETRIES = 5
_SHARING_DELAY_S = 0.05


class NameTaken(OSError):
    """Another file stood under the name than the one to be replaced; it stands there again."""

    def __init__(self, name: str) -> None:
        super().__init__(errno.ELOOP, "Another file took the name", name)


class FileBeside:
    """The new file; at the end of the ``with`` block its passing name is gone, and what stood under it.

    Args:
        folder: held by the caller for as long as this is used.
        mode: permission bits, before the umask.

    Raises:
        OSError: the folder takes no new file.
    """

    def __init__(self, folder: Folder, mode: int) -> None:
        self._folder = folder
        self._name = f".{secrets.token_hex(8)}.tmp"
        self._kept = False
        self._descriptor = folder.open(self._name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        if not self._kept:
            with contextlib.suppress(OSError):
                os.unlink(self._folder.named(self._name), dir_fd=self._folder.descriptor)

    def take_over_attributes(self, old: int, status: os.stat_result) -> None:
        """Give it owner, group, mode and extended attributes of an open file, as far as the system allows; before it has content."""
        if hasattr(os, "fchown"):
            with contextlib.suppress(OSError):
                os.fchown(self._descriptor, status.st_uid, status.st_gid)
        if hasattr(os, "listxattr"):
            for name in _attribute_names(old):
                with contextlib.suppress(OSError):
                    os.setxattr(self._descriptor, name, os.getxattr(old, name))
        if hasattr(os, "fchmod"):
            os.fchmod(self._descriptor, stat.S_IMODE(status.st_mode))

    def fill(self, content: bytes) -> None:
        """Write its content, durably, and close it."""
        write_all(self._descriptor, content)
        self._close()  # Windows renames no open file

    def become_new(self, name: str) -> None:
        """Take a name that nobody has.

        Raises:
            FileExistsError: somebody has it by now.
        """
        try:
            rename_new(self._folder, self._name, name)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}:
                raise
            self._copy_to(name)

    def become(self, name: str, old: os.stat_result) -> None:
        """Take the name of the file with status `old`, as it was read.

        Raises:
            NameTaken: another file has that name, or it was written to since; all is as before.
            OSError: the name cannot be taken.
        """
        if not exchange(self._folder, self._name, name):
            self._replace(name, old)
            return
        if not _unchanged(self._folder.status(self._name), old):
            self._give_back(name)
            raise NameTaken(name)

    def withdraw(self, name: str) -> None:
        """Undo `become`, as long as the old file stands under the passing name."""
        with contextlib.suppress(OSError):
            self._give_back(name)

    def _give_back(self, name: str) -> None:
        self._kept = True  # what stands under the passing name now is not ours to delete
        exchange(self._folder, self._name, name)
        self._kept = False

    def _replace(self, name: str, old: os.stat_result) -> None:
        """Take the name where two cannot be swapped: look, then rename, with a moment between."""
        if not _unchanged(self._folder.status(name), old):
            raise NameTaken(name)
        for _ in range(_SHARING_RETRIES if os.name == "nt" else 0):  # another program may hold the file for a moment
            with contextlib.suppress(PermissionError):
                self._rename(name)
                return
            time.sleep(_SHARING_DELAY_S)
        self._rename(name)

    def _rename(self, name: str) -> None:
        folder = self._folder
        os.replace(folder.named(self._name), folder.named(name), src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor)
        self._kept = True

    def _copy_to(self, name: str) -> None:
        """Make the file under its own name where a name cannot be taken safely: only for a file system without links."""
        folder = self._folder
        source = folder.open(self._name, os.O_RDONLY)
        with os.fdopen(source, "rb") as made:
            content = made.read()
        descriptor = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            write_all(descriptor, content)
        except OSError:
            os.unlink(folder.named(name), dir_fd=folder.descriptor)
            raise
        finally:
            os.close(descriptor)

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def _unchanged(now: os.stat_result, old: os.stat_result) -> bool:
    """Whether it is the same file with the same bytes; ``st_ctime`` says nothing here, because renaming changes it."""
    return os.path.samestat(now, old) and (now.st_size, now.st_mtime_ns) == (old.st_size, old.st_mtime_ns)


def _attribute_names(descriptor: int) -> list[str]:
    try:
        return os.listxattr(descriptor)
    except OSError:  # a file system without them
        return []
