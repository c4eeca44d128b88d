"""The inspector's first tab: what goes to the model next, message by message, part by part, while it comes to be."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.app import OpenSession
from workbench.conversation.events import (
    Entry,
    ExchangeOpened,
    LiveEvent,
    ModelChosen,
    ModelResponded,
    StepStarted,
    StreamPieceArrived,
    ToolFinished,
    TurnFinished,
    UserMessageAdded,
)
from workbench.inspection.outgoing import Outgoing
from workbench.inspection.timeline_items import StepItem, TimelineItem
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk
from workbench.ui.inspector.messages_content import content_of
from workbench.ui.inspector.messages_head import MessagesHead
from workbench.ui.inspector.messages_part import PartDetail
from workbench.ui.inspector.messages_rows import MessageRows
from workbench.ui.kit.layout import Panes, column

WIDE = 760
"""From this width on the chosen part stands at the right of the list, else below."""
AT_ONCE = 400
"""So many messages get their rows before the window may do something else; 4 ms."""
REQUEST_CHANGES = (UserMessageAdded, ModelResponded, ToolFinished, ModelChosen, TurnFinished, StepStarted, ExchangeOpened)
"""Facts after which another request would go out; after others only what is open stands differently."""


class MessagesTab(QWidget):
    """What goes out next, and below (or beside) it the part that is chosen."""

    def __init__(self, bridge: Bridge, desk: Desk) -> None:
        super().__init__()
        self._bridge, self._desk = bridge, desk
        self._taken = 0
        self._attached = False
        self._outgoing = Outgoing()
        self._going_on = QTimer(self)
        self._going_on.setSingleShot(True)
        self._going_on.timeout.connect(self._show_request)
        self.head = MessagesHead()
        self.rows = MessageRows()
        self.detail = PartDetail()
        self.detail.hide()
        self._list = column(self.head, (self.rows, 1), ground="base")
        self.panes: QSplitter = Panes(self._list, self.detail, vertical=True)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.addWidget(self.panes)
        self._connect()
        self._attach()

    def _connect(self) -> None:
        self._bridge.attached.connect(self._attach)
        self._bridge.facts.connect(self._take_facts)
        self._bridge.live.connect(self._take_live)
        self._bridge.state_changed.connect(self._renew)
        self._desk.settings_changed.connect(self._renew)
        self.head.missing_wanted.connect(self._choose_missing)
        self.rows.chosen.connect(self._show_part)
        self.rows.clicked.connect(self._open_part)
        self.rows.opened.connect(self._enter_part)
        self.rows.left.connect(self._close_part)
        self.detail.closed.connect(self._close_part)

    def show_call(self, call_id: str, *, result: bool = False) -> bool:
        """Choose a call, or its result if it has one, and show it; False if it is not among what goes out."""
        self._show_request(most=None)
        pair = self._outgoing.pair(call_id)
        if pair is None:
            return False
        self.rows.choose(pair.result if result and pair.result is not None else pair.call)
        self._open_part()
        return True

    def show_message(self, place: int) -> bool:
        """Choose a message by its place among those that go out, and show it; False if it is not there."""
        self._show_request(most=None)
        row = next((n for n in range(len(self._outgoing)) if self._outgoing[n].number == place + 1), None)
        if row is None:
            return False
        self.rows.choose(row)
        self._open_part()
        return True

    # What comes

    def _attach(self) -> None:
        self._outgoing, self._taken, self._attached = Outgoing(), 0, False
        self._going_on.stop()
        self._hide_part()
        self.rows.rows_model.clear()
        if self._bridge.opened is None:
            self.head.show_nothing()
        elif self.isVisible():
            self._going_on.start(0)  # not in one go with all that other parts show of another session

    def _renew(self) -> None:
        if not self._going_on.isActive():
            self._show_request()

    def _take_facts(self, facts: Sequence[Entry]) -> None:
        if any(isinstance(entry.event, REQUEST_CHANGES) for entry in facts):
            self._renew()
        else:
            self._show_tail()

    def _take_live(self, signs: Sequence[LiveEvent]) -> None:
        if any(isinstance(sign, StreamPieceArrived) for sign in signs):
            self._show_tail()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_request()

    # What is shown

    def _arriving(self) -> Sequence[TimelineItem]:
        """Return what has come of the answer that streams: what stands behind the last step's beginning."""
        items = self._bridge.timeline.items
        for place in range(len(items) - 1, -1, -1):
            if isinstance(items[place], StepItem):
                return items[place + 1 :]
        return ()

    def _take(self) -> None:
        entries = self._bridge.entries
        self._outgoing.take(entries[self._taken :])
        self._taken = len(entries)

    def _show_request(self, *, most: int | None = AT_ONCE) -> None:
        """Show what would go out now; a tab that is not in sight waits until it is, and one that has much to make anew takes turns."""
        if self._bridge.opened is None or not self.isVisible():
            return
        self._take()
        session, timeline = self._bridge.opened.session, self._bridge.timeline
        arriving = self._arriving() if self._outgoing.awaits_answer else ()
        first = self._outgoing.show(session.next_request(), timeline.call, arriving, session.queued, most=most)
        if not self._outgoing.behind:
            self._follow(first, self._bridge.opened)
            return
        if self._attached:
            self.rows.rows_model.follow(first)
        self._going_on.start(0)

    def _show_tail(self) -> None:
        if self._bridge.opened is None or not self.isVisible() or self._going_on.isActive():
            return
        self._take()
        arriving = self._arriving() if self._outgoing.awaits_answer else ()
        self._follow(self._outgoing.show_tail(self._bridge.timeline.call, arriving, self._bridge.opened.session.queued), self._bridge.opened)

    def _follow(self, first: int, opened: OpenSession) -> None:
        followed = self.rows.at_end()
        if self._attached:
            self.rows.rows_model.follow(first)
        else:
            self.rows.rows_model.start(self._outgoing, self._bridge.timeline.call)
            self._attached = followed = True
        self.head.show_request(self._outgoing, opened.session.chosen.dialect, opened.choice.context_tokens)
        if followed:
            self.rows.scrollToBottom()
        if self.detail.isVisible():
            self._show_part(self.rows.currentIndex().row(), same=True)

    # The chosen part

    def _show_part(self, place: int, *, same: bool = False) -> None:
        """Show the chosen part, if the detail is open; `same`: it is the one that is shown, as it stands now."""
        row = self.rows.rows_model.row(place)
        if row is None or self.detail.isHidden():
            return
        content = content_of(row, self._outgoing, self.rows.rows_model.call(row))
        if content is None:
            return
        if same:
            self.detail.follow(content, self._outgoing.scale())
        else:
            self.detail.show_content(content, self._outgoing.scale())

    def _open_part(self) -> None:
        row = self.rows.chosen_row
        if row is None or content_of(row, self._outgoing, self.rows.rows_model.call(row)) is None:
            return
        if self.detail.isHidden():
            self._place_detail()
            self.detail.show()
            self.rows.takes_escape = True
        self._show_part(self.rows.currentIndex().row())
        QTimer.singleShot(0, self, self._bring_into_sight)  # the list has its new height only then

    def _bring_into_sight(self) -> None:
        self.rows.scrollTo(self.rows.currentIndex())

    def _enter_part(self) -> None:
        self._open_part()
        if not self.detail.isHidden():
            self.detail.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _close_part(self) -> None:
        if not self.detail.isHidden():
            self._hide_part()
            self.rows.setFocus(Qt.FocusReason.OtherFocusReason)

    def _hide_part(self) -> None:
        self.detail.hide()
        self.rows.takes_escape = False

    def _choose_missing(self) -> None:
        for place in range(len(self._outgoing)):
            if self._outgoing[place].missing:
                self.rows.choose(place)
                self.rows.setFocus(Qt.FocusReason.OtherFocusReason)
                return

    # Room

    def _place_detail(self) -> None:
        """Put the detail at the right of a wide list, else below it."""
        wide = self.width() >= WIDE
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.panes.orientation() != orientation or self.detail.isHidden():
            self.panes.setOrientation(orientation)
            room = self.width() if wide else self.height()
            self.panes.setSizes([room * 3 // 5, room * 2 // 5])

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self.detail.isHidden():
            self._place_detail()


