"""Watches what held commands left running: what they plant later is moved away before the next command, and when the last of them is ended."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from workbench.tools.base import Result
from workbench.tools.bash_sandbox import aside_entry, aside_line
from workbench.workspace.jobs import Jobs
from workbench.workspace.sandbox_cage import Held
from workbench.workspace.sandbox_survey import survey
from workbench.workspace.sandbox_watch import PutAside
from workbench.workspace.worker import finished, in_thread

log = logging.getLogger(__name__)


class _Watched(NamedTuple):
    """What is compared with: the workspace as it was looked through last, and where things go."""

    held: Held
    quarantine: Path


class Leftovers:
    """Looks again after commands that go on. Called on the loop's thread; nobody can tell who wrote what meanwhile, so what is new is moved away."""

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs
        self._watched: _Watched | None = None
        self._looking = asyncio.Lock()

    async def begin(self, held: Held, quarantine: Path) -> None:
        """Watch what a command left running; the workspace was looked through just now."""
        now = await finished(in_thread(lambda: survey(held.bounds, keep=bool(held.before.kept))))
        self._watched = _Watched(replace(held, before=now), quarantine)
        self._jobs.afterwards = self._at_the_end

    async def look(self) -> tuple[PutAside, ...]:
        """Move away what was planted since the last look; done to its end also when cancelled."""
        async with self._looking:
            watched = self._watched
            if watched is None:
                return ()
            lives = bool(await self._jobs.running())
            place = watched.quarantine.with_name(f"{watched.quarantine.name}-later")
            aside = await finished(in_thread(lambda: watched.held.put_aside(place)))
            if not lives and self._watched is watched:
                self._watched = None
            return aside

    async def _at_the_end(self) -> None:
        for one in await self.look():
            log.warning("a command that went on running left %s, which was moved to %s", one.path, one.kept)

    def told(self, result: Result, aside: tuple[PutAside, ...], folder: Path) -> Result:
        """Return a command's result with what an earlier one had planted."""
        if not aside:
            return result
        sandbox = {"confinement": "", "rung": "none", "denied": [], "quarantined": [], **result.ui.get("sandbox", {})}
        sandbox["quarantined"] = [*(aside_entry(one, folder) for one in aside), *sandbox["quarantined"]]
        lines = [aside_line(one, folder, "an earlier command that went on running") for one in aside]
        return replace(result, text="\n".join([result.text, *lines]), ui={**result.ui, "sandbox": sandbox})
