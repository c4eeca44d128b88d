"""What a list of sessions shows of one, kept in a row of its own so that the list need not read journals."""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any

import msgspec

from workbench.conversation.events import (
    Entry,
    Event,
    ModelChosen,
    SessionOpened,
    TitleSet,
    TurnFinished,
    TurnStarted,
    UserMessageAdded,
)
from workbench.conversation.messages import Message
from workbench.conversation.values import Value, json_bytes
from workbench.store.masking import Masks

TITLE_CHARACTERS = 80


class Summary(Value, kw_only=True):
    """The state of a session after its newest fact.

    Attributes:
        title: as set, else the beginning of the first user message; one line.
        created_at, updated_at: seconds since 1970, when the session was made and when its newest fact was written.
        events, turns: how many there are.
        chosen: the model that was chosen last; None if none was, or if an older program wrote this.
        running: a turn was started and has not finished.
    """

    session_id: str
    title: str = ""
    workspace: str = ""
    created_at: float = 0.0
    updated_at: float = 0.0
    events: int = 0
    turns: int = 0
    model: str = ""
    chosen: ModelChosen | None = None
    running: bool = False

    def after(self, entry: Entry) -> Summary:
        """Return the summary that counts `entry` too."""
        counted = {"events": entry.seq, "updated_at": entry.at, "created_at": self.created_at or entry.at}
        return msgspec.structs.replace(self, **counted, **self._changes(entry.event))

    def _changes(self, event: Event) -> dict[str, Any]:
        match event:
            case SessionOpened():
                return {"workspace": event.workspace}
            case TitleSet():
                return {"title": event.title}
            case ModelChosen():
                return {"model": event.model, "chosen": event}
            case TurnStarted():
                return {"turns": self.turns + 1, "running": True}
            case TurnFinished():
                return {"running": False}
            case UserMessageAdded() if not self.title:
                return {"title": _title_from(event.message)}
            case _:
                return {}


def write_summary(connection: sqlite3.Connection, summary: Summary, masks: Masks) -> None:
    """Put the summary into its row."""
    data = masks.json(json_bytes(summary))
    connection.execute("INSERT OR REPLACE INTO summary VALUES (1, ?, ?)", (data, _crc(data)))


def read_summary(connection: sqlite3.Connection) -> Summary | None:
    """Return the summary; None if its row is missing or damaged.

    Raises:
        sqlite3.Error: SQLite cannot read the database.
    """
    row = connection.execute("SELECT data, crc FROM summary WHERE id = 1").fetchone()
    match row:
        case (bytes(data), int(crc)) if crc == _crc(data):
            return msgspec.json.decode(data, type=Summary)
        case _:
            return None


def _crc(data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(b"s"))


def _title_from(message: Message) -> str:
    if message.role != "user" or message.synthetic:
        return ""
    line = " ".join(message.text()[: 4 * TITLE_CHARACTERS].split())
    return line if len(line) <= TITLE_CHARACTERS else line[: TITLE_CHARACTERS - 1] + "…"
