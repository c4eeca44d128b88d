"""What the window works on: the folder, its sessions, the models; everything that needs the whole program goes through here."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from PySide6.QtCore import QObject, Signal

from workbench.app import App
from workbench.settings.tree import Settings
from workbench.ui.bridge import Bridge
from workbench.workspace.paths import Workspace

T = TypeVar("T")
SessionState: TypeAlias = Literal["running", "waits", "idle", "in_use", "damaged"]


class SessionRow(NamedTuple):
    """A session of the workspace as the list shows it; `used_at` is seconds since 1970."""

    session_id: str
    folder: Path
    title: str
    state: SessionState
    used_at: float


class ModelEntry(NamedTuple):
    """A model that can be chosen; `why_not` says in a sentence why it cannot just now (its key is missing), else empty."""

    profile: str
    title: str
    model: str
    dialect: str
    local: bool
    why_not: str = ""


class Desk(QObject):
    """The program as the window sees it.

    Signals:
        workspace_changed: another folder is open.
        sessions_changed: the list of sessions, or the state of one, is another.
        models_changed: the models that can be chosen are others.
        settings_changed: settings were saved.
        told: a sentence and its level (info, warning, error) that a person should read now.
    """

    workspace_changed = Signal()
    sessions_changed = Signal()
    models_changed = Signal()
    settings_changed = Signal()
    told = Signal(str, str)

    def __init__(self, app: App, bridge: Bridge) -> None:
        super().__init__()
        self.app, self.bridge = app, bridge
        self.workspace: Workspace | None = None
        self.branch = ""
        self.sessions: tuple[SessionRow, ...] = ()
        self.models: tuple[ModelEntry, ...] = ()

    async def open_folder(self, path: Path) -> bool:
        """Open a folder as the workspace, with a new session; False after `told` said why not."""
        raise NotImplementedError

    async def new_session(self) -> bool:
        """Begin a new session in the workspace; the one before stays open while its turn runs."""
        raise NotImplementedError

    async def open_session(self, session_id: str) -> bool:
        """Show a session of the list."""
        raise NotImplementedError

    async def choose_model(self, profile: str, model: str) -> bool:
        """Send requests to another model from the next step on, and remember it in the settings."""
        raise NotImplementedError

    async def find_local_servers(self) -> int:
        """Look for model servers on this machine; return how many answered."""
        raise NotImplementedError

    async def save_settings(self, settings: Settings) -> bool:
        """Put settings in force and write them."""
        raise NotImplementedError

    def spawn(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Run a coroutine as long as the window is open at most; what goes wrong in it is told."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close every session; what was written is durable when this returns."""
        raise NotImplementedError
