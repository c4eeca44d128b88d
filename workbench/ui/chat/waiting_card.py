"""The card of a call that waits for a person: a real widget over the chat, with the only coloured outline in it.

It never takes the keyboard by itself, has no button that allows, and ignores every input for a moment after it appears: what a person
types or clicks just then was meant for something else.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from workbench.conversation.events import ApprovalRequested
from workbench.inspection.timeline_items import Call
from workbench.permissions.visible import visible
from workbench.ui.approval.guard import Guard, GuardedButton
from workbench.ui.approval.held import held_look
from workbench.ui.bridge import Bridge
from workbench.ui.chat.item_view import INDENT
from workbench.ui.chat.waiting_sheet import BUTTON_GAP, HIGHEST_HERE, WaitingSheet, button_labels, waiting_sheet, why_it_asks
from workbench.ui.kit.paint import DESTROY, badge, badge_words, box, pill
from workbench.ui.kit.theme import theme
from workbench.words import _, strung

BAR = 4


class WaitingCard(QWidget):
    """The card of one open question.

    Signals:
        activated: something that the card cannot do itself: ``review`` and the question's id.

    Attributes:
        requested: the question.
    """

    activated = Signal(str, str)

    def __init__(self, call: Call, bridge: Bridge, parent: QWidget | None = None) -> None:
        """Make the card of a call.

        Args:
            call: one with an open question.
            bridge: takes the answer.
            parent: the widget it stands in.

        Raises:
            ValueError: the call does not wait.
        """
        super().__init__(parent)
        if call.approval is None:
            raise ValueError("only a call that waits for a person has a card")
        self.requested: ApprovalRequested = call.approval
        self._bridge = bridge
        self._laid: WaitingSheet | None = None
        self._guard, self._sight = Guard(self), Guard(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self._spoken())
        review, reject = button_labels()
        self.review_button = self._button(review, default=True)
        self.review_button.clicked.connect(self.review)
        self.reject_button = self._button(reject, default=False)
        self.reject_button.clicked.connect(self.reject)

    # What a person can do

    @property
    def ready(self) -> bool:
        """Whether it takes input: it has been in sight for long enough."""
        return self._guard.is_open

    def can_allow_here(self) -> bool:
        """Say whether a key may allow the call: all that would happen is in sight, the level allows it, and the card takes input."""
        whole = self._sheet().whole and self._sight.is_open and self._is_in_sight()
        return self.ready and whole and self.requested.danger <= HIGHEST_HERE and self._is_open()

    def step_forward(self) -> None:
        """Become the card that a key answers: the key was pressed for another one until now, so this one must be in sight for a moment first."""
        self._sight.begin()
        self.update()

    def allow(self) -> bool:
        """Allow the call once, if that can be done here; False if not, and nothing happened."""
        return self.can_allow_here() and self._bridge.answer(self.requested.approval_id, "approve")

    def reject(self) -> bool:
        """Reject the call; False if the card takes no input yet or the question is not open any more."""
        return self.ready and self._bridge.answer(self.requested.approval_id, "reject")

    def review(self) -> None:
        """Ask for the approval dialog."""
        if self.ready:
            self.activated.emit("review", self.requested.approval_id)

    def _is_open(self) -> bool:
        return any(open_.approval_id == self.requested.approval_id for open_ in self._bridge.pending)

    def _is_in_sight(self) -> bool:
        """Say whether no edge of what contains it hides a part of the card."""
        return self.visibleRegion().boundingRect().contains(self.rect())

    # The guard

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._guard.begin()
        self._sight.begin()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._guard.begin()
        self._sight.begin()

    # Looks

    def _button(self, label: str, *, default: bool) -> GuardedButton:
        button = GuardedButton(label, self._guard, small=True, default=default)
        button.setParent(self)
        button.setAccessibleName(f"{label} {visible(self.requested.tool)} {visible(self.requested.preview.title)}".strip())
        return button

    def _spoken(self) -> str:
        what = f"{visible(self.requested.tool)} {visible(self.requested.preview.title)}".strip()
        held = held_look(self.requested, self._bridge.rung) if self.requested.preview.kind == "command" else None
        words = [_("waiting for you"), badge_words(self.requested.danger), held.words if held is not None else ""]
        return strung(what, *words, *map(visible, why_it_asks(self.requested)))

    def _sheet(self) -> WaitingSheet:
        if self._laid is None or self._laid.sheet.width != self.width():
            self._laid = waiting_sheet(self.requested, self.width(), self._bridge.rung)
        return self._laid

    @override
    def sizeHint(self) -> QSize:
        return QSize(600, int(waiting_sheet(self.requested, 600, self._bridge.rung).sheet.height))

    @override
    def hasHeightForWidth(self) -> bool:
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        return int(waiting_sheet(self.requested, width, self._bridge.rung).sheet.height)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self._laid is not None:
            self._laid = None
            self._place_buttons()
            self.update()

    def _place_buttons(self) -> None:
        x, y = INDENT, round(self._sheet().buttons_y)
        for button in (self.review_button, self.reject_button):
            size = button.sizeHint()
            button.setGeometry(x, y, size.width(), size.height())
            x += size.width() + BUTTON_GAP

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        laid = self._sheet()
        ink = "level4" if self.requested.danger >= DESTROY else "level2"
        rect = QRectF(self.rect())
        with QPainter(self) as p:
            box(p, rect, "card", ink, 6)
            p.save()
            p.setClipRect(QRectF(0, 0, BAR, rect.height()))
            box(p, rect, ink, None, 6)
            p.restore()
            laid.sheet.paint(p, 0, 0)
            badge(p, laid.badge_x, theme.card_row / 2, self.requested.danger)
            for mark in laid.pills:
                pill(p, mark.x, mark.y, mark.words, mark.tone, mark.icon, mark.outline)
        self._guard.painted()
        if self._is_in_sight():
            self._sight.painted()
