"""Opens names below a held folder without following any link: what was judged is what is used, whatever is swapped meanwhile.

A folder is held by a descriptor, not by its name. Linux opens a whole relative path in one call that refuses links and leaving;
elsewhere, and on kernels without that call, one component is entered after the other. Everything here blocks.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import platform
import stat
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, TypeAlias

from workbench.workspace import windows_folders

Way: TypeAlias = Literal["openat2", "steps", "names"]
"""How relative paths are opened: by one system call, component by component, or (Windows) by name, with a look at what was opened."""

EntryKind: TypeAlias = Literal["folder", "file", "link", "other"]

NO_LINK = getattr(os, "O_NOFOLLOW", 0)
CLOSED_FOR_CHILDREN = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
_NO_CONTENT = getattr(os, "O_PATH", 0)
HOLD = _NO_CONTENT or (os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
"""Flag for a descriptor that only stands for its file; where there is none (macOS) it is opened for reading."""

_FOLDER = getattr(os, "O_DIRECTORY", 0)
_OPENAT2 = 437
"""Number of openat2(2): the same in the kernel's tables for x86_64 (arch/x86/entry/syscalls/syscall_64.tbl) and for arm64, which
takes it from include/uapi/asm-generic/unistd.h. https://man7.org/linux/man-pages/man2/openat2.2.html"""
_MACHINES = frozenset({"x86_64", "aarch64"})
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
"""RESOLVE_* of include/uapi/linux/openat2.h."""
_RETRIES = 16
"""openat2 answers EAGAIN when a folder is renamed at that very moment and it cannot tell whether the path still lies below."""


class _OpenHow(ctypes.Structure):
    """``struct open_how`` of include/uapi/linux/openat2.h."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class Entry(NamedTuple):
    """What is in a folder.

    Attributes:
        size_bytes: of a file, else 0.
        target: where a link points, as written in it.
    """

    name: str
    kind: EntryKind
    size_bytes: int = 0
    target: str = ""


class Folder:
    """A folder held open; what lies in it is used through the descriptor, so it does not matter what its name leads to by now.

    Closed by `close`, at the end of a ``with`` block, or when nobody refers to it any more. Names given to its methods are single
    components and never followed if they are links.

    Attributes:
        path: the real path where it stood when it was taken.
        descriptor: stands for the folder; None on Windows, where `path` is used and the folder kept from being renamed.
        device, inode: its identity.
    """

    def __init__(self, path: Path, descriptor: int | None, status: os.stat_result, keeper: int = 0) -> None:
        self.path = path
        self.descriptor = descriptor
        self.device, self.inode = status.st_dev, status.st_ino
        self._keeper = keeper

    @classmethod
    def hold(cls, path: Path) -> Folder:
        """Take a folder by its real path.

        Raises:
            OSError: there is none, it may not be entered, or the last component is a link (ELOOP or ENOTDIR).
        """
        if os.name == "nt":
            keeper = windows_folders.keep(path)
            return cls(path, None, os.lstat(path), keeper)
        descriptor = os.open(path, HOLD | _FOLDER | NO_LINK | CLOSED_FOR_CHILDREN)
        return cls(path, descriptor, os.fstat(descriptor))

    def close(self) -> None:
        """Let go of the folder; a second time does nothing."""
        descriptor, self.descriptor = self.descriptor, None
        keeper, self._keeper = self._keeper, 0
        if descriptor is not None:
            os.close(descriptor)
        if keeper:
            windows_folders.let_go(keeper)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(OSError, AttributeError):
            self.close()

    @property
    def stands(self) -> bool:
        """Whether the path still leads to this very folder."""
        try:
            status = os.lstat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == (self.device, self.inode)

    @property
    def place_for_child(self) -> str:
        """A path to this very folder for a child process to start in: by descriptor where the system can, else by name.

        It is good while this object is open; the child needs it only until it has started.
        """
        if self.descriptor is not None and sys.platform == "linux" and os.path.isdir("/proc/self/fd"):  # noqa: PTH112
            return f"/proc/self/fd/{self.descriptor}"
        return str(self.path)

    # below it

    def open(self, relative: str, flags: int, mode: int = 0o600) -> int:
        """Open what lies below without following a link on the way or at the end; return the descriptor.

        Args:
            relative: with slashes, ``.`` for the folder itself; ``..`` is refused.
            flags: as of `os.open`; that children do not inherit it is added.
            mode: for a new file, before the umask.

        Raises:
            OSError: as of `os.open`; ELOOP where a link stands in the way, EXDEV where the path would leave the folder.
        """
        if os.name == "nt":
            return _open_named(self.path, relative, flags, mode)
        assert self.descriptor is not None, "the folder was closed"  # noqa: S101
        return open_relative(self.descriptor, relative, flags, mode)

    def folder(self, relative: str) -> Folder:
        """Take a folder below, under the same terms as `open`."""
        path = self.path if relative == "." else self.path / relative
        if os.name == "nt":
            _refuse_climbing(relative)
            return Folder.hold(path)
        descriptor = self.open(relative, HOLD | _FOLDER)
        return Folder(path, descriptor, os.fstat(descriptor))

    def status(self, relative: str) -> os.stat_result:
        """Return `lstat` of what lies below; a link is looked at itself only if it is the last component."""
        above, _, name = relative.rpartition("/")
        with self.at(above) as folder:
            return os.stat(folder.named(name), dir_fd=folder.descriptor, follow_symlinks=False)

    def file_status(self, relative: str) -> os.stat_result | None:
        """Return `lstat` of a regular file below; None if there is none, or a link stands on the way to it."""
        try:
            descriptor = self.open(relative, HOLD)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        return status if stat.S_ISREG(status.st_mode) else None

    def scan(self, relative: str = ".") -> list[Entry]:
        """Return what is in a folder below, in no order."""
        if os.name == "nt":
            with self.folder(relative) as folder, os.scandir(folder.path) as found:
                return [_entry(one, None) for one in found]
        descriptor = self.open(relative, os.O_RDONLY | _FOLDER)
        try:
            with os.scandir(descriptor) as found:
                return [_entry(one, descriptor) for one in found]
        finally:
            os.close(descriptor)

    def named(self, name: str) -> str:
        """Return what stands for a name in this folder in a call that also takes `descriptor` as ``dir_fd``."""
        return name if self.descriptor is not None else str(self.path / name)

    @contextlib.contextmanager
    def at(self, above: str) -> Generator[Folder]:
        """Give the folder that `above` names (empty: this one), and close it afterwards if it had to be opened."""
        if not above:
            yield self
            return
        with self.folder(above) as folder:
            yield folder


def best_way() -> Way:
    """Return how this system opens relative paths."""
    if os.name == "nt":
        return "names"
    return "openat2" if _has_openat2() else "steps"


def open_relative(descriptor: int, relative: str, flags: int, mode: int = 0o600) -> int:
    """Open a relative path below a folder's descriptor, as `Folder.open` does (POSIX)."""
    _refuse_climbing(relative)
    if best_way() == "openat2":
        return _by_openat2(descriptor, relative, flags, mode)
    return _by_steps(descriptor, relative, flags, mode)


