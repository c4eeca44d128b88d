"""The files of the workspace for the completer: listed in the background when they are needed, searched in a thread."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

from workbench.permissions.visible import visible
from workbench.ui.frame.fuzzy import Found, best_paths
from workbench.workspace.walk import list_files

FRESH_S = 10.0
"""Seconds after which the files are listed anew when they are needed."""


class FileFinder:
    """Finds files of one folder by a few letters.

    Attributes:
        folder: the folder; None finds nothing.
    """

    def __init__(self) -> None:
        self.folder: Path | None = None
        self._paths: tuple[str, ...] = ()
        self._listed_at: float | None = None

    def look_in(self, folder: Path | None) -> None:
        """Find files of another folder from now on."""
        if folder != self.folder:
            self.folder, self._paths, self._listed_at = folder, (), None

    def forget(self) -> None:
        """List the files anew when they are needed next."""
        if self._listed_at is not None:
            self._listed_at = -FRESH_S

    async def find(self, query: str) -> tuple[Found, ...]:
        """Return the files that fit best, the best first."""
        await self._list()
        return await asyncio.to_thread(best_paths, query, self._paths)

    async def _list(self) -> None:
        folder, now = self.folder, time.monotonic()
        if folder is None or (self._listed_at is not None and now - self._listed_at < FRESH_S):
            return
        listing = await list_files(folder)
        if folder == self.folder:
            self._paths, self._listed_at = listing.paths, time.monotonic()


def mention(path: str) -> str:
    """Return how a file is named in a message: ``@path``; in quotation marks where blanks or marks would end the name early.

    A name with hidden characters is written as JSON writes it, as the tools show it to the model: what a person reads is what goes out.
    """
    if visible(path) != path:
        return json.dumps(path)
    plain = path.isprintable() and not any(character.isspace() or character in "\"'`“”‘’「」『』,，;；:：" for character in path)
    return f"@{path}" if plain else f'"{path}"' if '"' not in path else json.dumps(path, ensure_ascii=False)
