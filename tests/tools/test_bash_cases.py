"""Every case of bash, and the reported bugs of running commands, for real."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from tests.tools.commands import alive, command_context, output_of, run_bash
from tests.tools.trees import read_cases
from workbench.tools.base import Interrupted, Result
from workbench.tools.bash import BashTool

CASES = read_cases("bash_cases.jsonl")


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
async def test_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]) -> None:
    for name, value in case.get("app_env", {}).items():
        monkeypatch.setenv(name, value)
    # Children get only variables that are named. The case's PLAIN is one that a person named for this project.
    surroundings = command_context(tmp_path, keep=("PLAIN",))
    root = surroundings.workspace.path
    for step in case.get("setup", ()):
        if "dir" in step:
            (root / step["dir"]).mkdir()
        else:
            (root / step["file"]).write_text(step["content"])
    tool = BashTool()
    started = time.monotonic()
    try:
        async with asyncio.TaskGroup() as group:
            call = group.create_task(run_bash(tool, surroundings, **case["args"]))
            if after_ms := case.get("cancel_after_ms"):
                await asyncio.sleep(after_ms / 1000)
                call.cancel()
        result = call.result()
    except Interrupted as interrupted:
        result = interrupted.result
    took_s = time.monotonic() - started
    try:
        check(result, case["expect"], str(root), took_s)
    finally:
        await tool.jobs.aclose()


def check(result: Result, expected: dict[str, Any], root: str, took_s: float) -> None:
    output = output_of(result)
    seen = {
        "exit_code": result.exit_code,
        "truncated": result.truncated,
        "timed_out": result.status == "timed_out",
        "cancelled": result.status == "cancelled",
        "output_limit": result.kind == "output_limit",
        "signal": result.ui["signal"],
        "pipestatus": result.ui["pipeline"],
        "cwd": result.ui["folder"],
        "survivors": len(result.ui["survivors"]),
    }
    for name, value in seen.items():
        if name in expected:
            wanted = expected[name].replace("$WS", root) if isinstance(expected[name], str) else expected[name]
            assert value == wanted, (name, result.text)
    if "output" in expected:
        assert output == expected["output"].replace("$WS", root).removesuffix("\n")
    assert all(text in f"{output}\n" for text in expected.get("contains", ())), output
    assert not any(text in output for text in expected.get("not_contains", ()))
    assert len(output) <= expected.get("max_output_chars", 31_000)
    assert len(result.ui["survivors"]) >= expected.get("min_survivors", 0)
    assert took_s < expected.get("max_seconds", 20)
    if "gone" in expected:
        assert alive(expected["gone"]) == []
