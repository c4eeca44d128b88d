"""A database connection whose statements fail when a test says so: the seam by which a bad disk comes in."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from typing_extensions import override

from workbench.store.schema import connect_writer


class Fault:
    """Decides which statement fails.

    Attributes:
        statements: how many were executed since the connection was made.
        fails: is asked before each statement, with its number from 1 and its text.
        error: what is raised then; the disk is full unless a test says otherwise.
    """

    def __init__(self, fails: Callable[[int, str], bool] = lambda _number, _sql: False) -> None:
        self.statements = 0
        self.fails = fails
        self.error = sqlite3.OperationalError("database or disk is full")
        self.error.sqlite_errorcode = sqlite3.SQLITE_FULL

    def connect(self, path: Path) -> sqlite3.Connection:
        """Connect as the store does, through this fault."""
        real = connect_writer(path)
        uri = f"{path.absolute().as_uri()}?mode=rw"
        faulty = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, factory=_Faulty)
        faulty.executescript("PRAGMA synchronous = FULL")
        faulty.fault = self
        real.close()
        return faulty


class _Faulty(sqlite3.Connection):
    fault: Fault | None = None

    @override
    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        """Execute, or fail."""
        if self.fault:
            self.fault.statements += 1
            if self.fault.fails(self.fault.statements, sql):
                raise self.fault.error
        return super().execute(sql, parameters)
