"""The one door between a session and the window: facts come in, coalesced to a frame; what a person wants goes out as calls.

Views connect to the signals of one Bridge for the life of the window; `attach` lets it look at another session.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Literal

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from workbench.agent.session import Session
from workbench.app import OpenSession
from workbench.conversation.calls import Answer, RuleScope
from workbench.conversation.checks import ReleaseDecision, RequestHeld, RequestReleased
from workbench.conversation.events import (
    ApprovalRequested,
    ApprovalResolved,
    Entry,
    LimitReached,
    LiveEvent,
    ModeChosen,
    ModelChosen,
    Notice,
    TurnFinished,
    TurnStarted,
)
from workbench.conversation.journal import Subscription
from workbench.conversation.messages import FilePart, ImagePart
from workbench.conversation.values import JsonObject
from workbench.errors import WorkbenchError
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import Changes
from workbench.permissions.modes import Rung
from workbench.words import tell

FRAME_S = 1 / 60
AT_ONCE = (ApprovalRequested, ApprovalResolved, TurnStarted, TurnFinished, LimitReached, ModeChosen, ModelChosen, Notice, RequestHeld, RequestReleased)


class Bridge(QObject):
    """A session as the window sees it.

    Signals, all on the loop's thread and none more often than once a frame:
        attached: another session is shown (or none); read everything anew.
        facts: ``tuple[Entry, ...]``, the facts since the last time, in order.
        live: ``tuple[LiveEvent, ...]``, the live signs since the last time.
        timeline_changed: `Changes` of `timeline.items`.
        pending_changed: the open questions are others than before.
        state_changed: running, queued, mode, model, a waiting limit or a failure to save changed.
        refused: a sentence: what was wanted could not be done; nothing changed.

    Attributes:
        timeline: the conversation as items; belongs to the session that is attached.
    """

    attached = Signal()
    facts = Signal(object)
    live = Signal(object)
    timeline_changed = Signal(object)
    pending_changed = Signal()
    state_changed = Signal()
    refused = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.opened: OpenSession | None = None
        self.timeline = Timeline()
        self._subscription: Subscription | None = None
        self._arrived: list[Entry | LiveEvent] = []
        self._cost_s = 0.0
        self._flushed_at = 0.0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self.flush)

    # What is shown

    def attach(self, opened: OpenSession | None, timeline: Timeline | None = None) -> None:
        """Show another session, or none: its facts are replayed and `attached` is emitted once. The session before goes on unseen.

        Args:
            opened: the session.
            timeline: of its facts so far, or the first of them (see `replayed`); made here if it is None.
        """
        self.detach()
        self.opened = opened
        self.timeline = timeline or Timeline()
        if opened is not None:
            journal = opened.session.journal
            self.timeline.apply(journal.entries[self.timeline.last_seq :])
            self._subscription = journal.subscribe(self._hear, live=self._hear_live, after=journal.last_seq)
        self.attached.emit()
        self.pending_changed.emit()
        self.state_changed.emit()

    def detach(self) -> None:
        """Stop listening; may be called twice."""
        if self._subscription is not None:
            self._subscription.close()
            self._subscription = None
        self._timer.stop()
        self._arrived = []

    @property
    def entries(self) -> Sequence[Entry]:
        """All facts of the session so far; empty if none is attached."""
        return self.opened.session.journal.entries if self.opened else ()

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The open questions, oldest first."""
        return self.opened.session.pending if self.opened else ()

    @property
    def rung(self) -> Rung:
        """What holds commands on this machine."""
        return self.opened.bench.gatekeeper.facts.rung if self.opened is not None else "none"

    @property
    def running(self) -> bool:
        """Whether a turn runs or waits for a person."""
        return self.opened is not None and self.opened.session.running

    @property
    def held(self) -> RequestHeld | None:
        """The request that is held back and waits for a person; None if there is none."""
        return self.opened.session.held if self.opened is not None else None

    # What a person wants

    async def send(self, text: str, attachments: Sequence[ImagePart | FilePart] = ()) -> Literal["started", "queued", "refused"]:
        """Say something; ``refused`` after `refused` told why (the words stay with the caller)."""
        if self.opened is None:
            return "refused"
        try:
            outcome = await self.opened.session.submit(text, attachments)
        except WorkbenchError as error:
            self.refused.emit(tell(error))
            return "refused"
        self.state_changed.emit()
        return outcome

    def stop(self) -> None:
        """Stop the running turn; returns at once, the facts tell when it has ended."""
        if self.opened is not None and self.opened.session.running:
            self.opened.session.spawn(self.opened.session.stop(), name="stop")

    def stop_call(self, call_id: str) -> bool:
        """Stop one call; False if it does not run any more."""
        return self.opened is not None and self.opened.session.stop_call(call_id)

    def answer(
        self, approval_id: str, answer: Answer, *, note: str = "", arguments: JsonObject | None = None,
        rules: Sequence[JsonObject] = (), scope: RuleScope = "session",
    ) -> bool:
        """Answer a question; False if it is not open any more, and nothing happened then."""
        return self.opened is not None and self.opened.session.resolve(approval_id, answer, note=note, arguments=arguments, rules=rules, scope=scope)

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        """Decide about a held request; False if it is not held any more, and nothing happened then."""
        return self.opened is not None and self.opened.session.release(hold_id, decision)

    def choose_mode(self, mode: Literal["read_only", "ask", "accept_edits", "auto"]) -> bool:
        """Choose the mode; False after `refused` told why not."""
        if self.opened is None:
            return False
        try:
            self.opened.session.choose_mode(mode)
        except WorkbenchError as error:
            self.refused.emit(tell(error))
            return False
        return True

    # Facts, frame by frame

    def flush(self) -> None:
        """Hand out everything that arrived, now."""
        self._timer.stop()
        begun = time.perf_counter()
        arrived, self._arrived = self._arrived, []
        changes = self.timeline.apply(arrived, now=time.time())
        self._tell(arrived, changes)
        self._flushed_at = time.perf_counter()
        self._cost_s = self._flushed_at - begun

    def _tell(self, arrived: Sequence[Entry | LiveEvent], changes: Changes) -> None:
        facts = tuple(event for event in arrived if isinstance(event, Entry))
        live = tuple(event for event in arrived if not isinstance(event, Entry))
        if changes:
            self.timeline_changed.emit(changes)
        if live:
            self.live.emit(live)
        if facts:
            self.facts.emit(facts)
            if any(isinstance(entry.event, ApprovalRequested | ApprovalResolved | TurnFinished) for entry in facts):
                self.pending_changed.emit()
            if any(isinstance(entry.event, AT_ONCE) for entry in facts):
                self.state_changed.emit()
            if self.opened is not None and self.opened.session.running and any(isinstance(entry.event, TurnFinished) for entry in facts):
                self.opened.session.spawn(self._tell_rest(self.opened.session), name="tell rest")

    async def _tell_rest(self, session: Session) -> None:
        """Tell when a turn whose end is a fact already has also been saved: only then nothing runs any more."""
        await session.wait_idle()
        if self.opened is not None and self.opened.session is session:
            self.state_changed.emit()

    def _hear(self, entry: Entry) -> None:
        self._arrived.append(entry)
        self._arm(at_once=isinstance(entry.event, AT_ONCE))

    def _hear_live(self, event: LiveEvent) -> None:
        self._arrived.append(event)
        self._arm(at_once=isinstance(event, Notice))

    def _arm(self, *, at_once: bool) -> None:
        """Flush in a frame at the latest; at once means before the next paint, when the session has done what it does just now."""
        wait_s = 0.0 if at_once else max(FRAME_S, 4 * self._cost_s) - (time.perf_counter() - self._flushed_at)
        wait_ms = max(0, round(wait_s * 1000))
        if not self._timer.isActive() or wait_ms < self._timer.remainingTime():
            self._timer.start(wait_ms)


async def replayed(opened: OpenSession) -> Timeline:
    """Return the timeline of a session's facts so far, made in a thread: thousands of messages take longer than a window may keep people waiting."""
    timeline, entries = Timeline(), tuple(opened.session.journal.entries)
    await asyncio.to_thread(timeline.apply, entries)
    return timeline
