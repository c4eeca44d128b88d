"""The reported bugs of running commands, each with its own input and its own measure."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.left_behind import NewChildren
from tests.tools.commands import alive, command_context, output_of, run_bash
from tests.tools.trees import read_cases
from workbench.tools.base import Interrupted, Result
from workbench.tools.bash import BashTool

CASES = {case["id"]: case for case in read_cases("bug_reports_shell.jsonl")}


async def run_input(tool: BashTool, folder: Path, one: dict[str, Any], **arguments: Any) -> tuple[Result, float]:
    started = time.monotonic()
    result = await run_bash(tool, command_context(folder), one["command"], **arguments)
    return result, (time.monotonic() - started) * 1000


async def test_background_child_does_not_hold_the_call(tmp_path: Path) -> None:
    case = CASES["bg-child-holds-pipe"]
    tool = BashTool()
    for one, text in zip(case["input"]["runs"], case["expect"]["stdout_contains"], strict=True):
        result, took_ms = await run_input(tool, tmp_path, one, timeout=case["input"]["timeout_ms"])
        assert took_ms < case["expect"]["max_ms"]
        assert result.exit_code == case["expect"]["exit"]
        assert text in output_of(result)
        assert "[still running: " in result.text
    jobs = await tool.jobs.running()
    assert [job.text for job in jobs] == [one["command"] for one in case["input"]["runs"]]
    await tool.jobs.aclose()
    assert await tool.jobs.running() == ()
    assert not [process.pid for job in jobs for process in job.processes if is_alive(process.pid)]


async def test_nobody_types(tmp_path: Path) -> None:
    case = CASES["stdin-is-empty"]
    codes = []
    for one in case["input"]["runs"]:
        result, took_ms = await run_input(BashTool(), tmp_path, one)
        assert took_ms < case["expect"]["max_ms"]
        codes.append(result.exit_code)
    assert codes == case["expect"]["exits"]


async def test_time_out_ends_a_grandchild_that_ignores_the_signal(tmp_path: Path, new_children: NewChildren) -> None:
    case = CASES["timeout-kills-tree"]
    result, took_ms = await run_input(BashTool(), tmp_path, case["input"], timeout=case["input"]["timeout_ms"])
    assert (result.status, result.kind) == (case["expect"]["state"], "timed_out")
    assert took_ms < case["expect"]["max_ms"]
    beat = tmp_path / "ws" / case["expect"]["file_stops_growing"]
    size = beat.stat().st_size
    await asyncio.sleep(0.35)  # three of its beats
    assert beat.stat().st_size == size
    assert new_children() == []


async def test_stop_ends_the_whole_tree(tmp_path: Path) -> None:
    case = CASES["cancel-kills-tree"]
    async with asyncio.TaskGroup() as group:
        call = group.create_task(run_input(BashTool(), tmp_path, case["input"]))
        await asyncio.sleep(case["input"]["cancel_after_ms"] / 1000)
        call.cancel()
        cancelled_at = time.monotonic()
    assert (time.monotonic() - cancelled_at) * 1000 < case["expect"]["max_ms_after_cancel"]
    with pytest.raises(Interrupted) as interrupted:
        call.result()
    result = interrupted.value.result
    assert result.status == case["expect"]["state"]
    assert case["expect"]["stdout_contains"][0] in output_of(result)
    assert "The user stopped the command" in result.text
    assert alive("sleep 300") == []


async def test_stop_takes_less_than_a_second_even_if_the_signal_is_ignored(tmp_path: Path) -> None:
    command = "trap '' TERM; echo up; sleep 301 & (trap '' TERM; setsid sleep 302) & wait; sleep 303"
    up = asyncio.Event()
    surroundings = command_context(tmp_path, on_output=lambda _text: up.set())
    async with asyncio.TaskGroup() as group:
        call = group.create_task(run_bash(BashTool(), surroundings, command))
        await up.wait()
        call.cancel()
        cancelled_at = time.monotonic()
    assert time.monotonic() - cancelled_at < 1.0
    with pytest.raises(Interrupted):
        call.result()
    assert [alive(f"sleep {number}") for number in (301, 302, 303)] == [[], [], []]


async def test_endless_output_costs_bounded_memory_and_never_holds_the_loop(tmp_path: Path) -> None:
    case = CASES["huge-output-bounded"]
    gaps = Gaps()
    before = psutil.Process().memory_info().rss
    peak = Peak()
    async with asyncio.TaskGroup() as group:
        ticking = group.create_task(gaps.tick())
        result, _ = await run_input(BashTool(), tmp_path, case["input"])
        ticking.cancel()
    growth_mb = (peak.stop() - before) / 1024 / 1024
    assert growth_mb < case["expect"]["max_rss_growth_mb"]
    assert gaps.longest_s < 0.15
    assert result.exit_code == case["expect"]["exit"]
    assert len(result.text.encode()) <= case["expect"]["model_text_max"]
    assert all(text in result.text for text in case["expect"]["model_text_contains"])
    assert "[... 3998" in result.text
    log = tmp_path / "outputs" / result.output_file
    assert str(log) in result.text
    assert log.stat().st_size == len("START\n") + 5 * 4_000_000 + len("FATAL: last words\n")


async def test_bytes_that_are_no_text_do_not_end_the_run(tmp_path: Path) -> None:
    case = CASES["non-utf8-output"]
    results = [(await run_input(BashTool(), tmp_path, one))[0] for one in case["input"]["runs"]]
    for result, expected in zip(results, case["expect"]["stdout"], strict=True):
        if expected is not None:
            assert output_of(result) == expected
    assert output_of(results[2]) == "[binary output, 2000 bytes]"


async def test_control_bytes_do_not_reach_the_model(tmp_path: Path) -> None:
    case = CASES["control-bytes-output"]
    result, _ = await run_input(BashTool(), tmp_path, case["input"])
    assert all(text in result.text for text in case["expect"]["model_text_contains"])
    assert not any(text in result.text for text in case["expect"]["model_text_not_contains"])
    assert output_of(result) == "a\ufffdb\nred\n100%\nx"
    assert (tmp_path / "outputs" / result.output_file).read_bytes().startswith(b"a\0b\n\x1b[31mred")


async def test_programs_are_told_that_nobody_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES["non-interactive-env"]
    for name, value in case["input"]["app_env"].items():
        monkeypatch.setenv(name, value)
    result, _ = await run_input(BashTool(), tmp_path, case["input"])
    assert f"{output_of(result)}\n" == case["expect"]["stdout"]


class Gaps:
    """Measures how long the loop did not come round."""

    def __init__(self) -> None:
        self.longest_s = 0.0

    async def tick(self) -> None:
        last = time.monotonic()
        while True:
            await asyncio.sleep(0.005)
            now = time.monotonic()
            self.longest_s = max(self.longest_s, now - last)
            last = now


class Peak:
    """Measures the most memory this process has, from a thread."""

    def __init__(self) -> None:
        self._most = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def stop(self) -> int:
        self._stopped.set()
        self._thread.join()
        return self._most

    def _watch(self) -> None:
        process = psutil.Process()
        while not self._stopped.wait(0.02):
            self._most = max(self._most, process.memory_info().rss)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
