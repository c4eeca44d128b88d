"""The values that are known to be secret in one workspace: the program's keys, and what the workspace's secret files keep.

They are looked up so that they can be taken out of what tools show; nothing is done with them, and nothing of them is written down.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from workbench.permissions.names import is_secret
from workbench.redaction.redactor import Redactor
from workbench.redaction.secret_files import is_secret_value, secret_values

LARGEST_FILE_BYTES = 256 * 1024
MOST_ENTRIES = 20_000
MOST_VALUES = 500
DEEPEST = 6
LOOK_EVERY_S = 2.0
_HINT = re.compile(
    r"env|rc|credential|pgpass|cnf|passw|cfg|token|authinfo|id_|pem|key|p12|pfx|kdbx|jks|ppk|secring|config|[^ -~]", re.IGNORECASE
)
"""What every name has that `is_secret` may mean: it looks much more closely, which for every file of a large tree would take a second."""

_PASSED_OVER = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target", ".tox", ".mypy_cache", ".hg"})


class KnownSecrets:
    """Knows the secrets of a workspace. `refresh` blocks and may be called from any thread; the rest is cheap.

    Values stay known when their file changes or goes: the history of the repository still has them.

    Args:
        folders: the workspace's roots.
        keys: gives the program's own keys known at that moment.
        clock: seconds, for looking not more often than every `LOOK_EVERY_S`.
    """

    def __init__(self, folders: Sequence[Path], keys: Callable[[], Collection[str]] = tuple, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._folders = tuple(folders)
        self._keys = keys
        self._clock = clock
        self._values: dict[str, str] = {}
        self._seen: dict[str, tuple[int, int]] = {}
        self._looked_at: float | None = None
        self._lock = threading.Lock()

    def named(self) -> dict[str, str]:
        """Return every known value with the name it is called by."""
        return {**self._values, **dict.fromkeys(self._keys(), "key")}

    def learn(self, variables: Mapping[str, str]) -> None:
        """Take the variables that a person lets commands see: their values are shown no more than those of files."""
        new = {value: name for name, value in variables.items() if is_secret_value(name, value)}
        with self._lock:
            self._values = {**new, **self._values}

    def values(self) -> tuple[str, ...]:
        """Return every known value, for what is kept of the session."""
        return tuple(self.named())

    def redactor(self) -> Redactor:
        """Return what takes these values, and whatever looks like a secret, out of text."""
        return Redactor(self.named, refresh=self.refresh, is_secret_file=is_secret)

    def refresh(self, again: bool = False) -> None:
        """Read the secret files that are new or changed; does nothing if that was done a moment ago, unless `again`."""
        with self._lock:
            now = self._clock()
            if not again and self._looked_at is not None and now - self._looked_at < LOOK_EVERY_S:
                return
            found = dict(self._values)
            for folder in self._folders:
                for path in _secret_files(folder):
                    found = {**self._new_values(path), **found}
            self._values = dict(list(found.items())[:MOST_VALUES])
            self._looked_at = self._clock()

    def _new_values(self, path: str) -> dict[str, str]:
        try:
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0))
        except OSError:
            return {}
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            version = (status.st_mtime_ns, status.st_size)
            if not stat.S_ISREG(status.st_mode) or status.st_size > LARGEST_FILE_BYTES or self._seen.get(path) == version:
                return {}
            self._seen[path] = version
            try:
                return secret_values(file.read(LARGEST_FILE_BYTES).decode("utf-8", "replace"))
            except OSError:  # a broken disk must not keep the tools from working
                return {}


class SecretWatch:
    """Knows the secrets of all workspaces that were opened, for what is written of the whole program: logs, exports, the terminal.

    Args:
        keys: gives the program's own keys known at that moment.
    """

    def __init__(self, keys: Callable[[], Collection[str]]) -> None:
        self._keys = keys
        self._known: dict[tuple[Path, ...], KnownSecrets] = {}

    async def known(self, folders: Sequence[Path]) -> KnownSecrets:
        """Return the secrets of a workspace with these roots, looked up now."""
        known = self._known.setdefault(tuple(folders), KnownSecrets(folders, self._keys))
        await asyncio.to_thread(known.refresh)
        return known

    def values(self) -> tuple[str, ...]:
        """Return every value known now."""
        return tuple({*self._keys(), *(value for known in self._known.values() for value in known.values())})


def _secret_files(folder: Path) -> Iterator[str]:
    """Yield the files that hold secrets by their name, near ones first; a huge tree is not walked to its end."""
    level, entries = [(str(folder), False)], 0
    for _depth in range(DEEPEST):
        below: list[tuple[str, bool]] = []
        for place, hidden in level:
            listed = _entries(place)
            entries += len(listed)
            if entries > MOST_ENTRIES:
                return
            for entry in listed:
                if entry.is_dir(follow_symlinks=False):
                    below += [(entry.path, hidden or is_secret(f"{entry.name}/x"))] if entry.name not in _PASSED_OVER else []
                elif hidden or (_HINT.search(entry.name) and is_secret(entry.name)):
                    yield entry.path
        level = below


def _entries(place: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError:
        return []
