from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tools.trees import make_tree, read_cases
from workbench.errors import ToolError
from workbench.tools.base import MemoryObjects, Result, Tool, ToolContext
from workbench.tools.glob_files import GlobTool
from workbench.tools.grep_files import GrepTool
from workbench.workspace import ripgrep
from workbench.workspace.files import SeenFiles
from workbench.workspace.paths import open_workspace

CASES = read_cases("glob_grep_cases.jsonl")
GLOB_CASES = [case for case in CASES if case["tool"] == "glob"]


def marked(case: dict[str, Any]) -> Any:
    gap = case.get("known_gap")
    return pytest.param(case, id=case["id"], marks=[pytest.mark.xfail(reason=gap, strict=True)] if gap else [])


async def run_case(folder: Path, case: dict[str, Any]) -> Result:
    (folder / "ws").mkdir()
    (folder / "outputs").mkdir()
    workspace = open_workspace(folder / "ws")
    make_tree(workspace.path, case)
    context = ToolContext(workspace=workspace, seen=SeenFiles(), outputs=folder / "outputs", objects=MemoryObjects())
    tool: Tool = GlobTool() if case["tool"] == "glob" else GrepTool()
    arguments = json.loads(json.dumps(case["args"]).replace("$ROOT", str(workspace.path)))
    plan = await tool.prepare(arguments, context)
    if any(target.outside for target in plan.targets):
        raise ToolError("outside_workspace", "nobody allowed it")
    return await tool.apply(plan, context)


def check(result: Result, expected: dict[str, Any]) -> None:
    if "paths" in expected:
        found = result.ui["paths"] if expected["ordered"] else sorted(result.ui["paths"])
        assert found == expected["paths"]
        assert [line for line in result.text.splitlines()[1:] if not line.startswith(("(", "With other")) and "ignored" not in line] == result.ui["paths"]
    if "matches" in expected:
        assert [[row["path"], row["line"], row["text"]] for row in result.ui["matches"] if row["match"]] == expected["matches"]
        for path, _number, line in expected["matches"]:
            assert path in result.text
            assert line.splitlines()[0] in result.text
    for name in ("total", "truncated", "ignored_matches", "note"):
        if name in expected:
            assert result.ui[name] == expected[name], name
    assert result.truncated == expected.get("truncated", False)


async def test_case(tmp_path: Path, case: dict[str, Any]) -> None:
    if "error" in case["expect"]:
        with pytest.raises(ToolError) as raised:
            await run_case(tmp_path, case)
        assert raised.value.kind == case["expect"]["error"]
    else:
        check(await run_case(tmp_path, case), case["expect"])


@pytest.mark.usefixtures("without_ripgrep")
async def test_glob_case_without_ripgrep(tmp_path: Path, plain: dict[str, Any]) -> None:
    await test_case(tmp_path, plain)


@pytest.fixture
def without_ripgrep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ripgrep, "find_ripgrep", lambda: None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", [marked(case) for case in CASES])
    if "plain" in metafunc.fixturenames:
        metafunc.parametrize("plain", [pytest.param(case, id=case["id"]) for case in GLOB_CASES])
