"""The table of requests: rows of the log that pass the filter, inserted and changed one by one, never made anew while a turn runs."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TypeAlias

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from typing_extensions import override

from workbench.inspection.requests import RequestChanges, RequestLog, RequestRow, is_found, row_text
from workbench.ui.inspector.figures import NONE, failure_words, figure, one_line, purpose, seconds, status_words
from workbench.ui.kit.cells import CELL, Cell, cell_words
from workbench.words import _, tell

Index: TypeAlias = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Column(IntEnum):
    """Columns of the table, from left to right."""

    NUMBER = 0
    STATUS = 1
    WHAT = 2
    MODEL = 3
    FIRST = 4
    TIME = 5
    IN = 6
    CACHED = 7
    OUT = 8
    FINDING = 9


LONGEST_FINDING = 22
"""So many characters of a finding the table makes room for."""

RIGHTS = (Column.NUMBER, Column.FIRST, Column.TIME, Column.IN, Column.CACHED, Column.OUT)
"""Columns of figures."""


class RequestsModel(QAbstractTableModel):
    """Shows a log.

    Args:
        clock: gives seconds since 1970, for what a running request has taken so far.

    Attributes:
        has_findings: there is something to show in the column of findings.

    Signals:
        widths_changed: a figure may be wider than all before.
    """

    widths_changed = Signal()

    def __init__(self, parent: QObject | None = None, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(parent)
        self._clock = clock
        self._log = RequestLog()
        self._places: list[int] = []
        self._words, self._only_errors = "", False
        self._most: dict[Column, int] = {}
        self._brief = False
        self.has_findings = False
        self._longest_finding = ""

    def show_log(self, log: RequestLog) -> None:
        """Show another session's requests."""
        self._log = log
        self._most, self.has_findings, self._longest_finding = {}, False, ""
        self._measure(log.rows)
        self._filter()

    def set_filter(self, words: str, *, only_errors: bool) -> None:
        """Show only requests that hold the words, or failed."""
        if (words, only_errors) != (self._words, self._only_errors):
            self._words, self._only_errors = words, only_errors
            self._filter()

    def set_brief(self, *, brief: bool) -> None:
        """Leave away in words why a request failed: there is no room for them."""
        if brief != self._brief:
            self._brief = brief
            if self._places:
                self.dataChanged.emit(self.index(0, Column.WHAT), self.index(len(self._places) - 1, Column.WHAT))

    def take(self, changes: RequestChanges) -> None:
        """Follow what facts did to the log."""
        self._measure([*(self._log.rows[place] for place in changes.changed), *self._log.rows[len(self._log.rows) - changes.appended :]])
        for place in changes.changed:
            self._change(place)
        first = len(self._log.rows) - changes.appended
        new = [place for place in range(first, len(self._log.rows)) if self._passes(self._log.rows[place])]
        if new:
            self.beginInsertRows(QModelIndex(), len(self._places), len(self._places) + len(new) - 1)
            self._places += new
            self.endInsertRows()

    def tick(self) -> bool:
        """Show what running requests have taken so far; False if none runs."""
        running = [row for row in range(len(self._places) - 1, max(-1, len(self._places) - 20), -1) if self.row(row).state == "running"]
        for row in running:
            index = self.index(row, Column.TIME)
            self.dataChanged.emit(index, index)
        return bool(running)

    def widest(self, column: Column) -> str:
        """Return a text as wide as the widest figure of a column so far."""
        if column == Column.FINDING:
            return self._longest_finding[:LONGEST_FINDING]
        return f"#{max(10, self._most.get(column, 0))}" if column == Column.NUMBER else f"{max(1000, self._most.get(column, 0)):,}"

    def _measure(self, rows: Iterable[RequestRow]) -> None:
        before, finding = dict(self._most), self._longest_finding
        for row in rows:
            figures = (row.number, row.usage.input_tokens, row.usage.cached_tokens, row.usage.output_tokens)
            for column, value in zip((Column.NUMBER, Column.IN, Column.CACHED, Column.OUT), figures, strict=True):
                if value and value > self._most.get(column, 0):
                    self._most[column] = value
            if not self.has_findings and (row.findings or row.opened.repaired):
                self.has_findings = True
            self._longest_finding = max(self._longest_finding, finding_cell(row).text, key=len)
        if (before, finding) != (self._most, self._longest_finding):
            self.widths_changed.emit()

    def row(self, row: int) -> RequestRow:
        """Return the request of a row of the table."""
        return self._log.rows[self._places[row]]

    def row_of(self, exchange_id: str) -> int | None:
        """Return the row of the table that shows a request; None if the filter leaves it out."""
        place = self._log.place_of(exchange_id)
        at = bisect_left(self._places, place) if place is not None else len(self._places)
        return at if at < len(self._places) and self._places[at] == place else None

    def knows(self, exchange_id: str) -> bool:
        """Say whether there is a request of this id, shown or left out by the filter."""
        return self._log.place_of(exchange_id) is not None

    def _filter(self) -> None:
        self.beginResetModel()
        self._places = [place for place, row in enumerate(self._log.rows) if self._passes(row)]
        self.endResetModel()

    def _passes(self, row: RequestRow) -> bool:
        if self._only_errors and row.state != "failed":
            return False
        return not self._words or is_found(f"{row_text(row)} · {purpose(row)} · {failure_words(row)}", self._words)

    def _change(self, place: int) -> None:
        at = bisect_left(self._places, place)
        shown = at < len(self._places) and self._places[at] == place
        passes = self._passes(self._log.rows[place])
        if shown and passes:
            self.dataChanged.emit(self.index(at, 0), self.index(at, len(Column) - 1))
        elif passes:
            self.beginInsertRows(QModelIndex(), at, at)
            self._places.insert(at, place)
            self.endInsertRows()
        elif shown:
            self.beginRemoveRows(QModelIndex(), at, at)
            del self._places[at]
            self.endRemoveRows()

    # The model

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._places)

    @override
    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(Column)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (CELL, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        cell = self._cell(self.row(index.row()), Column(index.column()))
        return cell if role == CELL else cell_words(cell)

    def _cell(self, row: RequestRow, column: Column) -> Cell:
        match column:
            case Column.NUMBER:
                return Cell(f"#{row.number}", weight="medium", token="muted", align="right")
            case Column.STATUS:
                return status_cell(row)
            case Column.WHAT:
                return Cell(purpose(row), note="" if self._brief else failure_words(row), note_token="fail", tip=tell(row.closed) if row.closed else "")
            case Column.MODEL:
                return Cell(one_line(row.opened.model, 80), token="muted")
            case Column.FIRST:
                return _figure(seconds(row.first_byte_s))
            case Column.TIME:
                return self._time(row)
            case Column.IN:
                return _figure(figure(row.usage.input_tokens))
            case Column.CACHED:
                return _figure(figure(row.usage.cached_tokens))
            case Column.OUT:
                return _figure(figure(row.usage.output_tokens))
            case Column.FINDING:
                return finding_cell(row)

    def _time(self, row: RequestRow) -> Cell:
        if row.state == "running":
            return Cell(seconds(max(0.0, self._clock() - row.at)), align="right")
        return _figure(seconds(row.duration_s))


def status_cell(row: RequestRow) -> Cell:
    """Return a request's status: an icon of its own shape for each way it can end, and the number."""
    words = status_words(row)
    if row.state == "running":
        return Cell(words, "running", "text", words=_("running"))
    if row.state == "held":
        return Cell(words, "hand", "level2", token="level2", words=_("held back"))
    if row.state == "unsent":
        return Cell(words, "stopped", "muted", token="muted", words=_("not sent"))
    if row.state == "done":
        return Cell(words, "check", "ok", weight="medium")
    if row.closed is not None and row.closed.failure == "stopped":
        return Cell(words, "stopped", "muted", token="muted", words=_("stopped"))
    return Cell(words, "failed", "fail", token="fail", weight="medium", words=_("failed") if words == NONE else "")


def finding_cell(row: RequestRow) -> Cell:
    """Return what the linter says of a request: the worst finding by its rule, and how many there are."""
    found = sorted(row.findings, key=lambda finding: finding.severity != "error")
    if not found:
        return Cell(_("repaired"), "repair", "muted", token="muted", tip=", ".join(row.opened.repaired)) if row.opened.repaired else Cell("")
    token = "fail" if found[0].severity == "error" else "level2"
    more = f" +{len(found) - 1}" if len(found) > 1 else ""
    return Cell(found[0].rule.partition(".")[2] + more, "warning", token, token=token, tip="\n".join(one_line(one.message) for one in found))


def _figure(words: str) -> Cell:
    return Cell(words, align="right", token="muted")
