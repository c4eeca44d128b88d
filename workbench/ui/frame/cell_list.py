"""A list of any length whose rows have keys: what stays the same is not shown anew, and a chosen row stays chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt
from typing_extensions import override

from workbench.ui.kit.cells import CELL, Cell, cell_words

Index = QModelIndex | QPersistentModelIndex


class ListRow(NamedTuple):
    """A row: what it stands for, and what it shows."""

    key: str
    cell: Cell


class CellList(QAbstractItemModel):
    """Rows of cells, one column.

    It is no QAbstractListModel: that one's `hasChildren`, which a tree view asks from Python, ends the process.
    """

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[ListRow] = []

    def set_rows(self, rows: Sequence[ListRow]) -> None:
        """Show other rows; of those that stay only what differs is told."""
        if [row.key for row in rows] == [row.key for row in self._rows]:
            for place, (new, old) in enumerate(zip(rows, self._rows, strict=True)):
                if new != old:
                    self._rows[place] = new
                    self.dataChanged.emit(self.index(place, 0), self.index(place, 0))
        else:
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()

    def key_of(self, index: Index) -> str:
        """Return what a row stands for; empty for an invalid index."""
        return self._rows[index.row()].key if index.isValid() and index.row() < len(self._rows) else ""

    def index_of(self, key: str) -> QModelIndex:
        """Return where the row of that key stands; invalid if there is none."""
        return next((self.index(place, 0) for place, row in enumerate(self._rows) if row.key == key), QModelIndex())

    @override
    def index(self, row: int, column: int, /, parent: Index = QModelIndex()) -> QModelIndex:
        return self.createIndex(row, column) if not parent.isValid() and column == 0 and 0 <= row < len(self._rows) else QModelIndex()

    @override
    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # the other overload is QObject's own parent
        return QModelIndex()

    @override
    def hasChildren(self, /, parent: Index = QModelIndex()) -> bool:
        return not parent.isValid() and bool(self._rows)

    @override
    def rowCount(self, /, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    @override
    def columnCount(self, /, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else 1

    @override
    def data(self, index: Index, /, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        cell = self._rows[index.row()].cell
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.AccessibleTextRole:
                return cell_words(cell)
            case _ if role == CELL:
                return cell
            case _:
                return None
