"""Knows which jobs of the shown session run: asked again when a call ends and when a job closes its output, never on a clock."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject, Signal

from workbench.conversation.events import Entry, ToolFinished, TurnFinished
from workbench.ui.desk import Desk
from workbench.ui.frame.errands import Errands
from workbench.workspace.jobs import Jobs, JobState

LOOKS_AFTER_CLOSING_S = (0.05, 0.3, 2.0)
"""A job that closed its output mostly lives a moment longer; one that goes on silently is seen again when the next call ends."""


class JobsWatch(QObject):
    """Follows the jobs of whatever session the desk shows.

    Signals:
        changed: `jobs` is another list.

    Attributes:
        jobs: those that run, oldest first.
    """

    changed = Signal()

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._errands = desk, Errands(desk, self)
        self.jobs: tuple[JobState, ...] = ()
        self._looking, self._again = False, False
        self._of: Jobs | None = None
        self._followed: set[int] = set()
        desk.bridge.attached.connect(self.refresh)
        desk.bridge.facts.connect(self._hear)

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

    def _hear(self, entries: tuple[Entry, ...]) -> None:
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
