"""Reads the few files of a repository that may be looked at before a person trusts it: regular files inside it, within a size, no link followed.

Nothing is started, and nothing else is opened. All functions block: call them from a worker thread.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class ShippedFile(NamedTuple):
    """A file of a repository.

    Attributes:
        name: its path below the repository's folder, with slashes.
        size_bytes: its size; 0 for what is no regular file.
        content: its bytes; None if it was not read.
        problem: why it was not read: ``link``, ``special``, ``large`` or ``unreadable``; empty if it was.
    """

    name: str
    size_bytes: int = 0
    content: bytes | None = None
    problem: str = ""


def read_shipped(root: Path, name: str, *, limit_bytes: int) -> ShippedFile | None:
    """Return a file below a folder; None if there is none. Links are not followed, in no part of the path.

    Args:
        root: real path of the folder.
        name: path below it, with slashes and without ``..``.
        limit_bytes: a larger file is not read.
    """
    parts = name.split("/")
    seen = [_lstat(root.joinpath(*parts[:number])) for number in range(1, len(parts) + 1)]
    if any(found is not None and stat.S_ISLNK(found.st_mode) for found in seen):
        return ShippedFile(name, problem="link")
    found = seen[-1]
    if found is None:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None if stat.S_ISDIR(found.st_mode) else ShippedFile(name, problem="special")
    if found.st_size > limit_bytes:
        return ShippedFile(name, found.st_size, problem="large")
    return _read(root, parts, found, limit_bytes)


def _read(root: Path, parts: list[str], expected: os.stat_result, limit_bytes: int) -> ShippedFile:
    """Read the very file that was looked at; what took its place meanwhile is not read."""
    name = "/".join(parts)
    try:
        descriptor = _open_below(root, parts)
    except OSError:
        return ShippedFile(name, expected.st_size, problem="unreadable")
    with os.fdopen(descriptor, "rb") as file:
        opened = os.fstat(descriptor)
        if not stat.S_ISREG(opened.st_mode) or not os.path.samestat(opened, expected):
            return ShippedFile(name, problem="special")
        with contextlib.suppress(OSError):
            content = file.read(limit_bytes + 1)
            return ShippedFile(name, len(content), content) if len(content) <= limit_bytes else ShippedFile(name, len(content), problem="large")
    return ShippedFile(name, expected.st_size, problem="unreadable")


def _open_below(root: Path, parts: list[str]) -> int:
    """Open a file folder by folder, so that none of them can become a link on the way; where the system cannot do that, by its path."""
    if os.open not in os.supports_dir_fd:
        return os.open(root.joinpath(*parts), _FLAGS)
    folder = os.open(root, _FLAGS | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(parts[-1], _FLAGS, dir_fd=folder)
    finally:
        os.close(folder)


def walk_shipped(root: Path, folder: str, *, depth: int) -> Iterator[str]:
    """Yield the names of everything but folders below a folder of the repository, sorted; links are named, not followed."""
    place = root.joinpath(*folder.split("/"))
    for above in (root.joinpath(*folder.split("/")[: number + 1]) for number in range(folder.count("/") + 1)):
        found = _lstat(above)
        if found is None or not stat.S_ISDIR(found.st_mode):
            return
    try:
        with os.scandir(place) as entries:
            names = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    except OSError:
        return
    for name, is_folder in names:
        if not is_folder:
            yield f"{folder}/{name}"
        elif depth > 1:
            yield from walk_shipped(root, f"{folder}/{name}", depth=depth - 1)


def stands_there(root: Path, name: str) -> bool:
    """Say whether anything at all stands at a name."""
    return _lstat(root.joinpath(*name.split("/"))) is not None


def _lstat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None
