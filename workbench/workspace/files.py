"""Looking at files: what kind of thing stands at a place, its bytes within a limit, and what this session has seen of it.

Nothing is opened before its kind is known (opening a FIFO blocks for ever); it is opened below the root that holds it, without following
any link, and what was opened is compared with what was judged.
All functions block: call them from a worker thread.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

from workbench.errors import FileRefused
from workbench.workspace.paths import ResolvedPath
from workbench.workspace.reaching import open_place

EDIT_LIMIT_BYTES = 10 * 1024 * 1024
"""Larger files are read page by page but never edited or replaced: their old bytes could not be kept for undo at a bearable price."""

SeenState: TypeAlias = Literal["never", "fresh", "stale"]

NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""A pipe that took a file's name meanwhile must not block whoever opens it."""

_KEPT_FILE_BYTES = 1024 * 1024
_KEPT_TOTAL_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class FileBytes:
    """The whole content of a regular file at one moment.

    Attributes:
        content: all bytes.
        status: `fstat` of the file they came from.
    """

    content: bytes
    status: os.stat_result

    @cached_property
    def sha256(self) -> str:
        """Hash of the content, in hex."""
        return hash_bytes(self.content)


def hash_bytes(content: bytes) -> str:
    """Return the SHA-256 of `content` in hex, the form in which journal, plan and undo name contents."""
    return hashlib.sha256(content).hexdigest()


def check_kind(place: ResolvedPath) -> None:
    """Refuse what is not a regular file, without opening it.

    Raises:
        FileRefused: ``broken_symlink``, ``file_not_found``, ``is_directory`` or ``not_regular_file``.
    """
    if place.status is None:
        if place.dangling:
            text = f"{place.request!r} is a link to {str(place.real)!r}, which does not exist."
            raise FileRefused("broken_symlink", text, "Repair or remove the link, or name another file.")
        raise FileRefused("file_not_found", f"{place.request!r} does not exist.")
    if stat.S_ISDIR(place.status.st_mode):
        raise FileRefused("is_directory", f"{place.request!r} is a folder.", "Name a file in it; read or list shows what it holds.")
    if not stat.S_ISREG(place.status.st_mode):
        raise FileRefused("not_regular_file", f"{place.request!r} is a {_kind_word(place.status.st_mode)}, not a file.", "Only regular files can be used.")


def open_file(place: ResolvedPath) -> BinaryIO:
    """Open the very file that was resolved for reading; the caller closes it.

    Raises:
        FileRefused: kinds of `check_kind`; ``permission_denied``; ``changed_during_approval`` if another file stands there by now.
    """
    check_kind(place)
    assert place.status is not None  # noqa: S101 - check_kind refuses what is missing
    try:
        descriptor = open_place(place, os.O_RDONLY | NO_WAITING)
    except OSError as error:
        raise refusal(place, error) from error
    opened = os.fstat(descriptor)
    if not os.path.samestat(opened, place.status) or not stat.S_ISREG(opened.st_mode):
        os.close(descriptor)
        raise swapped(place)
    return os.fdopen(descriptor, "rb")


def read_file(place: ResolvedPath, *, limit_bytes: int = EDIT_LIMIT_BYTES) -> FileBytes:
    """Read a whole file.

    Raises:
        FileRefused: kinds of `open_file`; ``file_too_large``, judged by its size before anything is read.
    """
    with open_file(place) as file:
        return read_whole(place, file, limit_bytes=limit_bytes)


def read_whole(place: ResolvedPath, file: BinaryIO, *, limit_bytes: int = EDIT_LIMIT_BYTES) -> FileBytes:
    """Read an open file from where it stands to its end.

    Raises:
        FileRefused: ``file_too_large``, judged by its size before anything is read; it cannot be read.
    """
    status = os.fstat(file.fileno())
    if status.st_size > limit_bytes:
        raise too_large(place, status.st_size, limit_bytes)
    try:
        content = file.read(status.st_size + 1)  # not the limit: so much memory would be taken for every file
        if len(content) > status.st_size:
            content += file.read(limit_bytes + 1 - len(content))
    except OSError as error:
        raise refusal(place, error) from error
    if len(content) > limit_bytes:
        raise too_large(place, len(content), limit_bytes)
    return FileBytes(content, status)


def too_large(place: ResolvedPath, size_bytes: int, limit_bytes: int) -> FileRefused:
    """Return the refusal of a file beyond a limit."""
    return FileRefused(
        "file_too_large",
        f"{place.request!r} has {size_text(size_bytes)}; the limit here is {size_text(limit_bytes)}.",
        "Read it page by page with offset and limit, or change it with a command.",
    )


