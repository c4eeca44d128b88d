"""What the parts of the window ask for and cannot do themselves: show a request, copy, open a link, stop a call."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QUrl

from workbench.permissions.visible import visible
from workbench.ui.chat.documents import OPENABLE
from workbench.ui.desk import Desk
from workbench.ui.file_windows import show_changes, show_file
from workbench.ui.link_question import LinkQuestion
from workbench.ui.window_frame import Frame
from workbench.words import _, many


class HasParts(Protocol):
    """What actions need of the window; its parts are others after they were built anew."""

    @property
    def frame(self) -> Frame:
        """The parts."""
        ...

    def review(self, call_id: str = "") -> None:
        """Show the calls that wait."""

    def open_settings(self, page: str = "") -> None:
        """Open the settings on a page."""


class Actions(QObject):
    """Carries actions of the chat to where they belong."""

    def __init__(self, desk: Desk, window: HasParts) -> None:
        super().__init__()
        self._desk, self._window = desk, window

    def run(self, action: str, argument: str) -> None:
        """Do what a part asks for; see `ClickTarget.action` for the names."""
        frame = self._window.frame
        match action:
            case "stop_call":
                self._desk.bridge.stop_call(argument)
            case "show_request":
                frame.open_inspector(wanted=True)
                frame.inspector.show_request(argument)
            case "show_findings":
                frame.open_inspector(wanted=True)
                frame.inspector.show_findings(argument)
            case "show_call":
                frame.open_inspector(wanted=True)
                frame.inspector.show_call(argument)
            case "show_result":
                frame.open_inspector(wanted=True)
                frame.inspector.show_call(argument, result=True)
            case "settings":
                self._window.open_settings(argument)
            case "review":
                self._window.review(self._call_of(argument))
            case "stop":
                self._desk.bridge.stop()
            case "show_diff":
                self._desk.spawn(show_changes(self._desk, frame.window(), argument), name="show changes")
            case "open_link":
                self._open_link(argument)
            case "raise_limit":
                self._raise_limit(float(argument))
            case "end_at_limit":
                self._end_at_limit()
            case _:
                raise ValueError(f"nothing does {action!r}")

    def _call_of(self, approval_id: str) -> str:
        """Return the call that a question is about; empty if it is not open any more."""
        return next((question.call_id for question in self._desk.bridge.pending if question.approval_id == approval_id), "")

    def show_file(self, path: str) -> None:
        """Show a file's text."""
        self._desk.spawn(show_file(self._desk, self._window.frame.window(), Path(path)), name="show a file")

    async def find_servers(self) -> None:
        """Look for model servers on this machine, and tell what was found."""
        found = await self._desk.find_local_servers()
        sentence = many("{n} model server answers on this computer.", "{n} model servers answer on this computer.", found)
        self._desk.told.emit(sentence if found else _("No model server answers on this computer."), "info")

    async def refresh(self) -> None:
        """Read what other programs may have changed while the window was not looked at."""
        await self._desk.refresh_sessions()
        await self._desk.refresh_branch()
        await self._desk.trust.look()

    def _open_link(self, address: str) -> None:
        """Ask whether a link is to be opened; only what a browser or a mail program is for."""
        if QUrl(address).scheme().lower() in OPENABLE:
            LinkQuestion(address, self._window.frame).present()
        else:
            self._desk.told.emit(_("This link is not opened, because it leads to no web page: {address}").format(address=visible(address)), "warning")

    def _raise_limit(self, maximum: float) -> None:
        if self._desk.bridge.opened is not None:
            self._desk.bridge.opened.session.raise_limit(maximum)

    def _end_at_limit(self) -> None:
        if self._desk.bridge.opened is not None:
            self._desk.bridge.opened.session.end_at_limit()
