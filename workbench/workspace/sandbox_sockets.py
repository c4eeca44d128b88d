"""The sockets by which other programs of the machine can be reached through the file system: a read-only mount does not stop a connection.

What hides ``/run``, ``/tmp`` and homes hides most of them; some services keep theirs elsewhere (lxd, databases, mail), and one of them
may do anything with the machine for whoever is let in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

SOCKETS_AT_MOST = 300
_TABLE = Path("/proc/net/unix")
_PATH_COLUMN = 7


def listening_sockets(hidden: Sequence[Path], shown: Sequence[Path], roots: Sequence[Path]) -> tuple[Path, ...]:
    """Return the sockets that a held command would see and could reach, from the kernel's table (unix(7)).

    Args:
        hidden: folders that it sees empty.
        shown: what it sees there all the same.
        roots: folders that it may change; sockets there are the project's own.
    """
    try:
        lines = _TABLE.read_text(errors="surrogateescape").splitlines()[1:]
    except OSError:
        return ()
    names = dict.fromkeys(columns[_PATH_COLUMN] for line in lines if len(columns := line.split(None, _PATH_COLUMN)) > _PATH_COLUMN)
    places = dict.fromkeys(Path(os.path.realpath(name)) for name in names if name.startswith("/"))
    found = (place for place in places if _seen(place, hidden, shown) and not _below(place, roots) and _is_reachable(place))
    return tuple(sorted(found))[:SOCKETS_AT_MOST]


def _seen(place: Path, hidden: Sequence[Path], shown: Sequence[Path]) -> bool:
    return not _below(place, hidden) or _below(place, shown)


def _below(place: Path, folders: Sequence[Path]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)


def _is_reachable(place: Path) -> bool:
    """Say whether a socket stands there, and the folders above let this person through without the rights of root, which nobody has inside."""
    try:
        return stat.S_ISSOCK(place.lstat().st_mode) and all(map(_lets_through, place.parents))
    except OSError:
        return False


def _lets_through(folder: Path) -> bool:
    status = folder.stat()
    if status.st_uid == os.geteuid():
        return bool(status.st_mode & stat.S_IXUSR)
    if status.st_gid in {os.getegid(), *os.getgroups()}:
        return bool(status.st_mode & stat.S_IXGRP)
    return bool(status.st_mode & stat.S_IXOTH)
