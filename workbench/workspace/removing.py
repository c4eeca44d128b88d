"""Take an entry of a folder away: a file, a link (never what it leads to), or a folder with all that is in it, without following links.

All functions block: call them from a worker thread.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat

from workbench.errors import FileRefused
from workbench.workspace.files import refusal, swapped
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.reaching import hold_parent


def remove_entry(entry: ResolvedPath, *, with_content: bool = False) -> None:
    """Remove what `workbench.workspace.paths.resolve_entry` found.

    Args:
        entry: the place, with the status of the entry itself.
        with_content: a folder is removed even if it is not empty.

    Raises:
        FileRefused: ``file_not_found``, ``is_directory`` for a folder with something in it, ``changed_during_approval`` if another entry
            stands there by now, ``permission_denied``. Of a folder a part may be gone already.
    """
    if entry.status is None:
        raise FileRefused("file_not_found", f"{entry.request!r} does not exist.")
    name = entry.real.name
    try:
        with hold_parent(entry) as folder:
            if not os.path.samestat(folder.status(name), entry.status):
                raise swapped(entry)
            path, where = folder.named(name), folder.descriptor
            if not stat.S_ISDIR(entry.status.st_mode):
                os.unlink(path, dir_fd=where)
            elif with_content:
                shutil.rmtree(path, dir_fd=where)  # goes by descriptors where the system has them, and takes links for what they are
            else:
                os.rmdir(path, dir_fd=where)
    except OSError as error:
        if entry.is_folder and error.errno in {errno.ENOTEMPTY, errno.EEXIST}:
            raise FileRefused("is_directory", f"{entry.request!r} is a folder that is not empty.") from error
        raise refusal(entry, error) from error
