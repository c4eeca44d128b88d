"""Runs a search case the way the harness runs a call, and compares the result with what the case expects."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.tools.trees import make_tree
from workbench.errors import ToolError
from workbench.tools.base import MemoryObjects, Result, Tool, ToolContext
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import Workspace, open_workspace


def search_context(folder: Path) -> ToolContext:
    """Return the surroundings of a call in a new, empty workspace ``ws`` in `folder`."""
    (folder / "ws").mkdir()
    (folder / "outputs").mkdir()
    return context_of(open_workspace(folder / "ws"), folder / "outputs")


def context_of(workspace: Workspace, outputs: Path) -> ToolContext:
    return ToolContext(workspace=workspace, seen=SeenFiles(), outputs=outputs, objects=MemoryObjects())


async def run_tool(tool: Tool, surroundings: ToolContext, **arguments: Any) -> Result:
    """Prepare and apply; a place outside is refused, as it is when nobody allows it."""
    plan = await tool.prepare(arguments, surroundings)
    if any(target.outside for target in plan.targets):
        raise ToolError("outside_workspace", "nobody allowed it")
    return await tool.apply(plan, surroundings)


def slow_program(folder: Path) -> Path:
    """Return a program that stands in for ripgrep: it makes the file ``started`` beside itself and then sleeps."""
    program = folder / "slow"
    program.write_text(f"#!/bin/sh\ntouch {folder}/started\nexec sleep 31.9\n")
    program.chmod(0o755)
    return program


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something outside the loop, at most as long as the test may take."""
    while not condition():  # noqa: ASYNC110 - what is waited for is another process
        await asyncio.sleep(0.005)


async def check_cancel(tool: Tool, surroundings: ToolContext, arguments: dict[str, Any], started: Path) -> None:
    """Cancel a call once it has started its program: it ends at once, and nothing of it is left."""
    plan = await tool.prepare(arguments, surroundings)
    async with asyncio.TaskGroup() as group:
        call = group.create_task(tool.apply(plan, surroundings))
        await until(started.exists)
        call.cancel()
        cancelled_at = time.monotonic()
    assert call.cancelled()
    assert time.monotonic() - cancelled_at < 0.5
    assert not [process for process in psutil.Process().children(recursive=True) if "31.9" in process.cmdline()]


async def check_case(folder: Path, tool: Tool, case: dict[str, Any]) -> None:
    """Make the case's tree, run its call, and compare."""
    context = search_context(folder)
    make_tree(context.workspace.path, case)
    arguments = json.loads(json.dumps(case["args"]).replace("$ROOT", str(context.workspace.path)))
    expected = case["expect"]
    if "error" in expected:
        with pytest.raises(ToolError) as raised:
            await run_tool(tool, context, **arguments)
        assert raised.value.kind == expected["error"]
        return
    result = await run_tool(tool, context, **arguments)
    _check(result, expected)


def _check(result: Result, expected: dict[str, Any]) -> None:
    if "paths" in expected:
        assert (result.ui["paths"] if expected["ordered"] else sorted(result.ui["paths"])) == expected["paths"]
        listed = [line for line in result.text.splitlines()[1:] if not line.startswith(("(", "With other")) and "ignored" not in line]
        assert listed == result.ui["paths"]
    if "matches" in expected:
        assert [[row["path"], row["line"], row["text"]] for row in result.ui["matches"] if row["match"]] == expected["matches"]
        for path, number, line in expected["matches"]:
            assert f"{path}\n" in result.text
            assert f"  {number}: {line.splitlines()[0]}" in result.text
    for name in ("total", "truncated", "ignored_matches", "note"):
        if name in expected:
            assert result.ui[name] == expected[name], name
    assert result.truncated == expected.get("truncated", False)


def marked(case: dict[str, Any]) -> Any:
    """Return the case as a test parameter; a gap that the case itself names must stay one, or be closed."""
    gap = case.get("known_gap")
    return pytest.param(case, id=case["id"], marks=[pytest.mark.xfail(reason=gap, strict=True)] if gap else [])
