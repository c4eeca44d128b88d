"""The strip above the composer that is there only while something waits for a person: calls, or a limit the turn reached."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.events import LimitReached
from workbench.ui.bridge import Bridge
from workbench.ui.frame.moments import elapsed_text
from workbench.ui.frame.turn_figures import count_text
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.paint import box
from workbench.words import _, many


class Waiting(NamedTuple):
    """What the strip says, and the maximum up to which "Continue" lets the turn go on; None if calls wait."""

    words: str
    raised: float | None = None


class AttentionStrip(QWidget):
    """Says what waits and leads there.

    Signals:
        review_wanted: a person wants to see the calls that wait.
    """

    review_wanted = Signal()

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._raised: float | None = None
        self._words = Label("", "small", "level2", "medium", elide="right")
        self._review = Button(_("Review…"), small=True)
        self._go_on, self._end = Button(_("Continue"), small=True), Button(_("End the turn"), small=True)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 5, 4)
        layout.setSpacing(6)
        layout.addWidget(Icon("hand", "level2"))
        layout.addWidget(self._words, 1)
        for button in (self._review, self._go_on, self._end):
            layout.addWidget(button)
        self._review.clicked.connect(self.review_wanted)
        self._go_on.clicked.connect(self._continue)
        self._end.clicked.connect(self._end_turn)
        for signal in (bridge.attached, bridge.pending_changed, bridge.state_changed, bridge.facts):
            signal.connect(self._show)
        self._show()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "level2_tint", None, 6)

    def _show(self) -> None:
        waiting = self._waiting()
        if waiting is None or self.parentWidget() is not None:  # without a parent it would be shown as a window of its own
            self.setVisible(waiting is not None)
        if waiting is None:
            return
        self._raised = waiting.raised
        self._words.setText(waiting.words)
        self.setAccessibleName(waiting.words)
        self._review.setVisible(waiting.raised is None)
        self._go_on.setVisible(waiting.raised is not None)
        self._end.setVisible(waiting.raised is not None)

    def _waiting(self) -> Waiting | None:
        limit = self._bridge.opened.session.waiting_limit if self._bridge.opened is not None else None
        if limit is not None:
            return _at_limit(limit)
        count = len(self._bridge.pending)
        return Waiting(many("{n} call waits for you", "{n} calls wait for you", count)) if count else None

    def _continue(self) -> None:
        if self._bridge.opened is not None and self._raised is not None:
            self._bridge.opened.session.raise_limit(self._raised)

    def _end_turn(self) -> None:
        if self._bridge.opened is not None:
            self._bridge.opened.session.end_at_limit()


def _at_limit(limit: LimitReached) -> Waiting:
    """Say which limit was reached, and up to where the turn goes on if a person lets it: as far again as it was allowed."""
    raised = limit.value + limit.maximum
    match limit.limit:
        case "steps":
            sentence = _("The turn reached {limit} steps. It can go on up to {raised}.")
            return Waiting(sentence.format(limit=count_text(limit.maximum), raised=count_text(raised)), raised)
        case "tokens":
            sentence = _("The turn used {limit} tokens. It can go on up to {raised}.")
            return Waiting(sentence.format(limit=count_text(limit.value), raised=count_text(raised)), raised)
        case "time":
            sentence = _("The turn took {limit}. It can go on up to {raised}.")
            return Waiting(sentence.format(limit=elapsed_text(limit.value), raised=elapsed_text(raised)), raised)
        case _:
            return Waiting(_("The turn reached a limit. It can go on as far again."), raised)

