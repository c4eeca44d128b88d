"""A parser in a process of its own gets what it is to read and nothing else, and does not outlive its time."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.left_behind import NewChildren
from workbench.tools.lone_process import answer_of


def script(folder: Path, text: str) -> Path:
    path = folder / "worker.py"
    path.write_text(text)
    return path


async def test_answer_is_what_the_script_writes(tmp_path: Path) -> None:
    path = script(tmp_path, "import sys; sys.stdout.write(sys.argv[1] + sys.stdin.read()[::-1])")
    assert await answer_of(path, b"abc", "x", time_limit_s=30) == b"xcba"


async def test_environment_with_its_keys_is_not_lent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary-key")
    monkeypatch.setenv("HOME", "/home/canary")
    path = script(tmp_path, "import json, os; print(json.dumps(dict(os.environ)))")
    lent = json.loads(await answer_of(path, b"", time_limit_s=30))
    assert "canary" not in json.dumps(lent)
    assert set(lent) <= {"LD_LIBRARY_PATH", "SYSTEMROOT", "LC_CTYPE"}  # the last is Python's own doing


async def test_it_ends_when_the_time_is_up_or_the_call_is_cancelled(tmp_path: Path, new_children: NewChildren) -> None:
    path = script(tmp_path, "import time; time.sleep(31.9)")
    with pytest.raises(TimeoutError):
        await answer_of(path, b"", time_limit_s=0.2)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(answer_of(path, b"", time_limit_s=30))
        await asyncio.sleep(0)
        task.cancel()
    assert new_children() == [], sys.executable
