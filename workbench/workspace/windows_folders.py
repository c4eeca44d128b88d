"""What Windows has instead of folder descriptors: a folder held so that nobody can rename it, and the true path of an open file.

Not tested: no Windows machine was at hand. https://learn.microsoft.com/windows/win32/api/fileapi/ describes the calls.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import ctypes
    import msvcrt
    from ctypes import wintypes

    _LIST_FOLDER = 0x0001
    _SHARE_READ_AND_WRITE = 0x0001 | 0x0002
    """Not FILE_SHARE_DELETE: without it nobody can rename or remove the folder while it is held."""
    _OPEN_EXISTING = 3
    _FOLDERS_TOO, _NOT_THROUGH_LINKS = 0x0200_0000, 0x0020_0000
    _INVALID = wintypes.HANDLE(-1).value
    _PATH_CHARACTERS = 32_768

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateFileW.argtypes = (
        wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, wintypes.LPVOID, wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE,
    )  # fmt: skip
    _kernel.CreateFileW.restype = wintypes.HANDLE
    _kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
    _kernel.GetFinalPathNameByHandleW.argtypes = (wintypes.HANDLE, wintypes.LPWSTR, wintypes.DWORD, wintypes.DWORD)

    def keep(folder: Path) -> int:
        """Hold a folder where it is; return the handle.

        Raises:
            OSError: it cannot be opened, or a link or junction leads to another place than its path says.
        """
        handle = _kernel.CreateFileW(
            str(folder), _LIST_FOLDER, _SHARE_READ_AND_WRITE, None, _OPEN_EXISTING, _FOLDERS_TOO | _NOT_THROUGH_LINKS, None
        )
        if handle == _INVALID:
            raise ctypes.WinError(ctypes.get_last_error())
        if not _same(_final_path(handle), folder):
            let_go(handle)
            raise OSError(40, "A link leads to another place", str(folder))
        return int(handle)

    def let_go(handle: int) -> None:
        """Close a handle that `keep` returned."""
        _kernel.CloseHandle(handle)

    def is_at(descriptor: int, path: Path) -> bool:
        """Whether an open file really lies at `path`, whatever links its name went through."""
        return _same(_final_path(msvcrt.get_osfhandle(descriptor)), path)

    def _final_path(handle: int) -> str:
        text = ctypes.create_unicode_buffer(_PATH_CHARACTERS)
        if not _kernel.GetFinalPathNameByHandleW(handle, text, _PATH_CHARACTERS, 0):
            raise ctypes.WinError(ctypes.get_last_error())
        if text.value.startswith("\\\\?\\UNC\\"):
            return "\\" + text.value[7:]
        return text.value.removeprefix("\\\\?\\")

    def _same(found: str, wanted: Path) -> bool:
        return os.path.normcase(found) == os.path.normcase(str(wanted))

else:

    def keep(folder: Path) -> int:
        """Only for Windows."""
        raise NotImplementedError(folder)

    def let_go(handle: int) -> None:
        """Only for Windows."""
        raise NotImplementedError(handle)

    def is_at(descriptor: int, path: Path) -> bool:
        """Only for Windows."""
        raise NotImplementedError(descriptor, path)
