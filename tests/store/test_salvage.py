"""Tests of damaged sessions: every sound fact is read whatever is broken, nothing false is read, and nothing is written over."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.store.folders import entries, exchange, facts, filled
from tests.store.processes import child, line
from workbench.conversation.events import Entry, Notice
from workbench.conversation.exchange import BodyRef
from workbench.errors import SessionCorrupt, StoreError
from workbench.store.salvage import sound_rows
from workbench.store.schema import PAGE_BYTES, EventRow
from workbench.store.session_store import SessionStore

COUNT = 240
Damager = Callable[[bytearray], None]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Entry]]:
    """The bytes of a session's database, closed in good order, and its facts; some reach over several pages."""
    folder = tmp_path_factory.mktemp("original") / "s"
    store = SessionStore.create(folder, "s")
    chance = random.Random(1)  # noqa: S311
    written = entries([*facts(COUNT - 10), *(Notice(message_id="m", text=chance.randbytes(6000).hex()) for _ in range(10))])
    for entry in written:
        store.write(entry)
    store.close()
    return (folder / "journal.sqlite").read_bytes(), written


def test_each_page_may_be_zeroed(tmp_path: Path, original: tuple[bytes, list[Entry]]) -> None:
    data, written = original
    pages = len(data) // PAGE_BYTES
    assert pages > 30
    for page in range(pages):
        broken = bytearray(data)
        broken[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
        found = _check(_placed(tmp_path / f"s{page}", broken), written)
        assert len(found) >= COUNT - 60, f"page {page + 1} took {COUNT - len(found)} facts"


@pytest.mark.parametrize("part", [0, 1, 5, 20, 50, 80, 99])
def test_the_file_may_be_cut(tmp_path: Path, original: tuple[bytes, list[Entry]], part: int) -> None:
    data, written = original
    kept = bytearray(data[: len(data) * part // 100])
    found = _check(_placed(tmp_path / "s", kept), written)
    assert len(found) >= {50: 60, 80: 120, 99: 200}.get(part, 0)


HARMS = st.lists(
    st.tuples(st.sampled_from(["flip", "nul", "noise", "cut"]), st.floats(0, 1, exclude_max=True), st.integers(0, 7), st.binary(min_size=64, max_size=64)),
    min_size=1,
    max_size=4,
)


@settings(deadline=None, database=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HARMS)
def test_any_damage_gives_sound_facts_only(
    tmp_path_factory: pytest.TempPathFactory, original: tuple[bytes, list[Entry]], harms: list[tuple[str, float, int, bytes]]
) -> None:
    broken, written = bytearray(original[0]), original[1]
    for kind, part, bit, noise in harms:
        at = int(part * len(broken))
        match kind:
            case "flip":
                broken[at] ^= 1 << bit
            case "nul":
                broken[at : at + 700] = bytes(len(broken[at : at + 700]))
            case "noise":
                broken[at : at + 64] = noise[: len(broken[at : at + 64])]
            case _:
                del broken[max(at, 1) :]
    _check(_placed(tmp_path_factory.mktemp("damaged") / "s", broken), written)


def test_one_flipped_bit_in_a_fact_is_found(tmp_path: Path, original: tuple[bytes, list[Entry]]) -> None:
    data, written = original
    with closing(sqlite3.connect(_placed(tmp_path / "s", bytearray(data)) / "journal.sqlite")) as connection:
        (kept,) = connection.execute("SELECT data FROM event WHERE seq = 100").fetchone()
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    broken = bytearray(data)
    broken[data.index(kept) + len(kept) // 2] ^= 1
    folder = _placed(tmp_path / "s", broken)
    with closing(sqlite3.connect(folder / "journal.sqlite")) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)], "SQLite does not see it"
    assert len(_check(folder, written)) == COUNT - 1
    with pytest.raises(SessionCorrupt, match="event 100 cannot be read"):
        SessionStore.open(folder)


@pytest.mark.parametrize("page", [0, 3, 9])
def test_a_damaged_structure_is_found_before_writing(tmp_path: Path, original: tuple[bytes, list[Entry]], page: int) -> None:
    broken = bytearray(original[0])
    broken[page * PAGE_BYTES : (page + 1) * PAGE_BYTES] = bytes(PAGE_BYTES)
    folder = _placed(tmp_path / "s", broken)
    with pytest.raises(SessionCorrupt, match="Session s is damaged"):
        SessionStore.open(folder)
    assert (folder / "journal.sqlite").read_bytes() == bytes(broken)
    with pytest.raises(SessionCorrupt):  # the lock was given back
        SessionStore.open(folder)


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(3000), bytes(100_000)])
def test_a_file_that_is_no_session_says_so(tmp_path: Path, content: bytes) -> None:
    folder = _placed(tmp_path / "s", bytearray(content))
    with pytest.raises(SessionCorrupt, match="Session s is damaged") as caught:
        SessionStore.open(folder)
    assert caught.value.seq == 0
    store = SessionStore.open(folder, read_only=True)
    assert store.entries() == []
    assert store.damage is not None
    assert "exported" in store.damage.text
    store.close()


