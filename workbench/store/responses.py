"""Responses: rows of chunks while they stream, one deflated blob when the exchange is closed.

Deltas are not facts of the journal; the raw chunks with their times are all that is kept of a stream, and a replay decodes them again.
"""

from __future__ import annotations

import sqlite3
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import NamedTuple

import msgspec

from workbench.conversation.exchange import Chunk
from workbench.errors import StoreError
from workbench.store.masking import Masks, Span, cut_spans, masked
from workbench.store.reader import Reader
from workbench.store.schema import ChunkRow, ResponseRow, compress, insert, pack_spans, sound_row, unpack_spans
from workbench.store.writer import Job


class _Piece(NamedTuple):
    """A chunk as it is kept: microseconds after the request was sent, its bytes, and what is masked in them."""

    at_us: int
    data: bytes
    spans: tuple[Span, ...] = ()

    def chunk(self) -> Chunk:
        return Chunk(self.at_us / 1e6, self.data)


class _Head(msgspec.Struct):
    """First line of a blob: for each chunk its size and the microseconds since the one before; spans counted in the whole response."""

    sizes: list[int]
    steps_us: list[int]
    spans: list[Span] = []


@dataclass(eq=False)
class _Live:
    """A response of this process until its blob is durable.

    Attributes:
        pieces: all that may be written, each with the number of its row.
        held: behind them, what may end with the beginning of a secret and is not written yet.
        saved: how many of the pieces are durable rows; `saving`: how many are once the running transaction is committed.
        queued: a job that writes the pieces since then is on its way.
        closed: the blob is on its way, so rows are not worth writing any more.
    """

    pieces: list[tuple[int, _Piece]] = field(default_factory=list)
    held: list[_Piece] = field(default_factory=list)
    saved: int = 0
    saving: int = 0
    queued: bool = False
    closed: bool = False


class Responses:
    """Keeps the chunks of responses. May be called from any thread; the chunks of one response come from one.

    Args:
        submit: takes a job for the writer.
        reader: reads what is committed.
    """

    def __init__(self, submit: Callable[[Job], None], reader: Reader, *, name: str) -> None:
        self._submit = submit
        self._reader = reader
        self._name = name
        self._first_id = self._next_id = 1
        self._live: dict[str, _Live] = {}
        self._lock = threading.Lock()

    def load_known(self) -> None:
        """Learn which numbers chunks on the disk have.

        Raises:
            StoreError: the table cannot be read.
        """
        self._first_id = self._next_id = 1 + self._reader.rows("SELECT coalesce(max(id), 0) FROM chunk")[0][0]

    def keep(self, exchange_id: str, chunk: Chunk, masks: Masks) -> None:
        """Keep the next chunk; its time is kept in whole microseconds.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        with self._lock:
            live = self._live.get(exchange_id)
            if live is None or live.closed:
                live = self._live[exchange_id] = _Live()
            live.held.append(_Piece(round(chunk.at_s * 1e6), chunk.data))
            free = len(live.held)
            if masks.longest:
                live.held, free = _mask(live.held, masks)
            self._release(exchange_id, live, free)

    def close(self, exchange_id: str) -> None:
        """Put the chunks of a response that has ended into one blob.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        with self._lock:
            live = self._live.get(exchange_id) or _Live()
            self._release(exchange_id, live, len(live.held))
            live.closed = True
        self._submit(Job(partial(self._pack, exchange_id, live), partial(self._forget, exchange_id, live)))

    def release_all(self) -> None:
        """Write what was held back, because the session is being closed in the middle of a response.

        Raises:
            StoreFailed: an earlier commit failed.
        """
        with self._lock:
            for exchange_id, live in self._live.items():
                self._release(exchange_id, live, len(live.held))

    def chunks(self, exchange_id: str) -> tuple[Chunk, ...]:
        """Return the chunks in order; empty if there are none.

        Raises:
            StoreError: the response is damaged.
        """
        return tuple(piece.chunk() for piece in self._pieces(exchange_id))

    def later_chunks(self, exchange_id: str, count: int) -> tuple[Chunk, ...]:
        """Return the chunks behind the first `count`; of a response that still comes, without those that may yet be masked.

        Raises:
            StoreError: the response is damaged.
        """
        with self._lock:
            live = self._live.get(exchange_id)
            if live:
                return tuple(piece.chunk() for _number, piece in live.pieces[count:])
        return self.chunks(exchange_id)[count:]

    def spans(self, exchange_id: str) -> tuple[Span, ...]:
        """Return where secrets were masked in a response, counted from its first byte.

        Raises:
            StoreError: the response is damaged.
        """
        pieces = self._pieces(exchange_id)
        starts = accumulate((len(piece.data) for piece in pieces), initial=0)
        return tuple(Span(start + span.start, span.length) for start, piece in zip(starts, pieces, strict=False) for span in piece.spans)

    def _release(self, exchange_id: str, live: _Live, count: int) -> None:
        """Hand the first `count` of the held pieces to the writer."""
        live.pieces += enumerate(live.held[:count], start=self._next_id)
        del live.held[:count]
        self._next_id += count
        if count and not live.queued:
            live.queued = True
            self._submit(Job(partial(self._save, exchange_id, live), partial(self._note_saved, live)))

    def _save(self, exchange_id: str, live: _Live, connection: sqlite3.Connection) -> None:
        """Write the pieces that came since the last time; in the writer's thread."""
        with self._lock:
            live.queued = False
            new = [] if live.closed else live.pieces[live.saved :]
            live.saving = live.saved + len(new)
        _insert(connection, exchange_id, new)

    def _note_saved(self, live: _Live) -> None:
        live.saved = live.saving

    def _pack(self, exchange_id: str, live: _Live, connection: sqlite3.Connection) -> None:
        """Replace the rows of a response, also those of an earlier process, by one blob; in the writer's thread."""
        known = connection.execute("SELECT 1 FROM response WHERE exchange_id = ?", (exchange_id,)).fetchone()
        rows = connection.execute("SELECT * FROM chunk WHERE exchange_id = ? AND id < ? ORDER BY id", (exchange_id, self._first_id)).fetchall()
        try:
            pieces = [*map(_from_row, rows), *(piece for _number, piece in live.pieces)]
        except _DamagedRow:
            known = True
        if known:  # the rows stay as they are: what is sound in them can still be read or salvaged
            _insert(connection, exchange_id, live.pieces[live.saved :])
        elif pieces:
            number = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM response").fetchone()[0]
            insert(connection, ResponseRow(number, exchange_id, _packed(pieces)))
            connection.execute("DELETE FROM chunk WHERE exchange_id = ?", (exchange_id,))

    def _forget(self, exchange_id: str, live: _Live) -> None:
        """Drop a response from memory: it can be read from the disk now."""
        with self._lock:
            if self._live.get(exchange_id) is live:
                del self._live[exchange_id]

    def _pieces(self, exchange_id: str) -> list[_Piece]:
        with self._lock:
            live = self._live.get(exchange_id)
            if live:
                return [*(piece for _number, piece in live.pieces), *live.held]
        blobs = self._reader.rows("SELECT * FROM response WHERE exchange_id = ?", (exchange_id,))
        rows = self._reader.rows("SELECT * FROM chunk WHERE exchange_id = ? ORDER BY id", (exchange_id,))
        try:
            return [piece for values in blobs for piece in _unpacked(values)] + [_from_row(values) for values in rows]
        except _DamagedRow as error:
            raise StoreError(
                f"A response of session {self._name} cannot be read: its bytes are damaged. The rest of the session is not concerned.",
                message_id="store.response_damaged",
                values={"session": self._name},
            ) from error


