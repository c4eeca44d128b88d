"""A path has any number of readers or one writer."""

from __future__ import annotations

import asyncio

from workbench.agent.locks import PathLocks


async def held(locks: PathLocks, log: list[str], name: str, reads: str, writes: str, go: asyncio.Event) -> None:
    async with locks.hold(reads.split(), writes.split()):
        log.append(f"+{name}")
        await go.wait()
    log.append(f"-{name}")


async def test_readers_share_and_a_writer_waits_for_them() -> None:
    locks = PathLocks()
    log: list[str] = []
    go = {name: asyncio.Event() for name in "abcd"}
    async with asyncio.TaskGroup() as group:
        group.create_task(held(locks, log, "a", "x", "", go["a"]))
        group.create_task(held(locks, log, "b", "x y", "", go["b"]))
        group.create_task(held(locks, log, "c", "", "x", go["c"]))
        group.create_task(held(locks, log, "d", "", "z", go["d"]))
        await asyncio.sleep(0)
        assert log == ["+a", "+b", "+d"]
        go["a"].set()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert "+c" not in log
        for event in go.values():
            event.set()
    assert log.index("+c") > log.index("-b")


async def test_cancelled_waiter_holds_nothing() -> None:
    locks = PathLocks()
    log: list[str] = []
    go = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(held(locks, log, "a", "", "x", go))
        waiting = group.create_task(held(locks, log, "b", "", "x", go))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.sleep(0)
        group.create_task(held(locks, log, "c", "x", "", go))
        go.set()
    assert log == ["+a", "-a", "+c", "-c"]


async def test_call_that_reads_what_it_writes_does_not_wait_for_itself() -> None:
    locks = PathLocks()
    log: list[str] = []
    go = asyncio.Event()
    go.set()
    await held(locks, log, "a", "x", "x", go)
    await held(locks, log, "b", "x", "", go)
    assert log == ["+a", "-a", "+b", "-b"]
