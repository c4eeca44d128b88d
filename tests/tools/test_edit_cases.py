"""Every case of edit_cases.jsonl: the new bytes, the tier, or the error with the file untouched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.cases import parameters
from tests.tools.running import Bench, bytes_of, check, stage
from workbench.tools.edit import EditTool


@pytest.mark.parametrize("case", parameters("edit_cases"))
async def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    options, expected = case.get("options", {}), case["expect"]
    bench = Bench(tmp_path, tools={"edit": EditTool(tolerant=options.get("tolerant", True))})
    await stage(bench, case)
    path = bench.ws / case["file"]
    before = path.read_bytes() if path.is_file() else None
    names = ("edits",) if case["tool"] == "multiedit" else ("old_string", "new_string", "replace_all")
    changes = [step["content"] for step in case.get("setup", []) if step["op"] == "change_after_plan"]
    between = (lambda: path.write_text(changes[0])) if changes else None
    result = await bench.run(case["tool"], between=between, file_path=options.get("via", case["file"]), **{name: case[name] for name in names})
    if "error" in expected:
        assert (result.kind, result.status) == (expected["error"], "error"), result.text
        assert (path.read_bytes() if path.is_file() else None) == (changes[0].encode() if changes else before)
        assert expected.get("detail", {}).items() <= result.ui["detail"].items()
        assert result.ui["detail"].get("index") == expected.get("index")
    else:
        assert result.status == "ok", result.text
        assert path.read_bytes() == bytes_of(expected)
        wanted = {name: expected[name] for name in ("tier", "replacements") if name in expected}
        assert wanted.items() <= result.ui.items()
    check(bench, expected)
