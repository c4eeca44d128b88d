"""Every case of glob, with ripgrep and with what takes its place where it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.searching import check_case, marked
from tests.tools.trees import read_cases
from workbench.tools.glob_files import GlobTool
from workbench.workspace import ripgrep

CASES = [case for case in read_cases("glob_grep_cases.jsonl") if case["tool"] == "glob"]


@pytest.mark.parametrize("case", [marked(case) for case in CASES])
async def test_case(tmp_path: Path, case: dict[str, Any]) -> None:
    await check_case(tmp_path, GlobTool(), case)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
async def test_case_without_ripgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: dict[str, Any]) -> None:
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: None)
    await check_case(tmp_path, GlobTool(), case)
