"""A call's path is resolved, named and judged; blocking work runs off the loop and ends in words a model understands."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from tests.tools.running import Bench
from workbench.errors import FileRefused, ToolError
from workbench.tools import file_targets
from workbench.tools.file_targets import in_thread, missing_file, path_target, resolve_target, shown_name
from workbench.workspace.paths import resolve


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_names_are_relative_inside_and_absolute_elsewhere(bench: Bench) -> None:
    (bench.ws / "link").symlink_to(bench.outside)
    workspace = bench.workspace.granting(bench.outside, writable=True)
    (bench.ws / "a").mkdir()
    assert shown_name(resolve("a/../b", workspace), workspace) == "b"
    assert shown_name(resolve("link/x", workspace), workspace) == str(bench.outside / "x")
    assert shown_name(resolve("\udcff", workspace), workspace) == "\ufffd"


def test_targets_tell_outside_from_inside(bench: Bench) -> None:
    inside, outside = resolve("a", bench.workspace), resolve("../x", bench.workspace)
    assert [path_target(place, "write").outside for place in (inside, outside)] == [False, True]
    assert path_target(outside, "read").name == str(bench.folder / "x")


def test_sessions_outputs_can_be_read_but_not_written(bench: Bench) -> None:
    (bench.folder / "outputs" / "call.txt").write_text("x")
    place = resolve_target(str(bench.folder / "outputs" / "call.txt"), bench.context())
    assert (path_target(place, "read").outside, path_target(place, "write").outside) == (False, True)


def test_outputs_inside_the_data_folder_are_the_exception_to_its_floor(bench: Bench) -> None:
    outputs = bench.folder / "data" / "sessions" / "s" / "outputs"
    outputs.mkdir(parents=True)
    (outputs / "call.txt").write_text("x")
    (outputs.parent / "journal.sqlite").write_text("x")
    (bench.folder / "outputs").rmdir()
    (bench.folder / "outputs").symlink_to(outputs)
    assert resolve_target(str(outputs / "call.txt"), bench.context()).inside
    with pytest.raises(FileRefused) as caught:
        resolve_target(str(outputs.parent / "journal.sqlite"), bench.context())
    assert caught.value.kind == "outside_workspace"


async def test_refusals_become_tool_errors(bench: Bench) -> None:
    with pytest.raises(ToolError) as caught:
        await in_thread(resolve_target, "a\0", bench.context())
    assert caught.value.kind == "invalid_arguments"


async def test_loop_goes_on_while_a_file_is_awaited_and_the_wait_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_targets, "TIME_LIMIT_S", 0.2)
    release = threading.Event()
    started = time.monotonic()
    try:
        async with asyncio.TaskGroup() as group:
            task = group.create_task(_timed_out(release))
            ticks = 0
            while not task.done():
                await asyncio.sleep(0)
                ticks += 1
    finally:
        release.set()
    assert task.result() == "timed_out"
    assert ticks > 100
    assert time.monotonic() - started < 5


async def _timed_out(release: threading.Event) -> str:
    with pytest.raises(ToolError) as caught:
        await in_thread(release.wait, 10)
    return caught.value.kind


def test_search_for_near_names_is_bounded(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        (bench.ws / f"d{number}").mkdir()
        (bench.ws / f"d{number}" / "x.py").touch()
    (bench.ws / "zz").mkdir()
    (bench.ws / "zz" / "wanted.py").touch()
    place = resolve("wanted.py", bench.workspace)
    assert missing_file(place, bench.workspace).detail["suggestions"] == ("zz/wanted.py",)
    monkeypatch.setattr(file_targets, "_LOOKED_AT", 20)
    assert missing_file(place, bench.workspace).detail["suggestions"] == ()
