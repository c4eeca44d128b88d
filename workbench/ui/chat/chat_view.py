"""The chat of the window: the items of the bridge's timeline as views in a scroller, kept true as facts arrive."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import assert_never

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from workbench.inspection.timeline_items import CallsItem, Changes, NoticeItem, PromptItem, ReasoningItem, StepItem, TextItem, TimelineItem
from workbench.permissions.visible import visible
from workbench.ui.bridge import Bridge
from workbench.ui.chat import accessible
from workbench.ui.chat.answer import AnswerView
from workbench.ui.chat.blocks import Shared
from workbench.ui.chat.calls_view import CallsView
from workbench.ui.chat.colours import ColourQueue
from workbench.ui.chat.documents import Documents
from workbench.ui.chat.find import FindBar
from workbench.ui.chat.finding import Finding
from workbench.ui.chat.item_scroller import ItemScroller
from workbench.ui.chat.item_view import ItemView
from workbench.ui.chat.notice_view import NoticeView
from workbench.ui.chat.prompt import PromptView
from workbench.ui.chat.reasoning import ReasoningView
from workbench.ui.chat.search import Spans
from workbench.ui.chat.signs import EndButton, StickyPrompt
from workbench.ui.chat.step_rule import StepView
from workbench.ui.chat.waiting_card import WaitingCard
from workbench.ui.desk import Desk
from workbench.ui.kit.overlay import is_covered
from workbench.ui.kit.theme import theme
from workbench.words import _

TURN_MS = 125
"""A turning sign goes an eighth further this often."""
STILL_MS = 1_000
"""With "Hold still" only seconds are counted."""
_AWAY = 8
"""A prompt has scrolled away when so many pixels of it are left."""


class ChatView(ItemScroller):
    """The chat. See `ItemScroller` for its signals.

    What it asks of others comes as ``activated(action, argument)``: `stop_call`, `show_call`, `show_request`, `open_link` and the others of
    `ClickTarget`, and ``review`` with a question's id from a waiting card.
    """

    def __init__(self, bridge: Bridge, desk: Desk) -> None:
        super().__init__()
        self.setAccessibleName(_("Chat"))
        self._bridge, self._desk = bridge, desk
        self._colours = ColourQueue(self)
        self._colours.coloured.connect(self.viewport().update)
        self._shared = Shared(Documents(), self._colours)
        self._prompts: list[int] = []
        self._told: set[str] = set()
        self._front = ""
        self._unseen = False
        self._sticky_at: int | None = None
        self._make_signs()
        self._turning = QTimer(self)
        self._turning.timeout.connect(self._tick)
        accessible.install()
        self.focused.connect(self._tell_focus)
        self.copied.connect(self._announce_copied)
        bridge.attached.connect(self._show_session)
        bridge.timeline_changed.connect(self._take)
        bridge.pending_changed.connect(self._announce_waiting)
        self.overlays.made = self._connect_card
        self._show_session()

    def _connect_card(self, widget: QWidget) -> None:
        if isinstance(widget, WaitingCard):
            widget.activated.connect(self.activated)
        for sign in (self.sticky, self.end_button, self.find_bar):
            sign.raise_()

    def _make_signs(self) -> None:
        """Make what stands over the items: the line of the prompt, the way to the end, the find bar."""
        self.sticky = StickyPrompt(self.viewport())
        self.sticky.clicked.connect(self._back_to_prompt)
        self.end_button = EndButton(self.viewport())
        self.end_button.clicked.connect(self.scroll_to_end)
        self.find_bar = FindBar(self.viewport())
        self.finding = Finding(self, self.find_bar)

    # What is shown

    def _show_session(self) -> None:
        self.overlays.clear()
        self._colours.forget()
        self._shared.documents.clear()
        self._shared.pictures.clear()
        self.selecting.clear()
        self.keyboard.go(None)
        self.pointing.now = None
        self._prompts.clear()
        self._unseen = False
        self._told = {requested.approval_id for requested in self._bridge.pending}
        items = self._bridge.timeline.items
        self._note_prompts(items, 0)
        self.show_views(map(self._view_of, items))
        self.finding.restart()

    def _view_of(self, item: TimelineItem) -> ItemView:
        match item:
            case PromptItem():
                return PromptView(item, self._shared)
            case TextItem():
                return AnswerView(item, self._shared)
            case ReasoningItem():
                return ReasoningView(item, self._shared)
            case StepItem():
                return StepView(item)
            case CallsItem():
                return CallsView(item, self._bridge)
            case NoticeItem():
                return NoticeView(item)
            case _:
                assert_never(item)

    def _take(self, changes: Changes) -> None:
        """Take over what a batch of facts did; items that were only moved keep their views."""
        items, cut = self._bridge.timeline.items, changes.removed_from
        spare = {id(view.item): view for view in self.views[cut:]} if cut is not None else {}
        known = len(self.views) if cut is None else cut
        if cut is not None:
            self._forget_from(cut)
        added = [spare.get(id(item)) or self._view_of(item) for item in items[known:]]
        self._note_prompts(items, known)
        self._unseen = self._unseen or not self.follow
        self.change(cut=cut, added=added, changed=changes.changed)
        self.finding.renew(changes.changed)

    def _note_prompts(self, items: Sequence[TimelineItem], start: int) -> None:
        self._prompts += [index for index in range(start, len(items)) if isinstance(items[index], PromptItem)]

    def _forget_from(self, count: int) -> None:
        del self._prompts[bisect_right(self._prompts, count - 1) :]
        self.selecting.selection.cut(count)
        self.keyboard.cut(count)
        self.finding.cut(count)
        if self.pointing.now is not None and self.pointing.now.item >= count:
            self.pointing.now = None

    # Where things stand

    @override
    def settled(self) -> None:
        super().settled()
        if self.follow:
            self._unseen = False
        self._place_signs()
        moving = any(self.views[found.item].moves() for found in self.seen())
        if moving != self._turning.isActive():
            self._turning.start(self._pace()) if moving else self._turning.stop()

    def _place_signs(self) -> None:
        width, height = self.viewport().width(), self.viewport().height()
        self._place_sticky(width)
        self._show_sign(self.end_button, self._unseen)
        size = self.end_button.sizeHint()
        self.end_button.setGeometry((width - size.width()) // 2, height - size.height() - 12, size.width(), size.height())
        self.find_bar.put_into(width)

    def _place_sticky(self, width: int) -> None:
        """Repeat the prompt of what is read, if it has scrolled away."""
        top = self.index_at(theme.bar) if self.views else 0
        number = bisect_right(self._prompts, top) - 1
        view = self.views[self._prompts[number]] if number >= 0 else None
        away = isinstance(view, PromptView) and self.area_of(self._prompts[number]).bottom() < _AWAY
        self._sticky_at = self._prompts[number] if away else None
        self.keyboard.covered = theme.bar if away else 0
        if isinstance(view, PromptView) and away:
            column = self.column()
            self.sticky.show_words(view.first_line(), column.x, column.width)
            self.sticky.setGeometry(0, 0, width, theme.bar)
        self._show_sign(self.sticky, away)

    def _show_sign(self, sign: QWidget, shown: bool) -> None:
        """Show or hide a sign; the keyboard is not lost with it."""
        if not shown and sign.hasFocus():
            self.setFocus()
        sign.setVisible(shown)

    def _back_to_prompt(self) -> None:
        if self._sticky_at is not None:
            self.scroll_to(self._sticky_at, y=self.views[self._sticky_at].before)

    @override
    def changeEvent(self, event: QEvent) -> None:
        if self._began and event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._colours.forget()
            self._shared.pictures.clear()
        super().changeEvent(event)

    @property
    def is_coloured(self) -> bool:
        """Whether no code waits for its colours."""
        return self._colours.idle

    # Time

    @property
    def is_moving(self) -> bool:
        """Whether something in sight is painted again as time passes."""
        return self._turning.isActive()

    def _pace(self) -> int:
        return STILL_MS if self._desk.app.settings.appearance.hold_still else TURN_MS

    def _tick(self) -> None:
        """Paint again what moves."""
        pace = self._pace()
        self._turning.setInterval(pace)
        self.turn = self.turn + 1 if pace == TURN_MS else 0
        for found in self.seen():
            if self.views[found.item].moves():
                self.repaint_item(found.item)

    # Finding

    def show_find(self) -> None:
        """Open the find bar."""
        self.find_bar.present()

    @override
    def marks_of(self, index: int) -> Spans:
        return self.finding.marks_of(index)

    @override
    def mark_of(self, index: int) -> tuple[int, int] | None:
        return self.finding.mark_of(index)

    # Waiting calls

    def _cards(self) -> list[WaitingCard]:
        return [widget for widget in self.overlays.widgets() if isinstance(widget, WaitingCard)]

    def allow_waiting(self) -> bool:
        """Allow the first call that waits, if its card is wholly in sight and may do that; False if not, and nothing happened."""
        first = self._first_waiting()
        for card in self._cards():
            if card.requested.approval_id == first:
                allowed = self._is_uncovered(card) and card.allow()
                self._follow_front()
                return allowed
        return False

    def _first_waiting(self) -> str:
        pending = self._bridge.pending
        return pending[0].approval_id if pending else ""

    def _follow_front(self) -> None:
        """Let no key that was meant for the call before answer the one that is in front now."""
        first, before, self._front = self._first_waiting(), self._front, self._first_waiting()
        if first != before:
            for card in self._cards():
                if card.requested.approval_id == first:
                    card.step_forward()

    def _is_uncovered(self, card: QWidget) -> bool:
        if not self.viewport().rect().contains(card.geometry()) or is_covered(card):
            return False
        return not any(sign.isVisible() and sign.geometry().intersects(card.geometry()) for sign in (self.sticky, self.end_button, self.find_bar))

    def _announce_waiting(self) -> None:
        self._follow_front()
        for requested in self._bridge.pending:
            if requested.approval_id not in self._told:
                self._told.add(requested.approval_id)
                what = f"{visible(requested.tool)} {visible(requested.preview.title)}".strip()
                accessible.announce(self, _("A call waits for you: {what}").format(what=what))

    def _announce_copied(self) -> None:
        accessible.announce(self, _("Copied"))

    # The keyboard

    def _tell_focus(self, index: int, target: str) -> None:
        if target:
            accessible.announce(self, target)
        else:
            accessible.tell_focus(self, index)

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape and self.find_bar.isVisible():
            event.accept()  # Esc closes the find bar and does not stop the turn
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        if event.matches(QKeySequence.StandardKey.Find):
            self.show_find()
        elif event.key() == Qt.Key.Key_F3 and plain and self.find_bar.isVisible():
            self.finding.step(-1 if event.modifiers() else 1)
        elif event.key() == Qt.Key.Key_Escape and plain and self.find_bar.isVisible():
            self.find_bar.dismiss()
        elif event.key() == Qt.Key.Key_O and plain and self._request_here():
            self.activated.emit("show_request", self._request_here())
        else:
            super().keyPressEvent(event)

    def _request_here(self) -> str:
        """Return the exchange of the step in which the keyboard is; empty if there is none."""
        if self.keyboard.item is None:
            return ""
        for index in range(self.keyboard.item, -1, -1):
            view = self.views[index]
            if isinstance(view, StepView):
                return view.exchange_id
            if isinstance(view, PromptView) and index != self.keyboard.item:
                break
        return ""
