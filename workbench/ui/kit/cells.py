"""Lists, tables and trees: one cell value, one delegate, two views.

A `Cell` says what to show; the delegate paints it. Rows are `theme.row` high, selection is a wash plus a 2-pixel bar.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyledItemDelegate, QTableView, QTreeView

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.layout import scrolls
from workbench.ui.kit.paint import CENTRE, LEFT, RIGHT, badge, bar, fill, hatch, hline, pill, pill_width, runs, text
from workbench.ui.kit.theme import theme

CELL = Qt.ItemDataRole.UserRole + 1
TREE_INSET = 8  # chevrons of a tree stand under the chevron of its section head


@dataclass(frozen=True)
class Cell:
    """What one cell shows.

    Attributes:
        note: quieter text after the main text; with `note_right` it stands at the right edge.
        mark: one letter at the right edge (A added, M modified, D deleted).
        level: draw the danger badge instead of text.
        parts: a stacked bar, (amount, token) each, of `total`.
    """

    text: str = ""
    icon: str = ""
    icon_token: str = "muted"
    token: str = "text"
    weight: str = "regular"
    mono: bool = False
    align: str = "left"
    size: str = "small"
    note: str = ""
    note_token: str = "faint"
    note_right: bool = False
    mark: str = ""
    mark_token: str = "muted"
    pill: str = ""
    pill_tone: str = "plain"
    pill_icon: str = ""
    level: int | None = None
    level_label: str = ""
    parts: tuple = ()
    total: float = 0
    cached: float = 0
    runs: tuple = ()
    elide: str = "right"
    wash: str = ""


class CellDelegate(QStyledItemDelegate):
    """Paints a Cell. Cheap: no style option copies, no documents."""

    def __init__(self, view, tall: int = 0, tree: bool = False):
        super().__init__(view)
        self.tall, self.tree = tall or theme.row, tree

    def sizeHint(self, option, index):
        return QSize(40, self.tall)

    def paint(self, p: QPainter, option, index):
        cell, rect = index.data(CELL), QRectF(option.rect)
        if cell is None:
            return
        if not self.tree:
            row_ground(p, rect, option, index.column() == 0)
        if cell.wash and not option.state & QStyle.StateFlag.State_Selected:
            fill(p, rect, cell.wash)
        p.save()
        p.setClipRect(rect)
        self._content(p, cell, rect.adjusted(TREE_INSET if self.tree else 8, 0, -8, 0))
        p.restore()

    def _content(self, p, cell: Cell, rect: QRectF):
        middle, right = rect.y() + rect.height() / 2, rect.right()
        if cell.parts:
            h = max(8, rect.height() - 14)
            area = QRectF(rect.x(), round(middle - h / 2), rect.width(), h)
            bar(p, area, list(cell.parts), cell.total)
            if cell.cached:
                hatch(p, QRectF(area.x(), area.y(), area.width() * cell.cached / cell.total, h), "base")
            return
        if cell.level is not None:
            badge(p, rect.x(), middle, cell.level, cell.level_label or None)
            return
        x = rect.x()
        if cell.icon:
            draw_icon(p, cell.icon, x, round(middle - 8), cell.icon_token)
            x += 22
        if cell.mark:
            right -= (
                text(
                    p,
                    QRectF(x, rect.y(), right - x, rect.height()),
                    cell.mark,
                    theme.font("tiny", "bold"),
                    cell.mark_token,
                    RIGHT,
                )
                + 8
            )
        if cell.pill:
            w = pill_width(cell.pill, cell.pill_icon)
            at = right - w if cell.text else x
            pill(p, at, middle, cell.pill, cell.pill_tone, cell.pill_icon or None)
            right = at - 6
        if cell.note and cell.note_right:
            right -= (
                text(
                    p,
                    QRectF(x, rect.y(), right - x, rect.height()),
                    cell.note,
                    theme.font("tiny"),
                    cell.note_token,
                    RIGHT,
                )
                + 8
            )
        font = theme.font("code" if cell.mono else cell.size, cell.weight, cell.mono)
        if cell.runs:
            runs(p, x, rect.y(), rect.height(), cell.runs, font, right)
            return
        align = {"left": LEFT, "right": RIGHT, "centre": CENTRE}[cell.align]
        used = text(p, QRectF(x, rect.y(), right - x, rect.height()), cell.text, font, cell.token, align, cell.elide)
        if cell.note and not cell.note_right:
            text(
                p,
                QRectF(x + used + 8, rect.y(), right - x - used - 8, rect.height()),
                cell.note,
                theme.font("tiny"),
                cell.note_token,
            )


def row_ground(p: QPainter, rect: QRectF, option, first: bool) -> None:
    """Selection: a wash over the row and a bar at its left; hover: a lighter wash."""
    if option.state & QStyle.StateFlag.State_Selected:
        fill(p, rect, "select")
        if first:
            fill(p, QRectF(rect.x(), rect.y(), 2, rect.height()), "accent_fill")
    elif option.state & QStyle.StateFlag.State_MouseOver:
        fill(p, rect, "hover")


def make_model(rows, columns: int) -> QStandardItemModel:
    """Rows are lists of cells; for a tree a row is (cells, children, opened)."""
    model = QStandardItemModel(0, columns)
    _fill(model.invisibleRootItem(), rows)
    return model


def _fill(parent, rows):
    for row in rows:
        cells, children = (row[0], row[1]) if isinstance(row, tuple) else (row, ())
        items = []
        for cell in cells:
            item = QStandardItem(cell.text)
            item.setData(cell, CELL)
            item.setEditable(False)
            items.append(item)
        parent.appendRow(items)
        if children:
            _fill(items[0], children)


class Head(QHeaderView):
    """A flat table head: quiet words, a hairline below, no bevel, no column lines."""

    def __init__(self, labels: list[str], rights: tuple[int, ...] = (), sorted_by: int = -1):
        super().__init__(Qt.Orientation.Horizontal)
        self.labels, self.rights, self.sorted_by = labels, rights, sorted_by
        self.setFixedHeight(theme.row)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)

    def paintSection(self, p, rect, index):
        area = QRectF(rect)
        fill(p, area, "window")
        hline(p, area.x(), area.right(), area.bottom() - 1)
        align = RIGHT if index in self.rights else LEFT
        text(p, area.adjusted(8, 0, -8, 0), self.labels[index], theme.font("tiny", "medium"), "muted", align)
        if index == self.sorted_by:
            draw_icon(p, "chevron-up", area.right() - 14, area.y() + (area.height() - 12) / 2, "muted", 12)

    def paintEvent(self, event):
        with QPainter(self.viewport()) as p:
            fill(p, QRectF(self.viewport().rect()), "window")
            hline(p, 0, self.viewport().width(), self.height() - 1)
        super().paintEvent(event)


class Table(QTableView):
    def __init__(
        self,
        labels: list[str],
        rows: list[list[Cell]],
        widths: list[int],
        rights: tuple[int, ...] = (),
        stretch: int = -1,
        selected: int = -1,
        tall: int = 0,
        head: bool = True,
    ):
        super().__init__()
        scrolls(self)
        self.rows_model = make_model(rows, len(labels))
        self.setModel(self.rows_model)
        self.setItemDelegate(CellDelegate(self, tall))
        self.setHorizontalHeader(Head(labels, rights))
        self.horizontalHeader().setVisible(head)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(tall or theme.row)
        self.verticalHeader().setMinimumSectionSize(8)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for n, w in enumerate(widths):
            self.setColumnWidth(n, w)
        if stretch >= 0:
            self.horizontalHeader().setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
        if selected >= 0:
            self.selectRow(selected)


class Tree(QTreeView):
    def __init__(
        self,
        rows,
        columns: int = 1,
        labels: list[str] | None = None,
        widths: list[int] | None = None,
        rights: tuple[int, ...] = (),
        selected: tuple[int, ...] = (),
        ground: str = "window",
        indent: int = 14,
        tall: int = 0,
    ):
        super().__init__()
        scrolls(self)
        self.ground = ground
        palette = self.palette()
        palette.setColor(palette.ColorRole.Base, theme[ground])
        palette.setColor(palette.ColorRole.Highlight, Qt.GlobalColor.transparent)  # the row is ours, branches too
        self.setPalette(palette)
        self.rows_model = make_model(rows, columns)
        self.setModel(self.rows_model)
        self.setItemDelegate(CellDelegate(self, tall, tree=True))
        if labels:
            self.setHeader(Head(labels, rights))
            for n, w in enumerate(widths or []):
                self.setColumnWidth(n, w)
        else:
            self.setHeaderHidden(True)
        self.setIndentation(indent)
        self.setUniformRowHeights(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._expand(QModelIndex(), rows)
        if selected:
            index = QModelIndex()
            for step in selected:
                index = self.rows_model.index(step, 0, index)
            self.setCurrentIndex(index)

    def _expand(self, parent, rows):
        for n, row in enumerate(rows):
            if isinstance(row, tuple) and row[1]:
                index = self.rows_model.index(n, 0, parent)
                self.setExpanded(index, row[2] if len(row) > 2 else True)
                self._expand(index, row[1])

    def drawRow(self, p, option, index):
        rect = QRectF(0, option.rect.y(), self.viewport().width(), option.rect.height())
        if self.selectionModel().isSelected(index):
            fill(p, rect, "select" if self.hasFocus() else "select_idle")
            if self.hasFocus():
                fill(p, QRectF(0, rect.y(), 2, rect.height()), "accent_fill")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            fill(p, rect, "hover")
        super().drawRow(p, option, index)

    def drawBranches(self, p, rect: QRect, index):
        if self.rows_model.hasChildren(index):
            name = "chevron-down" if self.isExpanded(index) else "chevron-right"
            draw_icon(p, name, rect.right() - 13 + TREE_INSET, rect.y() + (rect.height() - 12) / 2, "faint", 12)
