"""When the approval dialog appears: by itself when something new asks, without taking the keyboard, and on demand.

A person may close it; the waiting card and the strip above the composer remain then, until another question arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget

from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, Entry, ToolFinished, ToolStarted, TurnFinished
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.footer import HIGHEST
from workbench.ui.approval.questions import Written
from workbench.ui.bridge import Bridge
from workbench.ui.focus_place import FocusPlace, focus_again, focus_place
from workbench.ui.kit.overlay import is_covered
from workbench.ui.notifications import DesktopNotifications
from workbench.words import many

GAP = 8


class Kept(NamedTuple):
    """What survives when the dialog is built anew, in other words or sizes.

    Attributes:
        known: ids of the questions a person was told of.
        undecided: ids of calls that may ask again.
        place: where the dialog stands; None if it is hidden.
        call_id: the call it shows.
        written: what a person wrote about the questions, by approval id.
        tab: which view of the call is in front.
        noting: a note is being written.
        focus: what has the keyboard if the dialog is the active window; None if it is not.
    """

    known: frozenset[str]
    undecided: frozenset[str]
    place: QRect | None
    call_id: str
    written: Mapping[str, Written]
    tab: int
    noting: bool
    focus: FocusPlace | None


class Questions(QObject):
    """Owns the approval dialog of a window.

    Args:
        bridge: whose questions.
        window: what the dialog belongs to.
        free: the composer's rectangle on the screen, which the dialog leaves free if it can.
        kept: of the one before; the dialog stays where it was, or hidden if it was.
    """

    def __init__(self, bridge: Bridge, window: QWidget, free: Callable[[], QRect], kept: Kept | None = None) -> None:
        super().__init__(window)
        self._bridge, self._window, self._free = bridge, window, free
        self._known: frozenset[str] = frozenset()
        self._undecided: set[str] = set()
        self.dialog = ApprovalDialog(bridge, window, kept.written if kept is not None else {})
        self._desktop = DesktopNotifications()
        self._wanted = self.dialog.size()
        if isinstance(application := QApplication.instance(), QApplication):
            application.applicationStateChanged.connect(self._follow_front)
        bridge.attached.connect(self._begin_anew)
        bridge.facts.connect(self._follow_edits)
        bridge.pending_changed.connect(self._look)
        if kept is not None:
            self._take_over(kept)
        self._look()

    def kept(self) -> Kept:
        """Return what another takes over from this."""
        dialog, shown = self.dialog, self.dialog.shown
        return Kept(
            self._known,
            frozenset(self._undecided),
            dialog.geometry() if dialog.isVisible() else None,
            shown.call_id if shown is not None else "",
            dialog.written(),
            dialog.content.tabs.chosen,
            dialog.footer.note_open,
            focus_place(dialog, dialog.focusWidget()) if dialog.isActiveWindow() else None,
        )

    def _take_over(self, kept: Kept) -> None:
        self._known, self._undecided = kept.known, set(kept.undecided)
        if kept.place is not None:
            self.dialog.setGeometry(kept.place)
            self.dialog.present()
            self.dialog.show_call(kept.call_id)
        self.dialog.content.tabs.choose(kept.tab)
        if kept.noting:
            self.dialog.footer.go_on_with_note()
        if kept.focus is not None:
            self.dialog.activateWindow()
            focus_again(self.dialog, kept.focus)

    def review(self, call_id: str = "") -> None:
        """Show the dialog because a person asked for it: it gets the keyboard. `call_id` names the call to show first."""
        if not self._bridge.pending:
            return
        self._present()
        if call_id:
            self.dialog.show_call(call_id)
        self.dialog.raise_()
        self.dialog.take_keyboard()

    def allow_front(self, on_card: Callable[[], bool]) -> None:
        """Allow the question in front once, where a person sees all of it: in the dialog while that is shown, else on its card. Else show it."""
        if not (self._allow_shown() if self.dialog.isVisible() else on_card()):
            self.review()

    def _allow_shown(self) -> bool:
        """Allow the oldest question once; False if it is not what the dialog shows, uncovered, whole, and as the model sent it."""
        dialog, offer, pending = self.dialog, self.dialog.footer.offer, self._bridge.pending
        in_front = bool(pending) and dialog.shown == pending[0] and not dialog.batch_open and not is_covered(dialog)
        written = dialog.typing or dialog.footer.note_open or offer.edited
        if not in_front or written or offer.blocked or offer.level >= HIGHEST or not dialog.guard.is_open:
            return False
        dialog.footer.allowed_once.emit()
        return True

    def reject_front(self) -> None:
        """Reject the question in front: the one in the dialog, else the oldest."""
        shown = self.dialog.shown if self.dialog.isVisible() else None
        front = shown if shown in self._bridge.pending else next(iter(self._bridge.pending), None)
        if front is not None:
            self._bridge.answer(front.approval_id, "reject")

    def close(self) -> None:
        """Take the dialog away for good."""
        self._bridge.attached.disconnect(self._begin_anew)
        self._bridge.facts.disconnect(self._follow_edits)
        self._bridge.pending_changed.disconnect(self._look)
        self.dialog.hide()
        self._desktop.withdraw()
        self.dialog.deleteLater()
        self.deleteLater()

    def _follow_front(self, state: Qt.ApplicationState) -> None:
        """Take the desktop's notice back once the person is here."""
        if state == Qt.ApplicationState.ApplicationActive:
            self._desktop.withdraw()

    def _begin_anew(self) -> None:
        self._known = frozenset()
        self._undecided.clear()
        self.dialog.hide()

    def _follow_edits(self, facts: Sequence[Entry]) -> None:
        """Note whose arguments a person changed: such a call may ask again, and only what follows says whether it does."""
        for entry in facts:
            match entry.event:
                case ApprovalResolved(answer="approve_edited", call_id=call_id):
                    self._undecided.add(call_id)
                case ApprovalRequested(call_id=call_id) | Decided(call_id=call_id) | ToolStarted(call_id=call_id) | ToolFinished(call_id=call_id):
                    self._undecided.discard(call_id)
                case TurnFinished():
                    self._undecided.clear()
                case _:
                    pass
        self._hide_if_done()

    def _hide_if_done(self) -> None:
        """Hide the dialog when nothing waits, unless the answer just given may lead to another question: it would go and come again."""
        if not self._bridge.pending and not self._undecided:
            self.dialog.hide()
            self._desktop.withdraw()

    def _look(self) -> None:
        now = frozenset(question.approval_id for question in self._bridge.pending)
        new, self._known = now - self._known, now
        self._hide_if_done()
        if new:
            if not self._window.isActiveWindow() and not self.dialog.isActiveWindow():
                QApplication.alert(self._window)
                self._desktop.show(many("{n} call waits for you", "{n} calls wait for you", len(now)), self._window.windowTitle())
            if self._window.isVisible():
                self._present()

    def _present(self) -> None:
        if not self.dialog.isVisible():
            self.dialog.setGeometry(place_beside(self._free(), self._room(), self._wanted, self.dialog.minimumSize()))
        self.dialog.present()

    def _room(self) -> QRect:
        screen = self._window.screen()
        return screen.availableGeometry() if screen is not None else self._window.frameGeometry()


def place_beside(free: QRect, room: QRect, wanted: QSize, least: QSize) -> QRect:
    """Return where a dialog stands so that `free` stays uncovered: above it, towards the right, as large as wanted if that fits.

    Args:
        free: what is to stay uncovered.
        room: the screen; the result is inside if it is large enough.
        wanted: the size that the dialog would like.
        least: the size that it shrinks to before it covers anything.
    """
    height = max(least.height(), min(wanted.height(), free.top() - GAP - room.top()))
    width = max(least.width(), min(wanted.width(), room.width()))
    top = max(room.top(), min(free.top() - GAP - height, room.bottom() - height + 1))
    left = max(room.left(), min(free.right() + GAP, room.right() - width + 1))
    return QRect(left, top, width, height)
