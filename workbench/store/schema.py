"""The tables of a session's database, their rows with check sums, and the two ways to connect.

SQLite finds missing and zeroed pages but not a flipped bit, so every row carries a CRC-32 over all it says. The check sum starts with the
table's letter: a row that is found without its table (see `salvage`) is only sound as what it was.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from workbench.store.masking import Span

VERSION = 1
APPLICATION_ID = 0x41675762
"""Marks the database as ours for `file` and the like: ``AgWb``."""

PAGE_BYTES = 4096
BUSY_S = 5.0
LONGEST_WAL_BYTES = 8 << 20

PLAIN, DEFLATED = 0, 1
SMALLEST_DEFLATED = 200
SMALL_BELOW_BYTES = 16 << 10
"""Below this size a window of 8 KB is enough; to set up the usual one takes longer than to compress a message (80 against 10 µs)."""
FAST_FROM_BYTES = 256 << 10
"""From this size on compression takes the fast level: a picture must not hold up the request that carries it."""

TABLES = (
    "CREATE TABLE event (seq INTEGER PRIMARY KEY, at REAL NOT NULL, form INTEGER NOT NULL, data BLOB NOT NULL, crc INTEGER NOT NULL)",
    "CREATE TABLE piece (id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL, spans BLOB NOT NULL, form INTEGER NOT NULL, data BLOB NOT NULL, crc INTEGER NOT NULL)",
    (
        "CREATE TABLE chunk (id INTEGER PRIMARY KEY, exchange_id TEXT NOT NULL, at_us INTEGER NOT NULL, "
        "spans BLOB NOT NULL, data BLOB NOT NULL, crc INTEGER NOT NULL)"
    ),
    "CREATE INDEX chunk_exchange ON chunk (exchange_id)",
    "CREATE TABLE response (id INTEGER PRIMARY KEY, exchange_id TEXT NOT NULL UNIQUE, data BLOB NOT NULL, crc INTEGER NOT NULL)",
    "CREATE TABLE summary (id INTEGER PRIMARY KEY, data BLOB NOT NULL, crc INTEGER NOT NULL)",
)

_WRITING = (
    f"page_size = {PAGE_BYTES}",
    "journal_mode = WAL",
    "synchronous = FULL",
    f"journal_size_limit = {LONGEST_WAL_BYTES}",
    "secure_delete = ON",  # else pages that were given back still hold rows, and a salvage would find them
)

_EVENT = struct.Struct("<cqdq")
_NUMBERS = struct.Struct("<cqq")


class EventRow(NamedTuple):
    """A fact: its number, when it was written (seconds since 1970), and its JSON, plain or deflated."""

    seq: int
    at: float
    form: int
    data: bytes

    def crc(self) -> int:
        """Return the check sum."""
        return zlib.crc32(self.data, zlib.crc32(_EVENT.pack(b"e", self.seq, self.at, self.form)))


class PieceRow(NamedTuple):
    """A piece of request bodies: SHA-256 of its bytes, what was masked (JSON, or empty), and the bytes, plain or deflated."""

    id: int
    sha256: bytes
    spans: bytes
    form: int
    data: bytes

    def crc(self) -> int:
        """Return the check sum."""
        return zlib.crc32(self.data, zlib.crc32(self.spans, zlib.crc32(self.sha256, zlib.crc32(_NUMBERS.pack(b"p", self.id, self.form)))))


class ChunkRow(NamedTuple):
    """Bytes of a response that is not complete yet; `at_us` in microseconds after the request was sent."""

    id: int
    exchange_id: str
    at_us: int
    spans: bytes
    data: bytes

    def crc(self) -> int:
        """Return the check sum."""
        return zlib.crc32(self.data, zlib.crc32(self.spans, zlib.crc32(self.exchange_id.encode(), zlib.crc32(_NUMBERS.pack(b"c", self.id, self.at_us)))))


class ResponseRow(NamedTuple):
    """All chunks of a complete response in one deflated blob (see `responses`)."""

    id: int
    exchange_id: str
    data: bytes

    def crc(self) -> int:
        """Return the check sum."""
        return zlib.crc32(self.data, zlib.crc32(self.exchange_id.encode(), zlib.crc32(_NUMBERS.pack(b"r", self.id, 0))))


Row = EventRow | PieceRow | ChunkRow | ResponseRow

INSERTS: dict[type[Row], str] = {
    EventRow: "INSERT INTO event VALUES (?, ?, ?, ?, ?)",
    PieceRow: "INSERT INTO piece VALUES (?, ?, ?, ?, ?, ?)",
    ChunkRow: "INSERT INTO chunk VALUES (?, ?, ?, ?, ?, ?)",
    ResponseRow: "INSERT INTO response VALUES (?, ?, ?, ?)",
}


def insert(connection: sqlite3.Connection, row: Row) -> None:
    """Write a row with its check sum."""
    connection.execute(INSERTS[type(row)], (*row, row.crc()))


def sound_row(values: Sequence[object]) -> Row | None:
    """Return the row that column values, the check sum last, make; None if they are damaged or no row of ours."""
    row: Row
    match values:
        case (int(seq), (float() | int()) as at, int(form), bytes(data), int(crc)):
            row = EventRow(seq, float(at), form, data)
        case (int(number), bytes(sha256), bytes(spans), int(form), bytes(data), int(crc)):
            row = PieceRow(number, sha256, spans, form, data)
        case (int(number), str(exchange_id), int(at_us), bytes(spans), bytes(data), int(crc)):
            row = ChunkRow(number, exchange_id, at_us, spans, data)
        case (int(number), str(exchange_id), bytes(data), int(crc)):
            row = ResponseRow(number, exchange_id, data)
        case _:
            return None
    return row if row.crc() == crc else None


def deflate(data: bytes) -> tuple[int, bytes]:
    """Return the form and the bytes to keep: deflated if that is worth it."""
    if len(data) < SMALLEST_DEFLATED:
        return PLAIN, data
    packed = compress(data)
    return (DEFLATED, packed) if len(packed) < len(data) else (PLAIN, data)


def compress(data: bytes) -> bytes:
    """Return `data` in zlib's format, in the way that suits its size."""
    if len(data) >= FAST_FROM_BYTES:
        return zlib.compress(data, 1)
    if len(data) >= SMALL_BELOW_BYTES:
        return zlib.compress(data, 6)
    compressor = zlib.compressobj(6, zlib.DEFLATED, 13, 6)
    return compressor.compress(data) + compressor.flush()


