"""Lists, tables and trees of `Cell` values: models for small ones, and views for any model that gives a `Cell` under the role `CELL`.

Rows are `theme.row` high; the chosen one is a wash plus, while the list has the keyboard, a 2-pixel bar.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyleOptionViewItem, QTableView, QTreeView
from typing_extensions import override

from workbench.ui.kit.cell import CELL, TREE_INSET, Cell, CellDelegate, cell_words, row_ground
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import LEFT, RIGHT, fill, hline, text
from workbench.ui.kit.theme import theme

__all__ = ["CELL", "Cell", "CellDelegate", "CellModel", "CellTable", "CellTree", "Head", "Row", "Table", "Tree", "cell_words", "make_model", "row_ground"]

Row: TypeAlias = Sequence[Cell] | tuple[Sequence[Cell], Sequence["Row"]] | tuple[Sequence[Cell], Sequence["Row"], bool]
"""Cells; in a tree also (cells, rows below it) or (cells, rows below it, whether it is open)."""


class CellModel(QStandardItemModel):
    """A model of cells for lists of up to some hundred rows; a longer one is a model of its own that answers the role `CELL`."""

    def __init__(self, rows: Sequence[Row], columns: int) -> None:
        super().__init__(0, columns)
        self.set_rows(rows)

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows."""
        self.removeRows(0, self.rowCount())
        _fill(self.invisibleRootItem(), rows)

    def cell(self, row: int, column: int = 0) -> Cell:
        """Return a cell of the first level.

        Raises:
            IndexError: there is none.
        """
        cell = self.index(row, column).data(CELL)
        if not isinstance(cell, Cell):
            raise IndexError(f"there is no cell {row}, {column}")
        return cell

    def set_cell(self, row: int, column: int, cell: Cell) -> None:
        """Show another cell; only it is painted again."""
        item = self.item(row, column)
        if item.data(CELL) != cell:
            _put(item, cell)


def make_model(rows: Sequence[Row], columns: int) -> CellModel:
    """Return a model of rows, which are lists of cells; for a tree a row is (cells, children, opened)."""
    return CellModel(rows, columns)


def _fill(parent: QStandardItem, rows: Sequence[Row]) -> None:
    for row in rows:
        cells, below, _ = _parts(row)
        items = [_put(QStandardItem(), cell) for cell in cells]
        parent.appendRow(items)
        if below:
            _fill(items[0], below)


def _put(item: QStandardItem, cell: Cell) -> QStandardItem:
    item.setText(cell.text)
    item.setData(cell_words(cell), Qt.ItemDataRole.AccessibleTextRole)
    item.setData(cell, CELL)
    item.setEditable(False)
    return item


def _parts(row: Row) -> tuple[Sequence[Cell], Sequence[Row], bool]:
    """Return the cells of a row, the rows below it, and whether it is open."""
    if isinstance(row, tuple) and row and not isinstance(row[0], Cell):
        cells, below, *opened = row
        return cast("Sequence[Cell]", cells), cast("Sequence[Row]", below), all(opened)
    return cast("Sequence[Cell]", row), (), True


class Head(QHeaderView):
    """A flat table head: quiet words, a hairline below, no bevel, no column lines.

    Attributes:
        sorted_by: the column that has the arrow; -1 for none.
        downwards: the arrow points down, the largest comes first.
    """

    def __init__(self, labels: Sequence[str], rights: Sequence[int] = (), sorted_by: int = -1) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.labels, self.rights, self.sorted_by, self.downwards = tuple(labels), frozenset(rights), sorted_by, False
        self.setFixedHeight(theme.row)
        self.setMinimumSectionSize(16)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)

    def show_sorted(self, column: int, *, downwards: bool) -> None:
        """Show which column the rows are sorted by."""
        self.sorted_by, self.downwards = column, downwards
        self.viewport().update()

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setFixedHeight(theme.row)

    @override
    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:
        area = QRectF(rect)
        fill(painter, area, "window")
        hline(painter, area.x(), area.right(), area.bottom() - 1)
        align = RIGHT if logicalIndex in self.rights else LEFT
        arrow = logicalIndex == self.sorted_by
        words = area.adjusted(8, 0, -18 if arrow else -8, 0)
        text(painter, words, self.labels[logicalIndex], theme.font("tiny", "medium"), "muted", align)
        if arrow:
            name = "chevron-down" if self.downwards else "chevron-up"
            draw_icon(painter, name, area.right() - 16, area.y() + (area.height() - 12) / 2, "muted", 12)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as p:
            fill(p, QRectF(self.viewport().rect()), "window")
            hline(p, 0, self.viewport().width(), self.height() - 1)
        super().paintEvent(event)


