"""The guards against hangs and growth see what they are there for, and nothing else."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.pace import not_hung, steps, turns


def compute(seconds: float) -> None:
    """Compute for some time of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def sum_to(count: int) -> int:
    return sum(number for number in range(count))


def test_long_computing_is_a_hang() -> None:
    with pytest.raises(AssertionError, match="computed for"), not_hung(0.01):
        compute(0.05)


def test_waiting_is_no_hang() -> None:
    with not_hung(0.03):
        time.sleep(0.05)


def test_what_fails_inside_says_so_itself() -> None:
    with pytest.raises(ValueError, match="of its own"), not_hung(0.0):
        raise ValueError("of its own")


def test_steps_are_the_same_each_time_and_grow_with_the_rounds() -> None:
    few, again, many = (steps(sum_to, count) for count in (100, 100, 10_000))
    assert few == again
    assert 50 * few < many < 150 * few


async def test_a_turn_that_comes_late_is_seen() -> None:
    async with turns() as free:
        for _ in range(100):
            compute(0.003)
            await asyncio.sleep(0)
    async with turns() as held:
        compute(0.3)
        await asyncio.sleep(0)
    assert free.count > 5
    assert free.worst_share < 0.5 < held.worst_share