def inflate(form: int, data: bytes) -> bytes:
    """Return the bytes that `deflate` was given; only for data whose check sum was right."""
    return zlib.decompress(data) if form == DEFLATED else data


def pack_spans(spans: Sequence[Span]) -> bytes:
    """Return spans as JSON; empty if there are none."""
    return msgspec.json.encode(spans) if spans else b""


def unpack_spans(data: bytes) -> tuple[Span, ...]:
    """Return the spans that `pack_spans` was given."""
    return msgspec.json.decode(data, type=tuple[Span, ...]) if data else ()


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables in an empty database, all or none."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def has_our_tables(connection: sqlite3.Connection) -> bool:
    """Say whether the database has exactly our tables: a file from elsewhere could bring triggers or views of those names."""
    statements = [statement for (statement,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
    return sorted(statements) == sorted(TABLES)


def connect_writer(path: Path) -> sqlite3.Connection:
    """Connect for writing to a file that exists; every commit is on the disk when it returns.

    Raises:
        sqlite3.Error: SQLite cannot.
    """
    connection = _connect(path, "rw")
    for setting in _WRITING:
        _set(connection, setting)
    return connection


def connect_reader(path: Path, *, unchanging: bool = False) -> sqlite3.Connection:
    """Connect for reading, also while another process writes.

    Args:
        path: the database.
        unchanging: nobody writes and there is no write-ahead log: no lock is taken and no file made beside it.

    Raises:
        sqlite3.Error: SQLite cannot.
    """
    return _connect(path, "ro&immutable=1" if unchanging else "ro")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=BUSY_S)
    _set(connection, "trusted_schema = OFF")
    return connection


def _set(connection: sqlite3.Connection, setting: str) -> None:
    with closing(connection.execute(f"PRAGMA {setting}")) as answer:
        answer.fetchall()


def scalar(connection: sqlite3.Connection, sql: str, values: Sequence[Any] = ()) -> Any:
    """Return the first column of the first row; None if there is no row."""
    row = connection.execute(sql, values).fetchone()
    return row[0] if row else None
