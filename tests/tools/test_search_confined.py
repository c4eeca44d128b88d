"""Searching and listing stay in the folder that was judged, whatever is swapped while they run, and never hang on odd files."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tools.searching import run_tool, search_context
from tests.workspace.folders import open_descriptors
from workbench.errors import ToolError
from workbench.tools import glob_files, grep_files, list_folder
from workbench.tools.base import Result, Tool, ToolContext
from workbench.tools.glob_files import GlobTool
from workbench.tools.grep_files import GrepTool
from workbench.tools.list_folder import ListTool
from workbench.tools.read import ReadTool
from workbench.tools.write import WriteTool
from workbench.workspace import beneath, walk
from workbench.workspace.beneath import Folder

pytestmark = pytest.mark.skipif(os.name != "posix", reason="made of POSIX steps")
SEARCHES: list[tuple[Tool, dict[str, Any]]] = [
    (GlobTool(), {"pattern": "**/*", "path": "d"}),
    (GrepTool(), {"pattern": "SECRET|plain", "path": "d"}),
    (ListTool(), {"path": "d"}),
    (ReadTool(), {"file_path": "d"}),
]


@pytest.fixture(params=["openat2", "steps"])
def context(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolContext:
    """A workspace with a folder ``d``, and an outside folder with a secret, in either way of opening."""
    if request.param == "steps":
        monkeypatch.setattr(beneath, "best_way", lambda: "steps")
    context = search_context(tmp_path)
    (context.workspace.path / "d").mkdir()
    (context.workspace.path / "d" / "plain.txt").write_text("plain\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.txt").write_text("SECRET\n")
    return context


def swap(context: ToolContext, name: str = "d") -> None:
    """Put a link to the outside in the place of a folder."""
    root = context.workspace.path
    (root / name).rename(root / "was")
    (root / name).symlink_to(root.parent / "out")


def texts(result: Result) -> str:
    return f"{result.text}\n{result.ui}"


@pytest.mark.parametrize(("tool", "arguments"), SEARCHES, ids=[tool.name for tool, _ in SEARCHES])
async def test_folder_that_became_a_link_after_the_decision_is_refused(context: ToolContext, tool: Tool, arguments: dict[str, Any]) -> None:
    plan = await tool.prepare(arguments, context)
    swap(context)
    with pytest.raises(ToolError) as refused:
        await tool.apply(plan, context)
    assert refused.value.kind == "changed_during_approval"


@pytest.mark.parametrize(("module", "tool", "arguments"), [(glob_files, *SEARCHES[0]), (grep_files, *SEARCHES[1]), (list_folder, *SEARCHES[2])])
async def test_folder_that_becomes_a_link_while_it_is_searched_is_still_the_one_that_was_judged(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch, module: Any, tool: Tool, arguments: dict[str, Any]
) -> None:
    judge = module.unchanged_place

    async def judged_then_swapped(*given: Any) -> Folder:
        folder: Folder = await judge(*given)
        swap(context)
        return folder

    monkeypatch.setattr(module, "unchanged_place", judged_then_swapped)
    result = await run_tool(tool, context, **arguments)
    assert "plain" in texts(result)
    assert "secret" not in texts(result).casefold()


@pytest.mark.parametrize("engine", ["git", "scan"])
async def test_without_ripgrep_likewise(context: ToolContext, monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(walk, "_best_engine", lambda _folder: engine)
    await test_folder_that_becomes_a_link_while_it_is_searched_is_still_the_one_that_was_judged(context, monkeypatch, glob_files, *SEARCHES[0])


async def test_match_that_is_reached_through_a_link_by_now_is_dropped(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    (context.workspace.path / "d" / "e").mkdir()
    (context.workspace.path / "d" / "e" / "secret.txt").write_text("SECRET inside\n")
    real = walk.walk

    def listed_then_swapped(*given: Any, **more: Any) -> Any:
        listing = real(*given, **more)
        (context.workspace.path / "d" / "e").rename(context.workspace.path / "was")
        (context.workspace.path / "d" / "e").symlink_to(context.workspace.path.parent / "out")
        return listing

    monkeypatch.setattr(glob_files, "walk", listed_then_swapped)
    result = await run_tool(GlobTool(), context, pattern="*.txt", path="d")
    assert result.ui["paths"] == ["d/plain.txt"]


async def test_lines_of_a_file_that_is_reached_through_a_link_by_now_are_dropped(context: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    (context.workspace.path / "d" / "e").mkdir()
    (context.workspace.path / "d" / "e" / "secret.txt").write_text("plain too\n")

    def secret_then_swapped(path: str) -> bool:
        if path.startswith("e/"):
            (context.workspace.path / "d" / "e").rename(context.workspace.path / "was")
            (context.workspace.path / "d" / "e").symlink_to(context.workspace.path.parent / "out")
        return False

    monkeypatch.setattr(grep_files, "is_secret", secret_then_swapped)
    result = await run_tool(GrepTool(), context, pattern="plain", path="d")
    assert [row["path"] for row in result.ui["matches"]] == ["d/plain.txt"]


@pytest.mark.parametrize("pattern", ["o/*", "./o/**", "{a,o}/*", "d/up/secret.txt", "o/secret.txt", "/o/*"])
async def test_pattern_that_leaves_through_a_link_is_refused(context: ToolContext, pattern: str) -> None:
    (context.workspace.path / "o").symlink_to(context.workspace.path.parent / "out")
    (context.workspace.path / "d" / "up").symlink_to("../../out")
    with pytest.raises(ToolError) as refused:
        await GlobTool().prepare({"pattern": pattern}, context)
    assert refused.value.kind == "outside_workspace"


@pytest.mark.parametrize("pattern", ["o", "l/*", "d/*", "none/*", "*", "none/x/*", "d/plain.txt/*", "**/o"])
async def test_pattern_that_stays_is_taken(context: ToolContext, pattern: str) -> None:
    (context.workspace.path / "l").symlink_to("d")
    (context.workspace.path / "o").symlink_to(context.workspace.path.parent / "out")
    result = await run_tool(GlobTool(), context, pattern=pattern)
    assert "secret" not in texts(result)


def odd_files(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(10 * 1024**3)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(folder / "socket"))


ODD: list[tuple[Tool, dict[str, Any], str]] = [
    (ReadTool(), {"file_path": "d/pipe"}, "not_regular_file"),
    (ReadTool(), {"file_path": "d/socket"}, "not_regular_file"),
    (ReadTool(), {"file_path": "d/zero"}, "not_regular_file"),
    (ReadTool(), {"file_path": "d/huge.txt"}, "binary_file"),
    (ReadTool(), {"file_path": "d/huge.txt", "offset": -5}, "binary_file"),
    (WriteTool(), {"file_path": "d/huge.txt", "content": "x"}, "file_too_large"),
    (WriteTool(), {"file_path": "d/pipe", "content": "x"}, "not_regular_file"),
    (WriteTool(), {"file_path": "d/zero", "content": "x"}, "not_regular_file"),
    (GlobTool(), {"pattern": "*", "path": "d"}, ""),
    (GrepTool(), {"pattern": "plain", "path": "d"}, ""),
    (ListTool(), {"path": "d"}, ""),
]


@pytest.mark.time_limit(20)
@pytest.mark.parametrize(("tool", "arguments", "kind"), ODD, ids=[f"{tool.name}-{number}" for number, (tool, _, _) in enumerate(ODD)])
async def test_odd_files_neither_hang_nor_flood(context: ToolContext, tool: Tool, arguments: dict[str, Any], kind: str) -> None:
    odd_files(context.workspace.path / "d")
    async with asyncio.timeout(15):
        if kind:
            with pytest.raises(ToolError) as refused:
                await run_tool(tool, context, **arguments)
            assert refused.value.kind == kind
        else:
            assert "plain" in texts(await run_tool(tool, context, **arguments))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()], ids=["pipe", "device", "folder"])
async def test_odd_file_that_takes_the_name_after_the_decision(context: ToolContext, make: Callable[[Path], None]) -> None:
    path = context.workspace.path / "d" / "plain.txt"
    plan = await ReadTool().prepare({"file_path": "d/plain.txt"}, context)
    path.unlink()
    make(path)
    async with asyncio.timeout(15):
        if path.is_dir():
            assert "(the folder is empty)" in (await ReadTool().apply(plan, context)).text
        else:
            with pytest.raises(ToolError):
                await ReadTool().apply(plan, context)


async def test_no_descriptor_is_left(context: ToolContext) -> None:
    calls: list[tuple[Tool, dict[str, Any]]] = [*SEARCHES, (ReadTool(), {"file_path": "d/plain.txt"}), (WriteTool(), {"file_path": "d/x/new", "content": "x"})]
    calls += [(ReadTool(), {"file_path": "d/none"}), (GlobTool(), {"pattern": "d/../*"}), (GrepTool(), {"pattern": "("})]
    await once(calls, context)
    before = open_descriptors()
    for _ in range(3):
        await once(calls, context)
        (context.workspace.path / "d" / "x" / "new").unlink()
        context.seen.forget(context.workspace.path / "d" / "x" / "new")
    assert open_descriptors() <= before


async def once(calls: list[tuple[Tool, dict[str, Any]]], context: ToolContext) -> None:
    for tool, arguments in calls:
        try:
            await run_tool(tool, context, **arguments)
        except ToolError:
            continue
