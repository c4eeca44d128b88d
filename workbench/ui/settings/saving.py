"""Changes of settings, one after the other: each is made to what is in force when its turn comes, so that none undoes another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeAlias

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from workbench.errors import SettingsError
from workbench.settings.files import validated
from workbench.settings.tree import Settings
from workbench.ui.desk import Desk
from workbench.ui.settings.rows import SettingRow
from workbench.words import tell

Change: TypeAlias = Callable[[Settings], Settings]
"""Returns the settings with something changed; may raise SettingsError for a value that is refused."""


class Saving(QObject):
    """Saves through the desk.

    Args:
        desk: what is saved through.
        parent: with it goes this.
    """

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self._turn = asyncio.Lock()
        self._told = ""
        desk.told.connect(self._keep_told)

    def apply(self, change: Change, place: SettingRow) -> None:
        """Make a change soon; the row that it came from shows why it was refused."""
        self._desk.spawn(self._apply(change, place), name="save settings")

    async def change(self, change: Change) -> str:
        """Make a change; return why it was refused, one sentence, or an empty text."""
        async with self._turn:
            try:
                wanted = validated(change(self._desk.app.settings))
            except SettingsError as error:
                return tell(error)
            self._told = ""
            return "" if await self._desk.save_settings(wanted) else self._told

    async def _apply(self, change: Change, place: SettingRow) -> None:
        sentence = await self.change(change)
        if isValid(place):  # another language builds the pages anew
            place.refuse(sentence)

    def _keep_told(self, sentence: str, _level: str) -> None:
        self._told = sentence
