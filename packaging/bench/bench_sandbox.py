"""Measure what a sandbox adds to a command: the same shortest command held and not held, in turns, so that a busy moment meets both."""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from workbench.permissions.names import is_secret, protection
from workbench.workspace.environment import child_environment
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import Command, run_command
from workbench.workspace.sandbox import Bounds, GuardedNames, Sandbox, find_sandbox
from workbench.workspace.sandbox_cage import hold

ROUNDS = 25
FILES = 2_000


def main() -> None:
    """Print one row for each kind of sandbox that this machine has."""
    entries = os.environ.get("PATH", "").split(os.pathsep)
    without = os.pathsep.join(entry for entry in entries if not Path(entry, "bwrap").exists()) or "/nowhere"
    found = [asyncio.run(find_sandbox({**os.environ, "PATH": path})) for path in (os.pathsep.join(entries), without)]
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as name:
        workspace = Path(os.path.realpath(name)) / "ws"
        for number in range(FILES):
            file = workspace / f"folder{number % 40}" / f"file{number}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        for rung, sandbox in {sandbox.rung: sandbox for sandbox in found if sandbox.rung != "none"}.items():
            print(json.dumps(asyncio.run(_row(rung, sandbox, workspace))))
    if all(sandbox.rung == "none" for sandbox in found):
        print("There is no sandbox here.", file=sys.stderr)


async def _row(rung: str, sandbox: Sandbox, workspace: Path) -> dict[str, object]:
    bounds = Bounds(workspace=workspace, names=GuardedNames(lambda path: protection(path) is not None, is_secret))
    times: list[tuple[float, float, float]] = []
    for _ in range(ROUNDS + 2):
        began_s = time.perf_counter()
        held = hold(sandbox, bounds)
        looked_s = time.perf_counter()
        await _run(Command(text="true", folder=workspace, environment=child_environment(os.environ), log=workspace.parent / "log", cage=held.cage))
        ran_s = time.perf_counter()
        held.put_aside(workspace.parent / "quarantine")
        looked_again_s = time.perf_counter()
        await _run(Command(text="true", folder=workspace, environment=child_environment(os.environ), log=workspace.parent / "log"))
        surveys_s = looked_s - began_s + looked_again_s - ran_s
        times.append((ran_s - looked_s, time.perf_counter() - looked_again_s, surveys_s))
    ours, bare, surveys = (statistics.median(row[column] for row in times[2:]) * 1000 for column in range(3))
    numbers = {"ours_ms": round(ours + surveys, 2), "reference_ms": round(bare, 2), "surveys_ms": round(surveys, 2)}
    return {"name": f"shortest command in {rung}, {FILES} files", "ratio": round((ours + surveys) / bare, 2), "numbers": numbers}


async def _run(command: Command) -> None:
    await run_command(command, jobs=Jobs(), on_text=lambda _text: None)


if __name__ == "__main__":
    main()
