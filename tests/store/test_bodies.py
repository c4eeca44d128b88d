"""Tests of bodies: kept once, rebuilt exactly, cheap when a conversation grows, honest about damage and masks."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.folders import opened, settle
from workbench.conversation.events import Entry
from workbench.conversation.exchange import BodyRef
from workbench.errors import StoreError
from workbench.store.masking import Masks
from workbench.store.session_store import SessionStore

PIECES = st.lists(st.sampled_from([b"", b"{", b"a" * 5000, b"b", bytes(range(256)) * 4, "ü".encode(), b"}"]) | st.binary(max_size=300), max_size=12)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SessionStore]:
    store = SessionStore.create(tmp_path / "s", "s")
    yield store
    store.close()


@settings(deadline=None, database=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=5))
def test_any_bodies_are_rebuilt_exactly_before_and_after_they_are_on_the_disk(store: SessionStore, bodies: list[list[bytes]]) -> None:
    refs = [store.keep_body(pieces) for pieces in bodies]
    for _ in range(2):
        for ref, pieces in zip(refs, bodies, strict=True):
            whole = b"".join(pieces)
            assert store.body(ref) == whole
            assert (ref.size_bytes, ref.sha256, ref.exact) == (len(whole), hashlib.sha256(whole).hexdigest(), True)
        store._writer.flush()  # type: ignore[union-attr]


def test_a_piece_is_stored_once_also_after_reopening(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    first = store.keep_body([b"head", b"one", b"tail"])
    store.close()
    store = SessionStore.open(tmp_path / "s")
    second = store.keep_body([b"head", b"one", b"two", b"tail"])
    assert (first.runs, second.runs) == (((1, 3),), ((1, 2), (4, 1), (3, 1)))
    store.close()
    assert _count(tmp_path / "s", "piece") == 4


def test_a_growing_conversation_stays_a_handful_of_runs(store: SessionStore) -> None:
    messages: list[bytes] = []
    for number in range(200):
        messages += [b"question %d" % number, b"answer %d" % number]
        ref = store.keep_body([b'{"messages":[', *messages, b"]}"])
        assert len(ref.runs) <= 3
    assert store.body(ref) == b'{"messages":[' + b"".join(messages) + b"]}"


def test_bodies_that_differ_in_the_middle_or_alternate_are_exact_too(store: SessionStore) -> None:
    long = [b"m%d" % number for number in range(50)]
    bodies = [long, [*long[:20], b"changed", *long[21:]], long[:10], [b"x", *long], [], long, [*long, *long]]
    refs = [store.keep_body(body) for body in bodies * 2]
    assert [store.body(ref) for ref in refs] == [b"".join(body) for body in bodies * 2]


def test_an_empty_body_is_a_body(store: SessionStore) -> None:
    assert store.body(store.keep_body([])) == b""


def test_a_damaged_piece_is_told_and_concerns_only_its_bodies(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    broken, sound = store.keep_body([b"a" * 1000, b"b" * 1000]), store.keep_body([b"c" * 1000, b"b" * 1000])
    store.close()
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("UPDATE piece SET data = zeroblob(length(data)) WHERE id = 1")
    store = SessionStore.open(tmp_path / "s")
    with pytest.raises(StoreError, match=r"A request body of session s cannot be rebuilt: a piece of it is missing or damaged\."):
        store.body(broken)
    assert store.body(sound) == b"c" * 1000 + b"b" * 1000
    store.close()


def test_a_reference_that_does_not_fit_is_told(store: SessionStore) -> None:
    ref = store.keep_body([b"a", b"b"])
    with pytest.raises(StoreError, match="not those that were kept"):
        store.body(BodyRef(runs=((2, 1), (1, 1)), size_bytes=2, sha256=ref.sha256))
    with pytest.raises(StoreError, match="missing or damaged"):
        store.body(BodyRef(runs=((1, 3),), size_bytes=2, sha256=ref.sha256))


@settings(deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_secret_is_masked_wherever_borders_cut_it(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    key = b"secret-0123456789"
    parts = data.draw(st.lists(st.sampled_from([key, b"x", b"sec", b"-- ", b"9"]), max_size=6))
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    beginning = data.draw(st.integers(0, len(pieces)))
    folder = tmp_path_factory.mktemp("session")
    store = SessionStore.create(folder / "s", "s", secrets=lambda: [key.decode()])
    for length in (beginning, len(pieces)):  # as when a conversation grows
        given_bytes = b"".join(pieces[:length])
        ref = store.keep_body(pieces[:length])
        kept = store.body(ref)
        assert kept == given_bytes.replace(key, b"REDACTED*********")
        assert (ref.size_bytes, ref.exact) == (len(given_bytes), key not in given_bytes)
        covered = sorted(at for start, size in store.body_spans(ref) for at in range(start, start + size))
        assert covered == sorted(at for span in Masks([key.decode()]).spans(given_bytes) for at in range(span.start, sum(span)))
    store.close()


def test_spans_are_known_before_the_body_is_on_the_disk(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: ["secret-0001"])
    ref = store.keep_body([b"ab", b"c secret-0001"])
    assert store.body_spans(ref) == ((4, 11),)
    store.write(Entry(1, 0.0, opened("e", ref)))
    settle(store)
    assert store.body_spans(ref) == ((4, 11),)
    assert store.body_spans(store.keep_body([b"ab"])) == ()
    store.close()


def _count(folder: Path, table: str) -> int:
    with closing(sqlite3.connect(folder / "journal.sqlite")) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
