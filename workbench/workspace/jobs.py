"""What commands left running: each session owns one Jobs, lists it, and ends all of it when it closes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.workspace.output_reader import OutputReader
from workbench.workspace.process_tree import Process, end_processes, find_processes
from workbench.workspace.started_shell import StartedShell
from workbench.workspace.worker import finished, in_thread

END_GRACE_S = 1.0


@dataclass(frozen=True)
class JobState:
    """A job as it is now.

    Attributes:
        number: counts the session's jobs from 1.
        text: the command that started it.
        processes: what lives of it, oldest first; empty if something unknown only holds its output open.
        log: file with its raw output from the beginning.
        started_at: seconds since 1970.
    """

    number: int
    text: str
    processes: tuple[Process, ...]
    log: Path
    started_at: float


@dataclass(eq=False)
class _Job:
    number: int
    text: str
    marker: str
    known: tuple[Process, ...]
    reader: OutputReader
    shell: StartedShell
    started_at: float

    def find(self) -> tuple[Process, ...]:
        """Look for what lives of it now. Blocking."""
        self.known = find_processes(self.marker, known=self.known)
        return self.known

    def end(self) -> None:
        """End all of it. Blocking, up to two seconds."""
        end_processes(self.marker, known=self.known, grace_s=END_GRACE_S)


class Jobs:
    """Owns the processes that outlive their command: servers, watchers, things sent to the background.

    Attributes:
        afterwards: is called when jobs were ended, to look what they left; None if nobody has to.
    """

    def __init__(self) -> None:
        self.afterwards: Callable[[], Awaitable[None]] | None = None
        self._jobs: list[_Job] = []
        self._count = 0

    def adopt(self, *, text: str, marker: str, known: tuple[Process, ...], reader: OutputReader, shell: StartedShell) -> None:
        """Take over what goes on of a command; its output is read on, so that it is not killed by a closed pipe."""
        self._count += 1
        self._jobs.append(_Job(self._count, text, marker, known, reader, shell, time.time()))

    async def running(self) -> tuple[JobState, ...]:
        """Return the jobs that live, oldest first; those that ended by themselves are forgotten."""
        jobs = tuple(self._jobs)
        if not jobs:
            return ()
        found = await finished(in_thread(lambda: [job.find() for job in jobs]))
        for job, processes in zip(jobs, found, strict=True):
            if not processes and job.reader.ended.is_set() and job in self._jobs:
                self._jobs.remove(job)
                job.shell.let_go()
        return tuple(
            JobState(job.number, job.text, processes, job.reader.log, job.started_at)
            for job, processes in zip(jobs, found, strict=True)
            if job in self._jobs
        )

    async def closed(self, number: int) -> None:
        """Return when a job has closed its output, which is mostly when it has ended; at once if there is none of that number."""
        job = next((job for job in self._jobs if job.number == number), None)
        if job is not None:
            await job.reader.ended.wait()

    async def end(self, number: int) -> bool:
        """End one job: SIGTERM, a second, SIGKILL; False if there is none of that number."""
        job = next((job for job in self._jobs if job.number == number), None)
        if job is None:
            return False
        self._jobs.remove(job)
        await self._end(job, in_thread(job.end))
        if self.afterwards is not None:
            await self.afterwards()
        return True

    async def aclose(self) -> None:
        """End all jobs at once; also when cancelled. Commands that are still in the foreground must be cancelled before."""
        jobs, self._jobs = self._jobs, []
        ending = [(job, in_thread(job.end)) for job in jobs]
        cancelled = False
        for job, end in ending:
            try:
                await self._end(job, end)
            except asyncio.CancelledError:
                cancelled = True
        if self.afterwards is not None:
            await self.afterwards()
        if cancelled:
            raise asyncio.CancelledError

    async def _end(self, job: _Job, end: asyncio.Future[None]) -> None:
        try:
            await finished(end)
        finally:
            job.reader.stop()
            job.shell.let_go()
        await job.shell.gone()
