"""Every read case of read_write_cases.jsonl: the lines, what is said of the file, or the error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.tools.cases import parameters
from tests.tools.running import Bench, stage

CASES = [case for case in parameters("read_write_cases") if case.values[0]["tool"] == "read"]  # type: ignore[index]


@pytest.mark.parametrize("case", CASES)
async def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    bench = Bench(tmp_path, outside_allowed=case.get("options", {}).get("outside_allowed", False))
    await stage(bench, case)
    expected = case["expect"]
    result = await bench.run("read", file_path=case["file"], **case["args"])
    if "error" in expected:
        assert (result.kind, result.status) == (expected["error"], "error"), result.text
        detail = {name: list(value) if isinstance(value, tuple) else value for name, value in result.ui["detail"].items()}
        assert {name: expected[name] for name in ("total_lines", "suggestions") if name in expected}.items() <= detail.items()
        return
    assert result.status == "ok", result.text
    if expected.get("lines") is not None:
        assert shown_lines(result.text) == expected["lines"]
    if "notes" in expected:
        assert result.ui["notes"] == expected["notes"]
    assert {name: expected[name] for name in ("total_lines", "more") if name in expected}.items() <= result.ui.items()
    if "capped" in expected.get("notes", ()):
        assert len(result.text.encode()) < 52_000
        assert shown_lines(result.text)[-1].endswith("y" * 99)


def shown_lines(text: str) -> list[str]:
    found = re.search(r"<content>\n(.*)\n</content>", text, re.DOTALL)
    return found[1].split("\n") if found else []