class CellTable(QTableView):
    """A table over a model of cells.

    Args:
        model: gives a `Cell` under `CELL` for each index; also AccessibleTextRole, for screen readers.
        labels: words of the head.
        widths: widths of the columns in pixels.
        rights: columns whose words in the head stand at the right.
        stretch: the column that takes what is left; -1 for none.
        tall: height of a row in pixels; 0 is that of the theme.
        head: whether the head is shown.
        name: accessible name.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        labels: Sequence[str],
        widths: Sequence[int] = (),
        rights: Sequence[int] = (),
        stretch: int = -1,
        tall: int = 0,
        head: bool = True,
        name: str = "",
    ) -> None:
        super().__init__()
        scrolls(self)
        self._tall = tall
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(CellDelegate(self, tall))
        self.head = Head(labels, rights)
        self.setHorizontalHeader(self.head)
        self.head.setVisible(head)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table, arrows move in it
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self._set_heights()
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        if stretch >= 0:
            self.head.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)

    def _set_heights(self) -> None:
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(8)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self._tall or theme.row)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_heights()


class Table(CellTable):
    """A table of a few given rows; `rows_model` takes others. `selected` is the row chosen at first, -1 for none."""

    def __init__(
        self,
        labels: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        widths: Sequence[int],
        rights: Sequence[int] = (),
        stretch: int = -1,
        selected: int = -1,
        tall: int = 0,
        head: bool = True,
        name: str = "",
    ) -> None:
        self.rows_model = make_model(rows, len(labels))
        super().__init__(self.rows_model, labels, widths, rights, stretch, tall, head, name)
        if selected >= 0:
            self.selectRow(selected)


class CellTree(QTreeView):
    """A tree over a model of cells; it paints the ground of its rows itself, branches too.

    Args:
        model: gives a `Cell` under `CELL` for each index; also AccessibleTextRole, for screen readers.
        labels: words of the head; without them there is no head.
        widths: widths of the columns in pixels.
        rights: columns whose words in the head stand at the right.
        ground: token of the ground.
        indent: pixels a level.
        tall: height of a row in pixels; 0 is that of the theme.
        name: accessible name.
    """

    def __init__(
        self,
        model: QAbstractItemModel,
        labels: Sequence[str] | None = None,
        widths: Sequence[int] | None = None,
        rights: Sequence[int] = (),
        ground: str = "window",
        indent: int = 14,
        tall: int = 0,
        name: str = "",
    ) -> None:
        super().__init__()
        scrolls(self)
        self.ground = ground
        self._recolour()
        self.setAccessibleName(name)
        self.setModel(model)
        self.setItemDelegate(CellDelegate(self, tall, tree=True))
        if labels:
            self.setHeader(Head(labels, rights))
        else:
            self.setHeaderHidden(True)
        for column, width in enumerate(widths or ()):
            self.setColumnWidth(column, width)
        self.setIndentation(indent)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _recolour(self) -> None:
        palette = self.palette()
        if palette.color(palette.ColorRole.Base) != theme[self.ground] or palette.color(palette.ColorRole.Highlight).alpha():
            palette.setColor(palette.ColorRole.Base, theme[self.ground])
            palette.setColor(palette.ColorRole.Highlight, QColor(Qt.GlobalColor.transparent))  # else Fusion paints its own behind the branches
            self.setPalette(palette)

    @override
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolour()
        elif event.type() == QEvent.Type.FontChange:
            self.scheduleDelayedItemsLayout()

    @override
    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        rect = QRectF(0, options.rect.y(), self.viewport().width(), options.rect.height())
        state = options.state & ~QStyle.StateFlag.State_Selected
        if self.selectionModel().isSelected(index):
            state |= QStyle.StateFlag.State_Selected
        row_ground(painter, rect, state, first=True, keyboard=self.hasFocus())
        super().drawRow(painter, options, index)

    @override
    def drawBranches(self, painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        if self.model().hasChildren(index):
            name = "chevron-down" if self.isExpanded(index) else "chevron-right"
            draw_icon(painter, name, rect.right() - 13 + TREE_INSET, rect.y() + (rect.height() - 12) / 2, "faint", 12)


class Tree(CellTree):
    """A tree of a few given rows; `selected` is the way to the row chosen at first, one place a level."""

    def __init__(
        self,
        rows: Sequence[Row],
        columns: int = 1,
        labels: Sequence[str] | None = None,
        widths: Sequence[int] | None = None,
        rights: Sequence[int] = (),
        selected: Sequence[int] = (),
        ground: str = "window",
        indent: int = 14,
        tall: int = 0,
        name: str = "",
    ) -> None:
        self.rows_model = make_model(rows, columns)
        super().__init__(self.rows_model, labels, widths, rights, ground, indent, tall, name)
        self._expand(QModelIndex(), rows)
        if selected:
            index = QModelIndex()
            for place in selected:
                index = self.rows_model.index(place, 0, index)
            self.setCurrentIndex(index)

    def _expand(self, parent: QModelIndex, rows: Sequence[Row]) -> None:
        for place, row in enumerate(rows):
            _, below, opened = _parts(row)
            if below:
                index = self.rows_model.index(place, 0, parent)
                self.setExpanded(index, opened)
                self._expand(index, below)
