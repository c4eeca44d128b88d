"""Below a masked value: shows the secret that was replaced, if a person asks twice and it is still known, and hides it again soon."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from workbench.redaction.marks import FINGERPRINT, fingerprint
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line
from workbench.words import _, many

REVEALED_S = 20
"""How long a secret stands on the screen."""

TICK_MS = 500


class RevealStrip(QWidget):
    """Offers to show the secret behind a mask. Nothing of it is kept: it is looked up among the secrets known now, by its fingerprint.

    Signals:
        revealed: the value (str) with its secret in it is to be shown now; with its mask again: hide it.

    Args:
        secrets: gives the secrets known at that moment.
        clock: seconds.
    """

    revealed = Signal(str)

    def __init__(self, secrets: Callable[[], Collection[str]], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._secrets, self._clock = secrets, clock
        self._value, self._ends_at = "", 0.0
        self.timer = QTimer(self)
        self.timer.setInterval(TICK_MS)
        self.timer.timeout.connect(self._tick)
        self.words = Label("", "small", "muted", wrap=True)
        self.ask = Button(_("Reveal…"), icon_name="eye", small=True)
        self.yes = Button(_("Show for {n} s").format(n=REVEALED_S), small=True)
        self.no = Button(_("Keep hidden"), small=True)
        self.ask.clicked.connect(self._question)
        self.yes.clicked.connect(self._reveal)
        self.no.clicked.connect(self.conceal)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(line((self.words, 1), self.ask, self.yes, self.no, margins=(10, 5, 10, 5), gap=8, ground="base", lines="t"))
        self.offer("")

    @property
    def is_revealed(self) -> bool:
        """Whether a secret stands on the screen now."""
        return self.timer.isActive()

    def offer(self, value: str) -> None:
        """Take the value of the chosen row; what was shown of another one is hidden."""
        if value == self._value and not self.is_revealed:
            return
        self.timer.stop()
        self._value = value
        self.setVisible(FINGERPRINT.search(value) is not None)
        self._rest()

    def conceal(self) -> None:
        """Hide the secret, or take the question back."""
        if self.is_revealed:
            self.timer.stop()
            self.revealed.emit(self._value)
        self._rest()

    @override
    def hideEvent(self, event: QHideEvent) -> None:
        self.conceal()
        super().hideEvent(event)

    def _rest(self) -> None:
        self.words.setText(_("A secret was replaced here. Its length and a fingerprint stand in its place."))
        self._show_buttons(self.ask)

    def _question(self) -> None:
        if self._unmasked() == self._value:
            self.words.setText(_("This secret is not known any more, or another one is in use by now: it cannot be shown."))
            self._show_buttons()
            return
        self.words.setText(_("Whoever sees this screen, or a recording of it, can use the key then."))
        self._show_buttons(self.yes, self.no)
        self.no.setFocus()

    def _reveal(self) -> None:
        self._ends_at = self._clock() + REVEALED_S
        self._show_buttons(self.no)
        self.timer.start()
        self.revealed.emit(self._unmasked())
        self._tick()

    def _tick(self) -> None:
        left_s = self._ends_at - self._clock()
        if left_s <= 0:
            self.conceal()
        else:
            self.words.setText(many("Hidden again in {n} second.", "Hidden again in {n} seconds.", -int(-left_s // 1)))

    def _unmasked(self) -> str:
        known = {fingerprint(secret): secret for secret in self._secrets()}
        return FINGERPRINT.sub(lambda found: known.get(found[0], found[0]), self._value)

    def _show_buttons(self, *shown: Button) -> None:
        for button in (self.ask, self.yes, self.no):
            button.setVisible(button in shown)
