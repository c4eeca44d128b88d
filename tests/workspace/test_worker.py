"""A cancelled task leaves no thread behind that it started."""

from __future__ import annotations

import asyncio
import threading

import pytest

from workbench.workspace.worker import Stop, finished, in_thread, stoppable


async def test_result_and_error_come_back() -> None:
    assert await in_thread(lambda: 6 * 7) == 42

    def fail() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        await in_thread(fail)


async def test_cancel_waits_for_the_work_to_stop() -> None:
    began, ended = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work(stop: Stop) -> None:
        woken = threading.Event()
        stop.on_request(woken.set)
        loop.call_soon_threadsafe(began.set)
        woken.wait(10)
        ended.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(stoppable(work))
        await began.wait()
        task.cancel()
    assert task.cancelled()
    assert ended.is_set()


async def test_work_that_ran_out_of_time_returns_what_it_has() -> None:
    def work(stop: Stop) -> str:
        woken = threading.Event()
        stop.on_request(woken.set)
        return "stopped" if woken.wait(10) and stop.requested else "not stopped"

    assert await stoppable(work, limit_s=0.01) == "stopped"


async def test_second_cancel_waits_too() -> None:
    go_on, ended = threading.Event(), threading.Event()

    def work() -> None:
        go_on.wait(10)
        ended.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(finished(in_thread(work)))
        for _ in range(3):
            await asyncio.sleep(0)
            task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        go_on.set()
    assert task.cancelled()
    assert ended.is_set()


def test_stop_tells_everybody_once() -> None:
    stop = Stop()
    told: list[str] = []
    stop.on_request(lambda: told.append("before"))
    stop.request()
    stop.request()
    stop.on_request(lambda: told.append("after"))
    assert told == ["before", "after"]
