"""Tests of responses: chunks while they stream, one blob at the end, masks over borders, damage."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.folders import opened, settle
from workbench.conversation.events import Entry, ExchangeClosed, Notice
from workbench.conversation.exchange import BodyRef, Chunk
from workbench.errors import StoreError
from workbench.store.session_store import SessionStore

CHUNKS = st.lists(st.tuples(st.floats(0, 1e5), st.binary(max_size=400)), max_size=12)
SLOW = settings(deadline=None, database=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SLOW
@given(st.lists(CHUNKS, min_size=1, max_size=3))
def test_any_chunks_are_read_back_live_closed_and_later(tmp_path_factory: pytest.TempPathFactory, responses: list[list[tuple[float, bytes]]]) -> None:
    folder = tmp_path_factory.mktemp("session") / "s"
    store = SessionStore.create(folder, "s")
    for number in range(max(map(len, responses))):  # responses of sub-agents arrive interleaved
        for name, response in enumerate(responses):
            for at_s, data in response[number : number + 1]:
                store.keep_chunk(f"e{name}", Chunk(at_s, data))
    expected = [tuple(Chunk(round(at_s * 1e6) / 1e6, data) for at_s, data in response) for response in responses]
    assert [store.chunks(f"e{name}") for name in range(len(responses))] == expected
    for name in range(len(responses)):
        store.write(Entry(name + 1, 0.0, ExchangeClosed(exchange_id=f"e{name}", status=200)))
    settle(store)
    assert [store.chunks(f"e{name}") for name in range(len(responses))] == expected
    store.close()
    store = SessionStore.open(folder, read_only=True)
    assert [store.chunks(f"e{name}") for name in range(len(responses))] == expected
    store.close()
    assert _count(folder, "chunk") == 0


def test_chunks_are_rows_until_the_exchange_is_closed(tmp_path: Path) -> None:
    store = _streaming(tmp_path / "s", [b"a" * 100] * 50)
    assert (_count(tmp_path / "s", "chunk"), _count(tmp_path / "s", "response")) == (50, 0)
    store.write(Entry(2, 0.0, ExchangeClosed(exchange_id="e", status=200)))
    settle(store)
    assert (_count(tmp_path / "s", "chunk"), _count(tmp_path / "s", "response")) == (0, 1)
    store.close()


def test_a_response_without_bytes_is_closed_without_a_row(tmp_path: Path) -> None:
    store = _streaming(tmp_path / "s", [])
    store.write(Entry(2, 0.0, ExchangeClosed(exchange_id="e", status=None, error="no connection")))
    settle(store)
    assert store.chunks("e") == ()
    store.close()


def test_a_response_cut_by_a_crash_is_packed_when_it_is_closed_later(tmp_path: Path) -> None:
    _streaming(tmp_path / "s", [b"one", b"two"]).close()
    store = SessionStore.open(tmp_path / "s")
    assert [chunk.data for chunk in store.chunks("e")] == [b"one", b"two"]
    store.keep_chunk("f", Chunk(0.0, b"another"))
    store.write(Entry(2, 0.0, ExchangeClosed(exchange_id="e", status=None, failure="interrupted")))
    settle(store)
    assert [chunk.data for chunk in store.chunks("e")] == [b"one", b"two"]
    assert [chunk.data for chunk in store.chunks("f")] == [b"another"]
    store.close()


def test_a_damaged_chunk_does_not_stop_the_session(tmp_path: Path) -> None:
    _streaming(tmp_path / "s", [b"one", b"two"]).close()
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE chunk SET data = CAST('oNe' AS BLOB) WHERE id = 1")
    store = SessionStore.open(tmp_path / "s")
    store.write(Entry(2, 0.0, ExchangeClosed(exchange_id="e", status=None)))
    store.write(Entry(3, 0.0, Notice(message_id="m", text="still here")))
    settle(store)
    with pytest.raises(StoreError, match=r"A response of session s cannot be read"):
        store.chunks("e")
    store.close()


def test_a_damaged_blob_is_told(tmp_path: Path) -> None:
    store = _streaming(tmp_path / "s", [b"one" * 100])
    store.write(Entry(2, 0.0, ExchangeClosed(exchange_id="e", status=200)))
    store.close()
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE response SET data = zeroblob(length(data))")
    store = SessionStore.open(tmp_path / "s")
    with pytest.raises(StoreError, match="its bytes are damaged"):
        store.chunks("e")
    store.close()


@SLOW
@given(st.data())
def test_a_secret_is_masked_wherever_chunks_cut_it(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    key = b"secret-0123456789"
    whole = b"".join(data.draw(st.lists(st.sampled_from([key, b"data: x\n\n", b"secret-", b"s", b"6789"]), max_size=8)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=10)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    folder = tmp_path_factory.mktemp("session") / "s"
    store = SessionStore.create(folder, "s", secrets=lambda: [key.decode()])
    for number, piece in enumerate(pieces):
        store.keep_chunk("e", Chunk(float(number), piece))
        assert [len(chunk.data) for chunk in store.chunks("e")] == [len(piece) for piece in pieces[: number + 1]]
    store.write(Entry(1, 0.0, ExchangeClosed(exchange_id="e", status=200)))
    store.close()
    store = SessionStore.open(folder, read_only=True)
    kept = store.chunks("e")
    assert b"".join(chunk.data for chunk in kept) == whole.replace(key, b"REDACTED*********")
    assert [(chunk.at_s, len(chunk.data)) for chunk in kept] == [(float(number), len(piece)) for number, piece in enumerate(pieces)]
    assert sum(length for _start, length in store.response_spans("e")) == whole.count(key) * len(key)
    store.close()


def test_only_the_possible_beginning_of_a_secret_is_held_back(tmp_path: Path) -> None:
    store = _streaming(tmp_path / "s", [b"all of this ", b"is fine, but s", b"ecret-0"], secrets=["secret-0123456789"])
    assert _count(tmp_path / "s", "chunk") == 1
    store.keep_chunk("e", Chunk(9.0, b"x"))
    store.write(Entry(2, 0.0, Notice(message_id="m", text="settle")))
    settle(store)
    assert _count(tmp_path / "s", "chunk") == 4
    store.close()


def _streaming(folder: Path, pieces: Sequence[bytes], secrets: Sequence[str] = ()) -> SessionStore:
    """Return a store in the middle of a response, with all that can be written on the disk."""
    store = SessionStore.create(folder, "s", secrets=lambda: secrets)
    for number, piece in enumerate(pieces):
        store.keep_chunk("e", Chunk(float(number), piece))
    store.write(Entry(1, 0.0, opened("e", BodyRef(runs=(), size_bytes=0, sha256=""))))
    settle(store)
    return store


def _count(folder: Path, table: str) -> int:
    with closing(sqlite3.connect(f"file:{folder / 'journal.sqlite'}?mode=ro", uri=True)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608


@SLOW
@given(CHUNKS, st.integers(0, 14))
def test_response_can_be_followed_without_reading_it_again(tmp_path_factory: pytest.TempPathFactory, chunks: list[tuple[float, bytes]], count: int) -> None:
    store = SessionStore.create(tmp_path_factory.mktemp("session") / "s", "s")
    followed: list[Chunk] = []
    for at_s, data in chunks:
        store.keep_chunk("e", Chunk(at_s, data))
        followed += store.later_chunks("e", len(followed))
    assert tuple(followed) == store.chunks("e")
    store.write(Entry(1, 0.0, ExchangeClosed(exchange_id="e", status=200)))
    assert tuple(store.later_chunks("e", count)) == tuple(followed[count:])
    settle(store)
    assert tuple(store.later_chunks("e", count)) == tuple(followed[count:])
    store.close()


def test_follower_never_sees_the_beginning_of_a_secret(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: ["sk-SECRET-0123456789"])
    followed = b""
    for piece in (b"data: sk-SECR", b"ET-0123", b"456789 and more", b" text"):
        store.keep_chunk("e", Chunk(0.1, piece))
        followed = b"".join(chunk.data for chunk in store.later_chunks("e", 0))
        assert b"sk-SECR" not in followed
    assert followed == b"data: REDACTED************ and more text"
    store.close()
