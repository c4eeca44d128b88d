"""The tree shows a real folder: read when it is opened, and again when it is asked to, however many entries it has."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.pace import turns
from tests.ui.frame.trees import cell, cell_of, expand, filled, idle, names, node, tree_of
from tests.ui.gui import Gui
from workbench.ui.frame.folder_nodes import RANGE_FROM
from workbench.ui.frame.tree import FolderTree


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True)


# Reading


async def test_folder_is_read_when_it_is_opened(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "src/a.py", "src/b.py", "b2.txt", "b10.txt", "README.md")
    async with tree_of(gui, tmp_path) as tree:
        assert names(tree) == ["src", "b2.txt", "b10.txt", "README.md"]
        assert not node(tree, "src").loaded
        filled(tmp_path, "src/c.py")
        index = await expand(gui, tree, "src")
        assert names(tree, index) == ["a.py", "b.py", "c.py"]
        assert cell(tree, "src").icon == "folder-open"
        assert tree.content_height == 7 * tree.sizeHintForRow(0)


async def test_folder_in_a_folder_alone_is_opened_with_it(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "src/package/deep/a.py", "top.md")
    async with tree_of(gui, tmp_path) as tree:
        await expand(gui, tree, "src")
        await gui.until(lambda: node(tree, "src/package/deep/a.py") is not None)
        assert tree.opened_folders() == ["src", "src/package", "src/package/deep"]


async def test_first_folders_are_open_as_long_as_all_is_seen(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a/1", "b/1", *(f"c/{number}" for number in range(40)), ".hidden/1", "z.md")
    async with asyncio.TaskGroup() as tasks:
        tree = gui.show(FolderTree(lambda coroutine: tasks.create_task(coroutine)))
        tree.show_folder(tmp_path)
        await gui.until(lambda: tree.opened_folders() == ["a", "b"])
        await idle(gui, tree)


async def test_what_git_ignores_is_left_out_unless_git_tracks_it(gui: Gui, tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("needs git")
    filled(tmp_path, "kept.log", "other.log", "build/out.bin", "a.py")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", "kept.log")
    async with tree_of(gui, tmp_path) as tree:
        await gui.until(lambda: "kept.log" in names(tree))
        assert names(tree) == [".gitignore", "a.py", "kept.log"]


async def test_f5_reads_open_folders_again_and_keeps_what_is_open_and_chosen(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a/1.txt", "b/1.txt", "m.txt", "z.txt")
    async with tree_of(gui, tmp_path) as tree:
        await expand(gui, tree, "b")
        tree.setCurrentIndex(tree.folders.index_of(node(tree, "z.txt")))
        (tmp_path / "m.txt").unlink()
        shutil.rmtree(tmp_path / "a")
        filled(tmp_path, "b/2.txt", "n.txt", "c/1.txt")
        tree.setFocus()
        gui.keys(tree, "F5")
        await gui.until(lambda: names(tree) == ["b", "c", "n.txt", "z.txt"])
        await gui.until(lambda: names(tree, tree.folders.index_of(node(tree, "b"))) == ["1.txt", "2.txt"])
        assert tree.opened_folders() == ["b"]
        assert tree.currentIndex().data() == "z.txt"


async def test_nothing_is_read_on_its_own(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a.txt")
    async with tree_of(gui, tmp_path) as tree:
        filled(tmp_path, "b.txt")
        await idle(gui, tree)
        assert names(tree) == ["a.txt"]


async def test_folder_that_vanished_says_so(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "gone/a.txt", "b.txt")
    async with tree_of(gui, tmp_path) as tree:
        shutil.rmtree(tmp_path / "gone")
        await expand(gui, tree, "gone")
        assert cell(tree, "gone").note == "cannot be read"
        assert "No such file or directory" in cell(tree, "gone").tip
        tree.folders.refresh()
        await gui.until(lambda: names(tree) == ["b.txt"])


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
async def test_folder_that_may_not_be_read_says_so(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0)
    async with tree_of(gui, tmp_path) as tree:
        await expand(gui, tree, "locked")
        assert cell(tree, "locked").note == "cannot be read"


async def test_empty_folder_says_so(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    async with tree_of(gui, tmp_path) as tree:
        index = await expand(gui, tree, "empty")
        assert cell(tree, "empty").note == "empty"
        assert not tree.folders.hasChildren(index)


# Many entries


async def test_thousands_of_entries_do_not_hold_the_window_up(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for number in range(4_000):
        (tmp_path / "many" / f"file_{number}.txt").touch()
    async with tree_of(gui, tmp_path) as tree:
        async with turns() as coming:
            await expand(gui, tree, "many")
        assert coming.worst_share < 0.5
        ranges = node(tree, "many").children
        assert len(ranges) == 20
        assert names(tree, tree.folders.index_of(node(tree, "many")))[0] == "file_0.txt … file_199.txt"
        assert cell_of(tree, ranges[0]).note == "200"
        tree.expand(tree.folders.index_of(ranges[-1]))
        await gui.until(lambda: len(ranges[-1].children) == 200)
        assert ranges[-1].children[-1].path == "many/file_3999.txt"


async def test_open_range_stays_open_when_a_file_joins(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, *(f"f{number:04}" for number in range(RANGE_FROM + 10)))
    async with tree_of(gui, tmp_path) as tree:
        first = tree.folders.root.children[0]
        tree.expand(tree.folders.index_of(first))
        await gui.until(lambda: len(first.children) == 200)
        filled(tmp_path, "f0000a")
        tree.folders.refresh()
        await gui.until(lambda: first.children[1].name == "f0000a")
        assert tree.isExpanded(tree.folders.index_of(first))
        assert len(first.children) == 200
        assert first.children[-1].name == "f0198"


async def test_folder_that_grows_and_shrinks_changes_between_rows_and_ranges(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a", "b")
    async with tree_of(gui, tmp_path) as tree:
        more = [f"f{number}" for number in range(RANGE_FROM)]
        filled(tmp_path, *more)
        tree.folders.refresh()
        await gui.until(lambda: tree.folders.root.is_ranged)
        for name in more:
            (tmp_path / name).unlink()
        tree.folders.refresh()
        await gui.until(lambda: names(tree) == ["a", "b"])


# Keys and pointer


async def test_enter_opens_folders_and_asks_for_files(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "src/a.py", "b.txt")
    wanted: list[str] = []
    async with tree_of(gui, tmp_path) as tree:
        tree.file_wanted.connect(wanted.append)
        tree.setFocus()
        tree.setCurrentIndex(tree.folders.index_of(node(tree, "src")))
        gui.keys(tree, "Return")
        await gui.until(lambda: tree.opened_folders() == ["src"])
        await idle(gui, tree)
        gui.keys(tree, "Down")
        gui.keys(tree, "Return")
        assert wanted == [str(tmp_path / "src" / "a.py")]
        gui.keys(tree, "Left")
        gui.keys(tree, "Left")
        assert tree.opened_folders() == []


async def test_files_can_be_dragged_as_files(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a.txt")
    async with tree_of(gui, tmp_path) as tree:
        index = tree.folders.index(0, 0)
        assert [url.toLocalFile() for url in tree.folders.mimeData([index]).urls()] == [str(tmp_path / "a.txt")]
        assert tree.folders.supportedDragActions() == Qt.DropAction.CopyAction


async def test_another_folder_takes_the_place_of_the_first_at_once(gui: Gui, tmp_path: Path) -> None:
    one, two = filled(tmp_path / "one", "a"), filled(tmp_path / "two", "b")
    async with tree_of(gui, one) as tree:
        tree.show_folder(two)
        tree.show_folder(one)
        tree.show_folder(two)
        await gui.until(lambda: names(tree) == ["b"])
        await idle(gui, tree)
        assert names(tree) == ["b"]


async def test_old_index_is_harmless(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a", "b")
    async with tree_of(gui, tmp_path) as tree:
        old = tree.folders.index(1, 0)
        (tmp_path / "b").unlink()
        tree.folders.refresh()
        await gui.until(lambda: names(tree) == ["a"])
        assert old.data() is None
        assert not tree.folders.parent(old).isValid()
        assert tree.folders.rowCount(old) == 0
