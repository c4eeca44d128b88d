"""A session's jobs: listed while they live, forgotten when they end, all gone when the session closes."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import psutil

from tests.workspace.running import command, open_descriptors, run
from workbench.workspace.jobs import Jobs
from workbench.workspace.process import run_in_background


def alive(line: str) -> bool:
    return any(one.info["cmdline"] == line.split() for one in psutil.process_iter(["cmdline"]))


async def test_jobs_are_numbered_and_ended_one_by_one(tmp_path: Path) -> None:
    jobs = Jobs()
    await run(tmp_path, "sleep 46.1 &", jobs=jobs)
    await run(tmp_path, "setsid sleep 46.2 & setsid sleep 46.3 &", jobs=jobs)
    first, second = await jobs.running()
    assert (first.number, first.text, [one.command for one in first.processes]) == (1, "sleep 46.1 &", ["sleep 46.1"])
    assert sorted(one.command for one in second.processes) == ["sleep 46.2", "sleep 46.3"]
    assert abs(first.started_at - time.time()) < 10
    assert await jobs.end(2)
    assert not await jobs.end(2)
    assert [job.number for job in await jobs.running()] == [1]
    assert (alive("sleep 46.1"), alive("sleep 46.2"), alive("sleep 46.3")) == (True, False, False)
    await jobs.aclose()
    assert not alive("sleep 46.1")
    assert await jobs.running() == ()


async def test_job_that_ended_by_itself_is_forgotten(tmp_path: Path) -> None:
    jobs = Jobs()
    await run(tmp_path, "(until [ -e go ]; do sleep 0.02; done) &", jobs=jobs)
    assert len(await jobs.running()) == 1
    (tmp_path / "go").touch()
    while await jobs.running():  # noqa: ASYNC110 - what is waited for is another process
        await asyncio.sleep(0.01)
    await jobs.aclose()


async def test_closed_output_of_a_job_can_be_waited_for(tmp_path: Path) -> None:
    jobs = Jobs()
    await run(tmp_path, "(until [ -e go ]; do sleep 0.02; done) &", jobs=jobs)
    waiting = asyncio.get_running_loop().create_task(jobs.closed(1))
    done, _ = await asyncio.wait({waiting}, timeout=0.1)
    assert not done
    (tmp_path / "go").touch()
    await waiting
    await jobs.closed(7)
    await jobs.aclose()


async def test_closing_ends_all_at_once_and_leaves_nothing_open(tmp_path: Path) -> None:
    await run(tmp_path, "true")
    before = open_descriptors()
    jobs = Jobs()
    for number in range(3):
        await run(tmp_path, f"bash -c 'trap \"\" TERM; exec sleep 47.{number}' & sleep 0.1", jobs=jobs)
    await run_in_background(command(tmp_path, "trap '' TERM; sleep 47.3; sleep 47.3"), jobs=jobs, on_text=lambda _text: None)
    started = time.monotonic()
    await jobs.aclose()
    assert time.monotonic() - started < 1.9
    assert not any(alive(f"sleep 47.{number}") for number in range(4))
    assert open_descriptors() == before


async def test_closing_finishes_although_cancelled(tmp_path: Path) -> None:
    jobs = Jobs()
    for number in range(2):
        await run(tmp_path, f"sleep 48.{number} &", jobs=jobs)
    async with asyncio.TaskGroup() as group:
        closing = group.create_task(jobs.aclose())
        await asyncio.sleep(0)
        closing.cancel()
    assert closing.cancelled()
    assert not any(alive(f"sleep 48.{number}") for number in range(2))