class _DamagedRow(Exception):
    """A row's check sum is wrong."""


def _mask(held: Sequence[_Piece], masks: Masks) -> tuple[list[_Piece], int]:
    """Return the pieces with the secrets in them masked, and how many at the beginning cannot belong to a secret still to come."""
    data = b"".join(piece.data for piece in held)
    spans = masks.spans(data)
    behind = sum(spans[-1]) if spans else 0
    tail = masks.open_tail(data[behind:])
    clean = masked(data, spans)
    pieces: list[_Piece] = []
    start, free = 0, 0
    for piece in held:
        size = len(piece.data)
        pieces.append(_Piece(piece.at_us, clean[start : start + size], (*piece.spans, *cut_spans(spans, start, size))))
        start += size
        if start <= len(data) - tail:
            free = len(pieces)
    return pieces, free


def _insert(connection: sqlite3.Connection, exchange_id: str, pieces: Sequence[tuple[int, _Piece]]) -> None:
    """Write rows of chunks; those that the same transaction has written already stay, as when it is repeated."""
    rows = [ChunkRow(number, exchange_id, piece.at_us, pack_spans(piece.spans), piece.data) for number, piece in pieces]
    connection.executemany("INSERT OR IGNORE INTO chunk VALUES (?, ?, ?, ?, ?, ?)", [(*row, row.crc()) for row in rows])


def _packed(pieces: Sequence[_Piece]) -> bytes:
    starts = accumulate((len(piece.data) for piece in pieces), initial=0)
    head = _Head(
        sizes=[len(piece.data) for piece in pieces],
        steps_us=[later - earlier for earlier, later in pairwise([0, *(piece.at_us for piece in pieces)])],
        spans=[Span(start + span.start, span.length) for start, piece in zip(starts, pieces, strict=False) for span in piece.spans],
    )
    blob = msgspec.json.encode(head) + b"\n" + b"".join(piece.data for piece in pieces)
    return compress(blob)


def _unpacked(values: Sequence[object]) -> list[_Piece]:
    row = sound_row(values)
    if not isinstance(row, ResponseRow):
        raise _DamagedRow
    line, _, data = zlib.decompress(row.data).partition(b"\n")
    head = msgspec.json.decode(line, type=_Head)
    starts = accumulate(head.sizes, initial=0)
    return [
        _Piece(at_us, data[start : start + size], cut_spans(head.spans, start, size) if head.spans else ())
        for start, size, at_us in zip(starts, head.sizes, accumulate(head.steps_us), strict=False)
    ]


def _from_row(values: Sequence[object]) -> _Piece:
    row = sound_row(values)
    if not isinstance(row, ChunkRow):
        raise _DamagedRow
    return _Piece(row.at_us, row.data, unpack_spans(row.spans))
