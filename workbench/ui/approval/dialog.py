"""The approval dialog: one window for all open questions. It appears without taking the keyboard, refuses by default, and answers only what it shows.

An answer goes out only for the question on the screen, by its id and digest, and only after the guard time; whatever is answered
elsewhere meanwhile leaves the screen, and a late click meets nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPlainTextEdit, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.agent.rehearsal import Rehearsal
from workbench.conversation.calls import Answer, RuleScope
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.values import JsonObject
from workbench.ui.approval.batch import BatchPage
from workbench.ui.approval.content import Content
from workbench.ui.approval.footer import HIGHEST, Footer, Offer
from workbench.ui.approval.header import Header
from workbench.ui.approval.held import is_further
from workbench.ui.approval.questions import Questions, Written
from workbench.ui.approval.queue import QueuePane, in_batch
from workbench.ui.approval.queue_bar import QueueBar
from workbench.ui.approval.quiet_dialog import QuietDialog
from workbench.ui.approval.reading_order import go_on
from workbench.ui.approval.rehearsing import Rehearsing
from workbench.ui.approval.rule_offers import Width
from workbench.ui.approval.rule_rehearsing import RuleRehearsing
from workbench.ui.approval.rule_strip import RuleStrip
from workbench.ui.approval.rule_words import kept_sentence
from workbench.ui.approval.subject import no_rule_because
from workbench.ui.bridge import Bridge
from workbench.ui.kit.layout import Ground, column
from workbench.ui.kit.theme import theme
from workbench.words import _

WIDE, TALL = 1200, 760
SMALLEST = (560, 420)
NARROW, LOW = 720, 560
"""Pixels at 100 %. Below this width the queue is one line above the question; below this height the rules are folded to one line."""
FROM_SCREEN_EDGE = 40


class ApprovalDialog(QuietDialog):
    """Shows the open questions of the attached session, one at a time. It shows and hides itself only when it is told to.

    Signals:
        kept: a sentence on the rules that an answer added, and where they hold.

    Attributes:
        shown: the question on the screen.
    """

    kept = Signal(str)

    def __init__(self, bridge: Bridge, parent: QWidget, written: Mapping[str, Written] | None = None) -> None:
        self.footer = Footer()
        super().__init__(parent, self.footer.guard, self.footer.reject)
        self._bridge = bridge
        self.shown: ApprovalRequested | None = None
        self._questions = Questions(bridge, written or {})
        self._letters = True
        self.queue, self.queue_bar = QueuePane(self.guard), QueueBar(self.guard)
        self.header, self.content, self.strip, self.batch = Header(), Content(), RuleStrip(), BatchPage(self.guard)
        self._rehearsing, self._rule_rehearsing = Rehearsing(bridge, self), RuleRehearsing(bridge, self)
        self._lay_out()
        self._connect()
        self._refresh()

    def _lay_out(self) -> None:
        self.setAccessibleName(_("Approval"))
        single = Ground("raised")
        self._rows = rows = QVBoxLayout(single)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        for widget, stretch in ((self.header, 0), (self.content, 1), (self.strip, 0), (self.footer, 0)):
            rows.addWidget(widget, stretch)
        self._pages = QStackedWidget()
        self._pages.addWidget(single)
        self._pages.addWidget(self.batch)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.queue)
        row.addWidget(column(self.queue_bar, (self._pages, 1)), 1)
        room = QGuiApplication.primaryScreen().availableSize()
        self.setMinimumSize(*(min(round(least * theme.zoom), most) for least, most in zip(SMALLEST, room.toTuple(), strict=True)))
        self.resize(min(WIDE, room.width() - FROM_SCREEN_EDGE), min(TALL, room.height() - FROM_SCREEN_EDGE))

    def _connect(self) -> None:
        self._bridge.pending_changed.connect(self._refresh)
        for queue in (self.queue, self.queue_bar):
            queue.chosen.connect(self._choose)
            queue.batch_wanted.connect(self._open_batch)
            queue.reject_all_wanted.connect(self._reject_all)
        self.batch.allowed.connect(self._allow_batch)
        self.batch.left.connect(self._leave_batch)
        self.footer.rejected.connect(self._reject)
        self.footer.allowed_once.connect(self._allow_once)
        self.footer.allowed_always.connect(self._allow_always)
        for moved in (self.footer.moved, self.strip.changed, self.strip.moved, self.content.changed, self.header.grown):
            moved.connect(self.guard.begin)
        for seen in (self.header.seen_changed, self.content.seen_changed, self.strip.seen_changed, self.strip.moved):
            seen.connect(self._offer)
        self.strip.changed.connect(self._rules_chosen)
        self._rule_rehearsing.done.connect(self.strip.show_rehearsal)
        self.content.edited.connect(self._edited)
        self._rehearsing.done.connect(self._rehearsed)

    # What others ask

    def show_call(self, call_id: str) -> bool:
        """Show the question about a call, and the dialog; False if no question about it is open."""
        asked = self._questions.about(call_id)
        if asked is None:
            return False
        if self.shown is None or self.shown.call_id != call_id:
            self._show(asked)
        self.present()
        return True

    @override
    def take_keyboard(self) -> None:
        """Give the dialog the keyboard because a person asked for it; Reject has the focus."""
        super().take_keyboard()
        if not self.footer.note_open:
            self.focus_safest()

    def written(self) -> dict[str, Written]:
        """Return what a person wrote about the questions so far, for a dialog that is built anew."""
        self._remember()
        return self._questions.written()

    def command_text(self) -> str:
        """Return the command on the screen, exactly; empty if none is."""
        return self.shown.preview.body if self.shown is not None and self.shown.preview.kind == "command" else ""

    # The queue

    def _refresh(self) -> None:
        """Follow the open questions: what was answered leaves, what is new joins at the end, and what is shown stays if it is open."""
        if not self._questions.is_open(self.shown):
            self._show(self._questions.after(self.shown), by_person=False)
        pending = self._questions.list_now()
        self._show_queue(pending)
        if self.batch_open and self.batch.keep(pending) < 2:
            self._leave_batch()

    def _show_queue(self, pending: Sequence[ApprovalRequested]) -> None:
        shown = self.shown.approval_id if self.shown else ""
        self.setWindowTitle(self.queue.show_queue(pending, shown))
        self.queue_bar.show_queue(pending, shown)

    def _choose(self, approval_id: str, by_key: bool) -> None:
        chosen = self._questions.by_id(approval_id)
        if chosen is not None and (chosen is not self.shown or self.batch_open):
            self._pages.setCurrentIndex(0)
            self._show(chosen, keep_focus=by_key)

    def _show(self, requested: ApprovalRequested | None, *, keep_focus: bool = False, by_person: bool = True) -> None:
        """Put a question on the screen; the guard begins anew.

        Args:
            requested: the question; None if there is none.
            keep_focus: the keyboard stays on the control that chose it.
            by_person: a person asked for it here. Else letters still typed for what is gone must answer nothing.
        """
        self._remember()
        typed = self.typing
        self.shown = None  # should anything below fail, nothing can be answered, least of all by what was there before
        self.guard.begin()
        self._rehearsing.forget()
        self._rule_rehearsing.forget()
        self._pages.setEnabled(requested is not None)
        if requested is not None:
            memory, folder = self._questions.memory_of(requested), self._questions.workspace
            self.header.show_question(requested, memory.made, folder, memory.held, seen=memory.head_seen)
            self.content.show_question(requested, memory)
            self.strip.show_rules(requested, self._questions.rung)
            self._rule_rehearsing.ask(requested, self.strip.rules)
            self.footer.put_note(memory.note)
        self.shown = requested
        self._show_queue(self._questions.pending)
        self._offer()
        self.guard.begin()
        if not keep_focus:
            (self.footer.reject if by_person or not typed else self.content.pane.view).setFocus(Qt.FocusReason.OtherFocusReason)
        self._letters = by_person  # last, because Qt moves the focus by itself where a field disappears

    def _remember(self) -> None:
        if self.shown is not None and self._questions.is_open(self.shown):
            memory = self._questions.memory_of(self.shown)
            memory.note, memory.head_seen = self.footer.note.text(), self.header.seen

    # What can be answered

    def _offer(self) -> None:
        """Offer what can be answered now."""
        requested = self.shown
        if requested is None:
            self.strip.hide()
            self.footer.show_offer(Offer(blocked=_("Nothing waits for you")))
            return
        no_rule = no_rule_because(requested)
        edited = self.content.draft.edited
        self.strip.setVisible(not no_rule and not edited and (self.content.shows_preview or self.strip.open_low))
        self.content.setVisible(not self.strip.open_low)
        self._rows.setStretchFactor(self.strip, int(self.strip.open_low))
        hint = _("The result will tell the model what you changed.") if edited else no_rule
        self.footer.show_offer(Offer(requested.danger, not no_rule, edited, self._blocked(), hint, self._rules_blocked()))

    def _rules_blocked(self) -> str:
        """Return why no rules can be added just now; empty if they can, or are to be opened first."""
        if self.strip.folded:
            return ""
        if self.strip.choice.reach == "once":
            return _("“Allow once” keeps no rule.")
        if not self.strip.choice.chosen:
            return _("Tick a rule first.")
        return "" if self.strip.seen else _("Scroll through the rules first.")

    def _rules_chosen(self) -> None:
        self._offer()
        if self.shown is not None:
            self._rule_rehearsing.ask(self.shown, self.strip.rules)

    def _blocked(self) -> str:
        """Return why nothing can be allowed just now; empty if it can."""
        if self.content.draft.edited and self.content.draft.check().problem:
            return _("The arguments cannot be used yet.")
        if self.content.draft.edited and self.shown is not None and is_further(self.shown):
            return _("It can only run again as it ran before.")
        if self.header.seen and self.content.seen_whole:
            return ""
        if self.content.shows_preview or not self.header.seen:
            return _("Scroll to the last line first.")
        return _("Look at “{tab}” to its last line first.").format(tab=self.content.preview_name)

    # Answers

    def _reject(self, note: str) -> None:
        self._answer("reject", note=note)

    def _allow_once(self) -> None:
        if self.footer.offer.blocked:
            return
        if self.content.draft.edited:
            self._answer("approve_edited", arguments=dict(self.content.draft.values))
        else:
            self._answer("approve")

    def _allow_always(self) -> None:
        """Allow the call and keep the rules that are shown; where they are folded away, show them first."""
        offer, chosen = self.footer.offer, self.strip.choice
        if not offer.always or offer.blocked or offer.edited or self.strip.isHidden():
            return
        if self.strip.folded:
            self.strip.fold(False)
        elif not offer.rules_blocked and chosen.chosen:
            self._answer("approve", rules=chosen.chosen, scope=chosen.scope)

    def _answer(
        self, answer: Answer, *, note: str = "", arguments: JsonObject | None = None, rules: Sequence[Width] = (), scope: RuleScope = "session"
    ) -> None:
        """Answer the question on the screen, if it is still open and nothing but it."""
        requested = self.shown
        if requested is not None and self.guard.is_open and not self.batch_open:
            self.guard.begin()
            kept = [width.kept for width in rules]
            if self._questions.answer(requested, answer, note=note, arguments=arguments, rules=kept, scope=scope) and rules:
                self.kept.emit(kept_sentence([width.rule for width in rules], scope))
            self._follow_own_answer()

    def _follow_own_answer(self) -> None:
        self._refresh()
        self._letters = True
        self.footer.reject.setFocus(Qt.FocusReason.OtherFocusReason)

    def _reject_all(self) -> None:
        """Reject every question in the list."""
        if not self.guard.is_open:
            return
        self.guard.begin()
        self._questions.answer_all(self._questions.seen_pending(), "reject")
        self._follow_own_answer()

    # Several at once

    @property
    def batch_open(self) -> bool:
        """Whether the list of calls that would be allowed together is shown."""
        return self._pages.currentIndex() == 1

    def _open_batch(self) -> None:
        if not self.guard.is_open:
            return
        self.batch.show_calls(self._questions.seen_pending(in_batch), self._questions.rung)
        self._pages.setCurrentIndex(1)
        self.guard.begin()
        self.batch.back.setFocus(Qt.FocusReason.OtherFocusReason)

    def _leave_batch(self) -> None:
        self._pages.setCurrentIndex(0)
        self.guard.begin()
        self.footer.reject.setFocus(Qt.FocusReason.OtherFocusReason)

    def _allow_batch(self, calls: Sequence[ApprovalRequested]) -> None:
        """Allow the calls that were listed, each once; one of the highest level is never among them."""
        if not self.guard.is_open or not self.batch_open:
            return
        self._pages.setCurrentIndex(0)
        self.guard.begin()
        self._questions.answer_all([requested for requested in calls if in_batch(requested)], "approve")
        self._follow_own_answer()

    # Edits

    def _edited(self) -> None:
        self._offer()
        if self.shown is not None:
            self._rehearsing.ask(self.shown, self.content.draft)

    def _rehearsed(self, rehearsal: Rehearsal) -> None:
        self.content.show_rehearsal(rehearsal)
        self._offer()

    # Keys

    @property
    def typing(self) -> bool:
        """Whether a field has the keyboard."""
        focused = self.focusWidget()
        return isinstance(focused, QLineEdit | QPlainTextEdit | QComboBox)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle what no control took: letters answer only while no field has the keyboard, Enter never does."""
        event.accept()
        if event.isAutoRepeat():
            return
        if event.key() == Qt.Key.Key_Escape:
            self._escape()
        elif self._letters and not self.typing and not self.batch_open:
            self._letter(event.key(), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier)

    def _escape(self) -> None:
        """Leave what is open: the note, the list, the rules, a field; else reject."""
        if self.footer.note_open:
            self.footer.close_note()
        elif self.batch_open:
            self._leave_batch()
        elif self.strip.open_low:
            self.strip.fold(True)
        elif self.typing:
            self.footer.reject.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._reject("")

    def _letter(self, key: int, modifiers: Qt.KeyboardModifier) -> None:
        shift = modifiers == Qt.KeyboardModifier.ShiftModifier
        if modifiers not in {Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier} or not self.guard.is_open:
            return
        if key == Qt.Key.Key_R:
            if shift:
                self.footer.open_note()
            else:
                self._reject("")
        elif key == Qt.Key.Key_A and self.footer.offer.level < HIGHEST:
            (self._allow_always if shift else self._allow_once)()

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        self._letters = True
        parts = (self.queue, self.queue_bar, self.header, self.content, self.strip, self.footer, self.batch)
        return go_on(parts, forward=next) or super().focusNextPrevChild(next)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._letters = True
        super().mousePressEvent(event)

    @override
    def activated(self) -> None:
        self._letters = True
        super().activated()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < NARROW * theme.zoom
        self.queue.setVisible(not narrow)
        self.queue_bar.set_narrow(narrow)
        self.strip.set_low(event.size().height() < LOW * theme.zoom)
        self.header.fit()
        self._offer()
