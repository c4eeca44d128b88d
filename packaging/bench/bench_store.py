"""Measure the store: 1,000 rounds of a conversation that grows to megabytes, against plain SQLite, plain hashing and plain files.

The transcript is the bytes of all different request pieces and of all responses. Text is drawn from a small vocabulary with numbers
in it, so that it compresses about as well as code and prose do (3 to 4 times).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from workbench.conversation.events import Entry, ExchangeClosed, ExchangeOpened, ModelResponded, ToolFinished, UserMessageAdded
from workbench.conversation.exchange import BodyRef, Chunk
from workbench.conversation.journal import Journal
from workbench.conversation.messages import TextPart, ToolResultPart, text_message
from workbench.conversation.values import json_bytes
from workbench.store.session_store import SessionStore
from workbench.store.sessions import list_sessions, sessions_folder

ROUNDS = 1000
SESSIONS = 1000
STEMS = ("file", "path", "value", "return", "self.", "import ", "the ", "error", "session", "line")
WORDS = [f"{stem}{end}" for stem in STEMS for end in ("", "s ", "_id", " = ", "(")]


class Round(NamedTuple):
    """One request and its answer: the message added to the request, and the chunks that came back."""

    text: str
    message: bytes
    chunks: list[bytes]


class Conversation(NamedTuple):
    """What a measurement of the whole conversation found; times in milliseconds a round."""

    store_ms: list[float]
    refs: list[BodyRef]
    transcript_bytes: int
    file_bytes: int
    folder: Path


async def main() -> None:
    """Print one row for each claim."""
    rounds = list(_rounds())
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        conversation = await _store_all(Path(folder) / "s", rounds)
        baseline_ms = _plain_sqlite(Path(folder) / "plain.sqlite", rounds)
        _row(
            "file size of 1,000 rounds",
            conversation.file_bytes / conversation.transcript_bytes,
            file_bytes=conversation.file_bytes,
            transcript_bytes=conversation.transcript_bytes,
            last_body_bytes=conversation.refs[-1].size_bytes,
        )
        _row(
            "store time of a round",
            statistics.median(conversation.store_ms) / statistics.median(baseline_ms),
            ours_p50_ms=statistics.median(conversation.store_ms),
            ours_p99_ms=_p99(conversation.store_ms),
            plain_sqlite_p50_ms=statistics.median(baseline_ms),
            plain_sqlite_p99_ms=_p99(baseline_ms),
        )
        _rebuild(conversation)
        _write_on_loop(Path(folder) / "w")
        _list(Path(folder))


def _rounds() -> Iterator[Round]:
    chance = random.Random(7)
    for number in range(ROUNDS):
        text = "".join(chance.choices(WORDS, k=500)) + str(chance.random())
        message = json.dumps({"role": "user", "content": text}).encode()
        words = "".join(chance.choices(WORDS, k=200)).split(" ")
        yield Round(text, message, [b'data: {"id":"%d","choices":[{"delta":{"content":%s}}]}\n\n' % (number, json.dumps(word).encode()) for word in words])


async def _store_all(folder: Path, rounds: Sequence[Round]) -> Conversation:
    """Store every round as a session does, and wait where it waits: before the request leaves, and at the end of the turn."""
    store = SessionStore.create(folder, "s")
    journal = Journal(store)
    store_ms, refs, pieces = [], [], [b'{"messages":[', b"]}"]
    for number, (text, message, chunks) in enumerate(rounds, start=1):
        pieces.insert(-1, message)
        started = time.perf_counter()
        journal.append(UserMessageAdded(turn_id="t", message=text_message("user", text)))
        ref = store.keep_body(pieces)
        await journal.settled(journal.append(_opened(number, ref)))
        for index, data in enumerate(chunks):
            store.keep_chunk(f"e{number}", Chunk(index / 100, data))
        journal.append(ExchangeClosed(exchange_id=f"e{number}", status=200))
        answer = text_message("assistant", text[: len(text) // 3])
        await journal.settled(journal.append(ModelResponded(turn_id="t", step=1, exchange_id=f"e{number}", message=answer)))
        store_ms.append((time.perf_counter() - started) * 1e3)
        refs.append(ref)
    await store.aclose()
    transcript_bytes = sum(map(len, pieces)) + sum(len(data) for item in rounds for data in item.chunks)
    return Conversation(store_ms, refs, transcript_bytes, (folder / "journal.sqlite").stat().st_size, folder)


def _plain_sqlite(path: Path, rounds: Sequence[Round]) -> list[float]:
    """Insert and commit what is new in each round into one table, twice a round, with the same safety; milliseconds a round."""
    times_ms = []
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE event (seq INTEGER PRIMARY KEY, data BLOB)")
        for item in rounds:
            started = time.perf_counter()
            for new in (item.message, b"".join(item.chunks)):
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("INSERT INTO event (data) VALUES (?)", (new,))
                connection.execute("COMMIT")
            times_ms.append((time.perf_counter() - started) * 1e3)
    return times_ms


def _rebuild(conversation: Conversation) -> None:
    store = SessionStore.open(conversation.folder, read_only=True)
    ref = conversation.refs[-1]
    ours_ms = min(_times_ms(lambda: store.body(ref), 5))
    body = store.body(ref)
    hashing_ms = min(_times_ms(lambda: hashlib.sha256(body).hexdigest(), 5))
    for number in range(0, ROUNDS, 97):  # exactness, not speed
        if hashlib.sha256(store.body(conversation.refs[number])).hexdigest() != conversation.refs[number].sha256:
            sys.exit("a body was not rebuilt exactly")
    store.close()
    _row("rebuild of the last body", ours_ms / hashing_ms, ours_ms=ours_ms, sha256_of_it_ms=hashing_ms, body_bytes=ref.size_bytes)


def _write_on_loop(folder: Path) -> None:
    """Measure what `write` costs the caller, against encoding the fact as JSON alone."""
    result = ToolResultPart(call_id="c", name="read", content=(TextPart(text="x = 1\n" * 300),))
    event = ToolFinished(turn_id="t", step=1, call_id="c", tool="read", status="ok", result=result)
    store = SessionStore.create(folder, "w")
    ours_us = [1e3 * _times_ms(lambda seq=seq: store.write(Entry(seq, 0.0, event)), 1)[0] for seq in range(1, 3001)]  # type: ignore[misc]
    store.close()
    encoding_us = [1e3 * took for took in _times_ms(lambda: json_bytes(event), 3000)]
    _row(
        "write of a fact, on the loop",
        statistics.median(ours_us) / statistics.median(encoding_us),
        ours_p50_us=statistics.median(ours_us),
        ours_p99_us=_p99(ours_us),
        json_alone_p50_us=statistics.median(encoding_us),
        fact_bytes=len(json_bytes(event)),
    )


def _list(folder: Path) -> None:
    for number in range(SESSIONS):
        SessionStore.create(sessions_folder(folder) / f"s{number}", f"s{number}").close()
    files = [path / "journal.sqlite" for path in sessions_folder(folder).iterdir()]
    ours_ms = min(_times_ms(lambda: list_sessions(folder), 3))
    reading_ms = min(_times_ms(lambda: [path.read_bytes() for path in files], 3))
    _row("list of 1,000 sessions", ours_ms / reading_ms, ours_ms=ours_ms, reading_their_files_ms=reading_ms)


def _opened(number: int, ref: BodyRef) -> ExchangeOpened:
    return ExchangeOpened(
        exchange_id=f"e{number}",
        number=number,
        turn_id="t",
        step=1,
        attempt=1,
        method="POST",
        url="http://127.0.0.1/v1/chat/completions",
        headers=(("Content-Type", "application/json"),),
        body=ref,
        dialect="chat_completions",
        profile="practice",
        model="m",
    )


def _times_ms(call: Callable[[], object], count: int) -> list[float]:
    times = []
    for _ in range(count):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1e3)
    return times


def _p99(values: Sequence[float]) -> float:
    return sorted(values)[len(values) * 99 // 100]


def _row(name: str, ratio: float, **numbers: float) -> None:
    print(json.dumps({"name": name, "ratio": round(ratio, 3), "numbers": {key: round(value, 3) for key, value in numbers.items()}}), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
