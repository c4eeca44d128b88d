"""Looks for model servers on this machine, and says of each usual place whether one answers there."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.settings.profiles import LOCAL_KINDS, LocalKind, Profile
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Button
from workbench.ui.settings.result_lines import ResultLine, ResultLines
from workbench.words import _, many


class LocalSearch(QWidget):
    """The lines; `button` begins a search and stands elsewhere.

    Attributes:
        button: "Find local servers".
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.button = Button(_("Find local servers"), small=True, icon_name="search")
        self.button.clicked.connect(self.search)
        self._lines = ResultLines(_("Local servers"))
        stack = QVBoxLayout(self)
        stack.setContentsMargins(12, 8, 12, 0)
        stack.addWidget(self._lines)
        self.hide()

    def search(self) -> None:
        """Search; does nothing while a search runs."""
        if self.button.isEnabled():
            self.button.setEnabled(False)
            self._lines.show_lines((ResultLine("running", _("Asking the usual places")),))
            self.show()
            self._desk.spawn(self._search(), name="find local servers")

    async def _search(self) -> None:
        found = {profile.name: profile for profile in await self._desk.app.find_local_servers()}
        await self._desk.refresh_models()
        if isValid(self):
            self._lines.show_lines(tuple(_line(kind, found.get(kind.name)) for kind in LOCAL_KINDS))
            self.button.setEnabled(True)


def _line(kind: LocalKind, profile: Profile | None) -> ResultLine:
    place = f"127.0.0.1:{kind.port}"
    if profile is None:
        return ResultLine("nothing", _("{title}: nobody at {place}").format(title=kind.title, place=place))
    models = many("{n} model", "{n} models", len(profile.models))
    return ResultLine("ok", _("{title} at {place}").format(title=kind.title, place=place), models)
