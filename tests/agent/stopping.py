"""Stops a session at the n-th point where any of its tasks waits, for every n: the way SQLite fails the n-th call."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from typing_extensions import override


class Watched(Coroutine[Any, Any, Any]):
    """A coroutine that tells when it waits."""

    def __init__(self, inner: Coroutine[Any, Any, Any], waits: Callable[[], None]) -> None:
        self._inner = inner
        self._waits = waits

    @override
    def send(self, value: Any) -> Any:
        awaited = self._inner.send(value)
        self._waits()
        return awaited

    @override
    def throw(self, *error: Any) -> Any:
        awaited = self._inner.throw(*error)
        self._waits()
        return awaited

    @override
    def close(self) -> None:
        self._inner.close()

    @override
    def __await__(self) -> Generator[Any, None, Any]:
        return self._inner.__await__()


class NthWait:
    """Counts the waits of all tasks that are made while it is installed, and acts at one of them.

    Attributes:
        count: waits so far.
    """

    def __init__(self, wanted: int, act: Callable[[], None], *, soon: bool) -> None:
        self.count = 0
        self._wanted = wanted
        self._act = act
        self._soon = soon

    def install(self) -> None:
        asyncio.get_running_loop().set_task_factory(self._make)  # type: ignore[arg-type]

    def remove(self) -> None:
        asyncio.get_running_loop().set_task_factory(None)

    @property
    def acted(self) -> bool:
        return self.count >= self._wanted

    def _make(self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, Any], **options: Any) -> asyncio.Task[Any]:
        return asyncio.Task(Watched(coroutine, self._waited), loop=loop, **options)

    def _waited(self) -> None:
        self.count += 1
        if self.count == self._wanted:
            if self._soon:
                asyncio.get_running_loop().call_soon(self._act)
            else:
                self._act()


def begin(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Run a coroutine up to its first wait, at once, and leave it there."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    coroutine.close()
