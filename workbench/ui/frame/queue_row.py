"""What was said while a turn runs and did not go out yet; it can be taken back until it does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from workbench.permissions.visible import visible
from workbench.ui.bridge import Bridge
from workbench.ui.frame.pictures_to_send import Picture
from workbench.ui.frame.pills import Pill, PillRow
from workbench.ui.kit.labels import Label
from workbench.words import _

SHOWN_CHARACTERS = 60


class QueueRow(QWidget):
    """The queued texts as pills.

    Signals:
        taken_back: the text, and a tuple of the pictures that went with it, back from the queue.
    """

    taken_back = Signal(str, object)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._noted: list[tuple[str, tuple[Picture, ...]]] = []
        self._shown: tuple[str, ...] = ()
        self._when = Label("", "tiny", "faint")
        self._pills = PillRow()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 8, 10, 0)
        layout.setSpacing(8)
        layout.addWidget(self._pills, 1)
        layout.addWidget(self._when)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        for signal in (bridge.attached, bridge.state_changed, bridge.facts):
            signal.connect(self._show)
        self._show()

    def note(self, text: str, pictures: Sequence[Picture]) -> None:
        """Remember the pictures of a message that waits, in case it is taken back: the session gives back words only."""
        if pictures:
            self._noted.append((text, tuple(pictures)))

    def _show(self) -> None:
        queued = self._bridge.opened.session.queued if self._bridge.opened is not None else ()
        self.setVisible(bool(queued))
        self._when.setText(_("goes out after this step") if self._bridge.running else _("goes out with your next message"))
        if queued == self._shown:
            return
        self._shown = queued
        if not queued:
            self._noted = []
        self._pills.show_pills([self._pill(text) for text in queued])

    def _pill(self, text: str) -> Pill:
        line = " ".join(visible(text[: 4 * SHOWN_CHARACTERS], keep="\n").split()) or _("Pictures")
        words = line if len(line) <= SHOWN_CHARACTERS else line[: SHOWN_CHARACTERS - 1] + "…"
        pill = Pill("queued", words, "", _("Take back what waits"))
        pill.removed.connect(self._take_back)
        return pill

    def _take_back(self) -> None:
        """Take everything back: the session's queue is one, and its order is part of what was said."""
        if self._bridge.opened is None:
            return
        texts = self._bridge.opened.session.unqueue()
        pictures = tuple(picture for text, noted in self._noted if text in texts for picture in noted)
        self._show()
        self.taken_back.emit("\n".join(text for text in texts if text), pictures)
