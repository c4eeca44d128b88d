"""The rows of the workspace tree without Qt: what one folder holds, and the nodes that a model shows of it.

A folder of many entries is shown in ranges of a few hundred, so that opening it costs what one range costs.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from workbench.workspace.ignore_rules import IgnoreRules
from workbench.workspace.ripgrep import tracked_but_ignored
from workbench.workspace.walk import natural_key, read_folder
from workbench.workspace.worker import Stop

RowKind: TypeAlias = Literal["folder", "file", "link", "other", "gone", "range"]

RANGE_FROM = 400
"""A folder with more entries than this is shown in ranges."""

RANGE_ROWS = 200

_ids = itertools.count(1)


class Row(NamedTuple):
    """One entry of a folder as it is shown; `target` is what a link says. ``gone`` is a file that the session deleted."""

    name: str
    kind: RowKind
    target: str = ""


class Reading(NamedTuple):
    """What one look at a folder gave; `problem` is the system's reason if it cannot be read."""

    rows: tuple[Row, ...]
    rules: IgnoreRules | None
    problem: str = ""


@dataclass(eq=False)
class Node:
    """One row of the tree.

    Attributes:
        path: relative to the workspace folder, with slashes; empty for the root; of a range that of its folder.
        row: place among its parent's children.
        rows: of a range, what it stands for.
        loaded: its children are known; they may be out of date when it is closed.
        opened: a view shows its children.
    """

    name: str
    kind: RowKind
    path: str
    parent: Node | None = None
    row: int = 0
    target: str = ""
    children: list[Node] = field(default_factory=list)
    rows: tuple[Row, ...] = ()
    rules: IgnoreRules | None = None
    problem: str = ""
    loaded: bool = False
    opened: bool = False
    node_id: int = field(default_factory=lambda: next(_ids))

    @property
    def may_open(self) -> bool:
        """Whether it has children, or may have some that were not looked for yet."""
        if self.kind == "range":
            return True
        return self.kind == "folder" and (bool(self.children) or not self.loaded)

    @property
    def folder(self) -> Node:
        """The folder that a range is part of; else the node itself."""
        return self.parent if self.kind == "range" and self.parent is not None else self

    @property
    def is_ranged(self) -> bool:
        """Whether its children are ranges."""
        return bool(self.children) and self.children[0].kind == "range"

    def child(self, row: Row) -> Node:
        """Return a new node for one of its rows; it is not added."""
        folder = self.folder
        return Node(row.name, row.kind, f"{folder.path}/{row.name}" if folder.path else row.name, parent=self, target=row.target)

    def renumber(self, start: int = 0) -> None:
        """Tell the children from `start` on where they stand."""
        for number in range(start, len(self.children)):
            self.children[number].row = number

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it that are known."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children

    def opened_folders(self) -> Iterator[Node]:
        """Yield this folder and the opened folders below it, those above first."""
        yield self
        for child in self.children:
            if child.kind == "range":
                yield from itertools.chain.from_iterable(inner.opened_folders() for inner in child.children if inner.opened)
            elif child.opened:
                yield from child.opened_folders()

    def visible_rows(self) -> int:
        """Return how many rows a view shows of it, itself not counted."""
        return len(self.children) + sum(child.visible_rows() for child in self.children if child.opened)


def read_rows(folder: Path, above: IgnoreRules | None, *, prefix: str, kept: Set[str], gone: tuple[str, ...]) -> Reading:
    """Read one folder. Blocking; what an ignore rule leaves out is left out, unless it is `kept`.

    Args:
        folder: its real path.
        above: the rules of the folder it is in; None for the workspace folder itself.
        prefix: its path relative to the workspace, with a slash at the end, or empty.
        kept: relative paths that are shown although a rule leaves them out.
        gone: names of files that stood here and were deleted.
    """
    rules = IgnoreRules.of(folder) if above is None else above.entering(folder.name)
    try:
        entries = read_folder(folder, rules)
    except OSError as error:
        return Reading((), rules, error.strerror or str(error))
    shown = (entry for entry in entries if entry.name != ".git" and (not entry.ignored or prefix + entry.name in kept))
    rows = tuple(Row(entry.name, entry.kind, entry.target) for entry in shown)
    lost = set(gone).difference(entry.name for entry in entries)
    return Reading(tuple(sorted((*rows, *(Row(name, "gone") for name in lost)), key=_order)) if lost else rows, rules)


def tracked_paths(folder: Path, stop: Stop) -> frozenset[str]:
    """Return what git tracks although a rule leaves it out, and the folders on the way. Blocking."""
    return frozenset(with_folders(tracked_but_ignored(folder, stop)))


def with_folders(paths: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    """Yield each relative path and the folders on the way to it."""
    for path in paths:
        names = path.split("/")
        yield from ("/".join(names[:count]) for count in range(1, len(names) + 1))


def in_ranges(rows: tuple[Row, ...]) -> tuple[tuple[Row, ...], ...]:
    """Cut a long folder into ranges of equal length, at most as many as a range has rows."""
    size = max(RANGE_ROWS, -(-len(rows) // RANGE_ROWS))
    return tuple(rows[start : start + size] for start in range(0, len(rows), size))


def _order(row: Row) -> tuple[bool, tuple[tuple[int, str], ...], str]:
    return row.kind != "folder", natural_key(row.name), row.name
