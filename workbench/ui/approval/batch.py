"""Several calls at once: a list that shows each with all that a person needs to know of it, and asks once more, in the dialog itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.events import ApprovalRequested
from workbench.permissions.modes import Rung
from workbench.ui.approval.diff_model import difference_of, is_large
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.guard import Guard, GuardedButton
from workbench.ui.approval.held import held_look
from workbench.ui.approval.pills import Pill, Pills
from workbench.ui.approval.queue import short_content
from workbench.ui.approval.scroll_page import ScrollPage
from workbench.ui.approval.subject import agents_of, asking_reasons, marks_of, outside_targets, sentence_of, target_of
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.kit.labels import Badge, Label
from workbench.ui.kit.layout import Ground, column
from workbench.words import _, many, tell_text

SIDE = 20
QUIET_ARGUMENTS = frozenset({"command", "description"})
"""Arguments of a command that stand in the list or change nothing."""


class BatchPage(Ground):
    """Shows the calls that would be allowed together.

    Signals:
        allowed: they are; those shown, in order, and no others.
        left: back to the single question.
    """

    allowed = Signal(object)
    left = Signal()

    def __init__(self, guard: Guard) -> None:
        super().__init__("raised")
        self._shown: tuple[ApprovalRequested, ...] = ()
        self._seen = False
        self._rung: Rung = "none"
        self._title = Label("", "title", "text", "medium")
        self._words = Label(_("Each runs once, as it is shown here. Nothing is asked again, unless it changes meanwhile."), "body", "muted", wrap=True)
        self._area = ScrollPage(_("Calls that would be allowed"))
        self._area.verticalScrollBar().valueChanged.connect(self._look)
        self.back = GuardedButton(_("Back"), guard, keys="Esc", default=True)
        self._hint = Label(_("Scroll to the last line first."), "small", "muted")
        self.allow = GuardedButton(_("Allow these…"), guard)
        foot = Footing(guard, self.back, None, self._hint, self.allow)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(column(self._title, self._words, margins=(SIDE, 16, SIDE, 10), gap=6, ground="raised", lines="b"))
        layout.addWidget(self._area, 1)
        layout.addWidget(foot)
        self.back.clicked.connect(self.left)
        self.allow.clicked.connect(lambda: self.allowed.emit(self._shown))

    def show_calls(self, calls: Sequence[ApprovalRequested], rung: Rung) -> None:
        """Show the calls from the beginning; `rung` is what holds commands on this machine."""
        self._shown, self._seen, self._rung = tuple(calls), False, rung
        words = many("Allow this {n} call once", "Allow these {n} calls once", len(calls))
        self._title.setText(words)
        self.allow.setText(words)
        content = column(*(_call(requested, rung) for requested in calls), None, margins=(SIDE, 4, SIDE, 12), ground="raised")
        content.installEventFilter(self)
        self._area.setWidget(content)
        self._area.to_top()
        self._offer()

    def keep(self, pending: Sequence[ApprovalRequested]) -> int:
        """Take out what was answered meanwhile; new questions do not join. Return how many are left."""
        open_ids = {requested.approval_id for requested in pending}
        left = [requested for requested in self._shown if requested.approval_id in open_ids]
        if len(left) != len(self._shown):
            self.show_calls(left, self._rung)
        return len(left)

    def _look(self) -> None:
        if not self._seen and self.isVisible() and self._area.at_end:
            self._seen = True
            self._offer()

    def _offer(self) -> None:
        self.allow.setEnabled(self._seen)
        self._hint.setVisible(not self._seen)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self._look()
        return super().eventFilter(watched, event)


class Footing(Ground):
    """The row of answers; its painting starts the guard's time."""

    def __init__(self, guard: Guard, *items: QWidget | None) -> None:
        super().__init__("raised", "t")
        self._guard = guard
        guard.changed.connect(self.update)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SIDE, 12, SIDE, 12)
        layout.setSpacing(8)
        for item in items:
            if item is None:
                layout.addStretch(1)
            else:
                layout.addWidget(item)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self._guard.painted()


def _call(requested: ApprovalRequested, rung: Rung) -> QWidget:
    """Return one call: tool, target, level, how it would be held, marks, who asks, and what it is about."""
    head = QWidget()
    row = QHBoxLayout(head)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(8)
    badge = Badge(requested.danger)
    tool = ExactLabel(requested.tool, "code", weight="bold", mono=True)
    tool.setMinimumHeight(badge.sizeHint().height())
    row.addWidget(tool, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(ExactLabel("" if requested.preview.kind == "command" else target_of(requested), "code", mono=True), 1)
    row.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
    rows: list[QWidget] = [head]
    if text := short_content(requested):
        rows.append(ExactLabel(text, "code", mono=True, lines=True))
    facts = ExactLabel(" · ".join((agents_of(requested), *_figures(requested))), "small", "muted")
    held = held_look(requested, rung)
    chip = [Pill(held.words, held.tone, held.icon, outline=held.outline)] if held is not None else []
    rows.append(Wrapped([[facts], [Pills([*chip, *(Pill(mark) for mark in marks_of(requested))])]]))
    rows += [ExactLabel(_("outside the workspace: {path}").format(path=target.name), "small", "level3") for target in outside_targets(requested)]
    rows += [ExactLabel(tell_text(note), "small", "muted", lines=True) for note in _notes(requested)]
    rows += [ExactLabel(sentence_of(reason, requested), "small", "muted") for reason in asking_reasons(requested)[:2]]
    return column(*rows, margins=(0, 10, 0, 10), gap=4, ground="raised", lines="b")


def _notes(requested: ApprovalRequested) -> tuple[str, ...]:
    """Return what is worth knowing of what would be done; of a command that runs where commands do, and as they do, nothing is."""
    plain = requested.preview.kind == "command" and QUIET_ARGUMENTS.issuperset(requested.arguments)
    return () if plain else requested.preview.notes


def _figures(requested: ApprovalRequested) -> list[str]:
    preview = requested.preview
    if preview.kind not in {"diff", "new_file"} or is_large(preview):
        return []
    shown = difference_of(preview)
    new = [_("new file")] if preview.kind == "new_file" else []
    return [*new, f"+{shown.added} −{shown.removed}"]
