"""A desk with an open folder, and turns of the practice model in which a person answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.ui.desks import FAST, desk_in, project
from tests.ui.gui import Gui
from workbench.app import OpenSession
from workbench.ui.desk import Desk

REPLACE = "replace hello with goodbye in README.md"


@asynccontextmanager
async def opened_desk(folder: Path, *, settings: str = FAST) -> AsyncIterator[Desk]:
    """Yield a desk on which ``folder/ws`` is open; it is made with a README unless it is there."""
    async with desk_in(folder, settings=settings) as desk:
        workspace = folder / "ws" if (folder / "ws").exists() else project(folder)
        assert await desk.open_folder(workspace)
        yield desk


def shown(desk: Desk) -> OpenSession:
    """Return the session that is shown."""
    assert desk.bridge.opened is not None
    return desk.bridge.opened


async def asked(gui: Gui, desk: Desk, text: str) -> None:
    """Say something and wait until a call of the turn waits for a person."""
    assert await desk.bridge.send(text) == "started"
    await gui.until(lambda: bool(desk.bridge.pending))
    desk.bridge.flush()
    await gui.settle()


async def approved(gui: Gui, desk: Desk, text: str) -> None:
    """Say something, approve whatever asks, and wait for the end of the turn."""
    assert await desk.bridge.send(text) == "started"
    while desk.bridge.running:
        for request in desk.bridge.pending:
            desk.bridge.answer(request.approval_id, "approve")
        await gui.settle()
    desk.bridge.flush()
    await gui.settle()


async def stopped(gui: Gui, desk: Desk) -> None:
    """Stop the running turn and wait for its end."""
    desk.bridge.stop()
    await gui.until(lambda: not desk.bridge.running)
    desk.bridge.flush()
    await gui.settle()
