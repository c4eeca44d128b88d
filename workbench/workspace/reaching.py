"""From a judged place to the thing itself: everything is reached through the root that holds it, and links are never followed again.

What lies outside all roots, and was allowed by a person, is reached from the root of the disk in the same way. All functions block.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Generator
from pathlib import Path

from workbench.errors import FileRefused
from workbench.workspace.beneath import Folder
from workbench.workspace.paths import ResolvedPath

_FOLDER_MODE = 0o777


def open_place(place: ResolvedPath, flags: int) -> int:
    """Open what stands at a place; the caller closes the descriptor.

    Raises:
        FileRefused: a root is no longer the folder that was opened.
        OSError: ELOOP or EXDEV where the place is by now reached through a link; else as of `os.open`.
    """
    folder, relative = _reached_from(place)
    return folder.open(relative, flags)


def hold_folder(place: ResolvedPath) -> Folder:
    """Take the folder that stands at a place, under the terms of `open_place`."""
    folder, relative = _reached_from(place)
    return folder.folder(relative)


def hold_parent(place: ResolvedPath) -> Folder:
    """Take the folder in which a place lies, under the terms of `open_place`; the root itself has none (EXDEV)."""
    folder, relative = _reached_from(place)
    if relative == ".":
        raise OSError(errno.EXDEV, "The folder above a root is not reached", str(place.real))
    return folder.folder(relative.rpartition("/")[0] or ".")


def lies_there(place: ResolvedPath, parent: Folder) -> bool:
    """Whether the folder held for a place is still the one in which the place lies: nobody moved it away, or put another in its stead."""
    try:
        with hold_parent(place) as now:
            return (now.device, now.inode) == (parent.device, parent.inode)
    except (OSError, FileRefused):
        return False


class MadeFolders:
    """Folders that were made above a new file, outermost first, so that they can be taken away if the file cannot be made."""

    def __init__(self) -> None:
        self._made: list[tuple[Folder, str]] = []

    def hold_parent(self, place: ResolvedPath) -> Folder:
        """Take the folder in which a place lies, making what is missing; terms as of `open_place`."""
        with contextlib.suppress(FileNotFoundError):
            return hold_parent(place)
        root, relative = _reached_from(place)
        here = root.folder(".")
        for name in relative.split("/")[:-1]:
            here = self._enter(here, name)
        return here

    def remove(self) -> None:
        """Take away those that are empty."""
        for folder, name in reversed(self._made):
            with contextlib.suppress(OSError):
                os.rmdir(folder.named(name), dir_fd=folder.descriptor)
        self._made.clear()

    def _enter(self, folder: Folder, name: str) -> Folder:
        with contextlib.suppress(FileNotFoundError):
            return folder.folder(name)
        try:
            os.mkdir(folder.named(name), _FOLDER_MODE, dir_fd=folder.descriptor)
        except FileExistsError:  # made by somebody else at this moment
            pass
        else:
            self._made.append((folder, name))
        return folder.folder(name)


@contextlib.contextmanager
def closing(descriptor: int) -> Generator[int]:
    """Close a descriptor at the end of a ``with`` block."""
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _reached_from(place: ResolvedPath) -> tuple[Folder, str]:
    """Return a held folder and the path below it; a root must still stand where it was opened."""
    root = place.root
    if root is None:
        return Folder.hold(Path(place.real.anchor)), place.real.relative_to(place.real.anchor).as_posix() or "."
    if not root.held.stands:
        text = f"The folder {root.path} is no longer the one that was opened; nothing was touched."
        raise FileRefused("changed_during_approval", text, "Ask the user to open it again.")
    return root.held, place.relative
