"""Tests of rows: a check sum that misses nothing, and forms that give back what they were given."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.store.masking import Span
from workbench.store.schema import (
    ChunkRow,
    EventRow,
    PieceRow,
    ResponseRow,
    Row,
    connect_reader,
    connect_writer,
    create_tables,
    deflate,
    has_our_tables,
    inflate,
    insert,
    pack_spans,
    sound_row,
    unpack_spans,
)

QUICK = settings(deadline=None, database=None)
ROWS: list[Row] = [
    EventRow(1, 5.0, 0, b"{}"),
    EventRow(2, 1_700_000_000.25, 1, b"\x00\xff"),
    PieceRow(1, b"s" * 32, b"", 0, b"piece"),
    ChunkRow(1, "ex_ü", 250_000, b"[[0,8]]", b"chunk"),
    ResponseRow(1, "ex", b"blob"),
]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_read_back_as_it_was_written(row: Row) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        insert(connection, row)
        found = [sound_row(values) for table in ("event", "piece", "chunk", "response") for values in connection.execute(f"SELECT * FROM {table}")]  # noqa: S608
    assert found == [row]


@pytest.mark.parametrize("row", ROWS)
def test_any_changed_column_makes_a_row_unsound(row: Row) -> None:
    values = [*row, row.crc()]
    assert sound_row(values) == row
    for place, value in enumerate(values):
        for other in (_changed(value), None, "text", b"bytes", 7, -1.5):
            if other != value:
                assert sound_row([*values[:place], other, *values[place + 1 :]]) is None
    assert sound_row(values[:-1]) is None
    assert sound_row([]) is None


def test_a_row_of_one_table_is_not_sound_in_another() -> None:
    piece = PieceRow(1, b"x", b"y", 0, b"z")
    chunk = ChunkRow(1, "x", 0, b"y", b"z")
    assert piece.crc() != chunk.crc()
    assert EventRow(1, 0.0, 0, b"x").crc() != ResponseRow(1, "", b"x").crc()


@QUICK
@given(st.binary(max_size=3000) | st.integers(0, 5000).map(lambda size: b"repeated " * size))
def test_deflated_bytes_come_back(data: bytes) -> None:
    form, kept = deflate(data)
    assert inflate(form, kept) == data
    assert len(kept) <= len(data)


@QUICK
@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(1, 10**6)).map(lambda pair: Span(*pair)), max_size=5).map(tuple))
def test_spans_come_back(spans: tuple[Span, ...]) -> None:
    assert unpack_spans(pack_spans(spans)) == spans


def test_every_commit_is_on_the_disk_when_it_returns(tmp_path: Path) -> None:
    (tmp_path / "db").touch()
    with closing(connect_writer(tmp_path / "db")) as connection:
        settings_ = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "trusted_schema", "page_size")}
    assert settings_ == {"journal_mode": "wal", "synchronous": 2, "trusted_schema": 0, "page_size": 4096}


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "db").touch()
    with closing(connect_writer(tmp_path / "db")) as writer:
        create_tables(writer)
        with closing(connect_reader(tmp_path / "db")) as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.execute("DELETE FROM event")
    with closing(connect_reader(tmp_path / "db", unchanging=True)) as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("DELETE FROM event")


def test_paths_with_signs_of_addresses_are_paths(tmp_path: Path) -> None:
    path = tmp_path / "what? is #1 %41 ü & more"
    path.touch()
    with closing(connect_writer(path)) as connection:
        create_tables(connection)
    with closing(connect_reader(path)) as connection:
        assert has_our_tables(connection)


def test_tables_stay_ours_when_the_database_is_copied(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        connection.execute("VACUUM INTO ?", (str(tmp_path / "copy"),))
    with closing(sqlite3.connect(tmp_path / "copy")) as copy:
        assert has_our_tables(copy)


def _changed(value: object) -> object:
    match value:
        case bool() | str():
            return f"{value}x"
        case bytes():
            return value + b"\0"
        case int() | float():
            return value + 1
        case _:
            return "other"
