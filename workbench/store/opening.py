"""The steps by which a session's files are opened: lock, look, connect; and what is left to read when they are damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from workbench.conversation.events import Entry, SessionOpened
from workbench.errors import StoreError
from workbench.store.checking import Damage, Found, cannot_read, look_at
from workbench.store.reader import Reader
from workbench.store.salvage import salvage
from workbench.store.schema import connect_reader
from workbench.store.session_files import SessionFiles, unwritable
from workbench.store.session_lock import SessionLock, read_note
from workbench.store.summary import Summary, read_summary

Connect = Callable[[Path], sqlite3.Connection]

_written_here: set[Path] = set()
"""Real folders of the sessions that this process writes; their database must not be read but through SQLite."""


class Look(NamedTuple):
    """What a session's database holds, seen without changing it. `summary` is of the entries up to the first gap."""

    found: Found
    summary: Summary


class Readable(NamedTuple):
    """A session that can be read."""

    reader: Reader
    entries: list[Entry]
    summary: Summary
    damage: Damage | None


def take_lock(files: SessionFiles, on_failure: ExitStack) -> SessionLock:
    """Take the lock of a session, to be given back on failure.

    Raises:
        SessionLocked: somebody else holds it.
        StoreError: the folder cannot be written.
    """
    lock = SessionLock.acquire(files)
    on_failure.callback(lock.release)
    folder = files.folder.resolve()
    _written_here.add(folder)
    on_failure.callback(_written_here.discard, folder)
    return lock


def give_back(files: SessionFiles, lock: SessionLock) -> None:
    """Release the lock of a session."""
    lock.release()
    _written_here.discard(files.folder.resolve())


def connect_for_writing(files: SessionFiles, connect: Connect, on_failure: ExitStack) -> sqlite3.Connection:
    """Connect to a session's database, to be closed on failure.

    Raises:
        StoreError: SQLite cannot.
    """
    try:
        connection = connect(files.journal)
    except sqlite3.Error as error:
        raise unwritable(files, str(error)) from error
    on_failure.callback(connection.close)
    return connection


def connect_for_reading(files: SessionFiles) -> sqlite3.Connection:
    """Connect to a session's database for reading.

    Raises:
        StoreError: SQLite cannot.
    """
    try:
        return connect_reader(files.journal)
    except sqlite3.Error as error:
        raise cannot_read(files.name, error) from error


def look(files: SessionFiles, *, thorough: bool) -> Look:
    """Look at a session.

    Raises:
        StoreError: see `checking.look_at`.
    """
    summary = None
    with closing(connect_for_reading(files)) as connection:
        found = look_at(connection, files.name, thorough=thorough)
        with suppress(sqlite3.Error):
            summary = read_summary(connection)
    return Look(found, _folded(files, summary, found.in_order()))


def open_for_reading(files: SessionFiles) -> Readable:
    """Open a session for reading, damaged or not.

    Raises:
        SessionCorrupt: it is damaged, and this process has it open for writing, so the damaged file cannot be taken apart.
        StoreError: its files cannot be read.
    """
    settled = read_note(files.lock).settled  # before the look: it may only grow
    seen = look(files, thorough=False)
    damage = seen.found.damage(files.name, settled)
    if damage is None:
        return Readable(Reader(connect_for_reading(files), name=files.name), seen.found.in_order(), seen.summary, None)
    if files.folder.resolve() in _written_here:
        raise damage.error()
    connection = _salvaged(files)
    found = Found(look_at(connection, files.name, thorough=False).entries, seen.found.cause)
    damage = found.damage(files.name, settled) or damage
    return Readable(Reader(connection, name=files.name), found.in_order(), _folded(files, seen.summary, found.in_order()), damage)


def exact_damage(files: SessionFiles) -> Damage | None:
    """Return what cannot be read of a session that SQLite, which stops at the first broken page, found damaged.

    Raises:
        StoreError: its files cannot be read.
    """
    readable = open_for_reading(files)
    readable.reader.close()
    return readable.damage


def _salvaged(files: SessionFiles) -> sqlite3.Connection:
    try:
        return salvage(files)
    except (OSError, sqlite3.Error) as error:
        text = f"Session {files.name} is damaged, and its files cannot be read: {error}. Check the permissions of its folder."
        raise StoreError(text, message_id="store.cannot_read", values={"session": files.name, "reason": str(error)}) from error


def _folded(files: SessionFiles, kept: Summary | None, entries: Sequence[Entry]) -> Summary:
    """Return the summary of `entries`; what they do not say comes from the kept one, else the session's folder."""
    session_id = kept.session_id if kept else files.name
    if entries and isinstance(entries[0].event, SessionOpened):
        session_id = entries[0].event.session_id
    if kept and kept.events == len(entries):  # it is of the same facts: both are written in one commit
        return msgspec.structs.replace(kept, session_id=session_id)
    summary = Summary(session_id=session_id, created_at=kept.created_at if kept else 0.0)
    for entry in entries:
        summary = summary.after(entry)
    return summary if entries or not kept else msgspec.structs.replace(summary, updated_at=kept.updated_at)
