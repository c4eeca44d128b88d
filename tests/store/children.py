"""Runs as a process of its own, to be killed, locked out or starved of disk by a test: ``children.py WHAT FOLDER [NUMBER]``."""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path

from workbench.conversation.events import Event, ExchangeClosed, ExchangeOpened, Notice
from workbench.conversation.exchange import Chunk
from workbench.conversation.journal import Journal
from workbench.errors import SessionLocked, StoreFailed
from workbench.store.session_store import SessionStore


async def append(folder: Path) -> None:
    """Append facts without end; say the number of each that is durable."""
    store = _opened(folder)
    journal = Journal(store, store.entries())
    _say("ready")
    for number in itertools.count(1):
        for event in _round(store, number):
            seq = journal.append(event)
        if number % 3 == 0:
            await journal.settled(seq)
            _say(str(seq))


async def hold(folder: Path) -> None:
    """Hold the session until stdin ends, writing a fact for each line."""
    store = _opened(folder)
    journal = Journal(store, store.entries())
    _say("ready")
    while await asyncio.to_thread(sys.stdin.readline):
        await journal.settled(journal.append(Notice(message_id="m", text="held")))
        _say(str(journal.last_seq))
    await store.aclose()


async def starve(folder: Path, limit_bytes: int) -> None:
    """Append until the system refuses to let a file grow; say what was durable, then the sentence."""
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    store = _opened(folder)
    journal = Journal(store, store.entries())
    settled = 0
    try:
        for number in range(10_000):
            seq = journal.append(Notice(message_id="m", text=f"{number} " * 300))
            await journal.settled(seq)
            settled = seq
    except StoreFailed as error:
        _say(f"{settled} {error.text}")
    await store.aclose()


def _round(store: SessionStore, number: int) -> list[Event]:
    exchange_id = f"ex{number}"
    body = store.keep_body([b"head", *(b"message %d" % index * 30 for index in range(number)), b"tail"])
    for index in range(number % 5):
        store.keep_chunk(exchange_id, Chunk(index / 10, b"data: %d\n\n" % number * 50))
    return [
        ExchangeOpened(
            exchange_id=exchange_id, number=number, turn_id="t", step=1, attempt=1, method="POST", url="u", headers=(),
            body=body, dialect="chat_completions", profile="p", model="m",
        ),
        Notice(message_id="m", text=f"{number} " * (number * 37 % 900)),
        ExchangeClosed(exchange_id=exchange_id, status=200),
    ]  # fmt: skip


def _opened(folder: Path) -> SessionStore:
    try:
        return SessionStore.open(folder) if folder.exists() else SessionStore.create(folder, folder.name)
    except SessionLocked as error:
        _say(error.text)
        sys.exit(3)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    what, where, *numbers = sys.argv[1:]
    match what:
        case "append":
            asyncio.run(append(Path(where)))
        case "hold":
            asyncio.run(hold(Path(where)))
        case "starve":
            asyncio.run(starve(Path(where), int(numbers[0])))
        case _:
            sys.exit(2)
