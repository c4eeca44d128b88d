"""Works out, a moment after the last edit, what would come of a call with a person's arguments."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.agent.rehearsal import rehearse
from workbench.app import OpenSession
from workbench.conversation.events import ApprovalRequested
from workbench.ui.approval.draft import Draft
from workbench.ui.bridge import Bridge

DELAY_MS = 250


class Rehearsing(QObject):
    """One rehearsal at a time; only the last one asked for is told.

    Signals:
        done: the `Rehearsal` of the draft as it is now.
    """

    done = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked: tuple[ApprovalRequested, Draft] | None = None
        self._task: asyncio.Task[None] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._begin)

    def ask(self, requested: ApprovalRequested, draft: Draft) -> None:
        """Rehearse a question with a draft, soon."""
        self.forget()
        self._asked = (requested, draft)
        self._timer.start()

    def forget(self) -> None:
        """Want no result any more."""
        self._asked = None
        self._timer.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _begin(self) -> None:
        opened = self._bridge.opened
        if self._asked is None or opened is None:
            return
        requested, draft = self._asked
        if draft.edited and not draft.check().problem:
            self._task = opened.session.spawn(self._work(opened, requested, draft), name="rehearsal")

    async def _work(self, opened: OpenSession, requested: ApprovalRequested, draft: Draft) -> None:
        bench, arguments = opened.bench, dict(draft.values)
        rehearsal = await rehearse(requested, arguments, registry=bench.registry, context=bench.context, gatekeeper=bench.gatekeeper)
        if self._asked == (requested, draft) and draft.values == arguments:
            self.done.emit(rehearsal)
