"""Reads the rows of a damaged database without SQLite: every page that can hold rows is taken apart, every check sum decides.

SQLite stops at the first broken page on its way, and reads nothing if the first page is gone. Rows lie in leaf pages that can be
understood one by one (https://www.sqlite.org/fileformat2.html, sections 1.6, 2.1 and 4.1), and ours say by themselves whether they are sound.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from workbench.store.schema import PAGE_BYTES, Row, create_tables, insert, sound_row
from workbench.store.session_files import SessionFiles

LEAF = 0x0D
FILE_HEADER_BYTES = 100
WAL_HEADER_BYTES = 32
FRAME_HEADER_BYTES = 24
_WAL_MAGIC = (0x377F0682, 0x377F0683)

_LARGEST_LOCAL = PAGE_BYTES - 35
_SMALLEST_LOCAL = (PAGE_BYTES - 12) * 32 // 255 - 23
_INTEGER_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

_Pages = Mapping[int, bytes]


class _Image(NamedTuple):
    """One version of a page."""

    number: int
    data: bytes


def salvage(files: SessionFiles) -> sqlite3.Connection:
    """Return a temporary database with all sound rows of a session's files. The files stay as they are.

    Only for sessions that this process does not hold open: see `session_files`.

    Raises:
        OSError: the files cannot be read.
    """
    main, wal = files.journal.read_bytes(), files.wal.read_bytes() if files.wal.exists() else b""
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    create_tables(connection)
    connection.execute("BEGIN")
    for row in sound_rows(main, wal):
        insert(connection, row)
    connection.execute("DELETE FROM chunk WHERE exchange_id IN (SELECT exchange_id FROM response)")  # versions from before they were packed
    connection.execute("COMMIT")
    return connection


def sound_rows(main: bytes, wal: bytes) -> Iterator[Row]:
    """Yield each row once whose check sum is right, from a database file and its write-ahead log."""
    base = {image.number: image.data for image in _main_images(main)}
    frames = list(_frames(wal))
    newest = base | {image.number: image.data for image in frames}
    seen: set[tuple[type[Row], int]] = set()
    for images, pages in (
        ((_Image(number, data) for number, data in newest.items()), newest),
        (_main_images(main), base),
        (iter(frames), newest),
    ):
        for image in images:
            for row in _rows(image, pages):
                key = (type(row), row[0])
                if key not in seen:
                    seen.add(key)
                    yield row


def _main_images(main: bytes) -> Iterator[_Image]:
    for start in range(0, len(main), PAGE_BYTES):
        yield _Image(start // PAGE_BYTES + 1, main[start : start + PAGE_BYTES].ljust(PAGE_BYTES, b"\0"))


def _frames(wal: bytes) -> Iterator[_Image]:
    """Yield the pages in the log that belong to its present round, judged by their salts alone: the rows carry check sums of their own."""
    if len(wal) < WAL_HEADER_BYTES + FRAME_HEADER_BYTES:
        return
    first_frame = wal[WAL_HEADER_BYTES + 8 : WAL_HEADER_BYTES + 16]
    salts = wal[16:24] if int.from_bytes(wal[:4], "big") in _WAL_MAGIC else first_frame
    for start in range(WAL_HEADER_BYTES, len(wal), FRAME_HEADER_BYTES + PAGE_BYTES):
        head, page = wal[start : start + FRAME_HEADER_BYTES], wal[start + FRAME_HEADER_BYTES : start + FRAME_HEADER_BYTES + PAGE_BYTES]
        if len(head) == FRAME_HEADER_BYTES and head[8:16] == salts:
            yield _Image(int.from_bytes(head[:4], "big"), page.ljust(PAGE_BYTES, b"\0"))


def _rows(image: _Image, pages: _Pages) -> Iterator[Row]:
    page = image.data
    start = FILE_HEADER_BYTES if image.number == 1 else 0
    if page[start] != LEAF:
        return
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    for at in range(start + 8, min(start + 8 + 2 * count, PAGE_BYTES - 1), 2):
        try:
            row = sound_row(_cell(page, int.from_bytes(page[at : at + 2], "big"), pages))
        except (IndexError, KeyError, ValueError, OverflowError, struct.error):
            continue  # broken lengths, pointers or texts: not a row
        if row:
            yield row


def _cell(page: bytes, at: int, pages: _Pages) -> list[object]:
    """Return the columns of a cell; its key is in the place of the first column, which SQLite leaves empty."""
    size, at = _varint(page, at)
    key, at = _varint(page, at)
    columns = _columns(_payload(page, at, size, pages))
    columns[0] = key
    return columns


def _payload(page: bytes, at: int, size: int, pages: _Pages) -> bytes:
    if size <= _LARGEST_LOCAL:
        return page[at : at + size]
    local = _SMALLEST_LOCAL + (size - _SMALLEST_LOCAL) % (PAGE_BYTES - 4)
    if local > _LARGEST_LOCAL:
        local = _SMALLEST_LOCAL
    if size > len(pages) * PAGE_BYTES:
        raise ValueError("longer than the file")
    parts, rest = [page[at : at + local]], size - local
    number = int.from_bytes(page[at + local : at + local + 4], "big")
    while rest > 0:
        overflow = pages[number]
        parts.append(overflow[4 : 4 + rest])
        rest -= PAGE_BYTES - 4
        number = int.from_bytes(overflow[:4], "big")
    return b"".join(parts)


def _columns(payload: bytes) -> list[object]:
    header_bytes, at = _varint(payload, 0)
    kinds = []
    while at < header_bytes:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    columns: list[object] = []
    for kind in kinds:
        value, at = _value(kind, payload, at)
        columns.append(value)
    return columns


def _value(kind: int, payload: bytes, at: int) -> tuple[object, int]:
    match kind:
        case 0:
            return None, at
        case 1 | 2 | 3 | 4 | 5 | 6:
            end = at + _INTEGER_BYTES[kind]
            return int.from_bytes(payload[at:end], "big", signed=True), end
        case 7:
            return struct.unpack(">d", payload[at : at + 8])[0], at + 8
        case 8 | 9:
            return kind - 8, at
        case 10 | 11:
            raise ValueError("reserved")
        case _:
            end = at + (kind - 12) // 2
            if end > len(payload):
                raise ValueError("longer than the row")
            return (payload[at:end].decode() if kind % 2 else payload[at:end]), end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return SQLite's variable-length integer at `at`, and where it ends."""
    value = 0
    for index in range(at, at + 8):
        byte = data[index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, index + 1
    return value << 8 | data[at + 8], at + 9
