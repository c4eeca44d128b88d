"""A desk with a real program behind it: a data folder, a folder to work in, the practice model as fast as it can."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.ui.gui import Gui
from workbench.app import App
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk

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
