"""Works out, beside the loop, which of a project's last calls the chosen rules would have let through."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.app import OpenSession
from workbench.conversation.events import ApprovalRequested, Entry
from workbench.inspection.rehearse_rule import FACTS_LOOKED_AT, rehearse_rules
from workbench.permissions.rules import Rule
from workbench.store.last_facts import last_facts, sessions_of
from workbench.ui.bridge import Bridge

OTHER_SESSIONS = 5
OTHER_FACTS = 2_000
"""Facts that are read of each other session of the project, the newest."""


class RuleRehearsing(QObject):
    """One rehearsal at a time; only the last one asked for is told.

    Signals:
        done: the `RuleRehearsal` of the rules asked for last.
    """

    done = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._asked: tuple[ApprovalRequested, tuple[Rule, ...]] | None = None
        self._task: asyncio.Task[None] | None = None
        self._others: tuple[str, tuple[tuple[Entry, ...], ...]] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._begin)

    def ask(self, requested: ApprovalRequested, rules: Sequence[Rule]) -> None:
        """Rehearse rules for a question, soon; nothing is told if there are none."""
        self.forget()
        if rules:
            self._asked = (requested, tuple(rules))
            self._timer.start(0)

    def forget(self) -> None:
        """Want no result any more."""
        self._asked = None
        self._timer.stop()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _begin(self) -> None:
        if self._asked is None:
            return
        requested, rules = self._asked
        own, opened = tuple(self._bridge.entries[-FACTS_LOOKED_AT:]), self._bridge.opened
        if opened is None:
            self.done.emit(rehearse_rules(rules, [own], workspace="", except_call=requested.call_id))
        else:
            self._task = opened.session.spawn(self._work(opened, requested, rules, own), name="rule rehearsal")

    async def _work(self, opened: OpenSession, requested: ApprovalRequested, rules: tuple[Rule, ...], own: tuple[Entry, ...]) -> None:
        workspace = str(opened.bench.workspace.path)
        others = await self._other_sessions(opened, workspace)
        rehearsal = await asyncio.to_thread(rehearse_rules, rules, (own, *others), workspace=workspace, except_call=requested.call_id)
        if self._asked == (requested, rules):
            self.done.emit(rehearsal)

    async def _other_sessions(self, opened: OpenSession, workspace: str) -> tuple[tuple[Entry, ...], ...]:
        """Return the facts of the project's other sessions; they are read once for a session that is shown."""
        session_id, data_folder = opened.session.session_id, opened.bench.context.data_folder
        if self._others is None or self._others[0] != session_id:
            found = await asyncio.to_thread(_facts_of_others, data_folder, workspace, session_id) if data_folder is not None else ()
            self._others = (session_id, found)
        return self._others[1]


def _facts_of_others(data_folder: Path, workspace: str, session_id: str) -> tuple[tuple[Entry, ...], ...]:
    folders = sessions_of(data_folder, workspace, except_session=session_id, at_most=OTHER_SESSIONS)
    return tuple(last_facts(folder, OTHER_FACTS) for folder in folders)
