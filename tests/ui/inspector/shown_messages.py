"""A Messages tab over a dialogue, and what a person sees there after each batch of facts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from PySide6.QtCore import Qt

from tests.agent.dialogue import Dialogue
from tests.ui.desks import desk_in
from tests.ui.gui import Gui
from workbench.app import OpenSession
from workbench.ui.desk import Desk
from workbench.ui.inspector.messages_tab import MessagesTab
from workbench.ui.kit.choices import Segments


class Shown:
    """A tab over a dialogue: what a person sees after each batch of facts."""

    def __init__(self, gui: Gui, dialogue: Dialogue, desk: Desk, *, size: tuple[int, int] = (560, 700)) -> None:
        self.dialogue, self.bridge = dialogue, desk.bridge
        stand = SimpleNamespace(session=dialogue.session, choice=SimpleNamespace(context_tokens=128_000))
        self.bridge.attach(cast("OpenSession", stand))
        self.tab = MessagesTab(self.bridge, desk)
        self.tab.resize(*size)
        gui.show(self.tab).activateWindow()

    def rows(self) -> list[str]:
        """Return what the rows say."""
        self.bridge.flush()
        model = self.tab.rows.rows_model
        return [model.index(n, 0).data() for n in range(model.rowCount())]

    def said(self, place: int) -> str:
        """Return what a screen reader says of a row."""
        return str(self.tab.rows.rows_model.index(place, 0).data(Qt.ItemDataRole.AccessibleTextRole))

    def choices(self) -> list[str]:
        """Return the names of the texts that the chosen part has."""
        segments = [found for found in self.tab.detail.findChildren(Segments) if not found.isHidden()]
        return [button.text() for button in segments[0].buttons] if segments else []

    def choose_text(self, place: int) -> str:
        """Choose a text of the part and return it."""
        next(found for found in self.tab.detail.findChildren(Segments) if not found.isHidden()).choose(place)
        return self.tab.detail.text.plain_text()


@asynccontextmanager
async def shown(gui: Gui, folder: Path, **files: str) -> AsyncIterator[Shown]:
    async with desk_in(folder) as desk, Dialogue(folder, files=files) as dialogue:
        tab = Shown(gui, dialogue, desk)
        try:
            yield tab
        finally:
            desk.bridge.attach(None)
