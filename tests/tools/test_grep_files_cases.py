"""Every case of grep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.searching import check_case, marked
from tests.tools.trees import read_cases
from workbench.tools.grep_files import GrepTool


@pytest.mark.parametrize("case", [marked(case) for case in read_cases("glob_grep_cases.jsonl") if case["tool"] == "grep"])
async def test_case(tmp_path: Path, case: dict[str, Any]) -> None:
    await check_case(tmp_path, GrepTool(), case)
