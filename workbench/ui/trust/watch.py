"""What the open folder brings, and whether it is trusted: looked at when a folder is opened and when the window comes back, told when it is another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance

from workbench.app import App
from workbench.errors import SettingsError
from workbench.settings.trust import Shipped
from workbench.words import tell
from workbench.workspace.paths import Workspace


class HasFolder(Protocol):
    """What is needed of the desk."""

    app: App
    workspace: Workspace | None

    @property
    def workspace_changed(self) -> SignalInstance:
        """Another folder is open."""
        ...

    @property
    def told(self) -> SignalInstance:
        """A sentence and its level."""
        ...

class TrustWatch(QObject):
    """Follows the desk's folder.

    Args:
        desk: whose folder it is.
        spawn: runs a coroutine as long as the window is open at most.

    Signals:
        changed: what the folder brings, or the answer to it, is another.
        wanted: a person wants to see the question, answered or not.

    Attributes:
        shipped: what the open folder brings; nothing while it is not known.
    """

    changed = Signal()
    wanted = Signal()

    def __init__(self, desk: HasFolder, spawn: Callable[..., asyncio.Task[Any]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk, self._spawn = desk, spawn
        self._turn = asyncio.Lock()
        self.shipped = Shipped()
        desk.workspace_changed.connect(self._look_soon)

    def _look_soon(self) -> None:
        self._spawn(self.look(), name="look what the folder brings")

    async def look(self) -> None:
        """Look what the folder brings now. Only the files that would be listed are read, as data; nothing is started."""
        async with self._turn:
            workspace = self._desk.workspace
            shipped = await self._desk.app.trust.look(workspace) if workspace is not None else Shipped()
            if workspace is self._desk.workspace:
                self._show(shipped)

    def answer_soon(self, shipped: Shipped, *, trusted: bool) -> None:
        """Begin `answer`."""
        self._spawn(self.answer(shipped, trusted=trusted), name="keep the answer about the folder")

    async def answer(self, shipped: Shipped, *, trusted: bool) -> None:
        """Keep a person's answer to what they were shown; what was changed meanwhile is asked again."""
        async with self._turn:
            workspace = self._desk.workspace
            if workspace is None:
                return
            try:
                await self._desk.app.trust.answer(workspace, shipped, trusted=trusted)
            except SettingsError as error:
                self._desk.told.emit(tell(error), "error")
                return
            now = await self._desk.app.trust.look(workspace)
            if workspace is self._desk.workspace:
                self._show(now)

    def _show(self, shipped: Shipped) -> None:
        if shipped != self.shipped:
            self.shipped = shipped
            self.changed.emit()
