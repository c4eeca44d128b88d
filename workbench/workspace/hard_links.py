"""Whether all names of a file (hard links) lie in the root that it is changed in.

If so, a change keeps them one file. If not, the name is given to a new file: a shared file outside, such as a package store's, must
never change through a name inside.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from itertools import islice

from workbench.workspace.beneath import Folder
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.reaching import closing

_FOLDER = getattr(os, "O_DIRECTORY", 0)
ENTRIES_AT_MOST = 100_000
"""So many entries of the root are looked at; a name that was not found by then counts as outside."""


def all_names_inside(place: ResolvedPath, status: os.stat_result) -> bool:
    """Count a file's names below its root, without following links. Blocking.

    Args:
        place: the file; outside all roots nothing is looked for.
        status: of the file, as it is now.
    """
    if status.st_nlink <= 1:
        return True
    if place.root is None or os.name == "nt":
        return False
    names = islice(_names(place, status), status.st_nlink)
    return len(list(names)) == status.st_nlink


def _names(place: ResolvedPath, wanted: os.stat_result) -> Iterator[str]:
    """Yield the paths below the root that are names of the file, near ones first."""
    assert place.root is not None  # noqa: S101 - asked before
    held, looked_at = place.root.held, 0
    waiting, seen = [".", place.relative.rpartition("/")[0] or "."], set[str]()
    while waiting:
        folder = waiting.pop()
        if folder in seen:
            continue
        seen.add(folder)
        for name, is_folder, is_wanted in _look(held, folder, wanted):
            looked_at += 1
            if looked_at > ENTRIES_AT_MOST:
                return
            path = name if folder == "." else f"{folder}/{name}"
            if is_folder:
                waiting.append(path)
            elif is_wanted:
                yield path


def _look(held: Folder, relative: str, wanted: os.stat_result) -> Iterator[tuple[str, bool, bool]]:
    """Yield each entry's name, whether it is a folder, and whether it is a name of the file; a folder that cannot be read has none."""
    with contextlib.suppress(OSError), closing(held.open(relative, os.O_RDONLY | _FOLDER)) as descriptor, os.scandir(descriptor) as entries:
        for entry in entries:
            same = entry.inode() == wanted.st_ino and _is_name(entry.name, descriptor, wanted)
            yield entry.name, entry.is_dir(follow_symlinks=False), same


def _is_name(name: str, folder: int, wanted: os.stat_result) -> bool:
    found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return stat.S_ISREG(found.st_mode) and os.path.samestat(found, wanted)
