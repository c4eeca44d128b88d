"""The Requests tab: every request of the session, and of the chosen one its body, headers, stream, response and times."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.checks import Finding
from workbench.conversation.events import Entry, ExchangeOpened, LiveEvent, StreamPieceArrived
from workbench.inspection.lint import spot_of
from workbench.inspection.requests import RequestLog, RequestRow
from workbench.ui.bridge import Bridge
from workbench.ui.desk import Desk
from workbench.ui.inspector.body_view import BodyView
from workbench.ui.inspector.figures import seconds
from workbench.ui.inspector.headers_view import HeadersView
from workbench.ui.inspector.lint_view import LintView
from workbench.ui.inspector.recorded import Recorded
from workbench.ui.inspector.requests_table import RequestsTable
from workbench.ui.inspector.response_view import ResponseView
from workbench.ui.inspector.stream_view import StreamView
from workbench.ui.inspector.taking_out import TakingOut
from workbench.ui.inspector.timing_view import TimingView
from workbench.ui.kit.buttons import IconButton
from workbench.ui.kit.choices import Segments, Tabs
from workbench.ui.kit.fields import Field
from workbench.ui.kit.labels import Label
from workbench.ui.kit.layout import Panes, column, line
from workbench.ui.kit.theme import theme
from workbench.words import _, cost_words, many, marked

BODY, HEADERS, STREAM, RESPONSE, LINT, TIMING = range(6)
PARTS = dict(
    zip(("body", "headers", "stream", "response", "lint", "timing"), marked("Body", "Headers", "Stream", "Response", "Lint", "Timing"), strict=True)
)
TABLE_ROWS, TABLE_SHARE = 7, 3
"""The list is that many rows high, and at most a third of what there is, until a person draws it."""
TOTALS_WIDTH = 560
"""The sums need at least this width, in pixels at no zoom."""


class RequestPart(Protocol):
    """What shows a side of the chosen request."""

    def show_row(self, row: RequestRow | None) -> None:
        """Show a request, or none; called again when more of the same is known."""
        ...


class RequestsTab(QWidget):
    """All requests of the session that is shown.

    Signals:
        counted: how many requests there are.
        message_wanted: a person wants to see a message of the conversation; its place among those that go out, and the id of a call in it.

    Facts are folded while the tab is in sight, and when somebody asks; else only the requests are counted.
    """

    counted = Signal(int)
    message_wanted = Signal(object)

    def __init__(self, bridge: Bridge, desk: Desk) -> None:
        super().__init__()
        self._bridge = bridge
        self._log, self._folded = RequestLog(), 0
        self._stale = True
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._fold_in_sight)
        self.filter = Field(_("Filter: 400, step 2, call_…"), icon_name="filter", name=_("Filter requests"))
        self.which = Segments([_("All"), _("Errors")], name=_("Which requests are shown"))
        self._totals = Label("", "small", "faint", elide="left")
        self._totals.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.table = RequestsTable()
        self.parts = Tabs([_(words) for words in PARTS.values()], sub=True, inset=4, name=_("Sides of the request"))
        self._copy = IconButton("copy", _("Copy as curl, without the key"), small=True)
        self._save = IconButton("export", "", small=True)
        self.body, self.headers, self.stream = BodyView(desk), HeadersView(lambda: desk.app.secrets()), StreamView(desk)
        self.response, self.lint, self.timing = ResponseView(desk), LintView(desk), TimingView(self.log_tries)
        self._views: tuple[RequestPart, ...] = (self.body, self.headers, self.stream, self.response, self.lint, self.timing)
        self._stack = QStackedWidget()
        for view in (self.body, self.headers, self.stream, self.response, self.lint, self.timing):
            self._stack.addWidget(view)
        self._out, self._recorded = TakingOut(desk, self), Recorded(desk, self)
        self._lay_out()
        self._connect(bridge)
        self._part_chosen(BODY)
        self._attached()

    def _lay_out(self) -> None:
        bar = line((self.filter, 2), self.which, (self._totals, 1), margins=(10, 7, 10, 7), gap=8, ground="base", lines="b")
        tabs = line((self.parts, 1), self._copy, self._save, margins=(0, 0, 6, 0), gap=0, ground="window", lines="tb")
        self._panes, self._drawn = Panes(self.table, column(tabs, (self._stack, 1), ground="base"), vertical=True), False
        self._panes.setStretchFactor(1, 1)
        self._panes.splitterMoved.connect(self._keep_as_drawn)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self._panes, 1)

    def _connect(self, bridge: Bridge) -> None:
        bridge.attached.connect(self._attached)
        bridge.facts.connect(self._take)
        bridge.live.connect(self._take_live)
        self.filter.changed.connect(self._filter)
        self.which.changed.connect(self._filter)
        self.table.chosen.connect(self._show)
        self.parts.changed.connect(self._part_chosen)
        self.lint.message_wanted.connect(self._find_message)
        self.lint.place_wanted.connect(self._show_place)
        self._copy.clicked.connect(self._copy_as_curl)
        self._save.clicked.connect(self._save_bytes)

    @property
    def log(self) -> RequestLog:
        """The requests so far."""
        self._fold()
        return self._log

    @property
    def sent(self) -> int:
        """How many requests there are."""
        newest = next((entry.event for entry in reversed(self._bridge.entries) if isinstance(entry.event, ExchangeOpened)), None)
        return newest.number if newest is not None else 0

    def log_tries(self, row: RequestRow) -> tuple[RequestRow, ...]:
        """Return all tries of the step that a request belongs to."""
        return self.log.tries(row)

    # What a person wants

    def show_request(self, exchange_id: str) -> bool:
        """Choose a request, whatever the filter says; False if this session has none of that id."""
        if self.log.place_of(exchange_id) is None:
            return False
        if not self.table.choose(exchange_id):
            self.filter.set_text("")
            self.which.choose(0)
            self.table.choose(exchange_id)
        return True

    def show_call(self, call_id: str) -> bool:
        """Choose the request whose response asked for a call; False if there is none."""
        place = self.log.place_of_call(call_id)
        return place is not None and self.show_request(self.log.rows[place].exchange_id)

    def choose_part(self, name: str) -> None:
        """Open a side of the request: ``body``, ``headers``, ``stream``, ``response``, ``lint`` or ``timing``.

        Raises:
            ValueError: there is no such side.
        """
        self.parts.choose(list(PARTS).index(name))

    def _show_place(self, pointer: str) -> None:
        self.parts.choose(BODY)
        self.body.show_place(pointer)

    def _find_message(self, row: RequestRow, finding: Finding) -> None:
        """Look for the message of a finding in the conversation as it is now; where it is not found, show its place in the body."""
        opened = self._bridge.opened
        if opened is None:
            return
        request, body = opened.session.next_request(), row.opened.body
        found = lambda spot: self.message_wanted.emit(spot) if spot is not None else self._show_place(finding.pointer)  # noqa: E731
        self._recorded.read(lambda store: spot_of(store.body(body), finding, request), found, lambda _words: self._show_place(finding.pointer))

    def _focus_search(self) -> None:
        part = self.parts.chosen
        field = self.body.search if part == BODY else self.response.search if part == RESPONSE else self.filter
        field.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        field.edit.selectAll()

    def _copy_as_curl(self) -> None:
        if (row := self.table.row) is not None:
            self._out.copy_as_curl(row)

    def _save_bytes(self) -> None:
        if (row := self.table.row) is not None:
            self._out.save_bytes(row, response=self._is_response_open, folder=Path.home())

    @property
    def _is_response_open(self) -> bool:
        return self.parts.chosen in (STREAM, RESPONSE)

    # Facts

    def _attached(self) -> None:
        self._log, self._folded = RequestLog(), 0
        self.table.requests.show_log(self._log)
        self._show_totals()
        self.counted.emit(self.sent)
        self._soon.start(0)  # not in one go with all that other parts show of another session

    def _take(self, entries: tuple[Entry, ...]) -> None:
        self._fold_in_sight()
        if any(isinstance(entry.event, ExchangeOpened) for entry in entries):
            self.counted.emit(self.sent)

    def _fold_in_sight(self) -> None:
        if self.isVisible():
            self._fold()

    def _fold(self) -> None:
        """Take the facts that are new, and show what they say of requests."""
        entries, first = self._bridge.entries, self._folded == 0
        if self._folded == len(entries):
            return
        changes = self._log.apply(entries[self._folded :])
        self._folded = len(entries)
        if first:
            self.table.requests.show_log(self._log)
        elif changes.appended or changes.changed:
            self.table.requests.take(changes)
        self._show_totals()

    def _take_live(self, events: tuple[LiveEvent, ...]) -> None:
        row = self.table.row
        if self.parts.chosen != STREAM or row is None or not self.isVisible():
            return
        if any(isinstance(event, StreamPieceArrived) and event.exchange_id == row.exchange_id for event in events):
            self.stream.follow()

    def _show_totals(self) -> None:
        sums = self._log.totals
        failed = many("{n} failed", "{n} failed", sums.failed) if sums.failed else ""
        sent = many("{n} sent", "{n} sent", sums.sent)
        cost = cost_words(sums.spent.amount, unknown=bool(sums.spent.unknown))
        self._totals.setText(" · ".join(filter(None, (sent, failed, seconds(sums.duration_s), cost))) if sums.sent else "")

    def _filter(self) -> None:
        self.table.requests.set_filter(self.filter.text(), only_errors=self.which.chosen == 1)

    # The chosen request

    def _show(self, row: RequestRow | None) -> None:
        self._copy.setEnabled(row is not None)
        self._save.setEnabled(row is not None)
        errors = sum(finding.severity == "error" for finding in row.findings) if row is not None else 0
        self.parts.set_count(LINT, str(len(row.findings)) if row is not None and row.findings else "", "fail" if errors else "plain")
        self._stale = not self.isVisible()
        if not self._stale:
            self._views[self.parts.chosen].show_row(row)

    def _part_chosen(self, part: int) -> None:
        self._stack.setCurrentIndex(part)
        self._save.rename(_("Save the response's bytes…") if self._is_response_open else _("Save the body's bytes…"))
        self._show(self.table.row)

    # Keys

    @override
    def event(self, event: QEvent) -> bool:
        """Take Ctrl+F from the window's own command while the keyboard is in here."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Find):
            self._focus_search()
        else:
            super().keyPressEvent(event)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fold()
        self._show(self.table.row)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._totals.setVisible(self.width() >= TOTALS_WIDTH * theme.zoom)
        if not self._drawn:
            tall = min(theme.row * (TABLE_ROWS + 1), self.height() // TABLE_SHARE)
            self._panes.setSizes([tall, max(0, self.height() - tall)])

    def _keep_as_drawn(self) -> None:
        self._drawn = True
