"""The tree marks what the session changed, and shows odd entries harmlessly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.ui.desks import project
from tests.ui.frame.facts import change, finished
from tests.ui.frame.sessions import REPLACE, approved, opened_desk
from tests.ui.frame.trees import cell, filled, names, node, tree_of
from tests.ui.gui import Gui
from workbench.ui.frame.session_changes import SessionChanges
from workbench.ui.frame.side_pane import SidePane

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
