"""Errors that nobody catches are logged whole, told once in a sentence, and the program goes on."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import QTimer

from tests.ui.gui import Gui
from workbench.ui.failures import Failures

pytestmark = pytest.mark.qt_no_exception_capture


def fail() -> None:
    raise KeyError("broken")


async def test_error_in_a_slot_is_told_and_logged_once(gui: Gui, caplog: pytest.LogCaptureFixture) -> None:
    told: list[str] = []
    with Failures(told.append, lambda: None):
        for _ in range(3):
            QTimer.singleShot(0, fail)
        await gui.until(lambda: told)
        await gui.settle()
    assert len(told) == 1
    assert "KeyError" in told[0]
    assert caplog.text.count("KeyError: 'broken'") == 1


async def test_error_of_a_lost_task_and_of_a_thread_are_told(gui: Gui) -> None:
    told: list[str] = []

    async def lost() -> None:
        raise OSError("nobody saw this")

    with Failures(told.append, lambda: None):
        start: Callable[..., object] = asyncio.get_running_loop().create_task
        start(lost())
        await gui.settle()
        gc.collect()
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        await gui.until(lambda: len(told) == 2)
    assert "OSError" in told[0]
    assert "KeyError" in told[1]


async def test_interrupt_inside_a_slot_closes_instead(gui: Gui) -> None:
    told: list[str] = []
    interrupted: list[bool] = []

    def interrupt() -> None:
        raise KeyboardInterrupt

    with Failures(told.append, lambda: interrupted.append(True)):
        QTimer.singleShot(0, interrupt)
        await gui.until(lambda: interrupted)
    assert told == []


async def test_hooks_of_before_come_back(gui: Gui) -> None:
    before = (sys.excepthook, sys.unraisablehook, threading.excepthook)
    with Failures(lambda _text: None, lambda: None):
        assert sys.excepthook is not before[0]
    assert (sys.excepthook, sys.unraisablehook, threading.excepthook) == before
