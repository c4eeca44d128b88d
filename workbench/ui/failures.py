"""The border where errors of the program end: in slots, in lost tasks, in threads. Each is logged whole and told in one sentence."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

from workbench.words import _

log = logging.getLogger(__name__)

QUIET_S = 30.0
"""An error that comes again and again (in painting) is told once in this time, and logged once."""


class Hooks(NamedTuple):
    """What was in place before."""

    excepthook: Any
    unraisablehook: Any
    thread_hook: Any


class Failures:
    """Catches what nobody else does, from `__enter__` to `__exit__`; on the running loop's thread.

    Args:
        tell: shows a sentence; called on the loop's thread.
        interrupted: called for Ctrl+C that arrives inside a slot.
    """

    def __init__(self, tell: Callable[[str], None], interrupted: Callable[[], object]) -> None:
        self._tell = tell
        self._interrupted = interrupted
        self._loop: asyncio.AbstractEventLoop | None = None
        self._before: Hooks | None = None
        self._seen: dict[tuple[str, str], float] = {}

    def __enter__(self) -> Failures:
        self._loop = asyncio.get_running_loop()
        self._before = Hooks(sys.excepthook, sys.unraisablehook, threading.excepthook)
        sys.excepthook = self._in_slot
        sys.unraisablehook = lambda problem: self._note(problem.exc_value, problem.exc_traceback)
        threading.excepthook = lambda problem: self._note(problem.exc_value, problem.exc_traceback)
        self._loop.set_exception_handler(self._in_loop)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._before is not None:
            sys.excepthook, sys.unraisablehook, threading.excepthook = self._before
        if self._loop is not None:
            self._loop.set_exception_handler(None)

    def _in_slot(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._interrupted()
        else:
            self._note(error, trace)

    def _in_loop(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is None:
            log.warning("event loop: %s", context.get("message"))
        else:
            self._note(error, error.__traceback__)

    def _note(self, error: BaseException | None, trace: TracebackType | None) -> None:
        """Log an error with where it came from, and tell it; on any thread."""
        if error is None or self._is_known(error, trace):
            return
        log.error("an error reached the border of the window", exc_info=(type(error), error, trace))
        text = _("The program made an error ({kind}) and goes on; nothing that was written is lost. Its log says more.").format(kind=type(error).__name__)
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, text)

    def _is_known(self, error: BaseException, trace: TracebackType | None) -> bool:
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        key = (type(error).__name__, f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "")
        now = time.monotonic()
        known = now - self._seen.get(key, -QUIET_S) < QUIET_S
        if not known:
            self._seen[key] = now
        return known
