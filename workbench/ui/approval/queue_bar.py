"""The queue in a narrow window: one line above the question, with steps to the others and the answers to several of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout

from workbench.conversation.events import ApprovalRequested
from workbench.ui.approval.guard import Guard, GuardedButton
from workbench.ui.approval.queue import in_batch
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Ground
from workbench.words import _


class QueueBar(Ground):
    """Stands in for the list of questions. Hidden while only one waits.

    Signals:
        chosen: another question should be shown; its approval id, and whether the keyboard chose it.
        batch_wanted: several should be allowed; the list of them should be opened.
        reject_all_wanted: all should be rejected.
    """

    chosen = Signal(str, bool)
    batch_wanted = Signal()
    reject_all_wanted = Signal()

    def __init__(self, guard: Guard) -> None:
        super().__init__("window", "b")
        self._ids: tuple[str, ...] = ()
        self._place = 0
        self._narrow = False
        self._words = Label("", "small", "text", "bold")
        self.before = IconButton("chevron-up", _("The question before"), small=True)
        self.after = IconButton("chevron-down", _("The next question"), small=True)
        self.batch = GuardedButton(_("Allow these…"), guard, small=True)
        self.reject_all = GuardedButton(_("Reject all"), guard, small=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 6, 20, 7)
        layout.addWidget(Wrapped([[self._words, self.before, self.after], [self.batch, self.reject_all]], last_right=True))
        self.before.clicked.connect(lambda: self._step(-1))
        self.after.clicked.connect(lambda: self._step(1))
        self.batch.clicked.connect(self.batch_wanted)
        self.reject_all.clicked.connect(self.reject_all_wanted)
        self.hide()

    def set_narrow(self, narrow: bool) -> None:
        """Show it if there is no room for the list."""
        self._narrow = narrow
        self.setVisible(narrow and len(self._ids) > 1)

    def show_queue(self, pending: Sequence[ApprovalRequested], shown: str) -> None:
        """Show which of the open questions is on the screen.

        Args:
            pending: the questions, oldest first.
            shown: approval id of the one that is shown.
        """
        self._ids = tuple(requested.approval_id for requested in pending)
        self._place = self._ids.index(shown) if shown in self._ids else 0
        self._words.setText(_("Call {n} of {total} that wait for you").format(n=self._place + 1, total=len(pending)))
        self.before.setEnabled(self._place > 0)
        self.after.setEnabled(self._place + 1 < len(pending))
        together = sum(map(in_batch, pending))
        self.batch.setText(_("Allow these {n}…").format(n=together) if together > 1 else _("Allow these…"))
        self.batch.setEnabled(together > 1)
        self.set_narrow(self._narrow)

    def _step(self, by: int) -> None:
        place = self._place + by
        if 0 <= place < len(self._ids):
            self.chosen.emit(self._ids[place], True)
