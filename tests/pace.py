"""What a test may claim of cost: that work does not hang, that it does not grow, and that the window gets its turns meanwhile.

How fast something is, is measured (packaging/bench), never asserted: a test has to hold on any machine, whatever else runs there.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from types import FrameType
from typing import Any, ParamSpec

P = ParamSpec("P")

BEAT_S = 0.001
FELT_S = 0.1


@contextmanager
def not_hung(limit_s: float) -> Iterator[None]:
    """Fail if this thread computes for `limit_s` or longer inside; what other programs and threads compute does not count.

    It only catches hangs and costs that grow with the square of the size: give a bound of at least ten times what the work takes
    on an ordinary machine.
    """
    begun = time.thread_time()
    yield
    took_s = time.thread_time() - begun
    assert took_s < limit_s, f"computed for {took_s:.1f} s, where a small part of {limit_s:g} s was to be expected"


def steps(work: Callable[P, object], *args: P.args, **named: P.kwargs) -> int:
    """Call `work` and return how many steps of Python it took: lines, rounds of loops, calls. It is the same on any machine.

    Compare it between two sizes, or with the size. What runs inside of Qt and of functions written in C counts as nothing.
    """
    taken = 0

    def count(_frame: FrameType, _event: str, _argument: Any) -> Any:
        nonlocal taken
        taken += 1
        return count

    tracer = sys.gettrace()
    sys.settrace(count)
    try:
        work(*args, **named)
    finally:
        sys.settrace(tracer)
    return taken


class Turns:
    """How the loop's turns came while some work was done, in CPU time of this process.

    Attributes:
        count: how many turns there were.
        longest_s: the longest that one had to be waited for.
        whole_s: all of them together.
        worst_share: the longest as a share of the whole; 0 if it was too short to be felt.
    """

    def __init__(self) -> None:
        self.count, self.longest_s, self.whole_s = 0, 0.0, 0.0
        self._last = time.process_time()

    def take(self) -> None:
        """Note that a turn comes now."""
        now = time.process_time()
        self.count += 1
        self.longest_s = max(self.longest_s, now - self._last)
        self.whole_s += now - self._last
        self._last = now

    @property
    def worst_share(self) -> float:
        return self.longest_s / self.whole_s if self.longest_s > FELT_S else 0.0

    async def watch(self) -> None:
        """Take turns until cancelled."""
        while True:
            await asyncio.sleep(BEAT_S)
            self.take()


@asynccontextmanager
async def turns() -> AsyncIterator[Turns]:
    """Watch how the loop's turns come. Work that is cut into slices leaves it many: `Turns.worst_share` is small on any machine.

    As in the program, what was there before is nothing that the garbage collector looks through.
    """
    gc.collect()
    gc.freeze()
    found = Turns()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(found.watch())
        yield found
        watching.cancel()
        found.take()
