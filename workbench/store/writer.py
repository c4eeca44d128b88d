"""The one thread that writes a session's database, in groups.

Jobs are collected for up to 20 ms and committed together; a barrier (somebody waits until all before it is durable) is committed at
once. If a commit fails the writer is frozen: what was committed stays, everything later is refused, and what could not be saved is
tried once more when the writer is closed, because space may have been made by then.
"""

from __future__ import annotations

import enum
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from workbench.errors import StoreFailed

GROUP_WAIT_S = 0.02
LARGEST_GROUP = 4000

DISK_FULL, DISK_ERROR = "the disk is full", "the disk reports an error"
_REASONS = {sqlite3.SQLITE_FULL: DISK_FULL, sqlite3.SQLITE_IOERR: DISK_ERROR}


class Job(NamedTuple):
    """Something to write. `run` is called in the transaction, again if that had to be repeated; `done` after the commit, both in the thread."""

    run: Callable[[sqlite3.Connection], None]
    done: Callable[[], None] | None = None


class Barrier(NamedTuple):
    """Somebody who waits; `tell` is called in the thread, with None when all before is durable, else with the failure."""

    tell: Callable[[StoreFailed | None], None]


class _Sign(enum.Enum):
    STOP = enum.auto()
    NOTHING = enum.auto()


_Item: TypeAlias = "Job | Barrier | _Sign"


class Writer:
    """Writes jobs in the order they were submitted.

    Attributes:
        failure: why nothing more is taken; None as long as all is well. May be read from any thread.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        name: str,
        before_commit: Callable[[sqlite3.Connection], None] = lambda _connection: None,
        after_commit: Callable[[], None] = lambda: None,
        group_wait_s: float = GROUP_WAIT_S,
    ) -> None:
        self.failure: StoreFailed | None = None
        self._connection = connection
        self._name = name
        self._before_commit = before_commit
        self._after_commit = after_commit
        self._group_wait_s = group_wait_s
        self._queue: queue.SimpleQueue[_Item] = queue.SimpleQueue()
        self._unsaved: list[Job] = []
        self._told = False
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=f"store {name}", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Take a job; returns at once.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        self._require_open()
        self._queue.put(job)

    def barrier(self, tell: Callable[[StoreFailed | None], None]) -> None:
        """Have `tell` called as soon as all that was submitted before is durable, or cannot be.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        self._require_open()
        self._queue.put(Barrier(tell))

    def flush(self) -> None:
        """Wait until all that was submitted before is durable. Blocking.

        Raises:
            StoreFailed: it cannot be.
        """
        told: queue.SimpleQueue[StoreFailed | None] = queue.SimpleQueue()
        self.barrier(told.put)
        failure = told.get()
        if failure:
            raise failure

    def close(self) -> None:
        """Commit what is left, move the log into the database, and close the connection. Blocking; may be called twice.

        Raises:
            StoreFailed: the last facts could not be saved and nobody has been told so before; all is closed nevertheless.
        """
        if self._closed:
            return
        self._closed = True
        self._queue.put(_Sign.STOP)
        self._thread.join()
        if self.failure and self._unsaved and not self._told:
            raise self._copied(self.failure)

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError("this store is closed")
        if self.failure:
            raise self._copied(self.failure)

    def _copied(self, failure: StoreFailed) -> StoreFailed:
        """Return the failure as a new exception: one object raised in several places would collect their tracebacks."""
        self._told = True
        return StoreFailed(failure.text, message_id=failure.message_id, values=failure.values)

    def _work(self) -> None:
        try:
            while self._round():
                pass
        finally:
            self._end()

    def _round(self) -> bool:
        """Handle one group; say whether to go on."""
        jobs, barriers, stop = self._gather()
        try:
            if self.failure:
                self._unsaved += jobs
            else:
                self._save(jobs)
            if stop and self._unsaved:
                self._save(self._unsaved)
        finally:
            self._tell(barriers)
        return not stop

    def _gather(self) -> tuple[list[Job], list[Barrier], bool]:
        jobs: list[Job] = []
        barriers: list[Barrier] = []
        item: _Item = self._queue.get()
        until = time.monotonic() + self._group_wait_s
        while True:
            match item:
                case Job():
                    jobs.append(item)
                case Barrier():
                    barriers.append(item)
                case _Sign.STOP:
                    return jobs, barriers, True
                case _Sign.NOTHING:
                    return jobs, barriers, False
            item = _Sign.NOTHING if len(jobs) >= LARGEST_GROUP else self._next(0.0 if barriers else until - time.monotonic())

    def _next(self, wait_s: float) -> _Item:
        try:
            return self._queue.get(timeout=wait_s) if wait_s > 0 else self._queue.get_nowait()
        except queue.Empty:
            return _Sign.NOTHING

    def _save(self, jobs: list[Job]) -> None:
        """Commit `jobs`, or freeze."""
        if not jobs:
            return
        self._unsaved = jobs
        try:
            self._transact(jobs)
            self._unsaved = []
        except sqlite3.Error as error:
            self._freeze(error)
        finally:
            if self._unsaved and not self.failure:
                self._freeze_unexpectedly()
        if not self._unsaved:
            self._after(jobs)

    def _after(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            if job.done:
                job.done()
        self._after_commit()

    def _transact(self, jobs: Iterable[Job]) -> None:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for job in jobs:
                job.run(self._connection)
            self._before_commit(self._connection)
            self._connection.execute("COMMIT")
        finally:
            if self._connection.in_transaction:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")

    def _freeze(self, error: sqlite3.Error) -> None:
        code = getattr(error, "sqlite_errorcode", None)
        reason = _REASONS.get(code & 0xFF, str(error)) if code is not None else str(error)
        self.failure = StoreFailed(
            f"Session {self._name} is not being saved any more: {reason}. What was done until then is kept; make space or mend the disk, then open it again.",
            message_id="store.failed",
            values={"session": self._name, "reason": reason},
        )

    def _freeze_unexpectedly(self) -> None:
        self._freeze(sqlite3.InterfaceError("the writing thread came to an unexpected end"))

    def _tell(self, barriers: Iterable[Barrier]) -> None:
        for barrier in barriers:
            barrier.tell(self._copied(self.failure) if self.failure else None)

    def _end(self) -> None:
        """Close the connection, and leave nobody waiting, whatever ended the thread."""
        left = list(iter(lambda: self._next(0), _Sign.NOTHING))
        if not self.failure and (not self._closed or any(isinstance(item, Job) for item in left)):
            self._freeze_unexpectedly()
        with suppress(sqlite3.Error):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        with suppress(sqlite3.Error):
            self._connection.close()
        self._tell(item for item in left if isinstance(item, Barrier))
