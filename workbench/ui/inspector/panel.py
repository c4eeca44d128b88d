"""The inspector: what goes out next and what went out, beside the chat."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from workbench.inspection.lint import Spot
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk
from workbench.ui.inspector.dialects_tab import DialectsTab
from workbench.ui.inspector.messages_tab import MessagesTab
from workbench.ui.inspector.requests_tab import RequestsTab
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.choices import Tabs
from workbench.ui.kit.layout import line
from workbench.words import _, marked

TABS = dict(zip(("messages", "requests", "dialects"), marked("Messages", "Requests", "Dialects"), strict=True))
MESSAGES, REQUESTS, DIALECTS = range(3)


class Inspector(QWidget):
    """The tabs of the inspector.

    Signals:
        closed: the button that closes it was pressed.

    Attributes:
        messages, requests, dialects: the tabs.
    """

    closed = Signal()

    def __init__(self, bridge: Bridge, desk: Desk) -> None:
        super().__init__()
        self.tabs = Tabs([_(words) for words in TABS.values()], name=_("Inspector"))
        self._close = IconButton("cross", _("Close the inspector"))
        self._close.clicked.connect(self.closed)
        self._stack = QStackedWidget()
        self.messages, self.requests, self.dialects = MessagesTab(bridge, desk), RequestsTab(bridge, desk), DialectsTab(bridge, desk)
        for tab in (self.messages, self.requests, self.dialects):
            self._stack.addWidget(tab)
        self.tabs.changed.connect(self._stack.setCurrentIndex)
        self.requests.counted.connect(self._count)
        self.requests.message_wanted.connect(self._show_spot)
        self._count(self.requests.sent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(line((self.tabs, 1), self._close, margins=(0, 0, 6, 0), gap=0, ground="window", lines="b"))
        layout.addWidget(self._stack, 1)

    def choose_tab(self, name: str) -> None:
        """Open a tab by its name, ``messages``, ``requests`` or ``dialects``; a side of the request by ``requests.stream``.

        Raises:
            ValueError: there is no such tab.
        """
        tab, _dot, part = name.partition(".")
        self.tabs.choose(list(TABS).index(tab))
        if part:
            self.requests.choose_part(part)

    def show_request(self, exchange_id: str) -> None:
        """Show a request; nothing happens if this session has none of that id."""
        if self.requests.show_request(exchange_id):
            self.choose_tab("requests")

    def show_call(self, call_id: str, *, result: bool = False) -> None:
        """Show a call, or its result, among the messages, or the request whose response asked for it; nothing happens if it is in neither."""
        self.choose_tab("messages")
        if not self.messages.show_call(call_id, result=result) and self.requests.show_call(call_id):
            self.choose_tab("requests")

    def show_findings(self, exchange_id: str) -> None:
        """Show what the linter says of a request, or of one that is held back; nothing happens if this session has none of that id."""
        if self.requests.show_request(exchange_id):
            self.choose_tab("requests.lint")

    def _show_spot(self, spot: Spot) -> None:
        self.choose_tab("messages")
        if not (spot.call_id and self.messages.show_call(spot.call_id, result=spot.is_result)):
            self.messages.show_message(spot.message)

    def _count(self, count: int) -> None:
        self.tabs.set_count(REQUESTS, str(count) if count else "")
