"""What commands left running, and the commands that run now: one row each with a button that ends it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.permissions.visible import visible
from workbench.ui.frame.jobs_watch import RunningCall
from workbench.ui.frame.moments import moment_text
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.labels import Icon, Label, plain_tip
from workbench.ui.kit.layout import Ground, scrolls
from workbench.ui.kit.theme import theme
from workbench.words import _, many
from workbench.workspace.jobs import JobState

INSET = 26


class JobRows(QScrollArea):
    """Shows jobs; more than there is room for scroll.

    Signals:
        stop_wanted: number of a job that a person wants to end.
        stop_call_wanted: id of a call that a person wants to stop.
        height_changed: `content_height` is another one.
    """

    stop_wanted = Signal(int)
    stop_call_wanted = Signal(str)
    height_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        scrolls(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setAccessibleName(_("Jobs"))
        self._rows: dict[int | str, QWidget] = {}
        ground = Ground("window")
        self._layout = QVBoxLayout(ground)
        self._layout.setContentsMargins(INSET - 4, 0, 4, 0)
        self._layout.setSpacing(0)
        self._layout.addStretch(1)
        self.setWidget(ground)

    @property
    def content_height(self) -> int:
        """Height in pixels at which every row is seen."""
        return len(self._rows) * theme.row

    def show_jobs(self, jobs: Sequence[JobState], calls: Sequence[RunningCall] = ()) -> None:
        """Show these jobs and running calls; a row that stays keeps the keyboard."""
        shown: dict[int | str, JobState | RunningCall] = {job.number: job for job in jobs} | {call.call_id: call for call in calls}
        for key in self._rows.keys() - shown.keys():
            self._rows.pop(key).deleteLater()
        for key, one in shown.items():
            if key not in self._rows:
                self._rows[key] = self._job_row(one) if isinstance(one, JobState) else self._call_row(one)
                self._layout.insertWidget(len(self._rows) - 1, self._rows[key])
        self.height_changed.emit()

    def _job_row(self, job: JobState) -> QWidget:
        row, stop = _row(job.text, job.started_at, many("{n} process", "{n} processes", len(job.processes)))
        stop.clicked.connect(lambda: self.stop_wanted.emit(job.number))
        return row

    def _call_row(self, call: RunningCall) -> QWidget:
        row, stop = _row(call.text, call.started_at, _("The turn waits for it."))
        stop.clicked.connect(lambda: self.stop_call_wanted.emit(call.call_id))
        return row


def _row(command: str, started_at: float, note: str) -> tuple[QWidget, IconButton]:
    """Return a row, and its button that ends the command."""
    words = visible(command.strip())
    row = QWidget()
    row.setFixedHeight(theme.row)
    plain_tip(row, f"{words}\n{note}")
    stop = IconButton("stop", _("Stop “{command}”").format(command=words[:80]), small=True)
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(6)
    layout.addWidget(Icon("terminal"))
    layout.addWidget(Label(words, "code", mono=True, elide="right"), 1)
    layout.addWidget(Label(moment_text(started_at, time.time()), "tiny", "faint"))
    layout.addWidget(stop)
    return row, stop
