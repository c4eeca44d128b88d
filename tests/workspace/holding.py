"""Runs commands held by a real sandbox, in a workspace that has what must be guarded; skips visibly where this machine has no such sandbox."""

from __future__ import annotations

import asyncio
import functools
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

from workbench.permissions.names import is_secret, protection
from workbench.workspace.environment import child_environment
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import Command, Outcome, run_command
from workbench.workspace.sandbox import Bounds, GuardedNames, Sandbox, find_sandbox
from workbench.workspace.sandbox_cage import Held, hold
from workbench.workspace.sandbox_watch import PutAside
from workbench.workspace.worker import in_thread

Kind = Literal["bwrap", "landlock"]

NAMES = GuardedNames(protected=lambda path: protection(path) is not None, secret=is_secret)
PYTHON = Path(sys.executable)
OURS = tuple(dict.fromkeys(Path(os.path.realpath(place)) for place in (sys.prefix, sys.base_prefix)))
"""Where this Python lives: tests run it inside, and it may lie in somebody's home."""


def program_folder(folder: Path, *names: str) -> Path:
    """Return a folder with links to some of the system's programs and no others."""
    folder.mkdir()
    for name in names or ("bash", "cat", "mv", "grep", "unshare", "sleep", "git", "ls", "touch", "env"):
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    return folder


@functools.cache
def sandbox(kind: Kind) -> Sandbox:
    """Return this machine's sandbox of a kind."""
    environment = dict(os.environ)
    if kind == "landlock":
        environment["PATH"] = os.pathsep.join(entry for entry in environment["PATH"].split(os.pathsep) if not Path(entry, "bwrap").exists()) or "/nowhere"
    found = asyncio.run(find_sandbox(environment))
    if found.rung != kind:
        pytest.skip(f"this machine has no {kind}: {found.report.problem}")
    return found


class Den:
    """A workspace and what holds commands in it.

    Attributes:
        folder: the workspace.
        kind: of the sandbox.
    """

    def __init__(self, folder: Path, kind: Kind, **bounds: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.kind = folder, kind
        self.jobs = Jobs()
        self.bounds = Bounds(workspace=folder, names=NAMES, **{"readable": OURS, **bounds})
        self.sandbox = sandbox(kind)
        self.environment = child_environment(os.environ)

    def with_bounds(self, **changes: Any) -> Den:
        changed = Den(self.folder, self.kind)
        changed.bounds = replace(self.bounds, **changes)
        return changed

    async def run(
        self, text: str, *, timeout_s: float | None = 20.0, workdir: Path | None = None, on_text: Callable[[str], None] = lambda _text: None
    ) -> Outcome:
        """Run a command in a cage of its own."""
        return (await self.run_held(text, timeout_s=timeout_s, workdir=workdir, on_text=on_text))[0]

    async def run_held(
        self, text: str, *, timeout_s: float | None = 20.0, workdir: Path | None = None, on_text: Callable[[str], None] = lambda _text: None
    ) -> tuple[Outcome, Held]:
        held = await in_thread(lambda: hold(self.sandbox, self.bounds))
        command = Command(
            text=text, folder=workdir or self.folder, environment=self.environment, log=self.folder.parent / "log", timeout_s=timeout_s, cage=held.cage
        )
        return await run_command(command, jobs=self.jobs, on_text=on_text), held

    async def leave(self, text: str) -> tuple[PutAside, ...]:
        """Run a command, and return what was moved away after it."""
        _, held = await self.run_held(text)
        await self.jobs.aclose()
        return await in_thread(lambda: held.put_aside(self.folder.parent / "quarantine"))

    async def says(self, text: str) -> str:
        """Return what a command writes."""
        text = (await self.run(text)).output.text
        await self.jobs.aclose()
        return text

    async def python(self, code: str) -> str:
        """Return what Python code writes, inside."""
        (self.folder / "probe.py").write_text(code)
        return await self.says(f"{str(PYTHON)!r} -S probe.py")
