"""Tests a provider and shows each thing that is found as it is found; can be broken off at any time."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget
from shiboken6 import isValid

from workbench.errors import SettingsError
from workbench.settings.credentials import Place
from workbench.settings.profiles import Profile
from workbench.ui.desk import Desk
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.ui.settings.result_lines import ResultLine, ResultLines
from workbench.words import _, marked, tell, tell_facts

(WAITING,) = marked("Waiting for an answer")


class ProviderTest(QWidget):
    """Button, results, and the running test.

    Signals:
        wanted: a person wants a test.
        found: key of the provider, and the lines so far.
        listed: key of the provider, and the models it lists.
    """

    wanted = Signal()
    found = Signal(str, object)
    listed = Signal(str, object)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._task: asyncio.Task[None] | None = None
        self._key = ""
        self._found: tuple[ResultLine, ...] = ()
        self._button = Button(_("Test"), keys="F5")
        self._button.clicked.connect(self._press)
        self._stop = Button(_("Stop"), icon_name="stop")
        self._stop.clicked.connect(self.cancel)
        self._stop.hide()
        self._lines = ResultLines(_("What the test found"))
        words = _("Asks for the list of models and sends an empty request; no model runs, it costs nothing.")
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(8)
        stack.addWidget(line(self._button, self._stop, (Label(words, "small", "faint", wrap=True), 1)))
        stack.addWidget(self._lines)

    @property
    def running(self) -> bool:
        """Whether a test runs."""
        return self._task is not None and not self._task.done()

    def show_lines(self, lines: tuple[ResultLine, ...]) -> None:
        """Show what another provider's last test found."""
        self._lines.show_lines(lines)

    def start(self, key: str, profile: Profile, secret: str) -> None:
        """Test a profile; one that runs is broken off.

        Args:
            key: the provider's, for the signals.
            profile: as it stands in the form.
            secret: the key that was typed; empty for the one that is kept.
        """
        self.cancel()
        self._key, self._found = key, ()
        self._task = self._desk.spawn(self._run(key, profile, secret), name="test a provider")
        self._show_running()

    def cancel(self) -> None:
        """Break the test off: its connection is closed."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self.found.emit(self._key, (*self._found, ResultLine("nothing", _("Stopped"))))
        self._show_running()

    def _press(self) -> None:
        self.wanted.emit()

    def _show_running(self) -> None:
        self._button.setVisible(not self.running)
        self._stop.setVisible(self.running)

    async def _run(self, key: str, profile: Profile, secret: str) -> None:
        self._show(WAITING)
        place = "typed" if secret else await self._desk.app.credentials.place(profile.name, profile.key_variable)
        model = profile.models[0] if profile.models else ""
        try:
            async with aclosing(self._desk.app.probe(profile, key=secret, model=model)) as found:
                async for one in found:
                    facts = tell_facts(one.facts) or (_place_words(place, profile) if one.check == "key" else "")
                    self._add(ResultLine(one.outcome, tell(one), facts, one.original))
                    self._show(WAITING)
                    if one.models and isValid(self):
                        self.listed.emit(key, one.models)
        except SettingsError as error:
            self._add(ResultLine("failed", tell(error)))
        if isValid(self):
            self._task = None
            self._show()
            self._show_running()

    def _add(self, line: ResultLine) -> None:
        self._found = (*self._found, line)

    def _show(self, waiting: str = "") -> None:
        if isValid(self):
            self.found.emit(self._key, (*self._found, *((ResultLine("running", _(waiting)),) if waiting else ())))


def _place_words(place: Place | str | None, profile: Profile) -> str:
    match place:
        case "keyring":
            return _("from the keyring")
        case "memory":
            return _("from memory")
        case "environment":
            return _("from {name}").format(name=profile.key_variable)
        case "typed":
            return _("as typed")
        case _:
            return ""
