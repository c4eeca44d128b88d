"""The tree shows a real folder: read when it is opened, marked as the session changes it, harmless whatever names are in it."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt

from tests.ui.desks import project
from tests.ui.frame.sessions import REPLACE, approved, opened_desk
from tests.ui.frame.test_session_changes import change, finished
from tests.ui.gui import Gui
from workbench.ui.frame.folder_nodes import RANGE_FROM, Node
from workbench.ui.frame.session_changes import SessionChanges
from workbench.ui.frame.side_pane import SidePane
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


@pytest.mark.time_limit(60)
async def test_ten_thousand_entries_do_not_hold_the_window_up(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "many").mkdir()
    for number in range(10_000):
        (tmp_path / "many" / f"file_{number}.txt").touch()
    async with tree_of(gui, tmp_path) as tree:
        late = await longest_wait(expand(gui, tree, "many"))
        ranges = node(tree, "many").children
        assert len(ranges) == 50
        assert names(tree, tree.folders.index_of(node(tree, "many")))[0] == "file_0.txt … file_199.txt"
        assert cell_of(tree, ranges[0]).note == "200"
        tree.expand(tree.folders.index_of(ranges[-1]))
        await gui.until(lambda: len(ranges[-1].children) == 200)
        assert ranges[-1].children[-1].path == "many/file_9999.txt"
        assert late < 0.3, f"the loop stood still for {late:.3f} s"


def cell_of(tree: FolderTree, one: Node) -> Cell:
    found = tree.folders.index_of(one).data(CELL)
    assert isinstance(found, Cell)
    return found


async def longest_wait(work: object) -> float:
    """Do some work and return how long the loop kept a callback waiting meanwhile, in seconds."""
    assert asyncio.iscoroutine(work)
    loop = asyncio.get_running_loop()
    worst, done = 0.0, False

    async def watch() -> None:
        nonlocal worst
        while not done:
            before = loop.time()
            await asyncio.sleep(0.002)
            worst = max(worst, loop.time() - before - 0.002)

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(watch())
        await work
        done = True
    return worst


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


# Marks


async def test_edit_of_a_session_is_marked_and_the_folder_shows_it_quietly(gui: Gui, tmp_path: Path) -> None:
    folder = project(tmp_path)
    filled(folder, "docs/guide.md")
    (folder / "docs" / "guide.md").write_text("say hello here\n")
    async with opened_desk(tmp_path) as desk:
        pane = gui.show(SidePane(desk))
        tree = pane.tree
        await gui.until(lambda: "README.md" in names(tree))
        assert cell(tree, "README.md").mark == ""
        await approved(gui, desk, REPLACE)
        await approved(gui, desk, "replace hello with goodbye in docs/guide.md")
        await approved(gui, desk, "write notes.txt with content: one line")
        await gui.until(lambda: "notes.txt" in names(tree))
        assert (cell(tree, "README.md").mark, cell(tree, "README.md").mark_token) == ("M", "level2")
        assert (cell(tree, "notes.txt").mark, cell(tree, "notes.txt").mark_token) == ("A", "ok")
        assert (cell(tree, "docs").mark, cell(tree, "docs").mark_token) == ("•", "faint")
        assert "changed by this session" in cell(tree, "README.md").words
        assert await desk.new_session()
        await gui.until(lambda: cell(tree, "README.md").mark == "")
        assert cell(tree, "docs").mark == "", "the marks are those of the session that is shown"


async def test_deleted_file_is_shown_where_it_was(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "a.py", "c.py", "src/x.py", "src/y.py")
    changes = SessionChanges()
    changes.add([finished(change("b.py", "1", None), change("src/old.py", "1", None))])
    async with tree_of(gui, tmp_path) as tree:
        tree.folders.set_changes(changes)
        tree.folders.refresh()
        await gui.until(lambda: names(tree) == ["src", "a.py", "b.py", "c.py"])
        assert (cell(tree, "b.py").mark, cell(tree, "b.py").token) == ("D", "faint")
        wanted: list[str] = []
        tree.file_wanted.connect(wanted.append)
        tree.activated.emit(tree.folders.index_of(node(tree, "b.py")))
        assert wanted == []
        filled(tmp_path, "b.py")
        tree.folders.refresh()
        await gui.until(lambda: node(tree, "b.py").kind == "file")


async def test_ignored_file_is_shown_once_the_session_changed_it(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "build/out.txt", "build/other.txt", "a.py")
    (tmp_path / ".gitignore").write_text("build/\n")
    changes = SessionChanges()
    async with tree_of(gui, tmp_path) as tree:
        assert names(tree) == [".gitignore", "a.py"]
        changes.add([finished(change("build/out.txt", "1", "2"))])
        tree.folders.set_changes(changes)
        tree.folders.refresh()
        await gui.until(lambda: "build" in names(tree))


# Odd entries


HOSTILE = {
    "a\nb.txt": "a⏎b.txt",
    "x\u202egpj.exe": "x⟨U+202E⟩gpj.exe",
    "<b>bold<img src=x>.md": "<b>bold<img src=x>.md",
    "a & b.txt": "a & b.txt",
    "tab\there": "tab⇥here",
    "-rf": "-rf",
}


async def test_hostile_names_are_shown_letter_by_letter(gui: Gui, tmp_path: Path) -> None:
    for name in HOSTILE:
        (tmp_path / name).write_text("x")
    async with tree_of(gui, tmp_path) as tree:
        assert sorted(names(tree)) == sorted(HOSTILE.values())
        for name, shown in HOSTILE.items():
            assert cell(tree, name).text == shown
            assert shown in cell(tree, name).words
        gui.picture(tree)


async def test_name_that_is_no_unicode_can_be_shown_and_asked_for(gui: Gui, tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/\xff\xfe.bin"
    make_raw(raw)
    wanted: list[str] = []
    async with tree_of(gui, tmp_path) as tree:
        tree.file_wanted.connect(wanted.append)
        assert names(tree) == ["⟨U+DCFF⟩⟨U+DCFE⟩.bin"]
        tree.activated.emit(tree.folders.index(0, 0))
        assert [os.fsencode(path) for path in wanted] == [raw]


def make_raw(name: bytes) -> None:
    try:
        os.close(os.open(name, os.O_CREAT | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system takes no such name")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
async def test_links_and_pipes_are_shown_plainly_and_not_entered(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path, "src/a.py")
    (tmp_path / "to_src").symlink_to("src")
    (tmp_path / "round").symlink_to("round")
    os.mkfifo(tmp_path / "pipe")
    wanted: list[str] = []
    async with tree_of(gui, tmp_path) as tree:
        tree.file_wanted.connect(wanted.append)
        assert cell(tree, "to_src").note == "→ src"
        assert cell(tree, "round").note == "→ round"
        for path in ("to_src", "pipe"):
            assert not tree.folders.hasChildren(tree.folders.index_of(node(tree, path)))
        tree.activated.emit(tree.folders.index_of(node(tree, "pipe")))
        assert wanted == []


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
