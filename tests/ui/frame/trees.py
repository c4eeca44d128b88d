"""A tree of a real folder, and what it shows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import QModelIndex

from tests.ui.gui import Gui
from workbench.ui.frame.folder_nodes import Node
from workbench.ui.frame.tree import FolderTree
from workbench.ui.kit.cells import CELL, Cell


@asynccontextmanager
async def tree_of(gui: Gui, folder: Path, opened: list[str] | None = None) -> AsyncIterator[FolderTree]:
    """Show a tree of a folder alone; what it started has ended when this does."""
    async with asyncio.TaskGroup() as tasks:
        tree = gui.show(FolderTree(lambda coroutine: tasks.create_task(coroutine)))
        tree.resize(236, 500)
        tree.show_folder(folder, [] if opened is None else opened)
        await gui.until(lambda: tree.folders.root.loaded)
        await idle(gui, tree)
        yield tree


async def idle(gui: Gui, tree: FolderTree) -> None:
    """Wait until nothing is being read."""
    for _ in range(3):
        await asyncio.to_thread(lambda: None)
        await gui.settle()
    await gui.until(lambda: all(node.loaded for node in tree.folders.root.opened_folders()))


def names(tree: FolderTree, parent: QModelIndex = QModelIndex()) -> list[str]:
    model = tree.folders
    return [str(model.index(row, 0, parent).data()) for row in range(model.rowCount(parent))]


def node(tree: FolderTree, path: str) -> Node:
    found = tree.folders.find(path)
    assert found is not None, f"{path} is not shown; {[one.path for one in tree.folders.root.walk()]}"
    return found


def cell(tree: FolderTree, path: str) -> Cell:
    found = tree.folders.index_of(node(tree, path)).data(CELL)
    assert isinstance(found, Cell)
    return found


async def expand(gui: Gui, tree: FolderTree, path: str) -> QModelIndex:
    index = tree.folders.index_of(node(tree, path))
    tree.expand(index)
    await idle(gui, tree)
    return index


def filled(folder: Path, *paths: str) -> Path:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x")
    return folder


def cell_of(tree: FolderTree, one: Node) -> Cell:
    found = tree.folders.index_of(one).data(CELL)
    assert isinstance(found, Cell)
    return found
