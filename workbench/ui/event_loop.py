"""asyncio on Qt's event loop: one thread, one loop, and asyncio's own queues emptied by Qt events.

qasync starts a Qt timer for every callback, keeps a cancelled one until its delay is over, wakes up to 5 % early or late, and enters a second
task when a dialog runs its own loop inside a first. Here asyncio's ready queue and its heap of timers stay what they are under
`asyncio.run`; one posted event empties the first, one precise timer serves the second.
"""

from __future__ import annotations

import asyncio
import heapq
import math
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import Context
from typing import Any

import qasync
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from typing_extensions import override

BUDGET_S = 0.004
"""How long callbacks may run in one go; then Qt paints and reads keys."""
NESTED_RETRY_MS = 10
LONGEST_TIMER_MS = 2**31 - 1
MANY_CANCELLED = 100
"""The heap is cleaned when more than this many of its timers, and more than half of them, are cancelled."""


class _Pump(QObject):
    """Calls `drain` from Qt's event loop, after whatever Qt has to do; many posts are one call."""

    KIND = QEvent.Type(QEvent.registerEventType())

    def __init__(self, drain: Callable[[], None]) -> None:
        super().__init__()
        self._drain = drain
        self._posted = False

    def post(self) -> None:
        """Ask for a call; on the loop's thread."""
        if not self._posted:
            self._posted = True
            QCoreApplication.postEvent(self, QEvent(self.KIND), Qt.EventPriority.LowEventPriority.value)

    def post_from_anywhere(self) -> None:
        """Ask for a call, from any thread: Qt's queue is the only thing touched."""
        QCoreApplication.postEvent(self, QEvent(self.KIND))

    def post_later(self) -> None:
        """Ask for a call in a moment."""
        self._posted = True
        QTimer.singleShot(NESTED_RETRY_MS, self._post_now)

    def _post_now(self) -> None:
        self._posted = False
        self.post()

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() != self.KIND:
            return super().event(event)
        self._posted = False
        self._drain()
        return True


class FastQEventLoop(qasync.QEventLoop):
    """An asyncio loop run by a QApplication; not for Windows, where qasync's own loop serves.

    `close` it like any loop; `asyncio.Runner` does.
    """

    # What asyncio's base class keeps, by its names there.
    _ready: Any
    _scheduled: list[asyncio.TimerHandle]
    _timer_cancelled_count: int

    def __init__(self, app: QCoreApplication | None = None) -> None:
        self._pump = _Pump(self._drain)
        self._alarm = QTimer()
        self._alarm.setSingleShot(True)
        self._alarm.setTimerType(Qt.TimerType.PreciseTimer)
        self._alarm.timeout.connect(self._collect_due)
        self._alarm_at: float | None = None
        super().__init__(app)

    # The ready queue

    @override
    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        handle = asyncio.BaseEventLoop.call_soon(self, callback, *args, context=context)
        self._pump.post()
        return handle

    @override
    def call_soon_threadsafe(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        return asyncio.BaseEventLoop.call_soon_threadsafe(self, callback, *args, context=context)

    @override
    def _write_to_self(self) -> None:
        self._pump.post_from_anywhere()

    @override
    def _add_callback(self, handle: asyncio.Handle, delay: float = 0) -> None:
        self._ready.append(handle)
        self._pump.post()

    def _drain(self) -> None:
        """Run what is ready now, as far as the budget goes."""
        if not self.is_running():
            return  # `run_forever` posts again
        if asyncio.current_task(self) is not None:
            self._pump.post_later()  # a dialog's own loop runs inside a task: no other task may be entered until it is over
            return
        try:
            self._run_ready(time.monotonic() + BUDGET_S)
        finally:
            if self._ready:
                self._pump.post()

    def _run_ready(self, end: float) -> None:
        for _ in range(len(self._ready)):
            if not self._ready:  # a loop inside a callback ran the rest
                return
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()  # noqa: SLF001 - what asyncio's own loop calls
            if time.monotonic() > end:
                return

    # Timers

    @override
    def call_later(self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    @override
    def call_at(self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.TimerHandle:
        handle = asyncio.BaseEventLoop.call_at(self, when, callback, *args, context=context)
        self._set_alarm()
        return handle

    def _collect_due(self) -> None:
        self._alarm_at = None
        now = self.time()
        while self._scheduled and self._scheduled[0].when() <= now:
            handle = heapq.heappop(self._scheduled)
            handle._scheduled = False  # type: ignore[attr-defined]  # noqa: SLF001 - tells a later cancel that the heap does not hold it
            self._add_callback(handle)
        self._set_alarm()

    def _set_alarm(self) -> None:
        """Let the one Qt timer wake for the first timer that still counts; never early."""
        self._drop_cancelled()
        if not self._scheduled:
            self._alarm.stop()
            self._alarm_at = None
            return
        first = self._scheduled[0].when()
        if self._alarm_at is None or first < self._alarm_at:
            self._alarm_at = first
            self._alarm.start(min(LONGEST_TIMER_MS, max(0, math.ceil((first - self.time()) * 1000))))

    def _drop_cancelled(self) -> None:
        if self._timer_cancelled_count > MANY_CANCELLED and self._timer_cancelled_count * 2 > len(self._scheduled):
            self._scheduled = [handle for handle in self._scheduled if not handle.cancelled()]
            heapq.heapify(self._scheduled)
            self._timer_cancelled_count = 0
        while self._scheduled and self._scheduled[0].cancelled():
            heapq.heappop(self._scheduled)
            self._timer_cancelled_count = max(0, self._timer_cancelled_count - 1)

    # Threads, start and end

    @override
    def run_in_executor(self, executor: Executor | None, callback: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:
        return asyncio.BaseEventLoop.run_in_executor(self, executor, callback, *args)  # plain threads, started as they are needed

    @override
    def set_default_executor(self, executor: Any) -> None:
        asyncio.BaseEventLoop.set_default_executor(self, executor)

    @override
    def run_forever(self) -> None:
        if self._ready:
            self._pump.post()
        super().run_forever()

    @override
    def close(self) -> None:
        self._alarm.stop()
        super().close()


def new_event_loop(app: QCoreApplication) -> asyncio.AbstractEventLoop:
    """Return the loop for this platform, to be run by `asyncio.Runner`."""
    loop: asyncio.AbstractEventLoop = qasync.QEventLoop(app) if sys.platform == "win32" else FastQEventLoop(app)
    return loop
