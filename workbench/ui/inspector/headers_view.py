"""Headers of a request and of its response, as they went over the wire; secrets were replaced before they were kept, and are marked."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from typing_extensions import override

from workbench.conversation.exchange import Headers
from workbench.inspection.requests import RequestRow
from workbench.permissions.visible import visible
from workbench.redaction.marks import FINGERPRINT
from workbench.ui.inspector.figures import one_line
from workbench.ui.inspector.reveal_strip import RevealStrip
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.cells import Cell, CellModel, CellTable
from workbench.ui.kit.layout import Panes
from workbench.ui.kit.theme import theme
from workbench.words import _

NAME_WIDTH = 190
"""Of the column of names, in pixels at no zoom; at most two fifths of the table."""


class _Table(CellTable):
    """Two columns; Ctrl+C copies the chosen line."""

    def __init__(self) -> None:
        self.cells = CellModel([], 2)
        super().__init__(self.cells, [_("Name"), _("Value")], stretch=1, name=_("Headers of request and response"))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self.currentIndex().isValid():
            QApplication.clipboard().setText(": ".join(filter(None, self.pair(self.currentIndex()))))
        else:
            super().keyPressEvent(event)

    def pair(self, index: QModelIndex) -> tuple[str, str]:
        """Return name and value of a row."""
        return self.cells.cell(index.row(), 0).text, self.cells.cell(index.row(), 1).tip

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnWidth(0, min(round(NAME_WIDTH * theme.zoom), self.viewport().width() * 2 // 5))


class HeadersView(QWidget):
    """The headers of the chosen request; a value that does not fit stands whole below."""

    def __init__(self, secrets: Callable[[], Collection[str]]) -> None:
        """Show nothing yet; `secrets` gives the secrets known at a moment, for a person who wants to see one again."""
        super().__init__()
        self._shown: RequestRow | None = None
        self.table = _Table()
        self.value = VirtualText(_("Chosen header"), numbers=False)
        self.value.hide()
        self.reveal = RevealStrip(secrets)
        self.reveal.revealed.connect(self._show_text)
        self.table.selectionModel().currentRowChanged.connect(self._show_value)
        panes = Panes(self.table, self.value, vertical=True)
        panes.setStretchFactor(0, 3)
        panes.setStretchFactor(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(panes, 1)
        layout.addWidget(self.reveal)

    def show_row(self, row: RequestRow | None) -> None:
        """Show the headers of a request; the choice in the table stays while more of the same request becomes known."""
        if row == self._shown:
            return
        chosen = self.table.currentIndex().row() if row is not None and self._shown is not None and row.exchange_id == self._shown.exchange_id else -1
        self._shown = row
        self.table.cells.set_rows([] if row is None else _rows(row))
        self.value.hide()
        self.reveal.offer("")
        if chosen >= 0:
            self.table.selectRow(chosen)

    def _show_value(self, index: QModelIndex) -> None:
        value = self.table.pair(index)[1] if index.isValid() else ""
        self.reveal.offer(value)
        self._show_text(value)

    def _show_text(self, value: str) -> None:
        """Show a value whole if the table has no room for it, or if it is another one than the table shows."""
        needs_room = self.reveal.is_revealed or theme.metrics("code").horizontalAdvance(value) > self.table.columnWidth(1) - 40
        self.value.set_text(value if needs_room else "")
        self.value.setVisible(needs_room)


def _rows(row: RequestRow) -> list[list[Cell]]:
    opened, closed = row.opened, row.closed
    rows = [_head(_("Request")), _pair(opened.method, opened.url), *_headers(opened.headers)]
    if closed is None:
        return [*rows, _head(_("Response"), _("no end recorded") if row.lost else _("still coming"))]
    if closed.status is None:
        return [*rows, _head(_("Response"), _("no response"))]
    return [*rows, _head(_("Response")), _pair(closed.http_version or "HTTP", str(closed.status)), *_headers(closed.headers)]


def _headers(headers: Headers) -> list[list[Cell]]:
    return [_pair(name, value) for name, value in headers]


def _head(words: str, note: str = "") -> list[Cell]:
    return [Cell(words, weight="bold", token="muted", wash="sunken"), Cell(note, token="faint", wash="sunken")]


def _pair(name: str, value: str) -> list[Cell]:
    masked = FINGERPRINT.search(value) is not None
    note = _("secret replaced") if masked else ""
    icon = "eye-off" if masked else ""
    return [Cell(one_line(name, 200), mono=True, token="muted"), Cell(one_line(value), icon, mono=True, tip=visible(value), pill=note)]
