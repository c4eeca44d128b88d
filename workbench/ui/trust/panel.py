"""The panel above the composer that asks whether a folder is trusted: each thing it brings, what that would do, and two answers.

It never takes the keyboard by itself and hides nothing else. Nothing of the folder is read or started before the answer, and leaving the
question open means the same as no.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.settings.trust import Shipped
from workbench.ui.approval.guard import Guard, GuardedButton
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.layout import column, line, scrolls
from workbench.ui.kit.paint import box, fill
from workbench.ui.trust.item_row import ItemRow
from workbench.ui.trust.watch import TrustWatch
from workbench.ui.trust.words import gone_words, in_order, title_of
from workbench.words import _, many

ITEMS_SHOWN = 60
"""More things than this are only named."""
SHARE = 0.4
"""The list takes at most so much of the window; the rest scrolls."""


class TrustPanel(QWidget):
    """Asks once a folder brings something that was not answered; shows the answer again when it is wanted.

    Attributes:
        guard: answers are taken only after the panel stood there for a moment.
    """

    def __init__(self, watch: TrustWatch) -> None:
        super().__init__()
        self._watch = watch
        self._shipped = Shipped()
        self.guard = Guard(self)
        self._title = Label("", "body", "text", "medium", wrap=True)
        self._close = IconButton("cross", _("Close the question; it stays open"), small=True)
        words = _("Until you trust it, none of it is read, started or connected. Rules that only tighten hold already.")
        self._note = Label(words, "small", "muted", wrap=True)
        self._place = QScrollArea()
        self.leave = GuardedButton(_("Open without"), self.guard, default=True, small=True)
        self.trust = GuardedButton(_("Trust this folder"), self.guard, small=True, icon_name="check")
        self._lay_out()
        self._close.clicked.connect(self.hide)
        self.leave.clicked.connect(lambda: self._answer(trusted=False))
        self.trust.clicked.connect(lambda: self._answer(trusted=True))
        watch.changed.connect(self.follow)
        watch.wanted.connect(self.present)
        self.hide()

    def _lay_out(self) -> None:
        scrolls(self._place)
        self._place.setWidgetResizable(True)
        self._place.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._place.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._place.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(line(Icon("question", "level2"), (self._title, 1), self._close, gap=8))
        layout.addWidget(line(24, (self._note, 1), gap=0))
        layout.addWidget(line(24, (self._place, 1), gap=0))
        layout.addWidget(line(24, self.leave, self.trust, None, margins=(0, 4, 0, 0), gap=6))

    # What is shown

    def follow(self) -> None:
        """Ask if there is something to ask; what was shown and does not hold any more goes."""
        if self._watch.shipped.asks:
            self.present()
        else:
            self.hide()

    def present(self) -> None:
        """Show the question, answered or not, without taking the keyboard."""
        shipped = self._watch.shipped
        if not shipped.digest or self.parentWidget() is None:  # without a parent it would be a window of its own
            return
        self._shipped = shipped
        self._fill(shipped)
        self.guard.begin()
        self.show()
        self._fit()

    def _fill(self, shipped: Shipped) -> None:
        title = title_of(shipped)
        self._title.setText(title)
        self.setAccessibleName(title)
        self.trust.setVisible(not shipped.trusted)
        self.leave.setText(_("Trust it no more") if shipped.trusted else _("Open without"))
        items = in_order(shipped)
        rows: list[QWidget] = [ItemRow(item, shipped) for item in items[:ITEMS_SHOWN]]
        left = items[ITEMS_SHOWN:]
        if gone := gone_words(shipped):
            rows.append(Label(gone, "small", "muted", wrap=True))
        if left:
            rows.append(Label(many("and {n} more:", "and {n} more:", len(left)), "small", "muted"))
            rows.append(Label(visible("\n".join(item.name for item in left), keep="\n"), "code", "muted", wrap=True))
        content = column(*rows, None)
        content.installEventFilter(self)
        self._place.setWidget(content)
        for ground in (content, self._place.viewport()):  # the panel's own is seen through them
            ground.setAutoFillBackground(False)

    def _fit(self) -> None:
        content = self._place.widget()
        if content is not None:
            wanted = max(content.minimumSizeHint().height(), content.heightForWidth(self._place.viewport().width()))
            self._place.setFixedHeight(min(wanted, round(self.window().height() * SHARE)))

    def _answer(self, *, trusted: bool) -> None:
        if self.guard.is_open:
            self._watch.answer_soon(self._shipped, trusted=trusted)
            self.hide()

    # What Qt tells

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.LayoutRequest, QEvent.Type.Resize}:
            self._fit()
        return super().eventFilter(watched, event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self.guard.painted()
        with QPainter(self) as p:
            box(p, QRectF(self.rect()), "raised", "level2", 6)
            fill(p, QRectF(0, 6, 4, self.height() - 12), "level2")

