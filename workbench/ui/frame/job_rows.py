"""What commands left running, one row each with a button that ends it."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.permissions.visible import visible
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
        height_changed: `content_height` is another one.
    """

    stop_wanted = Signal(int)
    height_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        scrolls(self)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setAccessibleName(_("Jobs"))
        self._rows: dict[int, QWidget] = {}
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

    def show_jobs(self, jobs: Sequence[JobState]) -> None:
        """Show these jobs; a row that stays keeps the keyboard."""
        for number in self._rows.keys() - {job.number for job in jobs}:
            self._rows.pop(number).deleteLater()
        for job in jobs:
            if job.number not in self._rows:
                self._rows[job.number] = self._row(job)
                self._layout.insertWidget(len(self._rows) - 1, self._rows[job.number])
        self.height_changed.emit()

    def _row(self, job: JobState) -> QWidget:
        words = visible(job.text.strip())
        row = QWidget()
        row.setFixedHeight(theme.row)
        plain_tip(row, f"{words}\n" + many("{n} process", "{n} processes", len(job.processes)))
        stop = IconButton("stop", _("Stop “{command}”").format(command=words[:80]), small=True)
        stop.clicked.connect(lambda: self.stop_wanted.emit(job.number))
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(Icon("terminal"))
        layout.addWidget(Label(words, "code", mono=True, elide="right"), 1)
        layout.addWidget(Label(moment_text(job.started_at, time.time()), "tiny", "faint"))
        layout.addWidget(stop)
        return row
