"""The sessions of the workspace: what each is about, whether it runs or waits, and when it was used last."""

from __future__ import annotations

import time

from PySide6.QtCore import QModelIndex, Signal

from workbench.permissions.visible import visible
from workbench.ui.desk import Desk, SessionRow
from workbench.ui.frame.cell_list import CellList, ListRow
from workbench.ui.frame.moments import moment_text
from workbench.ui.frame.row_view import RowView
from workbench.ui.frame.section import Section
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.cells import Cell
from workbench.words import _, many, state_name, strung


class SessionsSection(Section):
    """Lists the sessions; the one that is shown is chosen.

    Signals:
        session_wanted: id of a session that a person wants to see.
        new_wanted: a new session is wanted.
    """

    session_wanted = Signal(str)
    new_wanted = Signal()

    def __init__(self, desk: Desk) -> None:
        self._desk, self._shown = desk, ""
        self._list = CellList()
        self._view = rows = RowView(self._list, _("Sessions"))
        plus = IconButton("plus", _("New session"), small=True)
        super().__init__("sessions", _("Sessions"), rows, _("Your first message starts one."), plus)
        plus.clicked.connect(self.new_wanted)
        rows.clicked.connect(self._want)
        rows.activated.connect(self._want)
        desk.sessions_changed.connect(self.refresh)
        desk.bridge.attached.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the sessions as the desk has them now."""
        sessions, chosen = self._desk.sessions, self._list.key_of(self._view.currentIndex())
        if self._shown != self._shown_id():  # else the row stays where a person's keys have brought it
            chosen = self._shown_id()
        self._list.set_rows([ListRow(session.session_id, _cell(session, time.time())) for session in sessions])
        waiting = sum(session.state == "waits" for session in sessions)
        note = str(len(sessions)) if sessions else ""
        self.set_note(note, "wait" if waiting else "", _spoken(len(sessions), waiting))
        index = self._list.index_of(chosen)
        self._view.setCurrentIndex(index)
        if index.isValid() and chosen == self._shown_id():
            self._shown = chosen

    def _shown_id(self) -> str:
        opened = self._desk.bridge.opened
        return opened.session.session_id if opened is not None else ""

    def _want(self, index: QModelIndex) -> None:
        session_id = self._list.key_of(index)
        if session_id and session_id != self._shown_id():
            self.session_wanted.emit(session_id)


def _cell(session: SessionRow, now: float) -> Cell:
    title = visible(session.title) or _("New session")
    moment = moment_text(session.used_at, now)
    match session.state:
        case "running":
            return Cell(title, "running", "text", weight="medium", note=_("running"), note_right=True)
        case "waits":
            return Cell(title, "hand", "level2", weight="medium", note=_("waits"), note_token="level2", note_right=True)
        case "in_use":
            tip = _("Another process of this program writes this session. It can be opened when that one has closed it.")
            return Cell(title, "lock", "faint", token="muted", note=state_name("in_use"), note_right=True, tip=f"{title}\n{tip}")
        case "damaged":
            tip = _("The files of this session are damaged. Opening it says what can still be read.")
            return Cell(title, "warning", "fail", note=state_name("damaged"), note_token="fail", note_right=True, tip=f"{title}\n{tip}")
        case "idle":
            return Cell(title, "session", note=moment, note_right=True)


def _spoken(count: int, waiting: int) -> str:
    return strung(many("{n} session", "{n} sessions", count), many("{n} waits for you", "{n} wait for you", waiting) if waiting else "")
