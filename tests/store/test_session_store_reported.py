"""The reported bugs of sessions on disk: each case's own records and faults, put to our files and to its own measure."""

from __future__ import annotations

import base64
import json
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.shared import ROOT
from tests.store.faulty import Fault
from tests.store.folders import everything_on_disk, opened, settle
from tests.store.processes import child, line, tell
from workbench.conversation.events import Entry, Event, ExchangeClosed, ModelResponded, ToolFinished, UserMessageAdded
from workbench.conversation.exchange import Chunk
from workbench.conversation.journal import Journal
from workbench.conversation.messages import Message, TextPart, ToolCallPart, ToolResultPart, text_message
from workbench.conversation.values import json_bytes
from workbench.errors import SessionCorrupt, SessionLocked, StoreFailed
from workbench.store.session_store import SessionStore
from workbench.store.sessions import list_sessions

Case = dict[str, Any]
CASES: list[Case] = [json.loads(text) for text in (ROOT / "tests" / "cases" / "bug_reports_session.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_reported_bug(case: Case, tmp_path: Path) -> None:
    CHECKS[case["id"]](case, tmp_path)


def torn_tail(case: Case, tmp_path: Path) -> None:
    """A crash leaves the beginning of a fourth record. Ours is a frame of the log; what was durable is whole, and writing goes on behind it."""
    folder, expect = tmp_path / "s", case["expect"]
    whole = [record for record in _records(case) if record]
    store = SessionStore.create(tmp_path / "live", "s")
    for seq, record in enumerate(whole, start=1):
        store.write(Entry(seq, 0.0, _fact(record)))
    settle(store)
    subprocess.run(["cp", "-a", str(tmp_path / "live"), str(folder)], check=True)  # what a kill leaves; copied by another process
    store.close()
    wal = folder / "journal.sqlite-wal"
    with wal.open("ab") as file:
        file.write(wal.read_bytes()[32:1500])
    store = SessionStore.open(folder)
    assert len(store.entries()) == expect["first"]
    store.write(Entry(store.last_seq + 1, 0.0, _fact(case["input"]["then"][1]["append"])))
    store.close()
    store = SessionStore.open(folder)
    assert len(store.entries()) == expect["second"]
    assert [_words(entry) for entry in store.entries()] == [*(record["text"] for record in whole), "after"]
    store.close()


def bad_middle(case: Case, tmp_path: Path) -> None:
    """Unreadable records between sound ones: all sound ones are shown in order, the number of the others is told, the file stays."""
    folder = tmp_path / "s"
    records = _records(case)
    store = SessionStore.create(folder, "s")
    for seq, record in enumerate(records, start=1):
        store.write(Entry(seq, 0.0, _fact(record or {"type": "user", "text": "unreadable"})))
    store.close()
    harms = iter(["zeroblob(length(data))", "CAST('{not json' AS BLOB)", "substr(data, 1, length(data) - 3)"])
    with closing(sqlite3.connect(folder / "journal.sqlite", isolation_level=None)) as connection:
        for seq in (seq for seq, record in enumerate(records, start=1) if record is None):
            connection.execute(f"UPDATE event SET data = {next(harms)} WHERE seq = ?", (seq,))  # noqa: S608
    before = (folder / "journal.sqlite").read_bytes()
    store = SessionStore.open(folder, read_only=True)
    assert [_words(entry) for entry in store.all_entries()] == ["a", "b", "c"]
    assert [entry.seq for entry in store.entries()] == [1]
    assert store.damage is not None
    assert sum(last - first + 1 for first, last in store.damage.lost) == case["expect"]["skipped"]
    assert store.damage.text == (
        "Session s is damaged: events 2–3, 5 cannot be read; the other events can be read and exported, but it cannot be continued."
    )
    store.close()
    with pytest.raises(SessionCorrupt, match="events 2–3, 5 cannot be read") as caught:
        SessionStore.open(folder)
    assert caught.value.seq == 1
    assert (folder / "journal.sqlite").read_bytes() == before


def enospc_append(case: Case, tmp_path: Path) -> None:
    """A full disk is told at once and the session freezes; what met it is written when the session is closed, if there is space again."""
    fault = Fault()
    store = SessionStore.create(tmp_path / "s", "s", connect=fault.connect)
    journal = Journal(store)
    for record in _records(case):
        journal.append(_fact(record or {}))
    settle(store)
    first, second = (step["append"] for step in case["input"]["then"] if isinstance(step, dict) and "append" in step)
    fault.fails = lambda _number, sql: sql.startswith("INSERT INTO event")
    journal.append(_fact(first))
    with pytest.raises(StoreFailed, match="is not being saved any more: the disk is full"):
        settle(store)
    assert store.failure is not None
    fault.fails = lambda _number, _sql: False
    with pytest.raises(StoreFailed):
        journal.append(_fact(second))
    store.close()
    store = SessionStore.open(tmp_path / "s")
    journal = Journal(store, store.entries())
    journal.append(_fact(second))
    store.close()
    store = SessionStore.open(tmp_path / "s", read_only=True)
    assert [entry.seq for entry in store.entries()] == case["expect"]["order"]
    assert [_words(entry) for entry in store.entries()] == ["hi", "hello", "more", "lost?", "later"]
    store.close()


def two_windows(case: Case, tmp_path: Path) -> None:
    """The second may only read and loses nothing; when the first was killed, a third writes without anything to be done by hand."""
    folder = tmp_path / "sessions" / "s"
    with child("hold", folder) as first:
        assert line(first) == "ready"
        with pytest.raises(SessionLocked, match=rf"Session s is open in another window or terminal \(process {first.pid}\)"):
            SessionStore.open(folder)
        with child("hold", folder) as second:
            assert "`workbench inspect s` reads it meanwhile" in line(second)
            assert second.wait(30) == 3
        for number in range(1, 6):
            tell(first)
            assert line(first) == str(number)
            reader = SessionStore.open(folder, read_only=True)
            assert len(reader.entries()) == number
            reader.close()
        assert [summary.state for summary in list_sessions(tmp_path)] == ["in_use"]
        first.kill()
        first.wait(30)
        store = SessionStore.open(folder)
        assert store.last_seq - 5 == case["expect"]["records_lost"]
        store.write(Entry(6, 0.0, _fact({"type": "user", "text": "from three"})))
        store.close()
    assert [summary.events for summary in list_sessions(tmp_path)] == [6]


def orphan_call(case: Case, tmp_path: Path) -> None:
    """The store's side: all facts up to the crash are there, the call without a result among them, and opening changes none of them."""
    store = SessionStore.create(tmp_path / "live", "s")
    seq = 0
    for step in case["input"]["events"]:
        for event in _history(step):
            seq += 1
            store.write(Entry(seq, 0.0, event))
        if "crash" in step:
            break
    settle(store)
    subprocess.run(["cp", "-a", str(tmp_path / "live"), str(tmp_path / "s")], check=True)
    store.close()
    reader = SessionStore.open(tmp_path / "s", read_only=True)
    before = reader.entries()
    reader.close()
    store = SessionStore.open(tmp_path / "s")
    assert store.entries() == before
    assert len(before) == seq
    store.close()
    calls = [call.call_id for entry in before if isinstance(entry.event, ModelResponded) for call in entry.event.message.calls()]
    results = [entry.event.call_id for entry in before if isinstance(entry.event, ToolFinished)]
    assert (calls, results) == (case["expect"]["results_for"], ["c2"])


def secrets_not_on_disk(case: Case, tmp_path: Path) -> None:
    """The store's side: a known key that comes in anywhere, whatever became of the request, is in none of its files."""
    keys = ["sk-TESTKEY123456", "sk-ant-TESTKEY9", "AIzaTESTKEY7"]
    store = SessionStore.create(tmp_path / "s", "s", secrets=lambda: keys)
    journal = Journal(store)
    for number, request in enumerate(case["input"]["requests"] * len(case["input"]["fail_with"]), start=1):
        text = json.dumps(request).replace("user:pa55", "user:" + keys[0])  # the proxy's password is too short to be looked for
        failure = str(case["input"]["fail_with"][number % 4])
        fact = opened(f"e{number}", store.keep_body([b'{"error":', text.encode(), b"}"]), number)
        journal.append(fact)
        for start in range(0, len(text), 7):
            store.keep_chunk(f"e{number}", Chunk(start / 100, text[start : start + 7].encode()))
        journal.append(ExchangeClosed(exchange_id=f"e{number}", status=None, headers=(("x-echo", text),), error=f"{failure}: {text}", original=text))
        journal.append(UserMessageAdded(turn_id="t", message=text_message("user", text)))
    settle(store)
    found = [everything_on_disk(tmp_path / "s")]
    store.export(tmp_path / "export.zip")
    store.close()
    found += [everything_on_disk(tmp_path / "s"), (tmp_path / "export.zip").read_bytes()]
    assert sum(data.count(key.encode()) for data in found for key in keys) == case["expect"]["secrets_found"]
    assert b"REDACTED" in found[0]


CHECKS: dict[str, Callable[[Case, Path], None]] = {
    "torn-tail": torn_tail,
    "bad-middle": bad_middle,
    "enospc-append": enospc_append,
    "two-windows-one-session": two_windows,
    "orphan-call-on-resume": orphan_call,
    "secrets-not-on-disk": secrets_not_on_disk,
}


def _records(case: Case) -> list[dict[str, Any] | None]:
    """Return the records of a case's file; None for one that cannot be read. A cut last line and blank lines are none."""
    lines = base64.b64decode(case["input"]["b64"]).split(b"\n")[:-1]
    return [_record(text) for text in lines if text.strip()]


def _record(text: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _fact(record: dict[str, Any]) -> Event:
    message = text_message(record["type"], record["text"])
    if record["type"] == "assistant":
        return ModelResponded(turn_id="t", step=1, exchange_id="e", message=message)
    return UserMessageAdded(turn_id="t", message=message)


def _words(entry: Entry) -> str:
    assert isinstance(entry.event, UserMessageAdded | ModelResponded)
    return entry.event.message.text()


def _history(step: dict[str, Any]) -> list[Event]:
    match step:
        case {"user": text}:
            return [_fact({"type": "user", "text": text})]
        case {"assistant_calls": calls}:
            parts = tuple(ToolCallPart(call_id=call_id, name=name, arguments_raw=json_bytes(arguments).decode()) for call_id, name, arguments in calls)
            message = Message(message_id="m", role="assistant", parts=parts)
            return [ModelResponded(turn_id="t", step=1, exchange_id="e", message=message)]
        case {"result": call_id}:
            result = ToolResultPart(call_id=call_id, name="read", content=(TextPart(text="content"),))
            return [ToolFinished(turn_id="t", step=1, call_id=call_id, tool="read", status="ok", result=result)]
        case _:
            return []
