"""A desk with a real program behind it: a data folder, a folder to work in, the practice model as fast as it can."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.ui.gui import Gui
from workbench.app import App
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk, SessionRow

FAST = "[practice]\ntokens_per_s = 0\n"
README = "# A small project\n\nIt says hello.\n"


class Told:
    """Keeps what a desk tells."""

    def __init__(self, desk: Desk) -> None:
        self.sentences: list[tuple[str, str]] = []
        desk.told.connect(lambda text, level: self.sentences.append((text, level)))

    @property
    def last(self) -> str:
        """The last sentence; empty if there is none."""
        return self.sentences[-1][0] if self.sentences else ""


def project(folder: Path, name: str = "ws") -> Path:
    """Make a folder with one file, and return it."""
    (folder / name).mkdir()
    (folder / name / "README.md").write_text(README)
    return folder / name


@asynccontextmanager
async def desk_in(folder: Path, *, settings: str = FAST, environment: Mapping[str, str] | None = None) -> AsyncIterator[Desk]:
    """Yield a desk on which no folder is open; its data folder is ``folder/data``."""
    data = folder / "data"
    data.mkdir(exist_ok=True)
    if not (data / "settings.toml").exists():
        (data / "settings.toml").write_text(settings)
    async with await App.open(data, environment or {}) as app:
        desk = Desk(app, Bridge())
        try:
            yield desk
        finally:
            await desk.aclose()


async def said(gui: Gui, desk: Desk, text: str) -> None:
    """Say something in the shown session and wait until the turn has ended and the window knows it."""
    assert await desk.bridge.send(text) == "started"
    assert desk.bridge.opened is not None
    await desk.bridge.opened.session.wait_idle()
    desk.bridge.flush()
    await gui.settle()


@asynccontextmanager
async def opened(folder: Path, settings: str = FAST) -> AsyncIterator[Desk]:
    """Yield a desk with an open folder, ``folder/ws``."""
    async with desk_in(folder, settings=settings) as desk:
        assert await desk.open_folder(project(folder) if not (folder / "ws").exists() else folder / "ws")
        yield desk


def row(desk: Desk, session_id: str) -> SessionRow:
    """Return a session's row in the list."""
    return next(row for row in desk.sessions if row.session_id == session_id)


def shown(desk: Desk) -> str:
    """Return the id of the session that is shown."""
    assert desk.bridge.opened is not None
    return desk.bridge.opened.session.session_id
