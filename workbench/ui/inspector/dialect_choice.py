"""Which dialects are shown beside each other: a pill each, that is pressed in or not, in as many lines as they need."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from workbench.ui.inspector.dialects_words import short_title, title
from workbench.ui.kit.buttons import Painted
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.labels import plain_tip
from workbench.ui.kit.paint import box, focus_ring, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

GAP = 6
MARGIN = (10, 7)


class DialectPill(Painted):
    """A dialect that is shown or not."""

    def __init__(self, name: str) -> None:
        super().__init__(short_title(name))
        self.name = name
        self.setCheckable(True)
        self.setAccessibleName(title(name))
        plain_tip(self, title(name))

    @override
    def tall(self) -> int:
        return theme.lh + 8

    @override
    def measure(self) -> float:
        return width_of(self.text(), theme.font("small", "medium")) + 34

    @override
    def draw(self, p: QPainter, rect: QRectF) -> None:
        on = self.isChecked()
        box(p, rect, self.pointer_ground("accent_tint" if on else "base"), "accent" if on else "edge", rect.height() / 2)
        token = "accent" if on else "muted"
        draw_icon(p, "check" if on else "plus", 9, (rect.height() - 12) / 2, token, 12)
        text(p, rect.adjusted(25, 0, -6, 0), self.text(), theme.font("small", "medium" if on else "regular"), token)
        if self.state("focus"):
            focus_ring(p, rect, rect.height() / 2)


class DialectChoice(QWidget):
    """The pills.

    Signals:
        changed: a person chose otherwise.
    """

    changed = Signal()

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self.setAccessibleName(_("Dialects that are shown"))
        self.pills = [DialectPill(name) for name in names]
        for pill in self.pills:
            pill.setParent(self)
            pill.clicked.connect(lambda _on, pill=pill: self._clicked(pill))
        self._lay_out()

    def chosen(self) -> list[str]:
        """Return the names of those that are shown, in the order of the pills."""
        return [pill.name for pill in self.pills if pill.isChecked()]

    def choose(self, names: Sequence[str]) -> None:
        """Show these."""
        for pill in self.pills:
            pill.setChecked(pill.name in names)

    def _clicked(self, pill: DialectPill) -> None:
        if not self.chosen():
            pill.setChecked(True)  # one is always shown
            return
        self.changed.emit()

    # Keys and room

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        place = next((place for place, pill in enumerate(self.pills) if pill.hasFocus()), None)
        if step is None or place is None:
            super().keyPressEvent(event)
        else:
            self.pills[(place + step) % len(self.pills)].setFocus(Qt.FocusReason.TabFocusReason)

    def _lay_out(self) -> None:
        x, y = MARGIN
        for pill in self.pills:
            hint = pill.sizeHint()
            if x > MARGIN[0] and x + hint.width() > self.width() - MARGIN[0]:
                x, y = MARGIN[0], y + hint.height() + GAP
            pill.setGeometry(x, y, hint.width(), hint.height())
            x += hint.width() + GAP
        last = self.pills[-1].geometry().bottom() + 1 if self.pills else 0
        self.setFixedHeight(last + MARGIN[1])

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "pills"):
            self._lay_out()
