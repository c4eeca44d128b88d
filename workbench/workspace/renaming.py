"""Two ways to give a file a name without ever losing what stands there: swap two names, or take one that nobody has.

Linux has both in one call (renameat2); where system or file system cannot, the caller is told and does the next best.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import sys
from typing import Any

from workbench.workspace.beneath import Folder

_NUMBERS = {"x86_64": 316, "aarch64": 276}
"""renameat2(2) in arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h; called by number because not every
C library wraps it. https://man7.org/linux/man-pages/man2/rename.2.html"""
_NOREPLACE, _EXCHANGE = 1, 2
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP}


def exchange(folder: Folder, one: str, other: str) -> bool:
    """Swap two names of a folder in one step.

    Returns:
        False if this system or file system cannot; nothing has changed then.

    Raises:
        OSError: one of them does not exist, or must not be renamed.
    """
    return _renameat2(folder, one, other, _EXCHANGE)


def rename_new(folder: Folder, old: str, new: str) -> None:
    """Rename within a folder unless the new name exists already.

    Raises:
        FileExistsError: it does.
        OSError: as of `os.rename`; EOPNOTSUPP if there is no way to be sure.
    """
    if os.name == "nt":
        os.rename(folder.named(old), folder.named(new))  # noqa: PTH104 - refuses an existing name there
    elif not _renameat2(folder, old, new, _NOREPLACE):
        os.link(old, new, src_dir_fd=folder.descriptor, dst_dir_fd=folder.descriptor, follow_symlinks=False)
        os.unlink(old, dir_fd=folder.descriptor)


def _renameat2(folder: Folder, old: str, new: str, flag: int) -> bool:
    call = _syscall()
    if call is None or folder.descriptor is None:
        return False
    number = _NUMBERS[platform.machine()]
    if call(number, folder.descriptor, os.fsencode(old), folder.descriptor, os.fsencode(new), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), old, None, new)


@functools.cache
def _syscall() -> Any:
    """Return syscall(2) with the types that renameat2 needs; None where the number is not known."""
    if sys.platform != "linux" or platform.machine() not in _NUMBERS or sys.maxsize < 2**32:
        return None
    call = ctypes.CDLL(None, use_errno=True)["syscall"]
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    call.restype = ctypes.c_long
    return call
