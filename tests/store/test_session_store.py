"""Tests of a session's store: what is written is read back equal, settled means durable, and nobody else writes meanwhile."""

from __future__ import annotations

import asyncio
import gc
import stat
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conversation.strategies import entries as drawn_entries
from tests.conversation.strategies import events as drawn_events
from tests.store.folders import entries, everything_on_disk, exchange, facts, filled, opened, settle
from workbench.conversation.events import Entry, Event, ExchangeClosed, TurnStarted
from workbench.conversation.exchange import BodyRef, Chunk, ExchangeKeeper
from workbench.conversation.journal import Journal, JournalSink
from workbench.errors import SessionLocked, StoreError
from workbench.store.session_store import SessionStore
from workbench.tools.base import ObjectStore

SLOW = settings(deadline=None, database=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SLOW
@given(drawn_entries(20))
def test_any_facts_are_read_back_equal(written: list[Entry]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = SessionStore.create(Path(folder) / "s", "s")
        for entry in written:
            store.write(entry)
        store.close()
        store = SessionStore.open(Path(folder) / "s")
        assert store.entries() == written
        assert [entry.seq for entry in store.entries()] == list(range(1, len(written) + 1))
        store.close()


@SLOW
@given(st.lists(st.lists(drawn_events(), max_size=6), min_size=1, max_size=4))
def test_a_journal_of_stored_facts_equals_the_live_one_and_goes_on(parts: list[list[Event]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        known: list[Entry] = []
        SessionStore.create(Path(folder) / "s", "s").close()
        for part in parts:
            store = SessionStore.open(Path(folder) / "s")
            journal = Journal(store, store.entries())
            assert list(journal.entries) == known
            for event in part:
                journal.append(event)
            known = list(journal.entries)
            late: list[Entry] = []
            journal.subscribe(late.append)
            assert late == known
            store.close()


async def test_settled_facts_can_be_read_by_another_connection_at_once(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    for entry in entries(facts(9)):
        store.write(entry)
        await store.settled(entry.seq)
        reader = SessionStore.open(tmp_path / "s", read_only=True)
        assert reader.entries()[-1] == entry
        reader.close()
    await store.aclose()


async def test_many_may_wait_at_once_and_one_may_stop_waiting(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    for entry in entries(facts(5)):
        store.write(entry)
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(store.settled(seq)) for seq in (1, 3, 5, 5)]
        waiting[0].cancel()
    assert waiting[0].cancelled()
    await store.settled(5)
    await store.aclose()


async def test_what_was_settled_before_need_not_wait(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    await store.settled(0)
    await store.aclose()


async def test_waiting_for_a_fact_nobody_wrote_is_a_mistake(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    with pytest.raises(ValueError, match="never written"):
        await store.settled(1)
    await store.aclose()


def test_a_number_out_of_order_is_a_mistake(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    with pytest.raises(ValueError, match="cannot follow"):
        store.write(Entry(2, 0.0, TurnStarted(turn_id="t")))
    store.close()


def test_a_fact_that_cannot_be_written_as_json_is_not_taken(tmp_path: Path) -> None:
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    store = SessionStore.create(tmp_path / "s", "s")
    with pytest.raises(RecursionError):
        store.write(Entry(1, 0.0, ExchangeClosed(exchange_id="e", status=1, original=deep)))  # type: ignore[arg-type]
    store.write(Entry(1, 0.0, TurnStarted(turn_id="t")))
    store.close()
    assert _entries(tmp_path / "s") == [Entry(1, 0.0, TurnStarted(turn_id="t"))]
    while deep:  # else freeing it recurses
        deep = deep["a"]  # type: ignore[assignment]


def test_closing_makes_all_durable_and_leaves_one_database_file(tmp_path: Path) -> None:
    written = filled(tmp_path / "s", 50)
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["journal.lock", "journal.sqlite", "objects", "outputs"]
    assert _entries(tmp_path / "s") == written


def test_closing_twice_and_from_two_threads_is_fine(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "closed", "closed")
    threads = [threading.Thread(target=store.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store.close()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("store closed")]


def test_a_closed_store_takes_nothing(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    store.close()
    with pytest.raises(RuntimeError, match="closed"):
        store.write(Entry(1, 0.0, TurnStarted(turn_id="t")))


def test_a_session_opened_for_reading_takes_nothing_and_changes_nothing(tmp_path: Path) -> None:
    written = filled(tmp_path / "s", 5)
    before = (tmp_path / "s" / "journal.lock").read_bytes()
    store = SessionStore.open(tmp_path / "s", read_only=True)
    assert store.read_only
    assert (store.entries(), store.damage, store.session_id) == (written, None, "s")
    with pytest.raises(RuntimeError, match="for reading"):
        store.write(Entry(6, 0.0, TurnStarted(turn_id="t")))
    store.close()
    assert (tmp_path / "s" / "journal.lock").read_bytes() == before
    assert _entries(tmp_path / "s") == written


def test_a_second_store_of_the_same_process_is_locked_out(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    with pytest.raises(SessionLocked, match="Session s is open in another window"):
        SessionStore.open(tmp_path / "s")
    store.close()
    SessionStore.open(tmp_path / "s").close()


def test_making_a_session_where_one_is_says_so_and_leaves_it(tmp_path: Path) -> None:
    written = filled(tmp_path / "s", 3)
    with pytest.raises(StoreError, match=r"There is a session in .* already"):
        SessionStore.create(tmp_path / "s", "other")
    assert _entries(tmp_path / "s") == written


@pytest.mark.parametrize("read_only", [True, False])
def test_opening_what_is_not_there_says_so(tmp_path: Path, read_only: bool) -> None:
    with pytest.raises(StoreError, match="There is no session in"):
        SessionStore.open(tmp_path / "none", read_only=read_only)
    assert not (tmp_path / "none").exists()


def test_a_folder_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        SessionStore.create(tmp_path / "file" / "s", "s")


def test_nobody_else_can_read_what_was_sent(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    exchange(store, "e", [b"request"], [b"response"], 1)
    store.put(b"content")
    settle(store)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "s").rglob("*")}
    store.close()
    assert {name: mode for name, mode in modes.items() if mode & 0o077} == {}
    assert "journal.sqlite-wal" in modes


def test_the_store_is_all_that_the_other_rooms_ask_for(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    sink: JournalSink = store
    keeper: ExchangeKeeper = store
    objects: ObjectStore = store
    assert [objects.get(objects.put(b"x")), keeper.chunks("none"), sink.write] == [b"x", (), store.write]
    assert store.outputs.is_dir()
    store.close()


def test_an_exchange_is_read_back_exactly_live_and_later(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    request = [b'{"messages":[', b'{"a":"\xc3\xbc"},' * 100, b"]}"]
    response = [b"data: 1\n\n", b"", b"data: \xf0\x9f", b"\x98\x80\n\n"]
    ref = exchange(store, "e", request, response, 1)
    expected = tuple(Chunk(number / 8, data) for number, data in enumerate(response))
    assert (store.body(ref), store.chunks("e")) == (b"".join(request), expected)
    settle(store)
    assert (store.body(ref), store.chunks("e")) == (b"".join(request), expected)
    store.close()
    store = SessionStore.open(tmp_path / "s", read_only=True)
    assert (store.body(ref), store.chunks("e"), store.chunks("none")) == (b"".join(request), expected, ())
    store.close()


def test_bodies_may_be_kept_from_worker_threads(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    bodies = [[b"head", *(b"message %d of %d" % (number, thread) for number in range(50)), b"tail"] for thread in range(4)]
    refs: dict[int, BodyRef] = {}

    def keep(thread: int) -> None:
        for length in range(2, 52):
            refs[thread] = store.keep_body(bodies[thread][:length])

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, body in enumerate(bodies):
        assert store.body(refs[number]) == b"".join(body[:51])
    store.close()


CANARY = "sk-TESTKEY-123456/äbc+def"


def test_a_known_secret_is_nowhere_on_the_disk(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: [CANARY])
    raw = CANARY.encode()
    ref = exchange(store, "e", [b'{"key":"' + raw + b'"}', b"rest"], [b"data: " + raw[:9], raw[9:] + b" end", raw[:5]], 1)
    store.write(Entry(3, 0.0, facts(1)[0]))
    store.write(Entry(4, 0.0, ExchangeClosed(exchange_id="x", status=401, error=f"bad key {CANARY}", original='{"k":"' + CANARY + '"}')))
    settle(store)
    assert not ref.exact
    assert _holds_secret(everything_on_disk(tmp_path / "s")) == []
    store.export(tmp_path / "export.zip")
    store.close()
    assert _holds_secret(everything_on_disk(tmp_path / "s")) == []
    assert _holds_secret((tmp_path / "export.zip").read_bytes()) == []


def test_where_a_secret_stood_is_told(tmp_path: Path) -> None:
    key = "0123456789abcdef"
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: [key])
    ref = exchange(store, "e", [b"a" * 10, b"xx" + key.encode() + b"yy"], [b"ab0123", b"456789abcdef!"], 1)
    settle(store)
    assert store.body(ref) == b"a" * 10 + b"xxREDACTED********yy"
    assert store.body_spans(ref) == ((12, 16),)
    assert [chunk.data for chunk in store.chunks("e")] == [b"abREDA", b"CTED********!"]
    assert store.response_spans("e") == ((2, 4), (6, 12))
    store.close()
    store = SessionStore.open(tmp_path / "s")
    assert not store.keep_body([b"a" * 10, b"xxREDACTED********yy"]).exact, "the kept piece still says that it is masked"
    assert store.response_spans("e") == ((2, 4), (6, 12))
    store.close()


def test_a_secret_that_becomes_known_later_is_masked_from_then_on(tmp_path: Path) -> None:
    known: list[str] = []
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: known)
    body = [b"a secret-0001", b"b"]
    assert store.keep_body(body).exact
    known.append("secret-0001")
    assert not store.keep_body(body).exact
    known.clear()
    assert store.keep_body(body).exact
    store.close()


async def test_a_response_that_is_cut_by_closing_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: ["secret-0001"])
    store.write(Entry(1, 0.0, opened("e", store.keep_body([b"x"]))))
    store.keep_chunk("e", Chunk(0.5, b"tail sec"))  # held back: it may be the beginning of the secret
    await store.aclose()
    store = SessionStore.open(tmp_path / "s", read_only=True)
    assert store.chunks("e") == (Chunk(0.5, b"tail sec"),)
    store.close()


def test_a_store_left_open_does_not_keep_its_process_alive(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    assert all(thread.daemon for thread in threading.enumerate() if thread.name.startswith("store "))
    store.close()
    gc.collect()


def _entries(folder: Path) -> list[Entry]:
    store = SessionStore.open(folder, read_only=True)
    try:
        return store.entries()
    finally:
        store.close()


def _holds_secret(data: bytes) -> list[bytes]:
    whole = CANARY.encode()
    forms = [whole, b"sk-TESTKEY-123456", rb"sk-TESTKEY-123456\/", "äbc+def".encode()]
    return [form for form in forms if form in data]
