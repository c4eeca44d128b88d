"""The pages of the dialog as a list at its left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem
from typing_extensions import override

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, fill, focus_ring, text
from workbench.ui.kit.theme import theme
from workbench.words import _

PAGE = Qt.ItemDataRole.UserRole + 1
GAP = 2


class PageEntry(NamedTuple):
    """A page: its stable name, what it is called, and its icon."""

    name: str
    title: str
    icon: str


class PageList(QListView):
    """The list.

    Signals:
        chosen: name of the page that is chosen now.
    """

    chosen = Signal(str)

    def __init__(self, pages: Sequence[PageEntry]) -> None:
        super().__init__()
        self.setAccessibleName(_("Pages"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setItemDelegate(_Delegate(self))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, Qt.GlobalColor.transparent)
        self.setPalette(palette)
        self._model = QStandardItemModel(self)
        for page in pages:
            item = QStandardItem(page.title)
            item.setData(page, PAGE)
            self._model.appendRow(item)
        self.setModel(self._model)

    def choose(self, name: str) -> None:
        """Choose a page; another than those there are changes nothing."""
        for row in range(self._model.rowCount()):
            if self._model.index(row, 0).data(PAGE).name == name:
                self.setCurrentIndex(self._model.index(row, 0))

    @override
    def currentChanged(self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex) -> None:
        super().currentChanged(current, previous)
        if isinstance(page := current.data(PAGE), PageEntry):
            self.chosen.emit(page.name)


class _Delegate(QStyledItemDelegate):
    def __init__(self, view: PageList) -> None:
        super().__init__(view)
        self._view = view

    @override
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(40, theme.row + 6 + GAP)

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        page: PageEntry = index.data(PAGE)
        chosen, keyboard = bool(option.state & QStyle.StateFlag.State_Selected), self._view.hasFocus()
        area = QRectF(option.rect).adjusted(8, 0, -9, -GAP)
        if chosen:
            box(painter, area, "select", None, 5)
            fill(painter, QRectF(area.x(), area.y() + 6, 2, area.height() - 12), "accent_fill")
        elif option.state & QStyle.StateFlag.State_MouseOver:
            box(painter, area, "hover", None, 5)
        draw_icon(painter, page.icon, area.x() + 10, area.y() + (area.height() - 16) / 2, "accent" if chosen else "muted")
        words = area.adjusted(36, 0, -4, 0)
        text(painter, words, page.title, theme.font("body", "medium" if chosen else "regular"))
        if chosen and keyboard:
            focus_ring(painter, area)
