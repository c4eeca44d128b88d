"""Knows which commands of the shown session run.

Jobs are asked for again when a call ends and when a job closes its output, never on a clock; what a turn waits for the facts tell.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.conversation.events import ApprovalRequested, Entry, ToolFinished, ToolStarted, TurnFinished, TurnStarted
from workbench.ui.desk import Desk
from workbench.ui.frame.errands import Errands
from workbench.workspace.jobs import Jobs, JobState

LOOKS_AFTER_CLOSING_S = (0.05, 0.3, 2.0)
"""A job that closed its output mostly lives a moment longer; one that goes on silently is seen again when the next call ends."""
SHOWN_AFTER_S = 0.5
"""A command that a turn waits for is listed when it has run so long: most end before anybody could read their names."""
COMMAND_TOOL = "bash"


class RunningCall(NamedTuple):
    """A command that a turn waits for; `started_at` is seconds since 1970."""

    call_id: str
    text: str
    started_at: float


class JobsWatch(QObject):
    """Follows the jobs and running commands of whatever session the desk shows.

    Signals:
        changed: `jobs` or `calls` is another list.

    Attributes:
        jobs: those that run, oldest first.
        calls: the commands that the turn waits for, oldest first.
    """

    changed = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._errands = desk, Errands(desk, self)
        self.jobs: tuple[JobState, ...] = ()
        self.calls: tuple[RunningCall, ...] = ()
        self._started: dict[str, RunningCall] = {}
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.timeout.connect(self._show_calls)
        self._looking, self._again = False, False
        self._of: Jobs | None = None
        self._followed: set[int] = set()
        desk.bridge.attached.connect(self._begin_anew)
        desk.bridge.facts.connect(self._hear)
        self._begin_anew()

    def refresh(self) -> None:
        """Look again, in the background."""
        if self._looking:
            self._again = True
            return
        self._looking = True
        self._errands.spawn(self._look(), "look for jobs")

    def stop(self, number: int) -> None:
        """End a job, in the background."""
        jobs = self._jobs()
        if jobs is not None:
            self._errands.spawn(self._stop(jobs, number), "stop a job")

    def _jobs(self) -> Jobs | None:
        opened = self._desk.bridge.opened
        return opened.bench.jobs if opened is not None else None

    def _begin_anew(self) -> None:
        """Look at another session: what runs in it began after its last turn did."""
        entries, turn = self._desk.bridge.entries, list[Entry]()
        for entry in reversed(entries if self._desk.bridge.running else ()):
            turn.append(entry)
            if isinstance(entry.event, TurnStarted):
                break
        self._started = {}
        self._take_calls(reversed(turn))
        self.refresh()

    def stop_call(self, call_id: str) -> None:
        """Stop a command that the turn waits for."""
        self._desk.bridge.stop_call(call_id)

    def _take_calls(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            match entry.event:
                case ToolStarted(tool=tool, call_id=call_id, arguments=arguments) if tool == COMMAND_TOOL:
                    self._started[call_id] = RunningCall(call_id, str(arguments.get("command", "")), entry.at)
                case ToolFinished(call_id=call_id) | ApprovalRequested(call_id=call_id):  # asked about a second run: the first one is over
                    self._started.pop(call_id, None)
                case TurnFinished():
                    self._started.clear()
                case _:
                    pass
        self._show_calls()

    def _show_calls(self) -> None:
        """List the commands that have run long enough, and look again when the next one has."""
        now = time.time()
        waits_s = [call.started_at + SHOWN_AFTER_S - now for call in self._started.values()]
        calls = tuple(call for call, wait_s in zip(self._started.values(), waits_s, strict=True) if wait_s <= 0)
        if soon := [wait_s for wait_s in waits_s if wait_s > 0]:
            self._later.start(round(min(soon) * 1000) + 1)
        if calls != self.calls:
            self.calls = calls
            self.changed.emit()

    def _hear(self, entries: tuple[Entry, ...]) -> None:
        self._take_calls(entries)
        if any(isinstance(entry.event, ToolFinished | TurnFinished) for entry in entries):
            self.refresh()

    async def _look(self) -> None:
        try:
            self._again = True
            while self._again:
                self._again = False
                jobs = self._jobs()
                found = await jobs.running() if jobs is not None else ()
                if jobs is self._jobs():
                    self._show(found, jobs)
                else:
                    self._again = True
        finally:
            self._looking = False

    def _show(self, found: tuple[JobState, ...], jobs: Jobs | None) -> None:
        if jobs is not self._of:
            self._of, self._followed = jobs, set()
        if found != self.jobs:
            self.jobs = found
            self.changed.emit()
        for job in found:
            if jobs is not None and job.number not in self._followed:
                self._followed.add(job.number)
                self._errands.spawn(self._follow(jobs, job.number), "wait for a job")

    async def _follow(self, jobs: Jobs, number: int) -> None:
        """Look again when a job has closed its output."""
        await jobs.closed(number)
        for wait_s in LOOKS_AFTER_CLOSING_S:
            await asyncio.sleep(wait_s)
            self.refresh()
            if all(job.number != number for job in self.jobs):
                return

    async def _stop(self, jobs: Jobs, number: int) -> None:
        await jobs.end(number)
        self.refresh()
