"""The real disk, as the gate may look at it."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence

from workbench.permissions.disk import Kind, Stat

_JUNCTION = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", -1)


class RealDisk:
    """A `Disk` over the system's files. Looks only; nothing is opened but by `read_text`."""

    def lstat(self, path: str) -> Stat | None:
        """Return what stands at `path` itself; None if nothing does."""
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError as error:
            raise OSError(errno.EINVAL, str(error)) from error
        return Stat(_kind(status), status.st_size, status.st_dev, status.st_ino)

    def readlink(self, path: str) -> str:
        """Return the text of a link."""
        return os.readlink(path)  # noqa: PTH115 - text in, text out: names that are not UTF-8 stay exact

    def listdir(self, path: str) -> Sequence[str]:
        """Return the names in a folder."""
        return os.listdir(path)  # noqa: PTH208

    def read_text(self, path: str, limit_bytes: int) -> str:
        """Return the beginning of a file; a FIFO or device is not opened."""
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(limit_bytes).decode("utf-8", "surrogateescape")


def _kind(status: os.stat_result) -> Kind:
    if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        return "link"
    if stat.S_ISDIR(status.st_mode):
        return "folder"
    return "file" if stat.S_ISREG(status.st_mode) else "other"
