"""A session's database for reading, from any thread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.errors import StoreError


class Reader:
    """One reading connection behind a lock; its statements are short."""

    def __init__(self, connection: sqlite3.Connection, *, name: str) -> None:
        self._connection = connection
        self._name = name
        self._lock = threading.Lock()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return all rows.

        Raises:
            StoreError: the database cannot be read there.
        """
        with self._lock:
            try:
                return self._connection.execute(sql, values).fetchall()
            except sqlite3.Error as error:
                raise self._unreadable(error) from error

    def copy_to(self, target: Path) -> None:
        """Write the whole database, as it is now, into one new file.

        Raises:
            StoreError: it cannot be read, or the file cannot be written.
        """
        with self._lock:
            try:
                self._connection.execute("VACUUM INTO ?", (str(target),))
            except sqlite3.Error as error:
                raise self._unreadable(error) from error

    def close(self) -> None:
        """Close the connection; may be called twice."""
        with self._lock:
            self._connection.close()

    def _unreadable(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"A part of session {self._name} cannot be read: {error}. The rest can; export the session to keep it.",
            message_id="store.unreadable",
            values={"session": self._name, "reason": str(error)},
        )
