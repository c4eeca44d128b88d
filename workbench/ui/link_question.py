"""The question before a link of a text is opened: where it leads, all of it. What a text calls its link says nothing about that."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.guard import ENTER, Guard, GuardedButton
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import line, scrolls
from workbench.ui.kit.overlay import PAD, Overlay
from workbench.words import _

WIDTH = 560
INSET = 16
MOST_OF_WINDOW = 0.5
"""A longer address is scrolled."""


class LinkQuestion(Overlay):
    """Asks whether an address is to be opened; it is opened only after it was in sight for a moment.

    Args:
        address: the address, exactly as it would be opened.
        parent: a widget of the window.

    Attributes:
        address: the label that shows it.
        guard: whether it can be opened yet.
    """

    def __init__(self, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        url = QUrl(address)
        mail = url.scheme().lower() == "mailto"
        title = _("Open this address in your mail program?") if mail else _("Open this address in your browser?")
        self.setAccessibleName(title)
        self.guard = Guard(self)
        self.address = ExactLabel(address, mono=True, name=_("Address"))
        self._place = QScrollArea()
        self._copy, self._leave = Button(_("Copy the address")), Button(_("Do not open"), keys="Esc", default=True)
        self._go = GuardedButton(_("Open"), self.guard, "primary")
        self._title = Label(title, "title", weight="bold", wrap=True)
        self._host = Label(_("It leads to {host}.").format(host=visible(_host(url))) if _host(url) else "", "small", "muted", wrap=True)
        self._lay_out()
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(address))
        self._leave.clicked.connect(self.dismiss)
        self._go.clicked.connect(lambda: self._follow(url))

    def _lay_out(self) -> None:
        scrolls(self._place)
        self._place.setWidgetResizable(True)
        self._place.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._place.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._place.viewport().setAutoFillBackground(False)
        self._place.setWidget(self.address)
        self.address.setAutoFillBackground(False)
        stack = QVBoxLayout(self.card)
        stack.setContentsMargins(INSET, INSET, INSET, INSET)
        stack.setSpacing(8)
        for widget in (self._title, self._place, self._host):
            stack.addWidget(widget)
        self._host.setVisible(bool(self._host.text()))
        stack.addWidget(line(self._copy, None, self._leave, self._go))

    def _follow(self, url: QUrl) -> None:
        """Open the address, however the button was pressed, but not before it was in sight for long enough."""
        if not self.guard.is_open:
            return
        self.dismiss()
        QDesktopServices.openUrl(url)

    # What an overlay says

    @override
    def first(self) -> QWidget:
        return self._leave

    @override
    def card_rect(self) -> QRect:
        width = min(WIDTH, self._window.width() - 2 * PAD)
        inner = width - 2 * INSET
        tall = min(self.address.heightForWidth(inner), round(self._window.height() * MOST_OF_WINDOW))
        self._place.setFixedHeight(tall)
        layout = self.card.layout()
        height = layout.heightForWidth(width) if layout is not None else 0
        place = QRect(self._window.rect().center(), QSize(width, height))
        place.moveCenter(self._window.rect().center())
        return self.kept_inside(place)

    @override
    def focusNextPrevChild(self, next: bool) -> bool:
        buttons: list[QWidget] = [self._copy, self._leave, self._go]
        focused = QApplication.focusWidget()
        place = buttons.index(focused) if focused in buttons else 0
        buttons[(place + (1 if next else -1)) % len(buttons)].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and isinstance(focused := QApplication.focusWidget(), Button):
            focused.click()
            event.accept()
            return
        super().keyPressEvent(event)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.guard.painted()


def _host(url: QUrl) -> str:
    """Return where an address leads, with letters of other alphabets spelled out; of a mail, who gets it."""
    return url.host(QUrl.ComponentFormattingOption.FullyEncoded) if url.host() else url.path() if url.scheme().lower() == "mailto" else ""
