"""Change a file on disk so that it is either as before or as wanted, if it still is the very file that the change was made from.

As a rule a new file takes the name; the old bytes are written over only where a new file would break something and no name of the file
lies outside. Modes, extended attributes and links stay. All functions block: call them from a worker thread.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Generator

from workbench.errors import FileRefused
from workbench.workspace.beneath import Folder
from workbench.workspace.beside import FileBeside, NameTaken
from workbench.workspace.files import NO_WAITING, FileBytes, check_kind, read_whole, refusal, swapped
from workbench.workspace.hard_links import all_names_inside
from workbench.workspace.in_place import write_in_place
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.reaching import MadeFolders, hold_parent, lies_there, open_place
from workbench.workspace.tickets import Ticket

NEW_FILE_MODE = 0o666
_ANY_WRITE_BIT = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_UNTIL_IT_HAS_THE_OLD_MODE = 0o600
_NO_NEW_FILE_HERE = {errno.EACCES, errno.EPERM}


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
        FileRefused: ``file_exists``, ``not_a_directory``, ``permission_denied``, ``no_space``, ``changed_during_approval`` if a folder
            on the way is a link by now; then nothing is left behind.
    """
    made = MadeFolders()
    try:
        with made.hold_parent(place) as folder:
            _refuse_existing(folder, place)
            with FileBeside(folder, NEW_FILE_MODE) as new:
                new.fill(content)
                _refuse_moved(place, folder)
                new.become_new(place.real.name)
            _sync(folder)
    except FileExistsError:
        made.remove()
        raise FileRefused("file_exists", f"{place.request!r} exists by now; nothing was written.", "Read it first.") from None
    except OSError as error:
        made.remove()
        raise refusal(place, error) from error
    except FileRefused:
        made.remove()
        raise


def replace_content(place: ResolvedPath, content: bytes, *, ticket: Ticket) -> None:
    """Give an existing file new content, if it still is the file that the change was made from.

    Args:
        place: the file, with the status it had when it was judged or any later one of the same file.
        content: all its new bytes.
        ticket: which file it must be at this moment, with which bytes.

    Raises:
        FileRefused: ``changed_during_approval``, ``read_only_file``, ``permission_denied``, ``no_space``, ``file_too_large``; the old
            content is then unchanged.
    """
    check_writable(place)
    with _opened(place) as (folder, descriptor, old):
        if Ticket.of(place, old) != ticket:
            text = f"{place.request!r} was changed meanwhile; nothing was written."
            raise FileRefused("changed_during_approval", text, "Read it again, then repeat the change.")
        if _is_better_written_over(folder, place, old.status):
            _refuse_moved(place, folder)
            write_in_place(place, content, old)
            return
        try:
            _replace(place, folder, descriptor, old, content)
        except OSError as error:
            if not _may_be_written_over(error, old.status):
                raise refusal(place, error) from error
            write_in_place(place, content, old)


def _replace(place: ResolvedPath, folder: Folder, descriptor: int, old: FileBytes, content: bytes) -> None:
    """Let a new file take the name.

    Raises:
        OSError: nothing was changed.
        FileRefused: ``changed_during_approval``; nothing was changed.
    """
    with FileBeside(folder, _UNTIL_IT_HAS_THE_OLD_MODE) as new:
        new.take_over_attributes(descriptor, old.status)
        new.fill(content)
        _refuse_moved(place, folder)
        try:
            new.become(place.real.name, old.status)
        except (NameTaken, FileNotFoundError) as error:
            raise swapped(place) from error
        if not lies_there(place, folder):
            new.withdraw(place.real.name)
            raise swapped(place)
    _sync(folder)


@contextlib.contextmanager
def _opened(place: ResolvedPath) -> Generator[tuple[Folder, int, FileBytes]]:
    """Give the folder of a file, held, a descriptor for reading the file, and all its bytes."""
    try:
        folder = hold_parent(place)
        descriptor = open_place(place, os.O_RDONLY | NO_WAITING)
    except OSError as error:
        raise refusal(place, error) from error
    with folder, os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise swapped(place)
        old = read_whole(place, file)
        if os.name == "nt":
            file.close()  # Windows renames nothing over an open file; its attributes are not taken over there
        yield folder, descriptor, old


def _is_better_written_over(folder: Folder, place: ResolvedPath, status: os.stat_result) -> bool:
    """Whether a new file would part names, or take the file from its owner; never if one of its names lies outside."""
    if status.st_nlink > 1:
        return all_names_inside(place, status)
    foreign = hasattr(os, "geteuid") and status.st_uid != os.geteuid()
    return foreign or not os.access(folder.named("."), os.W_OK | os.X_OK, dir_fd=folder.descriptor)


def _may_be_written_over(error: OSError, status: os.stat_result) -> bool:
    """Whether the folder takes no new file, or the name is a mount point, and the file has no other name that would change too."""
    return status.st_nlink == 1 and error.errno in _NO_NEW_FILE_HERE | {errno.EBUSY}


def _refuse_existing(folder: Folder, place: ResolvedPath) -> None:
    try:
        folder.status(place.real.name)
    except FileNotFoundError:
        return
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(place.real))


def _refuse_moved(place: ResolvedPath, folder: Folder) -> None:
    if not lies_there(place, folder):
        raise swapped(place)


def _sync(folder: Folder) -> None:
    """Make a new name durable, where folders can be synchronised."""
    if folder.descriptor is None:
        return
    with contextlib.suppress(OSError):
        descriptor = folder.open(".", os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
