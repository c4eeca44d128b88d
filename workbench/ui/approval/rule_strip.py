"""The rules that “Always allow…” would add: for each part one to tick, how wide it is, how long it holds, and what else it lets through.

The narrowest rules are chosen. Everything in it must have been in sight before it can be answered with.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QEvent, QObject, QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.events import ApprovalRequested
from workbench.inspection.rehearse_rule import CALLS_LOOKED_AT, RuleRehearsal
from workbench.permissions.modes import Rung
from workbench.permissions.rules import Rule
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.link import Link
from workbench.ui.approval.rule_offers import REACHES, Choice, reach_problem, still_asking
from workbench.ui.approval.rule_row import RuleRow, parts_words
from workbench.ui.approval.rule_words import rehearsal_words, rehearsed_lines
from workbench.ui.approval.scroll_page import ScrollPage
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import column
from workbench.ui.kit.paint import box, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many

SIDE, INSET = 20, 14
LARGEST_SHARE = 0.26
"""The list of rules takes at most this much of the dialog; more of it scrolls."""


class RuleStrip(QWidget):
    """Shows the rules offered with one question, and lets a person choose among them.

    Signals:
        changed: other rules are chosen, or for another time; `rules` says which.
        moved: it is higher or lower now, so that what is beside it moved.
        seen_changed: its end has been in sight.

    Attributes:
        choice: what is offered and chosen.
        seen: all of it has been in sight since it was filled.
        folded: it shows one line, and opens on request; for low windows.
    """

    changed = Signal()
    moved = Signal()
    seen_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.choice = Choice()
        self.seen = False
        self.folded = False
        self._low = False
        self._requested: ApprovalRequested | None = None
        self._rung: Rung = "none"
        self._rehearsal: RuleRehearsal | None = None
        self._figures = _Figures()
        self._calls = QWidget()
        self._listed = False
        self._tall = 0
        self._box = _Box()
        self._page = _Page()
        self._page.looked.connect(self._look)
        self._page.verticalScrollBar().valueChanged.connect(self._look)
        self._head: QWidget | None = None
        self._box.column.addWidget(self._page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIDE, 10, SIDE, 12)
        layout.addWidget(self._box)

    # What is shown

    @property
    def rules(self) -> list[Rule]:
        """The ticked rules, which may be rehearsed."""
        return [width.rule for width in self.choice.considered]

    @property
    def open_low(self) -> bool:
        """Whether it was opened in a low window, where there is room for nothing beside it."""
        return self._low and not self.folded and not self.isHidden()

    def show_rules(self, requested: ApprovalRequested, rung: Rung) -> None:
        """Show the rules of a question; the narrowest are chosen.

        Args:
            requested: the question.
            rung: what holds commands here; it bounds how long rules may hold.
        """
        self._requested, self._rung, self.choice, self.seen = requested, rung, Choice.of(requested), False
        self._rehearsal, self._listed, self.folded = None, False, self._low
        self._build()

    def set_low(self, low: bool) -> None:
        """Fold it to one line where the window is low, open it where it is not."""
        if low != self._low:
            self._low = self.folded = low
            self._build()

    def fold(self, folded: bool) -> None:
        """Show one line, or all of it."""
        if folded != self.folded:
            self.folded = folded
            self._build()
            self.moved.emit()

    def show_rehearsal(self, rehearsal: RuleRehearsal) -> None:
        """Say how many of the last calls the rules would have let through."""
        self._rehearsal = rehearsal
        self._tell()

    # Building

    def _build(self) -> None:
        if self._head is not None:
            self._head.hide()
            self._head.deleteLater()
            self._head = None
        self._figures, self._calls = _Figures(), QWidget()
        self._figures.which.clicked.connect(self._list_calls)
        self._calls.hide()
        if self.choice.offered:
            self._page.setVisible(not self.folded)
            single = len(self.choice.offered) == 1 and not self.folded
            if not single:
                self._head = self._folded_head() if self.folded else self._full_head()
                self._box.column.insertWidget(0, self._head)
            self._page.put([] if self.folded else self._single() if single else self._rows())
            self._tell()
        self.fit()

    def _title(self) -> QWidget:
        return Label(_("“Always allow…” would add"), "small", "muted", "medium")

    def _reach(self) -> list[QWidget]:
        words = [_("Once"), _("This session"), _("This project"), _("Everywhere")]
        segments = Segments(words, REACHES.index(self.choice.reach), name=_("How long the rules hold"))
        command = self._requested is not None and self._requested.preview.kind == "command"
        for place, reach in enumerate(REACHES):
            segments.set_reason(place, reach_problem(self.choice.offered, reach, self._rung, command=command))
        segments.changed.connect(self._hold_for)
        return [Label(_("for"), "small", "muted"), segments, *([self._link(_("Hide"), folded=True)] if self._low else [])]

    def _link(self, words: str, *, folded: bool) -> Link:
        link = Link(words)
        link.clicked.connect(lambda: self.fold(folded))
        return link

    def _full_head(self) -> QWidget:
        return Wrapped([[self._title()], self._reach()], last_right=True)

    def _folded_head(self) -> QWidget:
        return Wrapped([[self._title(), Label(self._count(), "small", "text")], [self._link(_("Choose…"), folded=False)]], last_right=True)

    def _count(self) -> str:
        return many("{n} rule", "{n} rules", len(self.choice.ticked))

    def _single(self) -> list[QWidget]:
        (offered,) = self.choice.offered
        row = RuleRow(
            offered, on=True, width=self.choice.widths[0], alone=True, before=[self._title()], after=self._reach(), note=[self._figures]
        )
        row.widened.connect(lambda width: self._widen(0, width))
        return [row, *self._still_asks(), self._calls]

    def _rows(self) -> list[QWidget]:
        rows: list[QWidget] = []
        for place, offered in enumerate(self.choice.offered):
            row = RuleRow(offered, on=self.choice.on[place], width=self.choice.widths[place], alone=False)
            row.ticked.connect(lambda on, place=place: self._tick(place, on))
            row.widened.connect(lambda width, place=place: self._widen(place, width))
            rows.append(row)
        return [*rows, *self._still_asks(), self._figures, self._calls]

    def _still_asks(self) -> list[QWidget]:
        """Return a sentence on the parts for which no rule can be offered; nothing if there are none, or the whole text is offered alone."""
        left = still_asking(self._requested, self.choice.offered) if self._requested is not None else ()
        if not left or not any(one.parts for one in self.choice.offered):
            return []
        whole = any(not one.parts for one in self.choice.offered)
        alone = _("{parts}: no rule, so the command still asks.")
        words = _("{parts}: no rule of its own, so only one for the whole call lets the command pass.") if whole else alone
        words = words.format(parts=parts_words(left))
        return [Wrapped([[Icon("question", "level2", 12), ExactLabel(words, "small", "muted")]])]

    # Choosing

    def _tick(self, place: int, on: bool) -> None:
        self.choice.on[place] = on
        self._changed()

    def _widen(self, place: int, width: int) -> None:
        self.choice.widths[place] = width
        self._changed()

    def _hold_for(self, place: int) -> None:
        self.choice.reach = REACHES[place]
        self._changed()

    def _changed(self) -> None:
        self._rehearsal = None
        self._tell()
        self.changed.emit()

    # What is told

    def _tell(self) -> None:
        """Tell what the rules would have done; nothing while that is worked out, so that no figure of other rules stands there."""
        rehearsal = self._rehearsal
        told = "" if rehearsal is None or not self.rules else rehearsal_words(rehearsal)
        once = self.choice.reach == "once"
        self._figures.words.setText(_("“Allow once” keeps no rule.") if once else told)
        self._figures.which.setVisible(rehearsal is not None and bool(rehearsal.allowed) and not once)
        if self._listed:
            self._show_calls()

    def _list_calls(self) -> None:
        self._listed = not self._listed
        self._figures.which.setText(_("Hide them") if self._listed else _("Which?"))
        self._show_calls()

    def _show_calls(self) -> None:
        calls = QWidget()
        lines = rehearsed_lines(self._rehearsal) if self._listed and self._rehearsal is not None else ()
        if lines:
            calls = column(*(ExactLabel(line, "small", "muted", mono=True) for line in lines), margins=(18, 0, 0, 0), gap=2)
        self._page.replace(self._calls, calls)
        self._calls = calls

    # Size and sight

    def fit(self) -> None:
        """Be as high as the rules, up to the share of the dialog."""
        tall = 0
        if not self.folded:
            limit = self.window().height() * (1.0 if self._low else LARGEST_SHARE)
            tall = min(self._page.wanted(), int(limit))
        if self._low and not self.folded:
            self._page.setMinimumHeight(0)
            self._page.setMaximumHeight(16_777_215)
        elif tall:
            self._page.setFixedHeight(tall)
        if tall != self._tall:
            self._tall = tall
            self.moved.emit()

    def _look(self) -> None:
        """Note whether the end is in sight."""
        if not self.seen and not self.folded and self.isVisible() and self._page.at_end:
            self.seen = True
            self.seen_changed.emit()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.fit()
        return super().event(event)


class _Figures(QWidget):
    """How many of the last calls the rules would have let through. It takes its room before that is known, so that nothing moves then."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.which = Label("", "small", "faint"), Link(_("Which?"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addStretch(1)
        layout.addWidget(self.words)
        layout.addWidget(self.which)
        likely = max(map(rehearsal_words, (RuleRehearsal(), RuleRehearsal(CALLS_LOOKED_AT))), key=len)
        self.setMinimumSize(ceil(width_of(likely, theme.font("small"))) + self.which.sizeHint().width() + 4, self.which.sizeHint().height())


class _Page(ScrollPage):
    """The rules one below the other.

    Signals:
        looked: it was painted.
    """

    looked = Signal()

    def __init__(self) -> None:
        super().__init__(_("“Always allow…” would add"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def put(self, rows: Sequence[QWidget]) -> None:
        """Show other rows."""
        content = column(*rows, None, gap=8, ground="sunken")
        content.installEventFilter(self)
        self.setWidget(content)
        self.to_top()

    def replace(self, old: QWidget, new: QWidget) -> None:
        """Show a widget in the place of another."""
        content = self.widget()
        if content is not None and (layout := content.layout()) is not None:
            layout.replaceWidget(old, new)
            new.setVisible(bool(new.layout()))
            old.hide()
            old.deleteLater()

    def wanted(self) -> int:
        """Return the height of all rows."""
        content = self.widget()
        return content.heightForWidth(max(1, self.viewport().width())) if content is not None else 0

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.looked.emit()
        elif event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class _Box(QWidget):
    """The ground of the strip."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(_("“Always allow…” would add"))
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(INSET, 10, INSET, 10)
        self.column.setSpacing(8)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "sunken", "line", 6)