def test_a_database_of_another_program_is_not_taken(tmp_path: Path) -> None:
    filled(tmp_path / "s", 3)
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("CREATE TRIGGER extra AFTER INSERT ON event BEGIN DELETE FROM event; END")
    with pytest.raises(SessionCorrupt, match="its tables are missing or not those of a session") as caught:
        SessionStore.open(tmp_path / "s")
    assert caught.value.seq == 3
    store = SessionStore.open(tmp_path / "s", read_only=True)
    assert len(store.entries()) == 3
    store.close()


def test_a_session_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    filled(tmp_path / "s", 3)
    with closing(sqlite3.connect(tmp_path / "s" / "journal.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA user_version = 99")
    for read_only in (True, False):
        with pytest.raises(StoreError, match="written by a newer version"):
            SessionStore.open(tmp_path / "s", read_only=read_only)


def _delete(wal: Path) -> None:
    wal.unlink()


def _zero_the_header(wal: Path) -> None:
    wal.write_bytes(bytes(32) + wal.read_bytes()[32:])


def _zero_the_first_page(wal: Path) -> None:
    data = wal.read_bytes()
    wal.write_bytes(data[:56] + bytes(2000) + data[2056:])


def _flip_in_the_middle(wal: Path) -> None:
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 4
    wal.write_bytes(data)


def _cut_in_half(wal: Path) -> None:
    wal.write_bytes(wal.read_bytes()[: wal.stat().st_size // 2])


@pytest.mark.parametrize("harm", [_delete, _zero_the_header, _zero_the_first_page, _flip_in_the_middle, _cut_in_half])
def test_durable_facts_that_vanish_with_the_log_are_missed(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    folder = tmp_path / "s"
    with child("append", folder) as process:
        assert line(process) == "ready"
        settled = [int(line(process)) for _ in range(25)][-1]
    whole = SessionStore.open(folder, read_only=True)
    written = whole.entries()
    whole.close()
    harm(folder / "journal.sqlite-wal")
    with pytest.raises(SessionCorrupt, match="Session s is damaged"):
        SessionStore.open(folder)
    store = SessionStore.open(folder, read_only=True)
    assert store.damage is not None
    found = [*store.entries(), *store.damage.after]
    store.close()
    assert found == [entry for entry in written if entry in found]
    if harm not in (_delete, _cut_in_half):
        assert len(found) >= settled * 2 // 3, "most facts are still in the log"


def test_exchanges_of_a_damaged_session_are_read_as_far_as_they_are_sound(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    store = SessionStore.create(folder, "s")
    refs: list[BodyRef] = []
    for number in range(60):
        request = [b"head", *(b"%d message %d " % (index, index) * 20 for index in range(number))]
        refs.append(exchange(store, f"e{number}", request, [b"data: %d\n\n" % number] * 9, 2 * number + 1))
    store.close()
    data = bytearray((folder / "journal.sqlite").read_bytes())
    data[:PAGE_BYTES] = bytes(PAGE_BYTES)
    _placed(folder, data)
    reader = SessionStore.open(folder, read_only=True)
    assert len(reader.entries()) == 120
    assert [len(reader.body(ref)) for ref in refs] == [ref.size_bytes for ref in refs]
    assert [len(reader.chunks(f"e{number}")) for number in range(60)] == [9] * 60
    reader.export(tmp_path / "export.zip")
    reader.close()


def test_salvage_finds_each_row_once_in_a_sound_file(original: tuple[bytes, list[Entry]]) -> None:
    rows = [row for row in sound_rows(original[0], b"") if isinstance(row, EventRow)]
    assert sorted(row.seq for row in rows) == list(range(1, COUNT + 1))
    assert list(sound_rows(b"", b"")) == []


def test_a_damaged_session_that_this_process_writes_is_not_taken_apart(tmp_path: Path) -> None:
    store = SessionStore.create(tmp_path / "s", "s")
    for entry in entries(facts(5)):
        store.write(entry)
    store._lock.note(9)  # type: ignore[union-attr]
    with pytest.raises(SessionCorrupt):
        SessionStore.open(tmp_path / "s", read_only=True)
    store.close()


def _placed(folder: Path, data: bytearray) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "journal.sqlite").write_bytes(data)
    return folder


def _check(folder: Path, written: list[Entry]) -> list[Entry]:
    """Open for reading and return all facts found, after checking that each is one that was written, in its place."""
    store = SessionStore.open(folder, read_only=True)
    before = store.entries()
    after = list(store.damage.after) if store.damage else []
    store.close()
    assert before == written[: len(before)]
    assert after == [entry for entry in written[len(before) :] if entry in after]
    return before + after
