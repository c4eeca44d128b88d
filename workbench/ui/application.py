"""The running window program: Qt's application, one event loop, the program's parts, the window, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from workbench import __version__
from workbench.app import App
from workbench.resources import resource, sample_project_copy
from workbench.ui.bridge import Bridge
from workbench.ui.debug_socket import debug_server
from workbench.ui.desk import Desk
from workbench.ui.event_loop import new_event_loop
from workbench.ui.failures import Failures
from workbench.ui.garbage import Garbage
from workbench.ui.log_file import log_to
from workbench.ui.look import Look, font_problem, window_icon
from workbench.ui.main_window import MainWindow
from workbench.ui.pictures import scaled_down

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
SWITCH_S = 0.001
"""After so long a thread that computes lets the window go on; Python's usual 5 ms are most of a frame, and a frame may wait several times."""
LATER = ("workbench.ui.settings.dialog", "pygments.lexers")
"""What the first look at the window does not need; loaded in a thread when it stands."""
UNIMPORTANT = ("This plugin does not support",)
LEVELS = {QtMsgType.QtDebugMsg: logging.DEBUG, QtMsgType.QtInfoMsg: logging.INFO, QtMsgType.QtWarningMsg: logging.WARNING}


def run(folder: Path | None, data_folder: Path, environment: Future[dict[str, str]]) -> int:
    """Open the window on a folder, the sample project if it is None, and return the exit status when it was closed.

    Args:
        folder: what to open.
        data_folder: the user's data.
        environment: what commands get to see; waited for.

    Raises:
        WorkbenchError: data folder or folder cannot be used; no window was shown.
    """
    app = make_application()
    sys.setswitchinterval(SWITCH_S)
    try:
        with asyncio.Runner(loop_factory=lambda: new_event_loop(app)) as runner:
            return runner.run(_program(folder, data_folder, environment))
    finally:
        qInstallMessageHandler(None)


def make_application() -> QApplication:
    """Return Qt's application, set up; there is one in a process."""
    qInstallMessageHandler(_log_of_qt)
    app = QApplication([sys.argv[0] if sys.argv else "workbench"])
    app.setApplicationName("agent-workbench")
    app.setApplicationDisplayName("Agent Workbench")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("agent-workbench")
    app.setWindowIcon(window_icon())
    app.setStyle("Fusion")
    app.setQuitOnLastWindowClosed(False)
    return app


async def _program(folder: Path | None, data_folder: Path, environment: Future[dict[str, str]]) -> int:
    known = await asyncio.wrap_future(environment)
    async with AsyncExitStack() as stack:
        program = await stack.enter_async_context(await App.open(data_folder, known, scaler=scaled_down))
        stack.enter_context(log_to(data_folder, program.secrets))
        look = Look()
        look.use(program.settings.appearance)
        look.follow_desktop()
        place = await _place(program, folder)
        desk = Desk(program, Bridge())
        Garbage(desk)
        window = MainWindow(desk, look, data_folder / "window.ini")
        stack.enter_context(Failures(lambda text: desk.told.emit(text, "error"), window.close))
        caught = stack.enter_context(_signals_close(window))
        await stack.enter_async_context(debug_server(os.environ))
        desk.confinement.announce()
        window.show()
        desk.spawn(_begin(desk, place), name="begin")
        await window.closing.wait()
        await desk.aclose()
        window.finish()
        return 128 + caught[0] if caught else 0


async def _place(program: App, folder: Path | None) -> Path:
    program.trust.sample = resource("sample_project")
    if folder is None:
        return await asyncio.to_thread(sample_project_copy, program.data_folder)
    await program.workspace(folder)
    return folder


async def _begin(desk: Desk, place: Path) -> None:
    await desk.open_folder(place)
    await desk.begin()
    problem = font_problem()
    if problem:
        desk.told.emit(problem, "warning")
    for name in LATER:
        await asyncio.to_thread(importlib.import_module, name)


@contextmanager
def _signals_close(window: MainWindow) -> Iterator[list[int]]:
    """Close the window when the process is asked to end; yields the signals that came."""
    loop, caught = asyncio.get_running_loop(), list[int]()

    def close(number: int) -> None:
        caught.append(number)
        window.close()

    for number in SIGNALS:
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(number, close, number)
    try:
        yield caught
    finally:
        for number in SIGNALS:
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)


def _log_of_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    if not text.startswith(UNIMPORTANT):
        logging.getLogger("qt").log(LEVELS.get(kind, logging.ERROR), "%s", text)
