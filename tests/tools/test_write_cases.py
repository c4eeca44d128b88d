"""Every write case of read_write_cases.jsonl: the new bytes, or the error with nothing changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.cases import parameters
from tests.tools.running import Bench, bytes_of, check, stage

CASES = [case for case in parameters("read_write_cases") if case.values[0]["tool"] == "write"]  # type: ignore[index]


@pytest.mark.parametrize("case", CASES)
async def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    await stage(bench, case)
    expected = case["expect"]
    before = snapshot(tmp_path)
    result = await bench.run("write", file_path=case.get("options", {}).get("via", case["file"]), content=case["new_content"])
    if "error" in expected:
        assert (result.kind, result.status) == (expected["error"], "error"), result.text
        assert snapshot(tmp_path) == before
    else:
        assert result.status == "ok", result.text
        assert (bench.ws / case["file"]).read_bytes() == bytes_of(expected)
    check(bench, expected)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
