"""The rule that “Always allow…” would add: how wide it is, how long it holds, and what else it lets through. The narrowest is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.events import ApprovalRequested, Entry
from workbench.conversation.values import JsonObject
from workbench.permissions.visible import visible
from workbench.ui.approval.exact_choice import ExactChoice
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.rule_words import Offered, lets_through, offered, still_asks, would_have_matched
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import column, line
from workbench.ui.kit.paint import box
from workbench.words import _

IN_SEGMENTS = 70
"""Characters of all widths together; longer ones stand one below the other."""


SIDE, INSET = 20, 14


class RuleStrip(QWidget):
    """Shows the rules offered with one question, and lets a person choose among them.

    Signals:
        changed: another rule is chosen.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._offered: list[Offered] = []
        self._chosen = 0
        self._told: list[str] = []
        self._also = ExactLabel("", "small", "muted")
        self._figures = Label("", "small", "faint")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIDE, 10, SIDE, 12)
        self._content: QWidget | None = None
        self._in_one_row = False
        self._built_for = 0

    @property
    def chosen(self) -> JsonObject | None:
        """The rule that would be added, in its stored form; None if none is offered."""
        return self._offered[self._chosen].kept if self._offered else None

    def show_rules(self, requested: ApprovalRequested, entries: Sequence[Entry], workspace: str) -> None:
        """Show the rules of a question; the narrowest is chosen."""
        self._offered, self._chosen = offered(requested) if requested.can_always else [], 0
        self._told = [would_have_matched(one.rule, requested, entries, workspace) for one in self._offered]
        self._build()

    def _build(self) -> None:
        if self._content is not None:
            self._content.hide()
            self._content.deleteLater()
            self._content = None
        if self._offered and (layout := self.layout()):
            self._content = self._made()
            layout.addWidget(self._content)
            self._tell()

    def _made(self) -> QWidget:
        self._also = ExactLabel("", "small", "muted")
        self._figures = Label("", "small", "faint")
        head = Label(_("“Always allow…” would add"), "small", "muted", "medium")
        tool = ExactLabel(self._offered[0].tool, "code", "text", weight="bold", mono=True)
        tool.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        scope = Label(_("for this session; rules do not last longer yet"), "small", "muted")
        choices = self._choices([one.width for one in self._offered])
        last = line(Icon("check", "ok", 12), (self._also, 1), 8, self._figures, gap=6)
        needed = sum(widget.sizeHint().width() for widget in (head, tool, choices, scope)) + 24 + 2 * (SIDE + INSET)
        self._in_one_row = isinstance(choices, Segments) and needed <= self.width()
        if self._in_one_row:
            return _Strip([line(head, tool, choices, None, scope, gap=8), last])
        below = line(choices, None) if isinstance(choices, Segments) else choices
        return _Strip([line(head, tool, None, scope, gap=8), below, last])

    def _choices(self, widths: Sequence[str]) -> QWidget:
        if sum(map(len, widths)) <= IN_SEGMENTS and all(visible(width) == width for width in widths):
            segments = Segments(widths, self._chosen, mono=True, name=_("How wide the rule is"))
            segments.changed.connect(self._choose)
            return segments
        choices = [ExactChoice(width, on=n == self._chosen) for n, width in enumerate(widths)]
        for n, choice in enumerate(choices):
            choice.clicked.connect(lambda _on=True, place=n: self._choose(place))
        return column(*choices, gap=2)

    def _choose(self, place: int) -> None:
        if place != self._chosen:
            self._chosen = place
            self._tell()
            self.changed.emit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Build it anew where another width asks for other rows."""
        super().resizeEvent(event)
        if event.size().width() != self._built_for:
            self._built_for = event.size().width()
            self._build()

    def _tell(self) -> None:
        rule = self._offered[self._chosen].rule
        self._also.show_text(f"{lets_through(rule)} · {still_asks(rule)}")
        self._figures.setText(self._told[self._chosen])


class _Strip(QWidget):
    """The box around it."""

    def __init__(self, rows: Sequence[QWidget]) -> None:
        super().__init__()
        self.setAccessibleName(_("“Always allow…” would add"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(INSET, 10, INSET, 10)
        layout.setSpacing(8)
        for row in rows:
            layout.addWidget(row)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "sunken", "line", 6)
