"""Collects garbage in the window's thread, and keeps the collector from walking a long session over and over.

Left alone, Python collects in whichever thread happens to make most. A part of the window that is freed in another thread takes the
program with it: Qt's timers and documents belong to theirs. So Python's own collector is off, and here it runs between two events.

What stays is set aside, what was closed is looked for once.

Python walks everything whenever a quarter has come to what was there, which takes 0.1 s with a session of 10,000 messages, in the
middle of a stream as well as anywhere. Things that were set aside are freed all the same when nothing holds them; only circles wait.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer

from workbench.conversation.events import Entry, TurnFinished
from workbench.ui.desk import Desk

LATER_MS = 3_000
"""So long after a session was closed, its circles are looked for: what a person wanted instead of it is in sight by then."""


class Garbage(QObject):
    """Collects garbage, and sets aside what sessions and turns bring, as long as the desk lives."""

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
        events = QAbstractEventDispatcher.instance()
        events.awake.connect(self._collect)
        events.aboutToBlock.connect(self._collect)
        gc.disable()
        self.destroyed.connect(lambda: gc.enable())

    def _collect(self) -> None:
        """Collect when as much was made as lets Python collect; everything is walked only while no turn runs."""
        (young, middle, old), (most_young, most_middle, most_old) = gc.get_count(), gc.get_threshold()
        if young > most_young:
            gc.collect(2 if old > most_old and not self._bridge.running else 1 if middle > most_middle else 0)

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
