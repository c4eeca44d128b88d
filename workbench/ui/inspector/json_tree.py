"""A body as a tree that opens at once: what is inside a value is looked up when it is opened, and long arrays are cut into ranges.

So no value ever has more than a hundred rows below it, whatever a request holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from typing_extensions import override

from workbench.inspection.bodies import CallLinks, JsonBody, Members, Path, Value, path_words
from workbench.permissions.visible import visible
from workbench.ui.kit.cells import CELL, Cell, cell_words
from workbench.ui.kit.paint import Run
from workbench.words import _, many

Index: TypeAlias = QModelIndex | QPersistentModelIndex

MOST_ROWS = 100
"""Rows below one value; more are put into ranges."""

SHOWN_CHARACTERS = 160
"""Characters of a text in a row; the whole stands in the pane below."""

COUNTED_BYTES = 1 << 20
"""Of a longer text the bytes are told, not the characters."""

VALUE, NOTE = range(2)
_ROOT = QModelIndex()


class Marked(NamedTuple):
    """What a tree shows beside the values: links between calls and results, and where secrets were (first byte, byte behind the last)."""

    links: CallLinks
    masks: tuple[tuple[int, int], ...] = ()


class Node:
    """A value, or a range of the members of one (`first` to `last`, not with it).

    Attributes:
        name: of the value in its object, its place in its array, None for a range.
        depth: how many values it is inside of.
    """

    __slots__ = ("below", "cells", "first", "last", "members", "name", "parent", "row", "value")

    def __init__(self, parent: Node | None, row: int, name: str | int | None, value: Value, members: Members | None = None) -> None:
        self.parent, self.row, self.name, self.value, self.members = parent, row, name, value, members
        self.first = self.last = 0
        self.below: list[Node] | None = None
        self.cells: tuple[Cell, Cell] | None = None

    @property
    def path(self) -> Path:
        """The way to the value; that of a range is its value's."""
        steps: list[str | int] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            if node.name is not None:
                steps.append(node.name)
            node = node.parent
        return tuple(reversed(steps))