def swapped(place: ResolvedPath) -> FileRefused:
    """Return the refusal of a place where another thing stands than was judged."""
    return FileRefused("changed_during_approval", f"{place.request!r} was replaced by another file meanwhile; nothing was touched.", "Call the tool again.")


def refusal(place: ResolvedPath, error: OSError) -> FileRefused:
    """Return what the system's error at a place means for a tool."""
    name, reason = repr(place.request), error.strerror or str(error)
    match error.errno:
        case errno.ENOENT:
            return FileRefused("file_not_found", f"{name} does not exist any more.")
        case errno.EACCES | errno.EPERM:
            return FileRefused("permission_denied", f"{name} may not be opened with your rights.", "Ask the user to change the file's permissions.")
        case errno.ELOOP | errno.EXDEV | errno.ENXIO:  # by now a link, another place, a socket
            return swapped(place)
        case errno.ENOTDIR:
            return FileRefused("not_a_directory", f"A part of {name} is a file, not a folder.")
        case errno.EISDIR:
            return FileRefused("is_directory", f"{name} is a folder.")
        case errno.ENOSPC | errno.EDQUOT:
            return FileRefused("no_space", f"{name} could not be written: {reason}. The old content is unchanged.", "Tell the user; do not try again.")
        case errno.EROFS:
            return FileRefused("read_only_file", f"{name} lies on a read-only file system.")
        case errno.ENAMETOOLONG:
            return FileRefused("invalid_arguments", f"{name} is longer than this file system allows.")
        case _:
            return FileRefused("permission_denied", f"{name} could not be used: {reason}.")


def size_text(size_bytes: int) -> str:
    """Return a size for people, e.g. ``310 KB``; units of 1024."""
    if size_bytes < 1024:
        return f"{size_bytes} bytes"
    value = float(size_bytes)
    for unit in ("KB", "MB", "GB", "TB"):
        value /= 1024
        if value < 1023.5 or unit == "TB":
            return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"
    raise AssertionError


class SeenFiles:
    """What this session last read or wrote of each file, by content: a touched but equal file is not stale.

    Belongs to the loop's thread. The bytes themselves are kept for small files, oldest forgotten first, so that a refusal can show
    what changed; the hashes are kept for the whole session.
    """

    def __init__(self, hashes: Mapping[str, str] | None = None) -> None:
        self._hashes: dict[str, str] = dict(hashes or {})
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._contents_bytes = 0
        self._encodings: dict[str, str] = {}

    def record(self, real: Path, content: bytes, sha256: str | None = None) -> None:
        """Note that the session knows the file's whole content; give its hash if it was computed already, in a worker thread."""
        self.record_hash(real, sha256 or hash_bytes(content))
        if len(content) <= _KEPT_FILE_BYTES:
            self._keep(str(real), content)

    def record_hash(self, real: Path, sha256: str) -> None:
        """Note the hash of a file whose bytes are not at hand."""
        self._drop(str(real))
        self._hashes[str(real)] = sha256

    def forget(self, real: Path) -> None:
        """Note that the session knows nothing of the file any more (it was deleted or moved)."""
        self._drop(str(real))
        self._hashes.pop(str(real), None)

    def state(self, real: Path, sha256: str) -> SeenState:
        """Compare the file's content now with what the session saw last."""
        known = self._hashes.get(str(real))
        if known is None:
            return "never"
        return "fresh" if known == sha256 else "stale"

    def content(self, real: Path) -> bytes | None:
        """Return the bytes seen last, if they are still at hand."""
        return self._contents.get(str(real))

    def hashes(self) -> dict[str, str]:
        """Return real path to SHA-256 of everything seen, to go on with after a restart."""
        return dict(self._hashes)

    def set_encoding(self, real: Path, codec: str | None) -> None:
        """Take a person's word for a file's encoding; None takes it back."""
        if codec is None:
            self._encodings.pop(str(real), None)
        else:
            self._encodings[str(real)] = codec

    def encoding(self, real: Path) -> str | None:
        """Return the encoding a person set for the file."""
        return self._encodings.get(str(real))

    def _keep(self, real: str, content: bytes) -> None:
        self._contents[real] = content
        self._contents_bytes += len(content)
        while self._contents_bytes > _KEPT_TOTAL_BYTES:
            _, oldest = self._contents.popitem(last=False)
            self._contents_bytes -= len(oldest)

    def _drop(self, real: str) -> None:
        self._contents_bytes -= len(self._contents.pop(real, b""))


def _kind_word(mode: int) -> str:
    if stat.S_ISFIFO(mode):
        return "named pipe"
    if stat.S_ISSOCK(mode):
        return "socket"
    return "device"
