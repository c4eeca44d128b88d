"""The owner of a session's tasks: every task has one, so that closing a session leaves none behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)

T = TypeVar("T")


class Owner:
    """Holds tasks until they end, and ends them when it is closed.

    A task that fails is logged with what `where` says (the journal's number), and reported to `on_failure`; it takes no other task
    with it.
    """

    def __init__(self, *, where: Callable[[], str] = str, on_failure: Callable[[BaseException], None] | None = None) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._where = where
        self._on_failure = on_failure
        self._closed = False

    def spawn(self, coroutine: Coroutine[Any, Any, T], *, name: str) -> asyncio.Task[T]:
        """Run a coroutine as a task of this owner.

        Raises:
            RuntimeError: the owner was closed; the coroutine is not run.
        """
        if self._closed:
            coroutine.close()
            raise RuntimeError(f"{name}: its owner was closed")
        running = asyncio.get_running_loop()  # the one place where a task starts outside a TaskGroup: this object owns it
        task = running.create_task(coroutine, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    @property
    def count(self) -> int:
        """How many tasks have not ended."""
        return len(self._tasks)

    async def aclose(self) -> None:
        """Cancel all tasks and wait until they have ended; nothing can be spawned any more."""
        self._closed = True
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("task %s failed (%s)", task.get_name(), self._where(), exc_info=error)
            if self._on_failure:
                self._on_failure(error)
