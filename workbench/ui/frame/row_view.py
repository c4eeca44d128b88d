"""Rows of the side pane: the tree of files and the lists below it behave alike."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent
from PySide6.QtWidgets import QAbstractItemView
from typing_extensions import override

from workbench.ui.kit.cells import CellTree
from workbench.ui.kit.theme import theme


class RowView(CellTree):
    """A tree or list of cells on the ground of the window.

    Signals:
        menu_wanted: a row and the global point for its menu, asked for by pointer or by the menu key.
        height_changed: `content_height` is another one.
    """

    menu_wanted = Signal(QModelIndex, QPoint)
    height_changed = Signal()

    def __init__(self, model: QAbstractItemModel, name: str) -> None:
        super().__init__(model, name=name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        for signal in (model.rowsInserted, model.rowsRemoved, model.modelReset):
            signal.connect(self.height_changed)

    @property
    def content_height(self) -> int:
        """Height in pixels at which every row is seen."""
        return self.model().rowCount() * theme.row

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        if index.isValid():
            point = self.visualRect(index).bottomLeft() if by_key else event.pos()
            self.menu_wanted.emit(index, self.viewport().mapToGlobal(point))

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.model().index(0, 0))
