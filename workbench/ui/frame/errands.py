"""Coroutines that a widget starts and that end with it: one that is still on its way when the widget goes is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from PySide6.QtCore import QObject

from workbench.ui.desk import Desk


class Errands:
    """Starts coroutines through the desk, which owns them; what comes back never meets a widget that is gone."""

    def __init__(self, desk: Desk, owner: QObject) -> None:
        self._desk = desk
        self._running: set[asyncio.Task[Any]] = set()
        self._gone = False
        owner.destroyed.connect(self._end)

    def spawn(self, coroutine: Coroutine[Any, Any, Any], name: str) -> None:
        """Run a coroutine as long as the owner lives and the window is open at most."""
        if self._gone:
            coroutine.close()
            return
        try:
            task = self._desk.spawn(coroutine, name=name)
        except RuntimeError:  # the desk is closing: it shows no session any more, and nothing is to be looked for
            coroutine.close()
            return
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _end(self) -> None:
        self._gone = True
        for task in list(self._running):
            task.cancel()
