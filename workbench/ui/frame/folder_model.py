"""The workspace's folders as a Qt model: each is read in a thread when it is opened, and again when something may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, QUrl, Signal
from typing_extensions import override

from workbench.permissions.visible import visible
from workbench.ui.frame.folder_nodes import RANGE_FROM, Node, Reading, Row, in_ranges, read_rows, tracked_paths, with_folders
from workbench.ui.frame.session_changes import LETTER_TOKENS, FileMark, SessionChanges
from workbench.ui.kit.cells import CELL, Cell
from workbench.words import _, marked, strung, tell_text
from workbench.workspace.worker import stoppable

Index = QModelIndex | QPersistentModelIndex
Spawn = Callable[[Coroutine[Any, Any, None]], object]

ICONS = {"folder": "folder", "file": "file", "link": "link", "other": "question", "gone": "file", "range": "more"}
MARK_WORDS = dict(zip("MAD", marked("changed by this session", "created by this session", "deleted by this session"), strict=True))


class FolderModel(QAbstractItemModel):
    """The tree of one folder, one column.

    Attributes:
        root: the workspace folder; its children are the top rows.
        folder: its real path; None if no workspace is open.
    """

    rows_changed = Signal()
    """What is shown, or how much of it, is other than before."""

    def __init__(self, spawn: Spawn, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = Node("", "folder", "", opened=True)
        self.folder: Path | None = None
        self._spawn = spawn
        self._nodes: dict[int, Node] = {}
        self._changes = SessionChanges()
        self._told: tuple[dict[str, FileMark], frozenset[str]] = ({}, frozenset())
        self._tracked: frozenset[str] = frozenset()
        self._refreshing, self._again = False, False

    # What it shows

    async def show_folder(self, folder: Path | None) -> None:
        """Show another folder, or none; returns when its top is there."""
        self.beginResetModel()
        self.root, self.folder, self._nodes, self._tracked = Node("", "folder", "", opened=True), folder, {}, frozenset()
        self.endResetModel()
        self.rows_changed.emit()
        if folder is None:
            return
        await self.read(self.root)
        root, tracked = self.root, await stoppable(lambda stop: tracked_paths(folder, stop))
        if tracked and root is self.root:
            self._tracked = tracked
            await self.read(root)

    def set_changes(self, changes: SessionChanges) -> None:
        """Mark what the session changed; `changes` is looked at again whenever something is shown."""
        marks, folders = self._told
        self._changes, self._told = changes, (changes.marks, changes.folders)
        others = {path for path in marks.keys() | changes.marks.keys() if marks.get(path) != changes.marks.get(path)} | (folders ^ changes.folders)
        for node in [node for node in self._nodes.values() if node.path in others and node.kind != "range"]:
            self._tell_changed(node)

    async def read(self, node: Node) -> None:
        """Read a folder, or read it again; on the way nothing is taken away from what is shown."""
        if node.kind == "range":
            self._sync(node, node.rows)
            node.loaded = True
            return
        root, folder = self.root, self.folder
        above = self._rules_above(node)
        if folder is None or (above is None and node is not root):
            return
        prefix = f"{node.path}/" if node.path else ""
        kept = self._tracked | frozenset(with_folders(tuple(self._changes.marks)))
        gone = self._changes.deleted_in(node.path)
        reading = await asyncio.to_thread(read_rows, folder / node.path, above, prefix=prefix, kept=kept, gone=gone)
        if root is self.root and (node is root or node.node_id in self._nodes):
            self._take(node, reading)

    def refresh(self) -> None:
        """Read every opened folder again, in the background; asked for again meanwhile, it is done once more."""
        if self._refreshing:
            self._again = True
        elif self.folder is not None:
            self._refreshing = True
            self._spawn(self._refresh())

    def set_opened(self, index: Index, *, opened: bool) -> None:
        """Note that a view shows, or hides, what is in a folder."""
        node = self.node_of(index)
        if node is None:
            return
        node.opened = opened
        self._tell_changed(node)
        self.rows_changed.emit()

    def node_of(self, index: Index) -> Node | None:
        """Return what stands at an index; the root for an invalid one, None for one that is gone."""
        return self._nodes.get(int(index.internalId())) if index.isValid() else self.root

    def index_of(self, node: Node) -> QModelIndex:
        """Return where a node stands; invalid for the root."""
        return QModelIndex() if node is self.root else self.createIndex(node.row, 0, node.node_id)

    def find(self, path: str) -> Node | None:
        """Return the node of a relative path; None if it is not known (yet)."""
        return next((node for node in self._nodes.values() if node.path == path and node.kind != "range"), None)

    # Reading

    async def _refresh(self) -> None:
        try:
            self._again = True
            while self._again:
                self._again = False
                for node in list(self.root.opened_folders()):
                    await self.read(node)
        finally:
            self._refreshing = False

    def _rules_above(self, node: Node) -> Any:
        return node.parent.folder.rules if node.parent is not None else None

    def _take(self, node: Node, reading: Reading) -> None:
        node.rules, node.problem, node.loaded = reading.rules, reading.problem, True
        ranged = len(reading.rows) > RANGE_FROM
        if ranged != node.is_ranged:
            self._remove(node, 0, len(node.children))
        if ranged:
            self._sync_ranges(node, in_ranges(reading.rows))
        else:
            self._sync(node, reading.rows)
        self._tell_changed(node)
        self.rows_changed.emit()

    def _sync(self, parent: Node, rows: Sequence[Row]) -> None:
        """Make a node's children these rows; both are in the same order, so what stays need not move."""
        wanted = set(rows)
        for first, last in reversed(_runs(row_of(child) not in wanted for child in parent.children)):
            self._remove(parent, first, last)
        known = {row_of(child) for child in parent.children}
        for first, last in _runs(row not in known for row in rows):
            self._insert(parent, first, [parent.child(row) for row in rows[first:last]])

    def _sync_ranges(self, parent: Node, ranges: Sequence[tuple[Row, ...]]) -> None:
        self._remove(parent, len(ranges), len(parent.children))
        missing = range(len(parent.children), len(ranges))
        self._insert(parent, len(parent.children), [Node("", "range", parent.path, parent=parent) for _number in missing])
        for child, rows in zip(parent.children, ranges, strict=True):
            child.rows = rows
            if child.loaded:
                self._sync(child, rows)
            self._tell_changed(child)

    def _remove(self, parent: Node, first: int, last: int) -> None:
        if first >= last:
            return
        self.beginRemoveRows(self.index_of(parent), first, last - 1)
        for child in parent.children[first:last]:
            for node in child.walk():
                self._nodes.pop(node.node_id, None)
        del parent.children[first:last]
        parent.renumber(first)
        self.endRemoveRows()

    def _insert(self, parent: Node, first: int, nodes: list[Node]) -> None:
        if not nodes:
            return
        self.beginInsertRows(self.index_of(parent), first, first + len(nodes) - 1)
        parent.children[first:first] = nodes
        parent.renumber(first)
        self._nodes.update((node.node_id, node) for node in nodes)
        self.endInsertRows()

    def _tell_changed(self, node: Node) -> None:
        if node is not self.root:
            index = self.index_of(node)
            self.dataChanged.emit(index, index)

    # What Qt asks

    @override
    def index(self, row: int, column: int, /, parent: Index = QModelIndex()) -> QModelIndex:
        node = self.node_of(parent)
        if node is None or column != 0 or not 0 <= row < len(node.children):
            return QModelIndex()
        return self.createIndex(row, 0, node.children[row].node_id)

    @override
    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # the other overload is QObject's own parent
        node = self.node_of(index)
        return QModelIndex() if node is None or node.parent is None else self.index_of(node.parent)

    @override
    def rowCount(self, /, parent: Index = QModelIndex()) -> int:
        node = self.node_of(parent)
        return len(node.children) if node is not None else 0

    @override
    def columnCount(self, /, parent: Index = QModelIndex()) -> int:
        return 1

    @override
    def hasChildren(self, /, parent: Index = QModelIndex()) -> bool:
        node = self.node_of(parent)
        return node is not None and (node is self.root or node.may_open)

    @override
    def flags(self, index: Index, /) -> Qt.ItemFlag:
        node = self.node_of(index)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsDragEnabled if node is not None and node.kind in ("file", "folder") else flags

    @override
    def data(self, index: Index, /, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        node = self.node_of(index)
        if node is None or node is self.root:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return name_text(node)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._cell(node).words
            case _ if role == CELL:
                return self._cell(node)
            case _:
                return None

    @override
    def mimeTypes(self) -> list[str]:
        return ["text/uri-list"]

    @override
    def mimeData(self, indexes: Sequence[QModelIndex], /) -> QMimeData:
        data = QMimeData()
        nodes = [node for index in indexes if (node := self.node_of(index)) is not None]
        data.setUrls([QUrl.fromLocalFile(str(self.folder / node.path)) for node in nodes if self.folder is not None and node.kind != "range"])
        return data

    @override
    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.CopyAction

    # What a row looks like

    def _mark(self, node: Node) -> FileMark | None:
        return self._changes.marks.get(node.path) if node.kind in ("file", "gone", "link") else None

    def _cell(self, node: Node) -> Cell:
        mark = self._mark(node)
        inside = node.kind == "folder" and node.path in self._changes.folders
        icon = "folder-open" if node.kind == "folder" and node.opened else ICONS[node.kind]
        return Cell(
            text=name_text(node),
            icon=icon,
            icon_token="faint" if node.kind == "gone" else "muted",
            token="faint" if node.kind in ("gone", "range") else "text",
            note=_note(node),
            mark=mark.letter if mark else "•" if inside else "",
            mark_token=LETTER_TOKENS[mark.letter] if mark else "faint",
            elide="middle",
            tip=_tip(node),
            words=strung(name_text(node), _note(node), _(MARK_WORDS[mark.letter]) if mark else ""),
        )


def row_of(node: Node) -> Row:
    """Return the row a node was made for."""
    return Row(node.name, node.kind, node.target)


def name_text(node: Node) -> str:
    """Return a node's name as it may be shown; of a range its first and last name."""
    if node.kind != "range":
        return visible(node.name)
    first, last = (visible(row.name) for row in (node.rows[0], node.rows[-1])) if node.rows else ("", "")
    return f"{first} … {last}"


def _note(node: Node) -> str:
    if node.kind == "range":
        return str(len(node.rows))
    if node.kind == "link":
        return f"→ {visible(node.target)}"
    if node.problem:
        return _("cannot be read")
    return _("empty") if node.kind == "folder" and node.loaded and not node.children else ""


def _tip(node: Node) -> str:
    if node.kind == "range":
        return ""
    return f"{node.path}\n{tell_text(node.problem)}" if node.problem else node.path


def _runs(flags: Iterable[bool]) -> list[tuple[int, int]]:
    """Return the stretches of true values as (first, past the last)."""
    found: list[tuple[int, int]] = []
    for place, flag in enumerate(flags):
        if flag and found and found[-1][1] == place:
            found[-1] = (found[-1][0], place + 1)
        elif flag:
            found.append((place, place + 1))
    return found
