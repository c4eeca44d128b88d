"""Which file exactly was approved: a ticket made when a change is planned, which must still hold when it is made.

Place and number of a file are not enough: a file system may give the number of a deleted file to the next one at once. So the
time of the last change of its attributes, its size and its content belong to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from workbench.workspace.files import FileBytes
from workbench.workspace.paths import ResolvedPath


@dataclass(frozen=True, kw_only=True)
class Ticket:
    """One file at one moment, or the fact that nothing stands there.

    Attributes:
        root: device and inode of the root that holds it; zeros outside.
        relative: path below the root with slashes; outside the whole real path.
        sha256: of its content; None = nothing stands there, and what follows is zero.
        device, inode: the file itself.
        changed_ns: when its attributes, names or content last changed (``st_ctime_ns``).
        size_bytes: length.
    """

    root: tuple[int, int]
    relative: str
    sha256: str | None = None
    device: int = 0
    inode: int = 0
    changed_ns: int = 0
    size_bytes: int = 0

    @classmethod
    def of(cls, place: ResolvedPath, file: FileBytes | None) -> Ticket:
        """Make the ticket of a file that was read at a place; None = nothing stands there."""
        root = (0, 0) if place.root is None else (place.root.device, place.root.inode)
        relative = str(place.real) if place.root is None else place.relative
        if file is None:
            return cls(root=root, relative=relative)
        status = file.status
        return cls(
            root=root,
            relative=relative,
            sha256=file.sha256,
            device=status.st_dev,
            inode=status.st_ino,
            changed_ns=status.st_ctime_ns,
            size_bytes=status.st_size,
        )

    @property
    def identity(self) -> str:
        """All of it but path and content, as one line: what a plan's digest needs besides those."""
        if self.sha256 is None:
            return f"{self.root[0]}:{self.root[1]} absent"
        return f"{self.root[0]}:{self.root[1]} {self.device}:{self.inode} {self.changed_ns} {self.size_bytes}"

    def same_file(self, other: Ticket) -> bool:
        """Whether both stand for the same file at the same place, whatever was written to it meanwhile."""
        return (self.root, self.relative, self.device, self.inode) == (other.root, other.relative, other.device, other.inode)
