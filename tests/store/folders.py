"""Sessions for tests: facts of every usual kind, filled folders, and everything that is on the disk of one."""

from __future__ import annotations

import asyncio
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from workbench.conversation.events import (
    Entry,
    Event,
    ExchangeClosed,
    ExchangeOpened,
    ModelResponded,
    SessionOpened,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.exchange import BodyRef, Chunk
from workbench.conversation.messages import text_message
from workbench.store.session_files import SessionFiles
from workbench.store.session_store import SessionStore


def facts(count: int) -> list[Event]:
    """Return facts of a plain conversation; turn after turn."""
    events: list[Event] = [SessionOpened(session_id="s", workspace="/work", program_version="1")]
    turn = 0
    while len(events) < count:
        turn_id, turn = f"turn{turn}", turn + 1
        events += [
            TurnStarted(turn_id=turn_id),
            UserMessageAdded(turn_id=turn_id, message=text_message("user", f"question {turn} " * 20)),
            ModelResponded(turn_id=turn_id, step=1, exchange_id=f"ex{turn}", message=text_message("assistant", f"answer {turn} " * 60)),
            TurnFinished(turn_id=turn_id, end="answered", steps=1),
        ]
    return events[:count]


def entries(events: Iterable[Event], after: int = 0) -> list[Entry]:
    """Number facts."""
    return [Entry(seq, 1_700_000_000.0 + seq, event) for seq, event in enumerate(events, start=after + 1)]


def filled(folder: Path, count: int) -> list[Entry]:
    """Make a closed session of `count` facts and return them."""
    store = SessionStore.create(folder, folder.name)
    written = entries(facts(count))
    for entry in written:
        store.write(entry)
    store.close()
    return written


def opened(exchange_id: str, body: BodyRef, number: int = 1) -> ExchangeOpened:
    """Return the fact that a request is about to leave."""
    return ExchangeOpened(
        exchange_id=exchange_id,
        number=number,
        turn_id="t",
        step=1,
        attempt=1,
        method="POST",
        url="http://127.0.0.1:1/v1",
        headers=(),
        body=body,
        dialect="chat_completions",
        profile="practice",
        model="m",
    )


def exchange(store: SessionStore, exchange_id: str, request: list[bytes], response: list[bytes], seq: int) -> BodyRef:
    """Keep one whole exchange, with the facts `seq` and `seq` + 1."""
    ref = store.keep_body(request)
    store.write(Entry(seq, 0.0, opened(exchange_id, ref)))
    for number, data in enumerate(response):
        store.keep_chunk(exchange_id, Chunk(number / 8, data))
    store.write(Entry(seq + 1, 0.0, ExchangeClosed(exchange_id=exchange_id, status=200)))
    return ref


def settle(store: SessionStore) -> None:
    """Wait until all that was written is durable."""
    asyncio.run(store.settled(store.last_seq))


def everything_on_disk(folder: Path) -> bytes:
    """Return all bytes that can be found in a session's folder: of every file as it is, and of every row, unpacked."""
    files = SessionFiles(folder)
    found = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path != files.journal]
    with closing(sqlite3.connect(f"file:{files.journal}?mode=ro", uri=True)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for name in names:
            found += [_unpacked(value) for row in connection.execute(f"SELECT * FROM {name}") for value in row]  # noqa: S608 -- names of our tables
        connection.execute("VACUUM INTO ?", (str(folder.parent / "copy.sqlite"),))
    found.append((folder.parent / "copy.sqlite").read_bytes())
    (folder.parent / "copy.sqlite").unlink()
    return b"\n".join(found)


def _unpacked(value: object) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if not isinstance(value, bytes):
        return b""
    try:
        return value + zlib.decompress(value)
    except zlib.error:
        return value
