"""The sessions that are open in this window, shown or not: what state each is in, and what it has to tell while nobody looks at it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.app import OpenSession
from workbench.conversation.checks import RequestHeld, RequestReleased
from workbench.conversation.events import (
    ApprovalRequested,
    ApprovalResolved,
    Entry,
    Event,
    LimitRaised,
    LimitReached,
    LiveEvent,
    Notice,
    TitleSet,
    TurnFinished,
    TurnStarted,
)
from workbench.conversation.journal import Subscription
from workbench.errors import WorkbenchError
from workbench.words import tell

OpenState: TypeAlias = Literal["running", "waits", "idle"]


@dataclass(eq=False)
class HeldSession:
    """A session that is open here.

    Attributes:
        opened: the session; another value when its model was switched.
        title: as it is called in the list; empty before anything was said.
        used_at: when something was said last, seconds since 1970.
        said: something was said in it, ever.
    """

    opened: OpenSession
    title: str = ""
    used_at: float = 0.0
    said: bool = False
    running: bool = False
    questions: set[str] = field(default_factory=set)
    limit: bool = False
    subscription: Subscription | None = None

    @property
    def state(self) -> OpenState:
        """What the list shows."""
        if self.running:
            return "waits" if self.questions or self.limit else "running"
        return "idle"

    @property
    def busy(self) -> bool:
        """Whether closing it would end or lose something."""
        return self.opened.session.running or bool(self.opened.session.queued)

    @property
    def unsaved(self) -> str:
        """Why it cannot be saved any more, in a sentence; empty as long as it can."""
        failure = self.opened.session.failure
        return tell(failure) if failure is not None else ""

    def take_up(self, entries: Sequence[Entry]) -> None:
        """Begin with a session that was just opened: whatever was left open in it has been ended."""
        started = next((entry for entry in reversed(entries) if isinstance(entry.event, TurnStarted)), None)
        self.title = next((entry.event.title for entry in reversed(entries) if isinstance(entry.event, TitleSet)), "")
        self.said = started is not None
        self.used_at = started.at if started is not None else entries[0].at if entries else 0.0

    def take(self, entry: Entry) -> None:
        """Follow a fact."""
        match entry.event:
            case TitleSet(title=title):
                self.title = title
            case TurnStarted():
                self.running, self.said, self.used_at = True, True, entry.at
            case TurnFinished():
                self.running, self.limit = False, False
                self.questions.clear()
            case event:
                self._take_question(event)

    def _take_question(self, event: Event) -> None:
        match event:
            case ApprovalRequested(approval_id=approval_id):
                self.questions.add(approval_id)
            case ApprovalResolved(approval_id=approval_id):
                self.questions.discard(approval_id)
            case RequestHeld(hold_id=hold_id):
                self.questions.add(hold_id)
            case RequestReleased(hold_id=hold_id):
                self.questions.discard(hold_id)
            case LimitReached():
                self.limit = True
            case LimitRaised():
                self.limit = False
            case _:
                pass


class OpenSessions(QObject):
    """Holds sessions and listens to them.

    Signals:
        changed: the state or title of one is another; at most once a turn of the loop.
        rested: id of a session whose turn has ended.
        closed: a session was closed and is not held any more.
        told: id of a session, a sentence, and its level: what it has to tell that is no fact (it cannot be saved any more).
    """

    changed = Signal()
    rested = Signal(str)
    closed = Signal()
    told = Signal(str, str, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._held: dict[str, HeldSession] = {}
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._tell_changes)
        self._shown: dict[str, tuple[str, OpenState]] = {}
        self._ended: dict[str, None] = {}

    def __iter__(self) -> Iterator[HeldSession]:
        return iter(tuple(self._held.values()))

    def get(self, session_id: str) -> HeldSession | None:
        """Return a session that is open here; None if it is not."""
        return self._held.get(session_id)

    def add(self, opened: OpenSession) -> HeldSession:
        """Hold a session that was just opened."""
        held, journal = HeldSession(opened), opened.session.journal
        held.take_up(journal.entries)
        self._held[opened.session.session_id] = held
        held.subscription = journal.subscribe(
            lambda entry: self._hear(held, entry), live=lambda event: self._hear_live(held, event), after=journal.last_seq
        )
        self._soon.start(0)
        return held

    def put(self, opened: OpenSession) -> None:
        """Take the new value of a session that is held (its model was switched)."""
        self._held[opened.session.session_id].opened = opened

    async def close(self, held: HeldSession) -> None:
        """Close a session: its turn is stopped, and what was written is durable when this returns."""
        session_id = held.opened.session.session_id
        try:
            await held.opened.aclose()
        except WorkbenchError as error:
            self.told.emit(session_id, tell(error), "error")
        if held.subscription is not None:
            held.subscription.close()
        self._held.pop(session_id, None)
        self.closed.emit()

    async def aclose(self) -> None:
        """Close all at once; whatever goes wrong with one, the others are closed.

        Raises:
            Exception: what went wrong first, if it was an error of the program.
        """
        results = await asyncio.gather(*(self.close(held) for held in self), return_exceptions=True)
        for result in results:
            if result is not None:
                raise result

    def _hear(self, held: HeldSession, entry: Entry) -> None:
        held.take(entry)
        if isinstance(entry.event, TurnFinished):
            self._ended[held.opened.session.session_id] = None
        if not self._soon.isActive():
            self._soon.start(0)

    def _hear_live(self, held: HeldSession, event: LiveEvent) -> None:
        if isinstance(event, Notice):
            self.told.emit(held.opened.session.session_id, tell(event), event.level)

    def _tell_changes(self) -> None:
        shown = {session_id: (held.title, held.state) for session_id, held in self._held.items()}
        if shown != self._shown:
            self._shown = shown
            self.changed.emit()
        ended, self._ended = self._ended, {}
        for session_id in ended:
            self.rested.emit(session_id)