def _refuse_climbing(relative: str) -> None:
    """Refuse what is no clean relative path; none of these reaches here but by a mistake, and it must not depend on the way."""
    if relative != "." and (not relative or "\0" in relative or any(name in {"", ".", ".."} for name in relative.split("/"))):
        raise OSError(errno.EXDEV, "The path leaves its folder", relative)


@functools.cache
def _syscall() -> Any:
    """Return syscall(2) with the types that openat2 needs."""
    call = ctypes.CDLL(None, use_errno=True)["syscall"]
    call.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(_OpenHow), ctypes.c_size_t)
    call.restype = ctypes.c_long
    return call


@functools.cache
def _has_openat2() -> bool:
    """Whether the kernel has the call (5.6 and later) and no filter forbids it, as old container programs do with EPERM."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES or sys.maxsize < 2**32:
        return False
    try:
        root = os.open("/", HOLD | _FOLDER | CLOSED_FOR_CHILDREN)
    except OSError:
        return False
    try:
        os.close(_by_openat2(root, ".", HOLD | _FOLDER, 0))
    except OSError:
        return False
    finally:
        os.close(root)
    return True


def _by_openat2(descriptor: int, relative: str, flags: int, mode: int) -> int:
    how = _OpenHow(flags | CLOSED_FOR_CHILDREN, mode if flags & os.O_CREAT else 0, _BENEATH | _NO_SYMLINKS | _NO_MAGICLINKS)
    name = os.fsencode(relative)
    for _ in range(_RETRIES):
        opened: int = _syscall()(_OPENAT2, descriptor, name, ctypes.byref(how), ctypes.sizeof(how))
        if opened >= 0:
            return opened
        if (error := ctypes.get_errno()) not in {errno.EAGAIN, errno.EINTR}:
            break
    raise OSError(error, os.strerror(error), relative)


def _by_steps(descriptor: int, relative: str, flags: int, mode: int) -> int:
    *above, last = relative.split("/")
    here = descriptor
    try:
        for name in above:
            inner = _step(here, name, HOLD | _FOLDER, 0)
            if here != descriptor:
                os.close(here)
            here = inner
        return _step(here, last, flags, mode)
    finally:
        if here != descriptor:
            os.close(here)


def _step(folder: int, name: str, flags: int, mode: int) -> int:
    """Open one component; a link is ELOOP, however the system says it."""
    try:
        opened = os.open(name, flags | NO_LINK | CLOSED_FOR_CHILDREN, mode, dir_fd=folder)
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise _link_in_the_way(name) from None
        raise
    if flags & _NO_CONTENT and stat.S_ISLNK(os.fstat(opened).st_mode):
        os.close(opened)  # such a descriptor can stand for the link itself
        raise _link_in_the_way(name)
    return opened


def _link_in_the_way(name: str) -> OSError:
    return OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)


def _open_named(folder: Path, relative: str, flags: int, mode: int) -> int:
    """Open by name (Windows; not tested there): the folders above are kept from being renamed, and what was opened is looked at."""
    _refuse_climbing(relative)
    path = folder if relative == "." else folder / relative
    keeper = windows_folders.keep(path.parent)
    try:
        descriptor = os.open(path, flags | CLOSED_FOR_CHILDREN, mode)
        if not windows_folders.is_at(descriptor, path):
            os.close(descriptor)
            raise _link_in_the_way(relative)
        return descriptor
    finally:
        windows_folders.let_go(keeper)



def _entry(found: os.DirEntry[str], descriptor: int | None) -> Entry:
    """Look at an entry while its folder is open."""
    try:
        if found.is_symlink():
            return Entry(found.name, "link", target=os.readlink(found.path, dir_fd=descriptor))
        if found.is_dir(follow_symlinks=False):
            return Entry(found.name, "folder")
        if found.is_file(follow_symlinks=False):
            return Entry(found.name, "file", found.stat(follow_symlinks=False).st_size)
    except OSError:
        pass  # it went away meanwhile, or may not be looked at
    return Entry(found.name, "other")
