"""Runs commands in a test's folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from workbench.workspace.environment import child_environment
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import Command, Outcome, run_command


def command(folder: Path, text: str, *, timeout_s: float | None = 10) -> Command:
    return Command(text=text, folder=folder, environment=child_environment(os.environ), log=folder / "log.txt", timeout_s=timeout_s)


def unseen(_text: str) -> None:
    """Take live output for a test that does not look at it."""


async def run(folder: Path, text: str, *, jobs: Jobs | None = None, timeout_s: float | None = 10, on_text: Callable[[str], None] = unseen) -> Outcome:
    return await run_command(command(folder, text, timeout_s=timeout_s), jobs=jobs or Jobs(), on_text=on_text)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
