"""The newest facts of a session that nobody has open here: a cheap look, which takes no lock on its files and leaves nothing behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from workbench.conversation.events import Entry
from workbench.errors import UsageError
from workbench.store.checking import sound_entry
from workbench.store.schema import VERSION, connect_reader, scalar
from workbench.store.session_files import SessionFiles
from workbench.store.sessions import list_sessions


def last_facts(folder: Path, at_most: int) -> tuple[Entry, ...]:
    """Return the last facts of a session in order, those that are sound; none if it cannot be read. Blocking: about 20 µs a fact.

    Args:
        folder: the session's own folder.
        at_most: how many.
    """
    files = SessionFiles(folder)
    if not files.journal.is_file():
        return ()
    try:
        with closing(connect_reader(files.journal, unchanging=not files.wal.exists())) as connection:
            if scalar(connection, "PRAGMA user_version") > VERSION:
                return ()
            rows = connection.execute("SELECT * FROM event ORDER BY seq DESC LIMIT ?", (at_most,)).fetchall()
    except sqlite3.Error:
        return ()
    found = (sound_entry(values) for values in reversed(rows))
    return tuple(entry for entry in found if entry is not None)


def sessions_of(data_folder: Path, workspace: str, *, except_session: str, at_most: int) -> tuple[Path, ...]:
    """Return the folders of a workspace's other sessions, the one used last first; none if they cannot be listed. Blocking."""
    try:
        listed = list_sessions(data_folder)
    except UsageError:
        return ()
    return tuple(one.folder for one in listed if one.workspace == workspace and one.session_id != except_session and one.events)[:at_most]
