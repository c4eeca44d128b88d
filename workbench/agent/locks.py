"""Locks on real paths: a file is changed by one call at a time, and not while another reads it.

The reason for locks on a single loop: the tools work in threads, and a read that began before an edit must not note the old content
as seen after the edit was noted. Sub-agents share them.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager


class PathLocks:
    """Grants a path to any number of readers or to one writer; all paths of a call at once, so that nobody can wait in a circle."""

    def __init__(self) -> None:
        self._readers: Counter[str] = Counter()
        self._writers: set[str] = set()
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def hold(self, reads: Iterable[str], writes: Iterable[str]) -> AsyncIterator[None]:
        """Hold paths while the body runs. On cancel while waiting nothing is held."""
        writing = frozenset(writes)
        reading = frozenset(reads) - writing
        while not self._free(reading, writing):
            await self._change()
        self._readers.update(reading)
        self._writers.update(writing)
        try:
            yield
        finally:
            self._readers.subtract(reading)
            self._readers = +self._readers
            self._writers.difference_update(writing)
            self._wake()

    def _free(self, reading: frozenset[str], writing: frozenset[str]) -> bool:
        return self._writers.isdisjoint(reading | writing) and not any(self._readers[path] for path in writing)

    async def _change(self) -> None:
        """Wait until somebody lets go."""
        waiting = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        try:
            await waiting
        finally:
            self._waiting.remove(waiting)

    def _wake(self) -> None:
        for waiting in self._waiting:
            if not waiting.done():
                waiting.set_result(None)
