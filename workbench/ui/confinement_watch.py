"""What is known of the sandbox, for the whole window: tested at the start and when a person wants it, told when it is another."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from workbench.app import App
from workbench.permissions.modes import GateFacts
from workbench.workspace.sandbox import SelfTestReport


class ConfinementWatch(QObject):
    """Tests the sandbox and says what holds commands.

    Args:
        app: the program, which does the test.
        spawn: runs a coroutine as long as the window is open at most.

    Signals:
        changed: a test began or ended.

    Attributes:
        testing: a test runs, or is about to.
        lacks: the program that would make the full sandbox here and is not installed; empty if there is nothing to install.
    """

    changed = Signal()

    def __init__(self, app: App, spawn: Callable[..., asyncio.Task[Any]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._app, self._spawn = app, spawn
        self.testing, self._running = False, False
        self.lacks = ""

    @property
    def facts(self) -> GateFacts:
        """What the gate knows of the machine."""
        return self._app.facts

    @property
    def report(self) -> SelfTestReport:
        """What the last self-test found."""
        return self._app.sandbox.report

    def announce(self) -> None:
        """Say that it will be found out, so that nothing is claimed before."""
        self.testing = True
        self.changed.emit()

    def begin(self) -> None:
        """Find out what holds commands, at the start."""
        self._run(self._app.find_sandbox, "find the sandbox")

    def test(self) -> None:
        """Test again; does nothing while a test runs."""
        self._run(self._app.test_sandbox, "test the sandbox")

    def _run(self, test: Callable[[], Awaitable[object]], name: str) -> None:
        if not self._running:
            self.testing, self._running = True, True
            self.changed.emit()
            self._spawn(self._tested(test), name=name).add_done_callback(self._end)

    async def _tested(self, test: Callable[[], Awaitable[object]]) -> None:
        await test()
        self.lacks = await asyncio.to_thread(_lacking, self._app.environment.get("PATH"))

    def _end(self, _task: asyncio.Task[Any]) -> None:
        """However the test ended: even one that was cancelled before it began."""
        self.testing, self._running = False, False
        if isValid(self):
            self.changed.emit()


def _lacking(path: str | None) -> str:
    return "bubblewrap" if sys.platform == "linux" and shutil.which("bwrap", path=path) is None and shutil.which("bwrap") is None else ""
