"""The sessions of a data folder: a list that is cheap for thousands, finding one by the beginning of its id, and new ids."""

from __future__ import annotations

import datetime
import secrets
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from workbench.conversation.events import ModelChosen
from workbench.errors import UsageError
from workbench.store.schema import VERSION, connect_reader, scalar
from workbench.store.session_files import SessionFiles
from workbench.store.session_lock import is_locked, read_note
from workbench.store.session_store import SessionStore
from workbench.store.summary import Summary, read_summary

SessionState: TypeAlias = Literal["idle", "in_use", "interrupted", "damaged"]

_id_lock = threading.Lock()
_last_id_ms = 0


@dataclass(frozen=True)
class SessionSummary:
    """A session as a list shows it.

    Attributes:
        session_id: its id; of a damaged session the name of its folder.
        folder: its own folder.
        title: as set, else the beginning of the first user message; may be empty.
        workspace: the folder it works in; empty if unknown.
        created_at, updated_at: seconds since 1970.
        events, turns: how many there are.
        model: the model that was chosen last.
        state: ``in_use``: a process writes it; ``interrupted``: its last turn was cut off; ``damaged``: its summary cannot be read or
            durable facts are missing (other damage is found when it is opened); else ``idle``.
    """

    session_id: str
    folder: Path
    title: str
    workspace: str
    created_at: float
    updated_at: float
    events: int
    turns: int
    model: str
    state: SessionState


def sessions_folder(data_folder: Path) -> Path:
    """Return the folder that holds one folder a session."""
    return data_folder / "sessions"


def list_sessions(data_folder: Path) -> list[SessionSummary]:
    """Return all sessions, the one used last first. Blocking: about 0.2 ms a session.

    Raises:
        UsageError: the folder cannot be read.
    """
    return sorted((_summary(folder) for folder in _folders(data_folder)), key=lambda summary: summary.updated_at, reverse=True)


def find_session(data_folder: Path, id_or_prefix: str) -> SessionSummary:
    """Return the one session whose id is, or alone begins with, the given text.

    Raises:
        UsageError: there is none, or there are several.
    """
    folders = _folders(data_folder)
    found = [folder for folder in folders if folder.name == id_or_prefix] or [
        folder for folder in folders if id_or_prefix and folder.name.startswith(id_or_prefix)
    ]
    values = {"given": id_or_prefix, "number": len(found), "examples": ", ".join(folder.name for folder in found[:3])}
    if not found:
        text = f"There is no session whose id begins with {id_or_prefix!r}; `workbench sessions` lists those that exist."
        raise UsageError(text, message_id="store.no_such_session", values=values)
    if len(found) > 1:
        text = f"{len(found)} sessions begin with {id_or_prefix!r} (such as {values['examples']}); give more of the id."
        raise UsageError(text, message_id="store.several_sessions", values=values)
    return _summary(found[0])


def last_model(folder: Path) -> ModelChosen | None:
    """Return the model that a session used last; None if none was chosen. Blocking: reads its whole journal if its summary does not say.

    Raises:
        StoreError: there is no session, or its files cannot be read.
    """
    files = SessionFiles(folder)
    files.require()
    kept = _read(files)
    if kept is not None and kept.chosen is not None:
        return kept.chosen
    store = SessionStore.open(folder, read_only=True)
    try:
        return next((entry.event for entry in reversed(store.entries()) if isinstance(entry.event, ModelChosen)), None)
    finally:
        store.close()


def new_session_id() -> str:
    """Return a new id such as ``20260131-154210-123-9f3c7a``: UTC to the millisecond, then chance; later ones sort behind."""
    global _last_id_ms
    with _id_lock:
        now_ms = max(_last_id_ms + 1, int(datetime.datetime.now(datetime.UTC).timestamp() * 1000))
        _last_id_ms = now_ms
    moment = datetime.datetime.fromtimestamp(now_ms // 1000, datetime.UTC)
    return f"{moment:%Y%m%d-%H%M%S}-{now_ms % 1000:03}-{secrets.token_hex(3)}"


def _folders(data_folder: Path) -> list[Path]:
    """Return the folders of the sessions by name, oldest id first."""
    folder = sessions_folder(data_folder)
    try:
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        reason = error.strerror or str(error)
        text = f"The sessions in {folder} cannot be listed: {reason}. Check the folder's permissions."
        raise UsageError(text, message_id="store.unlistable", values={"folder": str(folder), "reason": reason}) from error


def _summary(folder: Path) -> SessionSummary:
    files = SessionFiles(folder)
    settled = read_note(files.lock).settled  # before the look: it may only grow
    kept = _read(files)
    if kept is None:
        kept = Summary(session_id=folder.name, created_at=_changed_at(folder), updated_at=_changed_at(files.journal))
        return _shown(folder, kept, "damaged")
    return _shown(folder, kept, _state(files, kept, settled))


def _shown(folder: Path, kept: Summary, state: SessionState) -> SessionSummary:
    return SessionSummary(
        session_id=kept.session_id,
        folder=folder,
        title=kept.title,
        workspace=kept.workspace,
        created_at=kept.created_at,
        updated_at=kept.updated_at,
        events=kept.events,
        turns=kept.turns,
        model=kept.model,
        state=state,
    )


def _state(files: SessionFiles, kept: Summary, settled: int) -> SessionState:
    if kept.events < settled:
        return "damaged"
    if is_locked(files.lock):
        return "in_use"
    return "interrupted" if kept.running else "idle"


def _read(files: SessionFiles) -> Summary | None:
    """Return the kept summary; None if it cannot be read.

    Without a log beside it the database is read as a file that nobody changes, which takes no lock and leaves no files behind; if
    somebody began to write meanwhile, the check sum tells, and it is read with locks.
    """
    try:
        unchanging = not files.wal.exists() or files.wal.stat().st_size == 0
    except OSError:
        unchanging = False
    return (_read_once(files, unchanging=True) if unchanging else None) or _read_once(files, unchanging=False)


def _read_once(files: SessionFiles, *, unchanging: bool) -> Summary | None:
    if not files.journal.is_file():
        return None
    try:
        with closing(connect_reader(files.journal, unchanging=unchanging)) as connection:
            return read_summary(connection) if scalar(connection, "PRAGMA user_version") <= VERSION else None
    except (sqlite3.Error, msgspec.DecodeError):
        return None


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
