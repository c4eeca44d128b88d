"""The whole window in this process, with a real program behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.ui.desks import FAST, desk_in, project
from tests.ui.gui import Gui
from workbench.conversation.events import TurnFinished
from workbench.ui.look import Look
from workbench.ui.main_window import MainWindow

SIZE = (1440, 900)
REPLACE = "replace hello with goodbye in README.md"


@asynccontextmanager
async def window_in(gui: Gui, folder: Path, *, settings: str = FAST, size: tuple[int, int] = SIZE) -> AsyncIterator[MainWindow]:
    """Yield the window, open on ``folder/ws``; it is closed as the program closes it."""
    async with desk_in(folder, settings=settings) as desk:
        look = Look()
        look.use(desk.app.settings.appearance)
        window = MainWindow(desk, look, desk.app.data_folder / "window.ini")
        window.resize(*size)
        gui.show(window)
        place = folder / "ws"
        assert await desk.open_folder(place if place.exists() else project(folder))
        await desk.begin()
        await gui.settle()
        try:
            yield window
        finally:
            window.close()
            await window.closing.wait()
            await desk.aclose()
            gui.forget(window)
            window.finish()
            await gui.settle()


async def waiting(gui: Gui, window: MainWindow, text: str = REPLACE) -> None:
    """Type and send a message whose call asks, and wait until the dialog shows it."""
    gui.type(window.frame.composer.edit, text)
    gui.keys(window.frame.composer.edit, "Return")
    await gui.until(lambda: window.desk.bridge.pending and window.questions.dialog.isVisible())


async def rest(gui: Gui, window: MainWindow) -> None:
    """Wait until the turn has ended and all of it is shown."""
    await gui.until(lambda: not window.desk.bridge.running)
    window.desk.bridge.flush()
    await gui.settle()


def end(window: MainWindow) -> TurnFinished:
    """Return how the turn ended: the last fact of the session."""
    event = window.desk.bridge.entries[-1].event
    assert isinstance(event, TurnFinished)
    return event
