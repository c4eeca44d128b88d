"""Runs commands through the tool bash, as the harness does, and takes results apart."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from workbench.tools.base import MemoryObjects, Result, ToolContext
from workbench.tools.bash import BashTool
from workbench.workspace.environment import child_environment
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import open_workspace

_TRAILER = re.compile(
    r"(\n|\A)(\[(exit code|the whole output|still running|could not be stopped|and \d+ more|something|started in)[^\n]*\]|\(the command ended in [^\n]*\))\Z"
)


def command_context(folder: Path, *, call_id: str = "call_1", on_output: Callable[[str], None] = lambda _text: None, keep: tuple[str, ...] = ()) -> ToolContext:
    """Return the surroundings of a call with a new, empty workspace ``ws`` in `folder`, which may be there already."""
    (folder / "ws").mkdir(exist_ok=True)
    (folder / "outputs").mkdir(exist_ok=True)
    workspace = open_workspace(folder / "ws")
    return ToolContext(
        workspace=workspace,
        seen=SeenFiles(),
        outputs=folder / "outputs",
        objects=MemoryObjects(),
        call_id=call_id,
        on_output=on_output,
        environment=child_environment(os.environ, keep=keep, roots=(workspace.path,)),
    )


async def run_bash(tool: BashTool, surroundings: ToolContext, command: str, **arguments: Any) -> Result:
    """Prepare and apply."""
    plan = await tool.prepare({"command": command, "description": "a test", **arguments}, surroundings)
    return await tool.apply(plan, surroundings)


def output_of(result: Result) -> str:
    """Return what the command wrote, without the tool's own lines around it."""
    text = result.text if result.status == "ok" else result.text.partition("Output so far:\n")[2]
    while (shorter := _TRAILER.sub("", text)) != text:
        text = shorter
    return "" if text == "(no output)" else text


def alive(command_line: str) -> list[int]:
    """Return the numbers of living processes with this command line."""
    return [process.pid for process in psutil.process_iter() if _line_of(process) == command_line]


def _line_of(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline()) if process.status() != psutil.STATUS_ZOMBIE else ""
    except psutil.Error:
        return ""
