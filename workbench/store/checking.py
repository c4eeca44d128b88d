"""Looks at a session's facts before they are used: every check sum, no gap, nothing missing at the end."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import msgspec

from workbench.conversation.events import Entry, Event
from workbench.errors import SessionCorrupt, StoreError
from workbench.store.schema import VERSION, EventRow, has_our_tables, inflate, scalar, sound_row

_DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_SCHEMA})
_SHORT_READ = 522
"""SQLITE_IOERR_SHORT_READ, which sqlite3 does not name in every version: the file ends inside a page."""


class Gap(NamedTuple):
    """Numbers of facts that cannot be read, both included."""

    first: int
    last: int


@dataclass(frozen=True)
class Damage:
    """What is wrong with a session's file.

    Attributes:
        session: its name.
        sound_until: number of the last fact before the first that cannot be read; 0 if there is none.
        lost: facts that cannot be read, in order; empty if only other parts of the file (bodies, pages) are damaged.
        after: facts behind the first gap that are sound by themselves, in order.
        cause: what SQLite says; empty when its structure is whole.
    """

    session: str
    sound_until: int
    lost: tuple[Gap, ...]
    after: tuple[Entry, ...]
    cause: str = ""

    @property
    def text(self) -> str:
        """One sentence: what cannot be read, and what can be done."""
        what = f"{_listed(self.lost)} cannot be read" if self.lost else f"its file is not whole ({self.cause or 'unknown cause'})"
        if not self.sound_until and not self.after:
            return f"Session {self.session} is damaged: {what}; what is left of it can be exported, but it cannot be continued."
        return f"Session {self.session} is damaged: {what}; the other events can be read and exported, but it cannot be continued."

    def error(self) -> SessionCorrupt:
        """Return the error for those who wanted to write."""
        return SessionCorrupt(self.text, seq=self.sound_until)


class Found(NamedTuple):
    """What a look at a database gave: sound facts by number, and what SQLite says is wrong (empty if nothing)."""

    entries: dict[int, Entry]
    cause: str

    def damage(self, session: str, settled: int) -> Damage | None:
        """Return the damage, if there is any. `settled` is the number that must be there at least."""
        newest = max(settled, *self.entries, 0)
        lost = _gaps(self.entries, newest)
        if not lost and not self.cause:
            return None
        sound_until = lost[0].first - 1 if lost else newest
        after = tuple(self.entries[seq] for seq in sorted(self.entries) if seq > sound_until)
        return Damage(session, sound_until, lost, after, self.cause)

    def in_order(self) -> list[Entry]:
        """Return the facts up to the first gap."""
        entries: list[Entry] = []
        while (seq := len(entries) + 1) in self.entries:
            entries.append(self.entries[seq])
        return entries


def look_at(connection: sqlite3.Connection, session: str, *, thorough: bool) -> Found:
    """Read every fact of a session.

    Args:
        connection: to its database.
        session: its name, for errors.
        thorough: also check the structure of all pages (54 ms for 106 MB).

    Raises:
        StoreError: the database cannot be read for a reason that is not damage, or was written by a newer program.
    """
    entries: dict[int, Entry] = {}
    cause = ""
    try:
        _check_version(connection, session)
        for values in connection.execute("SELECT * FROM event"):
            entry = sound_entry(values)
            if entry:
                entries[entry.seq] = entry
        if thorough:
            cause = _structure(connection)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise cannot_read(session, error) from error
        cause = str(error)
    return Found(entries, cause)


def is_damage(error: sqlite3.Error) -> bool:
    """Say whether an error of SQLite speaks of the file's content, not of locks, rights or the disk."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return code is None or code & 0xFF in _DAMAGE_CODES or code == _SHORT_READ


def cannot_read(session: str, error: sqlite3.Error) -> StoreError:
    """Return the error for a database that SQLite cannot open or read."""
    return StoreError(
        f"Session {session} cannot be read: {error}. Check the permissions of its folder.",
        message_id="store.cannot_read",
        values={"session": session, "reason": str(error)},
    )


def _check_version(connection: sqlite3.Connection, session: str) -> None:
    version = scalar(connection, "PRAGMA user_version")
    if version > VERSION:
        raise StoreError(
            f"Session {session} was written by a newer version of this program; update to open it.",
            message_id="store.newer",
            values={"session": session},
        )
    if not has_our_tables(connection):
        raise sqlite3.DatabaseError("its tables are missing or not those of a session")


def _structure(connection: sqlite3.Connection) -> str:
    answer = scalar(connection, "PRAGMA quick_check(1)")
    return "" if answer == "ok" else " ".join(str(answer).split())


def sound_entry(values: Sequence[object]) -> Entry | None:
    """Return the fact of a row; None if its check sum is wrong or it cannot be read."""
    row = sound_row(values)
    if not isinstance(row, EventRow):
        return None
    try:
        return Entry(row.seq, row.at, _event_decoder().decode(inflate(row.form, row.data)))
    except msgspec.DecodeError:
        return None


@cache
def _event_decoder() -> msgspec.json.Decoder[Event]:
    """Return what reads facts; it learns all their types first, which a new session need not wait for."""
    return msgspec.json.Decoder(Event)


def _gaps(numbers: Iterable[int], newest: int) -> tuple[Gap, ...]:
    gaps: list[Gap] = []
    expected = 1
    for number in [*sorted(number for number in numbers if number >= 1), newest + 1]:
        if number > expected:
            gaps.append(Gap(expected, number - 1))
        expected = max(expected, number + 1)
    return tuple(gaps)


def _listed(gaps: Sequence[Gap]) -> str:
    shown = [str(first) if first == last else f"{first}–{last}" for first, last in gaps[:5]]
    one = len(gaps) == 1 and gaps[0].first == gaps[0].last
    return ("event " if one else "events ") + ", ".join(shown) + (" and more" if len(gaps) > 5 else "")
