"""The little that a decision may ask of the disk, as a protocol: kinds, links and names, and the content of a few files. Nothing else is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

Kind: TypeAlias = Literal["file", "folder", "link", "other"]


class Stat(NamedTuple):
    """What stands at a place, links not followed. `device` and `inode` tell whether two names are one file."""

    kind: Kind
    size_bytes: int = 0
    device: int = 0
    inode: int = 0

    @property
    def identity(self) -> str:
        """What tells it from everything else on this machine while it is there; empty where the disk does not say."""
        return f"{self.device}:{self.inode}" if self.inode else ""


class Disk(Protocol):
    """Looks without touching. Paths are absolute, with the system's separator. All methods may block for a moment: call from a worker thread."""

    def lstat(self, path: str) -> Stat | None:
        """Return what stands at `path` itself; None if nothing does.

        Raises:
            OSError: it cannot be known (a folder on the way may not be entered, the name is too long, …).
        """
        ...

    def readlink(self, path: str) -> str:
        """Return the text of a link.

        Raises:
            OSError: no link stands there, or it cannot be read.
        """
        ...

    def listdir(self, path: str) -> Sequence[str]:
        """Return the names in a folder, in any order.

        Raises:
            OSError: no folder stands there, or it cannot be listed.
        """
        ...

    def read_text(self, path: str, limit_bytes: int) -> str:
        """Return the beginning of a file, such as a repository's configuration or index; bytes that are no UTF-8 become lone surrogates.

        Raises:
            OSError: no regular file stands there, or it cannot be read.
        """
        ...
