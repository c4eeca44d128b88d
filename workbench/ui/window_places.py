"""What the palette finds beside commands: the sessions of the folder and its files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from workbench.permissions.visible import visible
from workbench.ui.desk import Desk
from workbench.ui.frame.fuzzy import best_paths
from workbench.ui.kit.matching import fit
from workbench.ui.palette import Hit
from workbench.workspace.walk import list_files

MOST_SEARCHED = 20_000
"""Files that are looked at for one key: a key must not be felt."""


class Places:
    """Finds sessions and files by a few letters; files are listed in the background.

    Args:
        desk: what is open.
        open_session: shows a session by its id.
        mention: names a file in the message.
    """

    def __init__(self, desk: Desk, open_session: Callable[[str], None], mention: Callable[[str], None]) -> None:
        self._desk, self._open_session, self._mention = desk, open_session, mention
        self._folder: Path | None = None
        self._paths: tuple[str, ...] = ()

    def refresh(self) -> None:
        """List the files anew."""
        if self._desk.workspace is not None:
            self._desk.spawn(self._list(self._desk.workspace.path), name="list files")

    def find(self, query: str) -> Sequence[Hit]:
        """Return what fits, sessions first; ``:`` before the letters asks for sessions alone, ``@`` for files."""
        kind, letters = (query[0], query[1:].strip()) if query[:1] in (":", "@") else ("", query)
        sessions = [] if kind == "@" else list(self._sessions(letters))
        return [*sessions, *([] if kind == ":" else self._files(letters))]

    def _sessions(self, letters: str) -> Iterator[Hit]:
        for row in self._desk.sessions:
            title = visible(row.title)
            found = fit(letters, title)
            if found is not None:
                yield Hit(title, partial(self._open_session, row.session_id), "session", "", found.offsets)

    def _files(self, letters: str) -> Iterator[Hit]:
        for found in best_paths(letters, self._paths[:MOST_SEARCHED]):
            yield Hit(visible(found.path), partial(self._mention, found.path), "file", "", ())

    async def _list(self, folder: Path) -> None:
        listing = await list_files(folder)
        if self._desk.workspace is not None and self._desk.workspace.path == folder:
            self._folder, self._paths = folder, listing.paths
