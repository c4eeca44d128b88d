"""Blocking work in threads that a cancelled task waits for: when the cancellation leaves, nothing it started is still running."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Stop:
    """Tells work in a thread to end soon; asked by the work between its steps, or told to what it waits for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requested = False
        self._callbacks: list[Callable[[], object]] = []

    @property
    def requested(self) -> bool:
        """Whether the work should end."""
        return self._requested

    def request(self) -> None:
        """Ask the work to end. From any thread; a second time does nothing."""
        with self._lock:
            callbacks, self._callbacks = self._callbacks, []
            self._requested = True
        for callback in callbacks:
            callback()

    def on_request(self, callback: Callable[[], object]) -> None:
        """Call `callback` when the end is asked for, at once if it was already; it must not block."""
        with self._lock:
            if not self._requested:
                self._callbacks.append(callback)
                return
        callback()


def in_thread(work: Callable[[], T]) -> asyncio.Future[T]:
    """Run blocking work in a thread of its own (not the pool, where it might have to queue) and return its future."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if future.cancelled():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001 - handed over to whoever awaits the future
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody awaits it any more
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, name="worker", daemon=True).start()
    return future


async def finished(future: asyncio.Future[T]) -> T:
    """Await a future to its end even if this task is cancelled meanwhile; the cancellation is raised afterwards."""
    cancelled = False
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        with contextlib.suppress(Exception):
            future.result()
        raise asyncio.CancelledError
    return future.result()


async def stoppable(work: Callable[[Stop], T], *, limit_s: float | None = None) -> T:
    """Run blocking work in a thread; ask it to stop when the time is up or this task is cancelled, and wait for it.

    Args:
        work: looks at its `Stop` often; after a time-out it returns what it has.
        limit_s: seconds until it is asked to stop.
    """
    stop = Stop()
    future = in_thread(lambda: work(stop))
    try:
        await asyncio.wait({future}, timeout=limit_s)
    except asyncio.CancelledError:
        stop.request()
        with contextlib.suppress(Exception):
            await finished(future)
        raise
    stop.request()
    return await finished(future)
