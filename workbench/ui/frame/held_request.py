"""The panel above the composer while a request is held back: what its provider would refuse, and the three ways on.

It never takes the keyboard by itself. Nothing was sent yet: whatever a person chooses here, the conversation stays as it is.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.checks import Finding, ReleaseDecision, RequestHeld
from workbench.permissions.visible import visible
from workbench.ui.bridge import Bridge
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import line
from workbench.ui.kit.paint import box
from workbench.words import _, many, paragraph, tell_text

MOST_SHOWN = 3
"""So many findings stand in the panel; the others are in the inspector."""


class HeldRequestPanel(QWidget):
    """Says why a request was not sent, and takes the decision.

    Signals:
        details_wanted: a person wants to see the request and its findings; its hold's id.
    """

    details_wanted = Signal(str)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._held: RequestHeld | None = None
        self._title = Label("", "body", "text", "medium", wrap=True)
        self._lines = [Label("", "small", "muted", wrap=True) for _n in range(MOST_SHOWN)]
        self._more = Label("", "small", "faint")
        self.details = Button(_("Details…"), small=True)
        self.repair = Button(_("Repair and send"), icon_name="repair", small=True, default=True)
        self.send, self.stop = Button(_("Send as it is"), small=True), Button(_("End the turn"), small=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(line(Icon("warning", "level2"), (self._title, 1), gap=8))
        self._rows = [line(20, (label, 1), gap=4) for label in (*self._lines, self._more)]
        for row in self._rows:
            layout.addWidget(row)
        layout.addWidget(line(20, self.repair, self.send, self.stop, None, self.details, margins=(0, 4, 0, 0), gap=6))
        self.details.clicked.connect(self._want_details)
        for button, decision in ((self.repair, "repair"), (self.send, "send"), (self.stop, "stop")):
            button.clicked.connect(lambda _checked=False, decision=decision: self._decide(decision))
        for signal in (bridge.attached, bridge.state_changed, bridge.facts):
            signal.connect(self._show)
        self._show()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "level2_tint", None, 6)

    def _show(self) -> None:
        held = self._bridge.held
        if held is not None and held != self._held:
            self._fill(held)
        self._held = held
        if held is None or self.parentWidget() is not None:  # without a parent it would be shown as a window of its own
            self.setVisible(held is not None)

    def _fill(self, held: RequestHeld) -> None:
        number, unnumbered = _("Request #{n} was not sent: its provider would refuse it."), _("The request was not sent: its provider would refuse it.")
        title = number.format(n=held.number) if held.number else unnumbered
        self._title.setText(title)
        for place, label in enumerate(self._lines):
            told = held.findings[place] if place < len(held.findings) else None
            label.setText(sentence(told) if told is not None else "")
            self._rows[place].setVisible(told is not None)
        left = len(held.findings) - MOST_SHOWN
        self._more.setText(many("and {n} more", "and {n} more", left) if left > 0 else "")
        self._rows[-1].setVisible(left > 0)
        self.repair.setVisible(any(finding.edits for finding in held.findings))
        self.repair.setText(_("Repair and send") if held.mends else _("Repair what can be repaired, and send"))
        self.details.setVisible(held.body is not None)
        self.setAccessibleName(title)
        self.setAccessibleDescription(" ".join(sentence(finding) for finding in held.findings))

    def _decide(self, decision: ReleaseDecision) -> None:
        if self._held is not None:
            self._bridge.release(self._held.hold_id, decision)

    def _want_details(self) -> None:
        if self._held is not None:
            self.details_wanted.emit(self._held.hold_id)


def sentence(finding: Finding) -> str:
    """Return a finding as one line: what is wrong, and what to do."""
    return visible(paragraph(tell_text(finding.message), tell_text(finding.fix)))
