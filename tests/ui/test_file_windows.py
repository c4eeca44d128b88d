"""What a call changed and what stands in a file is shown in a window of its own, or it is told why not."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtWidgets import QWidget

from tests.ui.desks import Told, desk_in, project
from tests.ui.gui import Gui
from workbench.conversation.calls import FileChange
from workbench.conversation.events import ToolFinished
from workbench.ui.desk import Desk
from workbench.ui.file_windows import LARGEST_BYTES, ChangesWindow, TextWindow, preview_of, show_changes, show_file, words_of


async def changed(gui: Gui, desk: Desk, text: str) -> str:
    """Let a call change something with a person's consent; return the call's id."""
    await desk.bridge.send(text)
    await gui.until(lambda: desk.bridge.pending)
    desk.bridge.answer(desk.bridge.pending[0].approval_id, "approve")
    await gui.until(lambda: not desk.bridge.running)
    return next(e.event.call_id for e in reversed(desk.bridge.entries) if isinstance(e.event, ToolFinished) and e.event.files_changed)


async def test_change_of_a_call_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        parent = gui.show(QWidget())
        call_id = await changed(gui, desk, "replace hello with goodbye in README.md")
        await show_changes(desk, parent, call_id)
        (window,) = parent.findChildren(ChangesWindow)
        assert window.isVisible()
        assert "-It says hello." in window.view.plain_text()
        assert "+It says goodbye." in window.view.plain_text()
        window.close()
        await gui.settle()
        assert parent.findChildren(ChangesWindow) == []


async def test_change_that_is_not_kept_any_more_is_told(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.open_folder(project(tmp_path))
        parent, told = gui.show(QWidget()), Told(desk)
        call_id = await changed(gui, desk, "replace hello with goodbye in README.md")
        assert desk.bridge.opened is not None
        for file in (desk.bridge.opened.store.folder / "objects").iterdir():
            file.unlink()
        await show_changes(desk, parent, call_id)
        assert parent.findChildren(ChangesWindow) == []
        assert len(told.sentences) == 1
        await show_changes(desk, parent, "no such call")
        assert len(told.sentences) == 1


async def test_several_files_are_chosen_from_a_menu(gui: Gui) -> None:
    changes = [FileChange(path=f"{name}.py", operation="create", before_sha256=None, after_sha256=name, added=1) for name in "ab"]
    previews = [preview_of(change, lambda sha256: f"text of {sha256}\n".encode()) for change in changes]
    window = gui.show(ChangesWindow(gui.show(QWidget()), previews, [words_of(change) for change in changes]))
    assert "text of a" in window.view.plain_text()
    await gui.click("File")
    gui.keys(window.focusWidget(), "Down")
    gui.keys(window.focusWidget(), "Return")
    await gui.until(lambda: "text of b" in window.view.plain_text())


def test_preview_tells_new_changed_and_deleted_files_apart() -> None:
    contents = {"old": b"old\n", "new": b"new \xff\n"}
    made = FileChange(path="p", operation="create", before_sha256=None, after_sha256="new")
    modified = FileChange(path="p", operation="modify", before_sha256="old", after_sha256="new", added=1, removed=1)
    deleted = FileChange(path="p", operation="delete", before_sha256="old", after_sha256=None)
    previews = [preview_of(change, contents.__getitem__) for change in (made, modified, deleted)]
    assert [preview.kind for preview in previews] == ["new_file", "diff", "diff"]
    assert [(preview.before, preview.after) for preview in previews] == [(None, "new \\xff\n"), ("old\n", "new \\xff\n"), ("old\n", "")]
    assert words_of(modified).endswith("+1 −1")


async def test_file_is_shown_with_its_path_in_the_workspace(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        folder = project(tmp_path)
        await desk.open_folder(folder)
        parent = gui.show(QWidget())
        await show_file(desk, parent, folder / "README.md")
        (window,) = parent.findChildren(TextWindow)
        assert window.windowTitle() == "README.md"
        assert window.view.lines.data.startswith(b"# A small project")


async def test_file_that_cannot_be_shown_is_told(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        folder = project(tmp_path)
        await desk.open_folder(folder)
        os.mkfifo(folder / "pipe")
        with (folder / "huge").open("wb") as file:
            file.truncate(LARGEST_BYTES + 1)
        parent, told = gui.show(QWidget()), Told(desk)
        for name in ("missing", "pipe", "huge", "."):
            await show_file(desk, parent, folder / name)
        assert parent.findChildren(TextWindow) == []
        assert [level for _sentence, level in told.sentences] == ["warning"] * 4
        assert all(str(folder) in sentence for sentence, _level in told.sentences)