class JsonTree(QAbstractItemModel):
    """The rows of a body; read only. Columns: name and value, note."""

    def __init__(self, body: JsonBody, marked: Marked, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.body, self._marked = body, marked
        self._root = Node(None, 0, "", body.root)
        self._linked: Path | None = None

    # What is chosen

    def node(self, index: Index) -> Node:
        """Return the node of a row."""
        found: Node = index.internalPointer() if index.isValid() else self._root
        return found

    def index_of(self, path: Path) -> QModelIndex:
        """Return the row of a value; an invalid one if there is none."""
        node = self._root
        for step in path:
            found = self._below_named(node, step)
            if found is None:
                return QModelIndex()
            node = found
        return QModelIndex() if node is self._root else self.createIndex(node.row, 0, node)

    def show_partner(self, path: Path | None) -> None:
        """Wash the row of a value: the other one of the call and result that is chosen; None washes none."""
        for changed in (self._linked, path):
            index = self.index_of(changed) if changed is not None else QModelIndex()
            if index.isValid():
                self._linked = path
                self.dataChanged.emit(index, index.siblingAtColumn(NOTE))
        self._linked = path

    def partner(self, node: Node) -> Path | None:
        """Return where the other one of a call and its result stands; None if the node is the id of neither."""
        if self.body.kind(node.value) != "string" or node.members is not None:
            return None
        return self._marked.links.partner(self.body.text(node.value, SHOWN_CHARACTERS), node.path) if self._is_id(node) else None

    def is_masked(self, node: Node) -> bool:
        """Say whether a text holds a place where a secret was."""
        value = node.value
        return node.members is None and any(value.start < start and end < value.end for start, end in self._marked.masks) and not self.body.has_members(value)

    @staticmethod
    def _is_id(node: Node) -> bool:
        return node.name in ("id", "call_id", "tool_call_id", "tool_use_id")

    # The model

    @override
    def columnCount(self, parent: Index = _ROOT) -> int:
        return 2

    @override
    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.column() > 0 else len(self._below(self.node(parent)))

    @override
    def hasChildren(self, parent: Index = _ROOT) -> bool:
        node = self.node(parent)
        return node.members is not None or self.body.has_members(node.value)

    @override
    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        below = self._below(self.node(parent))
        return self.createIndex(row, column, below[row]) if 0 <= row < len(below) else QModelIndex()

    @override
    def parent(self, child: Index = _ROOT) -> QModelIndex:  # type: ignore[override]  # QObject.parent takes nothing
        above = self.node(child).parent
        return QModelIndex() if above is None or above is self._root else self.createIndex(above.row, 0, above)

    @override
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role not in (CELL, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        node = self.node(index)
        if node.cells is None:
            node.cells = self._value_cell(node), self._note_cell(node)
        cell = node.cells[index.column()]
        if role != CELL:
            return cell_words(cell)
        return replace(cell, wash="accent_tint") if self._linked is not None and node.members is None and node.path == self._linked else cell

    # Nodes

    def _below(self, node: Node) -> list[Node]:
        if node.below is None:
            members = self.body.members(node.value) if node.members is None else node.members
            first, last = (0, len(members)) if node.members is None else (node.first, node.last)
            make = self._members if last - first <= MOST_ROWS else self._cut
            node.below = list(make(node, members, first, last))
        return node.below

    def _members(self, node: Node, members: Members, first: int, last: int) -> Iterator[Node]:
        yield from (Node(node, n - first, self.body.name(members, n), members.value(n)) for n in range(first, last))

    @staticmethod
    def _cut(node: Node, members: Members, first: int, last: int) -> Iterator[Node]:
        size = MOST_ROWS
        while -(-(last - first) // size) > MOST_ROWS:
            size *= MOST_ROWS
        for row, begin in enumerate(range(first, last, size)):
            part = Node(node, row, None, node.value, members)
            part.first, part.last = begin, min(last, begin + size)
            yield part

    def _below_named(self, node: Node, step: str | int) -> Node | None:
        """Return the node of a member, through the ranges it is in."""
        members = self.body.members(node.value)
        names = range(len(members)) if not members.named else [self.body.name(members, n) for n in range(len(members))]
        if step not in names:
            return None
        place = names.index(step)  # type: ignore[arg-type]  # a step of the other kind is in none
        below = self._below(node)
        while below and below[0].name is None:
            below = self._below(next(part for part in below if part.first <= place < part.last))
        return below[place - self._first_of(below)]

    @staticmethod
    def _first_of(below: list[Node]) -> int:
        parent = below[0].parent
        return parent.first if parent is not None and parent.members is not None else 0

    # Words

    def _value_cell(self, node: Node) -> Cell:
        if node.members is not None:
            words = f"{node.first:,} … {node.last - 1:,}"
            return Cell(words, mono=True, token="faint", runs=(Run(words, "faint"),))
        name = visible(str(node.name))
        shown, token = self._shown(node)
        return Cell(f"{name}: {shown}", mono=True, runs=(Run(name, "syn_name" if isinstance(node.name, str) else "muted"), Run("  " + shown, token)))

    def _shown(self, node: Node) -> tuple[str, str]:
        """Return what stands behind the name, and its colour."""
        match self.body.kind(node.value):
            case "string":
                text = self.body.text(node.value, SHOWN_CHARACTERS + 1)
                more = "…" if len(text) > SHOWN_CHARACTERS else ""
                return f'"{visible(text[:SHOWN_CHARACTERS])}{more}"', "syn_string"
            case "number":
                return self.body.text(node.value), "syn_number"
            case "word":
                return self.body.text(node.value), "syn_keyword"
            case "array":
                return self._array_words(node), "faint"
            case "object":
                return self._object_words(node), "faint"

    def _array_words(self, node: Node) -> str:
        count = len(self.body.members(node.value))
        match node.name:
            case "messages":
                return f"[{many('{n} message', '{n} messages', count)}]"
            case "tools":
                return f"[{many('{n} tool', '{n} tools', count)}]"
            case "tool_calls":
                return f"[{many('{n} call', '{n} calls', count)}]"
            case _:
                return f"[{many('{n} item', '{n} items', count)}]"

    def _object_words(self, node: Node) -> str:
        """Return what tells an object from its neighbours: its role, its type, the name of its tool; else how much is in it."""
        members = self.body.members(node.value)
        found = {name: members.value(n) for n in range(min(len(members), 12)) if (name := self.body.name(members, n)) in _TELLING}
        for name in _TELLING:
            if name in found and self.body.kind(found[name]) == "string":
                label = visible(self.body.text(found[name], 40)[:40])
                inner = self._tool_name(found.get("function"))
                return f"{label}{' · ' + inner if inner else ''}" if name == "role" else f"{{ {inner or label} }}"
        return f"{{ {many('{n} member', '{n} members', len(members))} }}"

    def _tool_name(self, function: Value | None) -> str:
        if function is None or self.body.kind(function) != "object":
            return ""
        members = self.body.members(function)
        names = (members.value(n) for n in range(len(members)) if self.body.name(members, n) == "name")
        return next((visible(self.body.text(value, 60)[:60]) for value in names if self.body.kind(value) == "string"), "")

    def _note_cell(self, node: Node) -> Cell:
        if node.members is not None:
            return Cell()
        if self._is_id(node) and (partner := self.partner(node)) is not None:
            return Cell(self._link_words(node, partner), icon="link", icon_token="accent", token="muted")
        size = node.value.end - node.value.start
        if self.body.kind(node.value) != "string" or size <= SHOWN_CHARACTERS:
            return Cell(_("a secret was replaced"), icon="eye-off", token="muted") if self.is_masked(node) else Cell()
        if size > COUNTED_BYTES:
            return Cell(many("{n:,} byte", "{n:,} bytes", size), token="muted")
        words = many("{n:,} character", "{n:,} characters", len(self.body.text(node.value)))
        return Cell(words, icon="eye-off" if self.is_masked(node) else "", token="muted")

    def _link_words(self, node: Node, partner: Path) -> str:
        where = visible(path_words(partner[:-1]))
        is_call = self._marked.links.calls.get(self.body.text(node.value, SHOWN_CHARACTERS)) == node.path
        return (_("answered in {place}") if is_call else _("answers {place}")).format(place=where)


_TELLING = ("role", "type", "name", "function")
