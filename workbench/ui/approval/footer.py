"""The answers: refusals at the left, permissions at the right, so that a slip of the pointer cannot turn one into the other.

The note of a rejection is written in place of the buttons: while it is open nothing can be allowed.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout
from typing_extensions import override

from workbench.ui.approval.guard import Guard, GuardedButton, HoldButton
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground, line
from workbench.words import _

SIDE = 20
HIGHEST = 4


class Offer(NamedTuple):
    """What can be answered now.

    Attributes:
        level: of the call.
        always: a rule can be added.
        edited: a person changed the arguments.
        blocked: why nothing can be allowed just now, one sentence; empty if it can.
        hint: a quiet sentence before the permissions.
        rules_blocked: why no rule can be added just now, though the call can be allowed; empty if one can.
    """

    level: int = 0
    always: bool = False
    edited: bool = False
    blocked: str = ""
    hint: str = ""
    rules_blocked: str = ""


class Footer(Ground):
    """The row of answers.

    Signals:
        rejected: the call is rejected; the note for the model, or nothing.
        allowed_once, allowed_always: the call is allowed as it is shown.
        moved: other buttons stand here now, or in another place.

    Attributes:
        offer: what can be answered now.
        reject, always, once, hold: the buttons.
        note: where the words of a rejection are written.
    """

    rejected = Signal(str)
    allowed_once = Signal()
    allowed_always = Signal()
    moved = Signal()

    def __init__(self) -> None:
        super().__init__("raised", "t")
        self.offer = Offer()
        self.guard = Guard(self)
        self.guard.changed.connect(self.update)
        self.reject = GuardedButton(_("Reject"), self.guard, keys="Esc", default=True)
        self.with_note = GuardedButton(_("Reject with a note…"), self.guard, keys="Shift+R")
        self.hint = Label("", "small", "muted")
        self._hint_above = Label("", "small", "muted", wrap=True)
        self._hint_above.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.always = GuardedButton(_("Always allow…"), self.guard, keys="Shift+A")
        self.once = GuardedButton(_("Allow once"), self.guard, keys="A")
        self.hold = HoldButton(_("Hold to allow once"), self.guard)
        self.note = NoteField(_("What the model should know or do instead"), name=_("Note for the model"))
        self.send = GuardedButton(_("Reject with this note"), self.guard, keys="Enter")
        self.back = Button(_("Back"), keys="Esc")
        self._stack = QStackedLayout()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIDE, 12, SIDE, 12)
        layout.setSpacing(8)
        layout.addWidget(self._hint_above)
        layout.addLayout(self._stack)  # before it is filled: it would show its first widget as a window of its own
        self._stack.addWidget(line(self.reject, self.with_note, None, self.hint, self.always, self.once, self.hold))
        self._stack.addWidget(line(self.back, (self.note, 1), self.send))
        self._keys = {button: button.keys for button in (self.reject, self.with_note, self.always, self.once, self.hold)}
        self._connect()
        self.show_offer(self.offer)

    def _connect(self) -> None:
        self.reject.clicked.connect(lambda: self.rejected.emit(""))
        self.with_note.clicked.connect(self.open_note)
        self.always.clicked.connect(lambda: self._allow(self.allowed_always, held=False))
        self.once.clicked.connect(lambda: self._allow(self.allowed_once, held=False))
        self.hold.held.connect(lambda: self._allow(self.allowed_once, held=True))
        self.note.entered.connect(self._send_note)
        self.note.left.connect(self.close_note)
        self.send.clicked.connect(self._send_note)
        self.back.clicked.connect(self.close_note)

    # What is offered

    def show_offer(self, offer: Offer) -> None:
        """Offer other answers. If that moves or renames a permission, the guard begins anew."""
        before, self.offer = self.offer, offer
        highest = offer.level >= HIGHEST
        self.once.setText(_("Allow edited, once") if offer.edited else _("Allow once"))
        self.once.icon_name = "pen" if offer.edited else ""
        self.hold.setText(_("Hold to allow edited, once") if offer.edited else _("Hold to allow once"))
        self.once.setVisible(not highest)
        self.hold.setVisible(highest)
        self.always.setVisible(offer.always and not highest and not offer.edited)
        why_no_rule = offer.rules_blocked if offer.always else ""
        for button in (self.once, self.always, self.hold):
            blocked = offer.blocked or (why_no_rule if button is self.always else "")
            button.setEnabled(not blocked)
            button.setAccessibleDescription(blocked or self._keys[button])
        for hint in (self.hint, self._hint_above):
            hint.setText(offer.blocked or why_no_rule or offer.hint)
            hint.set_token("muted" if offer.blocked else "faint")
        self._place_hint()
        if (before.level, before.always, before.edited) != (offer.level, offer.always, offer.edited):
            self.moved.emit()

    def _allow(self, signal: SignalInstance, *, held: bool) -> None:
        """Tell that the call is allowed; at the highest level only if the button was held, however it was pressed."""
        if self.guard.is_open and not self.offer.blocked and held == (self.offer.level >= HIGHEST):
            signal.emit()

    def _place_hint(self) -> None:
        """Put the sentence between the buttons, or above them if there is no room; where even that is too little, the keys are not named."""
        room = self.width() - 2 * SIDE
        shown = [button for button in self._keys if not button.isHidden()]
        for button, keys in self._keys.items():
            button.keys = keys
        if sum(button.sizeHint().width() + 8 for button in shown) > room:
            for button in shown:
                button.keys = ""
        needed = sum(button.sizeHint().width() + 8 for button in shown) + self.hint.sizeHint().width()
        for button in shown:
            button.updateGeometry()
            button.update()
        there = bool(self.hint.text()) and not self.note_open
        self.hint.setVisible(there and needed <= room)
        self._hint_above.setVisible(there and needed > room)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_hint()

    # The note

    @property
    def note_open(self) -> bool:
        """Whether a note is being written."""
        return self._stack.currentIndex() == 1

    def open_note(self) -> None:
        """Write a note; the keyboard goes to its field."""
        if self.guard.is_open:
            self._stack.setCurrentIndex(1)
            self._place_hint()
            self.note.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_on_with_note(self) -> None:
        """Show the note's field as it was in a footer before this one; nobody can press anything by mistake for it."""
        self._stack.setCurrentIndex(1)
        self._place_hint()

    def close_note(self) -> None:
        """Go back to the buttons; what was written stays."""
        if self.note_open:
            self._stack.setCurrentIndex(0)
            self._place_hint()
            self.reject.setFocus(Qt.FocusReason.OtherFocusReason)
            self.moved.emit()

    def put_note(self, text: str) -> None:
        """Show the buttons, with this text in the note's field behind them."""
        self.note.edit.setText(text)
        self._stack.setCurrentIndex(0)

    def _send_note(self) -> None:
        if self.note_open and self.guard.is_open:
            self.rejected.emit(self.note.text().strip())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.guard.painted()


class NoteField(Field):
    """The field of a note: Enter sends it, Esc leaves it.

    Signals:
        left: Esc was pressed.
    """

    left = Signal()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        super().keyPressEvent(event)
