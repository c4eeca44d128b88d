"""The left pane: every open question of the whole agent tree, oldest first, and answers to several of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.events import ApprovalRequested
from workbench.permissions.visible import visible
from workbench.ui.approval.draft import json_text
from workbench.ui.approval.guard import Guard, GuardedButton
from workbench.ui.approval.held import is_further
from workbench.ui.approval.subject import DECEIVING, agents_of, queue_name, target_of
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground, column, scrolls
from workbench.ui.kit.paint import METER, RIGHT, badge_words, fill, focus_ring, hline, meter, text
from workbench.ui.kit.theme import theme
from workbench.words import _, many

WIDTH = 236
HIGHEST = 4
SHORT_CHARACTERS = 2_000
"""A command, a change or a text that is longer is not allowed among others: it must be looked at by itself."""


def in_batch(requested: ApprovalRequested) -> bool:
    """Say whether a call may be allowed together with others.

    Never one of the highest level, one whose text may deceive or is long, or one that the sandbox stopped before.
    """
    plain = not DECEIVING.intersection(requested.badges)
    return requested.danger < HIGHEST and plain and not is_further(requested) and len(short_content(requested)) <= SHORT_CHARACTERS


def short_content(requested: ApprovalRequested) -> str:
    """Return what a call does: a change of a file, a command, a text, or the arguments."""
    match requested.preview.kind:
        case "diff" | "new_file":
            return requested.preview.body or requested.preview.after or ""
        case "command":
            return requested.preview.body
        case "text" | "none":
            return requested.preview.body or json_text(requested.arguments)


class QueueRow(QAbstractButton):
    """One question: tool and target; danger and who asks. The shown one carries the bar.

    Signals:
        stepped: the question before (-1) or after (1) is wanted.
    """

    stepped = Signal(int)

    def __init__(self, requested: ApprovalRequested) -> None:
        super().__init__()
        self.requested = requested
        self.setCheckable(True)
        self.setAccessibleName(queue_name(requested, badge_words(requested.danger)))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    @override
    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 2 * theme.lh + 22)

    @override
    def text(self) -> str:
        """Return what a screen reader says; nothing in it is a mnemonic."""
        return self.accessibleName()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Up:
                self.stepped.emit(-1)
            case Qt.Key.Key_Down:
                self.stepped.emit(1)
            case _:
                super().keyPressEvent(event)

    @override
    def nextCheckState(self) -> None:
        """What is shown decides which row is chosen, not the click."""

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        requested, area = self.requested, QRectF(self.rect())
        with QPainter(self) as p:
            fill(p, area, "select" if self.isChecked() else "hover" if self.underMouse() else "window")
            if self.isChecked():
                fill(p, QRectF(0, 0, 3, area.height()), "accent_fill")
            hline(p, 0, area.width(), area.height() - 1)
            left, right = 14.0, area.width() - 12
            tool = text(p, QRectF(left, 8, right - left, theme.lh + 2), visible(requested.tool), theme.font("code", "bold"))
            after = left + tool + 8
            text(p, QRectF(after, 8, max(0.0, right - after), theme.lh + 2), visible(target_of(requested)), theme.font("code"), "muted", elide="middle")
            low, ink = theme.lh + 22, f"level{requested.danger}"
            meter(p, left, low, requested.danger, ink)
            x = left + METER + 6
            x += text(p, QRectF(x, low - 10, right - x, 20), badge_words(requested.danger), theme.font("tiny", "bold"), ink) + 8
            text(p, QRectF(x, low - 10, max(0.0, right - x), 20), agents_of(requested), theme.font("tiny"), "muted", RIGHT, "left")
            if self.hasFocus():
                focus_ring(p, area, 0)


class QueuePane(Ground):
    """The list and the two answers below it.

    Signals:
        chosen: another question should be shown; its approval id, and whether the keyboard chose it.
        batch_wanted: several should be allowed; the list of them should be opened.
        reject_all_wanted: all should be rejected.
    """

    chosen = Signal(str, bool)
    batch_wanted = Signal()
    reject_all_wanted = Signal()

    def __init__(self, guard: Guard) -> None:
        super().__init__("window", "r")
        self.setFixedWidth(WIDTH)
        self._rows: list[QueueRow] = []
        self._head = Label("", "small", "text", "bold")
        head = column(self._head, margins=(14, 0, 12, 0), ground="window", lines="b")
        head.setFixedHeight(theme.bar)
        self._list = QWidget()
        self._layout = QVBoxLayout(self._list)
        self._layout.setContentsMargins(0, 0, 1, 0)
        self._layout.setSpacing(0)
        self._layout.addStretch(1)
        self.batch = GuardedButton(_("Allow these…"), guard, small=True)
        self.reject_all = GuardedButton(_("Reject all"), guard, small=True)
        self._alone = Label(_("Level 4, and text that may deceive, is decided one by one."), "tiny", "faint", wrap=True)
        for button in (self.batch, self.reject_all):
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._foot = column(self.batch, self._alone, self.reject_all, margins=(12, 10, 12, 12), gap=6, ground="window", lines="t")
        self._lay_out(head)
        self.batch.clicked.connect(self.batch_wanted)
        self.reject_all.clicked.connect(self.reject_all_wanted)

    def _lay_out(self, head: QWidget) -> None:
        area = QScrollArea()
        scrolls(area)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self._list)
        self._area = area
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 1, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addWidget(area, 1)
        layout.addWidget(self._foot)

    def show_queue(self, pending: Sequence[ApprovalRequested], shown: str) -> str:
        """Show the open questions; those that stay keep their rows, new ones join at the end. Return how many wait, in words.

        Args:
            pending: the questions, oldest first.
            shown: approval id of the one that is shown.
        """
        wanted = {requested.approval_id for requested in pending}
        for row in [row for row in self._rows if row.requested.approval_id not in wanted]:
            self._rows.remove(row)
            row.hide()
            row.deleteLater()
        there = {row.requested.approval_id for row in self._rows}
        for requested in pending:
            if requested.approval_id not in there:
                self._add(requested)
        for row in self._rows:
            row.setChecked(row.requested.approval_id == shown)
        self._show_counts(pending)
        return self._head.text()

    def _add(self, requested: ApprovalRequested) -> None:
        row = QueueRow(requested)
        row.clicked.connect(lambda: self.chosen.emit(requested.approval_id, row.hasFocus()))
        row.stepped.connect(lambda by: self._step(row, by))
        self._layout.insertWidget(len(self._rows), row)
        self._rows.append(row)

    def _show_counts(self, pending: Sequence[ApprovalRequested]) -> None:
        waiting = many("{n} call waits for you", "{n} calls wait for you", len(pending))
        self._head.setText(waiting if pending else _("Nothing waits for you"))
        together = sum(map(in_batch, pending))
        self.batch.setText(_("Allow these {n}…").format(n=together) if together > 1 else _("Allow these…"))
        self.batch.setEnabled(together > 1)
        self._alone.setVisible(together < len(pending))
        self._foot.setVisible(len(pending) > 1)

    def _step(self, row: QueueRow, by: int) -> None:
        place = self._rows.index(row) + by
        if 0 <= place < len(self._rows):
            self._rows[place].setFocus(Qt.FocusReason.OtherFocusReason)
            self._area.ensureWidgetVisible(self._rows[place])
            self.chosen.emit(self._rows[place].requested.approval_id, True)
