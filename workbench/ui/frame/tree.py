"""The tree of the workspace: folders open and close, files are asked for, and what the session changed is marked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView
from typing_extensions import override

from workbench.ui.frame.folder_model import FolderModel, Spawn
from workbench.ui.frame.folder_nodes import Node
from workbench.ui.frame.row_view import RowView
from workbench.ui.kit.theme import theme
from workbench.words import _

OPENED_AT_FIRST_ROWS = 20
"""Folders at the top of a workspace that was not seen before are opened as long as the tree is no longer than this."""


class FolderTree(RowView):
    """Shows a workspace folder.

    Signals:
        file_wanted: absolute path (str; Qt's own strings would lose bytes that are no Unicode) of a file that a person wants to see.

    Attributes:
        folders: the model.
    """

    file_wanted = Signal(object)

    def __init__(self, spawn: Spawn) -> None:
        self.folders = FolderModel(spawn)
        super().__init__(self.folders, _("Files of the workspace"))
        self.folders.setParent(self)
        self._spawn = spawn
        self._shown = 0
        self.setExpandsOnDoubleClick(False)  # `activated` does it, as for the Enter key
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.expanded.connect(self._opened)
        self.collapsed.connect(lambda index: self.folders.set_opened(index, opened=False))
        self.activated.connect(self._activate)
        self.folders.rows_changed.connect(self.height_changed)

    @property
    @override
    def content_height(self) -> int:
        return self.folders.root.visible_rows() * theme.row

    def show_folder(self, folder: Path | None, opened: list[str] | None = None) -> None:
        """Show another folder with the folders of these relative paths open; None opens the first few at the top."""
        self._shown += 1
        self._spawn(self._show(folder, opened, self._shown))

    def opened_folders(self) -> list[str]:
        """Return the relative paths of the opened folders, those above first."""
        return [node.path for node in self.folders.root.opened_folders() if node is not self.folders.root]

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F5:
            self.folders.refresh()
        else:
            super().keyPressEvent(event)

    async def _show(self, folder: Path | None, opened: list[str] | None, shown: int) -> None:
        await self.folders.show_folder(folder)
        for node in self._folders_to_open(opened):
            await self.folders.read(node)
            if shown != self._shown:
                return
            if opened is not None or self.folders.root.visible_rows() + len(node.children) <= OPENED_AT_FIRST_ROWS:
                self.expand(self.folders.index_of(node))

    def _folders_to_open(self, opened: list[str] | None) -> Iterator[Node]:
        """Yield what is to be opened; a folder in a folder is known only when that one was opened."""
        tops = [node.path for node in self.folders.root.children if node.kind == "folder" and not node.name.startswith(".")]
        for path in tops if opened is None else opened:
            node = self.folders.find(path)
            if node is not None and node.kind == "folder":
                yield node

    def _opened(self, index: QModelIndex) -> None:
        node = self.folders.node_of(index)
        if node is not None:
            self.folders.set_opened(index, opened=True)
            self._spawn(self._read_opened(node))

    async def _read_opened(self, node: Node) -> None:
        """Read a folder that was opened; where it holds one folder and nothing else, open that, too."""
        await self.folders.read(node)
        only = node.children[0] if len(node.children) == 1 else None
        if only is not None and only.kind == "folder" and node.opened:
            self.expand(self.folders.index_of(only))

    def _activate(self, index: QModelIndex) -> None:
        node = self.folders.node_of(index)
        if node is None:
            return
        if node.may_open:
            self.setExpanded(index, not self.isExpanded(index))
        elif node.kind in ("file", "link") and self.folders.folder is not None:
            self.file_wanted.emit(str(self.folders.folder / node.path))
