"""The table of requests as a view: it keeps what fits, and leaves columns away in a fixed order when it gets narrow."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from typing_extensions import override

from workbench.inspection.requests import RequestRow
from workbench.ui.inspector.requests_model import RIGHTS, Column, RequestsModel
from workbench.ui.kit.cells import CellTable
from workbench.ui.kit.layout import BAR
from workbench.ui.kit.paint import width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

TICK_MS = 100
"""How often the time of a running request is counted up: it is shown in tenths of a second."""

LEAST_WHAT = 100
"""The column that says what a request was for gets at least this, in pixels at no zoom, before others are shown."""

ROOMY_WHAT = 180
"""With less room, that column does not say why a request failed."""

_WIDEST = {Column.STATUS: "000", Column.MODEL: "claude-sonnet-4-5", Column.FIRST: "000 ms", Column.TIME: "000 ms"}
_GROWING = (Column.NUMBER, Column.IN, Column.CACHED, Column.OUT, Column.FINDING)
_ICON = 22
_FIRST_AWAY = (Column.MODEL, Column.CACHED, Column.FIRST, Column.OUT, Column.IN)


class RequestsTable(CellTable):
    """Shows the requests of a session; one of them is chosen.

    Signals:
        chosen: the `RequestRow` that is chosen now, or None; also when something about it changed.
    """

    chosen = Signal(object)

    def __init__(self) -> None:
        self.requests = RequestsModel()
        labels = [_("#"), _("Status"), _("What"), _("Model"), _("First"), _("Time"), _("In"), _("Cached"), _("Out"), _("Finding")]
        super().__init__(self.requests, labels, rights=RIGHTS, stretch=Column.WHAT, name=_("List of requests"))
        self._labels = labels
        self._chosen_id = ""
        self._ticking = QTimer(self)
        self._ticking.setInterval(TICK_MS)
        self._ticking.timeout.connect(self._tick)
        self.requests.widths_changed.connect(self._fit)
        self.requests.rowsInserted.connect(self._rows_came)
        self.requests.modelReset.connect(self._choose_again)
        self.requests.dataChanged.connect(self._cells_changed)
        self.selectionModel().currentRowChanged.connect(self._row_chosen)

    @property
    def row(self) -> RequestRow | None:
        """The chosen request; None if none is."""
        place = self.requests.row_of(self._chosen_id) if self._chosen_id else None
        return None if place is None else self.requests.row(place)

    def choose(self, exchange_id: str) -> bool:
        """Choose a request and bring it into sight; False if the filter leaves it out."""
        place = self.requests.row_of(exchange_id)
        if place is None:
            return False
        self.setCurrentIndex(self.requests.index(place, 0))
        self.scrollTo(self.currentIndex())
        return True

    def choose_newest(self) -> None:
        """Choose the last request; none if there is none."""
        if self.requests.rowCount():
            self.choose(self.requests.row(self.requests.rowCount() - 1).exchange_id)
        else:
            self._chosen_id = ""
            self.chosen.emit(None)

    def _row_chosen(self) -> None:
        index = self.currentIndex()
        exchange_id = self.requests.row(index.row()).exchange_id if index.isValid() else self._chosen_id
        if exchange_id != self._chosen_id:
            self._chosen_id = exchange_id
            self.chosen.emit(self.row)

    def _choose_again(self) -> None:
        """Keep the choice when the rows are others: the filter changed."""
        if not (self._chosen_id and self.choose(self._chosen_id)):
            self.choose_newest()

    def _rows_came(self) -> None:
        if not self.currentIndex().isValid():
            self.choose_newest()
        if self.isVisible():
            self._ticking.start()

    def _cells_changed(self, first: object, last: object) -> None:
        self._follow_sent()
        row = self.row
        place = self.requests.row_of(self._chosen_id) if row is not None else None
        if place is not None and last.column() not in (Column.TIME, Column.WHAT) and first.row() <= place <= last.row():  # type: ignore[attr-defined]  # indexes
            self.chosen.emit(row)

    def _follow_sent(self) -> None:
        """Keep the choice when a held request was sent: its row goes on under the id of what was sent."""
        index = self.currentIndex()
        if self._chosen_id and index.isValid() and not self.requests.knows(self._chosen_id):
            self._chosen_id = self.requests.row(index.row()).exchange_id

    def _tick(self) -> None:
        if not self.isVisible() or not self.requests.tick():
            self._ticking.stop()

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._ticking.start()

    # Columns

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        """Show the columns there is room for."""
        small, head = theme.font("small", "medium"), theme.font("tiny", "medium")
        widths = {
            column: ceil(max(width_of(sample, small) + (_ICON if column in (Column.STATUS, Column.FINDING) else 0), width_of(self._labels[column], head))) + 16
            for column, sample in (_WIDEST | {column: self.requests.widest(column) for column in _GROWING}).items()
        }
        room = self.width() - BAR - ceil(LEAST_WHAT * theme.zoom)
        shown = set(widths) if self.requests.has_findings else set(widths) - {Column.FINDING}
        self.setColumnHidden(Column.FINDING, Column.FINDING not in shown)
        for column in _FIRST_AWAY:
            if sum(widths[one] for one in shown) <= room:
                break
            shown.discard(column)
        for column, width in widths.items():
            self.setColumnHidden(column, column not in shown)
            self.setColumnWidth(column, width)
        left = self.width() - BAR - sum(widths[column] for column in shown)
        self.requests.set_brief(brief=left < ROOMY_WHAT * theme.zoom)
