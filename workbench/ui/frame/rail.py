"""The side pane of a narrow window: one icon a section, with a count below it."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QVBoxLayout
from typing_extensions import override

from workbench.ui.desk import Desk
from workbench.ui.frame.jobs_watch import JobsWatch
from workbench.ui.frame.session_changes import SessionChanges
from workbench.ui.kit.buttons import Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import plain_tip
from workbench.ui.kit.layout import Ground
from workbench.ui.kit.paint import CENTRE, box, focus_ring, text
from workbench.ui.kit.theme import theme
from workbench.words import _, many, titled

WIDTH = 44


class RailButton(Painted):
    """A section as an icon; `count` stands below it, in amber when something in it waits."""

    def __init__(self, icon_name: str, name: str) -> None:
        self.icon_name, self.count, self.waits = icon_name, "", False
        super().__init__(name)
        plain_tip(self, name)

    def set_count(self, count: int, spoken: str, *, waits: bool = False) -> None:
        """Show how many there are; none for 0."""
        self.count, self.waits = str(count) if count else "", waits
        self.setAccessibleDescription(spoken)
        plain_tip(self, titled(self.text(), spoken) if count else self.text())
        self.update()

    @override
    def tall(self) -> int:
        return max(WIDTH, theme.lh + 28)

    @override
    def measure(self) -> float:
        return WIDTH

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        area = QRectF(5, 0, rect.width() - 11, rect.height() - 4)
        ground = "select" if self.isChecked() else self.pointer_ground()
        if ground:
            box(p, area, ground, None, 6)
        y = 5.0 if self.count else (area.height() - 16) / 2
        draw_icon(p, self.icon_name, (rect.width() - 17) / 2, y, "accent" if self.isChecked() else "muted")
        if self.count:
            line = QRectF(0, area.height() - theme.lh - 2, rect.width() - 1, theme.lh)
            text(p, line, self.count, theme.font("tiny", "medium"), "level2" if self.waits else "muted", CENTRE)
        if self.state("focus"):
            focus_ring(p, area, 6)


class Rail(Ground):
    """Icons of the sections.

    Signals:
        section_wanted: name of a section (workspace, sessions, changes, jobs) that a person wants to see.
    """

    section_wanted = Signal(str)

    def __init__(self, desk: Desk) -> None:
        super().__init__("window")
        self._desk = desk
        self._changes, self._folded = SessionChanges(), 0
        self._jobs = JobsWatch(desk, self)
        self._buttons = {
            "workspace": RailButton("folder", _("Workspace")),
            "sessions": RailButton("session", _("Sessions")),
            "changes": RailButton("diff", _("Changes")),
            "jobs": RailButton("jobs", _("Jobs")),
        }
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 8, 0, 0)
        layout.setSpacing(0)
        for name, button in self._buttons.items():
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
            button.clicked.connect(lambda _checked=False, name=name: self.section_wanted.emit(name))
        layout.addStretch(1)
        self.setFixedWidth(max(WIDTH, *(ceil(button.measure()) for button in self._buttons.values())))
        desk.sessions_changed.connect(self._show_sessions)
        desk.bridge.attached.connect(self._show_session)
        desk.bridge.facts.connect(self._fold)
        self._jobs.changed.connect(self._show_jobs)
        self._show_sessions()
        self._show_session()

    def show_chosen(self, name: str) -> None:
        """Mark the section that is open beside the rail; empty for none."""
        for key, button in self._buttons.items():
            button.setCheckable(key == name)
            button.setChecked(key == name)

    def _show_sessions(self) -> None:
        sessions = self._desk.sessions
        waits = any(session.state == "waits" for session in sessions)
        self._buttons["sessions"].set_count(len(sessions), many("{n} session", "{n} sessions", len(sessions)), waits=waits)

    def _show_session(self) -> None:
        self._changes, self._folded = SessionChanges(), 0
        self._show_changes()
        self._fold()
        self._jobs.refresh()
        self._show_jobs()

    def _fold(self) -> None:
        """Take the facts that are new; a rail that is out of sight waits until it is seen, because the side pane counts the same."""
        if self.isVisible():
            entries = self._desk.bridge.entries
            if self._changes.add(entries[self._folded :]):
                self._show_changes()
            self._folded = len(entries)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fold()

    def _show_changes(self) -> None:
        count = len(self._changes.marks)
        self._buttons["changes"].set_count(count, many("{n} file", "{n} files", count))

    def _show_jobs(self) -> None:
        count = len(self._jobs.jobs) + len(self._jobs.calls)
        self._buttons["jobs"].set_count(count, many("{n} job", "{n} jobs", count))
