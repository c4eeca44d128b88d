"""One session's folder as the program uses it: sink of the journal, keeper of exchanges, store of old file contents."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from workbench.conversation.events import Entry, ExchangeClosed
from workbench.conversation.exchange import BodyRef, Chunk
from workbench.conversation.values import json_bytes
from workbench.errors import StoreFailed
from workbench.store.bodies import Bodies
from workbench.store.exporting import export_session
from workbench.store.masking import Masks, MaskSource, Span
from workbench.store.objects import Objects
from workbench.store.opening import Connect, Readable, connect_for_reading, connect_for_writing, exact_damage, give_back, look, open_for_reading, take_lock
from workbench.store.reader import Reader
from workbench.store.responses import Responses
from workbench.store.schema import EventRow, connect_writer, create_tables, deflate, insert
from workbench.store.session_files import SessionFiles, unwritable
from workbench.store.session_lock import SessionLock
from workbench.store.summary import Summary, write_summary
from workbench.store.writer import Job, Writer

Secrets = Callable[[], Collection[str]]


def _no_secrets() -> Collection[str]:
    return ()


class SessionStore:
    """The files of one session, for one writer or for reading. Made by `create` and `open`.

    `write`, `settled`, `keep_chunk` are called on the loop's thread; `keep_body`, `body`, `chunks`, `put`, `get` and `export` from any.
    `body`, `chunks`, `put`, `get`, `entries`, `export`, `close` read or write files: off the loop for large sessions.

    Attributes:
        session_id: the session's id.
        folder: its folder.
        outputs: folder for whole outputs; exists when the session is open for writing.
        damage: what is wrong with the file; always None when it is open for writing.
    """

    def __init__(self, files: SessionFiles, readable: Readable) -> None:
        self.session_id = readable.summary.session_id
        self.folder = files.folder
        self.outputs = files.outputs
        self.damage = readable.damage
        self._files = files
        self._reader = readable.reader
        self._found = readable.entries
        self._summary = readable.summary
        self._last_seq = self._committed = len(readable.entries)
        self._objects = Objects(files.objects)
        self._bodies = Bodies(self._submit, readable.reader, name=files.name)
        self._responses = Responses(self._submit, readable.reader, name=files.name)
        self._masks = MaskSource(_no_secrets)
        self._writer: Writer | None = None
        self._lock: SessionLock | None = None
        self._unwritten_summary: tuple[Summary, Masks] | None = None
        self._closing = threading.Lock()

    @classmethod
    def create(cls, folder: Path, session_id: str, *, secrets: Secrets = _no_secrets, connect: Connect = connect_writer) -> SessionStore:
        """Make a new session in `folder` and open it for writing.

        Args:
            folder: the session's own folder, usually ``sessions/<session_id>`` of the data folder; made if missing.
            session_id: see `sessions.new_session_id`.
            secrets: gives the secrets known at that moment; they are masked in all that is kept but old file contents.
            connect: opens the database; by it tests bring in a disk that fails.

        Raises:
            StoreError: there is a session already, or the folder cannot be written.
        """
        files = SessionFiles(folder)
        files.make()
        with ExitStack() as on_failure:
            on_failure.callback(files.discard)
            lock = take_lock(files, on_failure)
            lock.note(0)
            connection = connect_for_writing(files, connect, on_failure)
            now = time.time()
            summary = Summary(session_id=session_id, created_at=now, updated_at=now)
            try:
                create_tables(connection)
                write_summary(connection, summary, Masks())
            except sqlite3.Error as error:
                raise unwritable(files, str(error)) from error
            return cls._for_writing(files, summary, [], lock, connection, secrets, on_failure)

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False, secrets: Secrets = _no_secrets, connect: Connect = connect_writer) -> SessionStore:
        """Open a session that exists.

        Args:
            folder: the session's own folder.
            read_only: read only, also while another process writes or when the file is damaged (see `damage`).
            secrets: as for `create`.
            connect: as for `create`.

        Raises:
            SessionLocked: another process writes it.
            SessionCorrupt: it is damaged and cannot be written; its `seq` is the last fact before the damage.
            StoreError: there is no session, or its files cannot be used.
        """
        files = SessionFiles(folder)
        files.require()
        if read_only:
            return cls(files, open_for_reading(files))
        with ExitStack() as on_failure:
            lock = take_lock(files, on_failure)
            found, summary = look(files, thorough=True)
            damage = found.damage(files.name, lock.settled)
            if damage is None:
                connection = connect_for_writing(files, connect, on_failure)
                return cls._for_writing(files, summary, found.in_order(), lock, connection, secrets, on_failure)
        raise (exact_damage(files) or damage).error()

    @classmethod
    def _for_writing(
        cls,
        files: SessionFiles,
        summary: Summary,
        entries: list[Entry],
        lock: SessionLock,
        connection: sqlite3.Connection,
        secrets: Secrets,
        on_failure: ExitStack,
    ) -> SessionStore:
        reader = Reader(connect_for_reading(files), name=files.name)
        on_failure.callback(reader.close)
        store = cls(files, Readable(reader, entries, summary, None))
        store._bodies.load_known()
        store._responses.load_known()
        store._masks = MaskSource(secrets)
        store._lock = lock
        store._writer = Writer(connection, name=files.name, before_commit=store._write_summary, after_commit=store._note_committed)
        on_failure.pop_all()
        return store

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written."""
        return self._writer is None

    @property
    def last_seq(self) -> int:
        """Number of the newest fact that was taken."""
        return self._last_seq

    @property
    def failure(self) -> StoreFailed | None:
        """Why nothing more is saved; None as long as all is well. May be read from any thread."""
        return self._writer.failure if self._writer else None

    def entries(self) -> list[Entry]:
        """Return the facts that are sound, in order and without a gap, as they were when the session was opened."""
        return list(self._found)

    def all_entries(self) -> list[Entry]:
        """Return the facts of `entries` and, when the session is damaged, those behind the damage: in order, with gaps."""
        return [*self._found, *(self.damage.after if self.damage else ())]

    def write(self, entry: Entry) -> None:
        """Take the next fact; returns at once.

        Raises:
            StoreFailed: an earlier commit failed; nothing more is taken.
        """
        if entry.seq != self._last_seq + 1:
            raise ValueError(f"fact {entry.seq} cannot follow {self._last_seq}")
        data = json_bytes(entry.event)
        summary = self._summary.after(entry)
        if isinstance(entry.event, ExchangeClosed):
            self._responses.close(entry.event.exchange_id)
        self._submit(Job(partial(self._insert_event, entry.seq, entry.at, data, self._masks.current(), summary), partial(self._count, entry.seq)))
        self._last_seq, self._summary = entry.seq, summary

    async def settled(self, seq: int) -> None:
        """Return when the fact `seq` and all before it are durable. Cancelling only stops the waiting.

        Raises:
            StoreFailed: it is not durable and will not be.
        """
        if seq <= self._committed:
            return
        if seq > self._last_seq:
            raise ValueError(f"fact {seq} was never written; the last is {self._last_seq}")
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        self._require_writer().barrier(partial(_tell, loop, future))
        await future

    def keep_body(self, pieces: Sequence[bytes]) -> BodyRef:
        """Keep a request body given in pieces, of which equal ones are stored once.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        return self._bodies.keep(pieces, self._masks.current())

    def body(self, ref: BodyRef) -> bytes:
        """Return the exact bytes of a kept body (with secrets masked if the reference says that it is not exact).

        Raises:
            StoreError: a piece is missing or damaged.
        """
        return self._bodies.body(ref)

    def body_spans(self, ref: BodyRef) -> tuple[Span, ...]:
        """Return where secrets were masked in a body.

        Raises:
            StoreError: the pieces cannot be read.
        """
        return self._bodies.spans(ref)

    def keep_chunk(self, exchange_id: str, chunk: Chunk) -> None:
        """Keep the next bytes of a response.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        self._responses.keep(exchange_id, chunk, self._masks.current())

    def chunks(self, exchange_id: str) -> Sequence[Chunk]:
        """Return a response's bytes in order, times in whole microseconds; empty if there are none.

        Raises:
            StoreError: they are damaged.
        """
        return self._responses.chunks(exchange_id)

    def later_chunks(self, exchange_id: str, count: int) -> Sequence[Chunk]:
        """Return a response's bytes behind the first `count` chunks: cheap while it comes, so that it can be followed.

        Chunks in which the beginning of a secret may stand are left out until more has come.

        Raises:
            StoreError: they are damaged.
        """
        return self._responses.later_chunks(exchange_id, count)

    def response_spans(self, exchange_id: str) -> tuple[Span, ...]:
        """Return where secrets were masked in a response, counted from its first byte; empty when it is exact.

        Raises:
            StoreError: the response is damaged.
        """
        return self._responses.spans(exchange_id)

    def put(self, content: bytes) -> str:
        """Keep a file's content, return its SHA-256 in hex; durable when it returns.

        Raises:
            StoreError: it cannot be written.
        """
        return self._objects.put(content)

    def get(self, sha256: str) -> bytes:
        """Return a kept content.

        Raises:
            KeyError: nothing is kept under that hash.
            StoreError: it is damaged.
        """
        return self._objects.get(sha256)

    def export(self, target: Path) -> None:
        """Write the session as one ZIP archive, from which it can be opened again after unpacking.

        Raises:
            StoreError: it cannot be read, or the archive not be written.
        """
        if self._writer and not self._writer.failure:
            self._writer.flush()
        export_session(self._files, self._reader, target, damage=self.damage)

    async def aclose(self) -> None:
        """Commit what is left and release everything. If cancelled, that goes on in its thread.

        Raises:
            StoreFailed: the last facts could not be saved and nobody has been told so before.
        """
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Commit what is left, move the log into the database, release the lock. Blocking; may be called twice.

        Raises:
            StoreFailed: the last facts could not be saved and nobody has been told so before; all is released nevertheless.
        """
        with self._closing:
            try:
                with suppress(StoreFailed, RuntimeError):
                    self._responses.release_all()
                self._reader.close()
                if self._writer:
                    self._writer.close()
            finally:
                self._release()

    def _release(self) -> None:
        if self._lock:
            give_back(self._files, self._lock)
            self._lock = None

    def _submit(self, job: Job) -> None:
        self._require_writer().submit(job)

    def _require_writer(self) -> Writer:
        if self._writer is None:
            raise RuntimeError("this session was opened for reading")
        return self._writer

    def _insert_event(self, seq: int, at: float, data: bytes, masks: Masks, summary: Summary, connection: sqlite3.Connection) -> None:
        form, packed = deflate(masks.json(data))
        insert(connection, EventRow(seq, at, form, packed))
        self._unwritten_summary = summary, masks

    def _count(self, seq: int) -> None:
        self._committed = seq

    def _write_summary(self, connection: sqlite3.Connection) -> None:
        if self._unwritten_summary:
            write_summary(connection, *self._unwritten_summary)

    def _note_committed(self) -> None:
        self._unwritten_summary = None
        if self._lock and self._lock.settled != self._committed:
            self._lock.note(self._committed)


def _tell(loop: asyncio.AbstractEventLoop, future: asyncio.Future[None], failure: StoreFailed | None) -> None:
    """Answer a waiting future from the writer's thread; its loop may be gone by then."""

    def answer() -> None:
        if future.done():
            return
        if failure:
            future.set_exception(failure)
        else:
            future.set_result(None)

    with suppress(RuntimeError):
        loop.call_soon_threadsafe(answer)
