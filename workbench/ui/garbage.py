"""Keeps the garbage collector from walking a long session over and over: what stays is set aside, what was closed is looked for once.

Python walks everything whenever a quarter has come to what was there, which takes 0.1 s with a session of 10,000 messages, in the
middle of a stream as well as anywhere. Things that were set aside are freed all the same when nothing holds them; only circles wait.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer

from workbench.conversation.events import Entry, TurnFinished
from workbench.ui.desk import Desk

LATER_MS = 3_000
"""So long after a session was closed, its circles are looked for: what a person wanted instead of it is in sight by then."""


class Garbage(QObject):
    """Sets aside what sessions and turns bring, as long as the desk lives."""

    def __init__(self, desk: Desk, *, later_ms: int = LATER_MS) -> None:
        super().__init__(desk)
        self._bridge = desk.bridge
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(later_ms)
        self._later.timeout.connect(self._look)
        self._due = False
        desk.bridge.attached.connect(self._shown)
        desk.bridge.facts.connect(self._heard)
        desk.session_closed.connect(self._closed)

    def _shown(self) -> None:
        QTimer.singleShot(0, self, gc.freeze)  # when every part of the window has made what it shows

    def _closed(self) -> None:
        self._due = True
        self._later.start()

    def _heard(self, facts: Sequence[Entry]) -> None:
        if not any(isinstance(entry.event, TurnFinished) for entry in facts):
            return
        gc.freeze()
        if self._due:
            self._later.start()

    def _look(self) -> None:
        """Look through everything once, unless a turn runs: then after it."""
        if self._bridge.running:
            return
        self._due = False
        gc.unfreeze()
        gc.collect()
        gc.freeze()
