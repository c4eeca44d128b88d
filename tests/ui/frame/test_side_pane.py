"""The side pane follows the desk and the shown session: sessions, changes, jobs; what a person wants is told, not done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tests.ui.desks import Told, desk_in, project, said
from tests.ui.frame.facts import entry
from tests.ui.frame.parts import menu_of
from tests.ui.frame.sessions import REPLACE, approved, asked, opened_desk, shown, stopped
from tests.ui.frame.trees import filled, names
from tests.ui.gui import Gui
from workbench.conversation.calls import Preview
from workbench.conversation.events import ApprovalRequested, ToolStarted
from workbench.ui.desk import Desk, SessionRow
from workbench.ui.frame.cell_list import CellList
from workbench.ui.frame.job_rows import JobRows
from workbench.ui.frame.side_pane import SidePane
from workbench.ui.kit.cells import CELL, Cell
from workbench.ui.kit.theme import theme
from workbench.workspace.jobs import JobState


def pane_of(gui: Gui, desk: Desk) -> SidePane:
    pane = SidePane(desk)
    pane.resize(236, 800)
    return gui.show(pane)


def cells(section: QWidget) -> list[Cell]:
    """Return what a section with a list shows."""
    model = section.findChildren(CellList) or [section._list]  # type: ignore[attr-defined]
    return [model[0].index(row, 0).data(CELL) for row in range(model[0].rowCount())]


def texts(section: QWidget) -> list[str]:
    return [cell.text for cell in cells(section)]


# Workspace


async def test_pane_follows_the_workspace(gui: Gui, tmp_path: Path) -> None:
    filled(tmp_path / "other", "b.txt")
    async with desk_in(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await gui.settle()
        assert not pane.workspace.has_rows
        assert await desk.open_folder(project(tmp_path))
        await gui.until(lambda: names(pane.tree) == ["README.md"])
        assert await desk.open_folder(tmp_path / "other")
        await gui.until(lambda: names(pane.tree) == ["b.txt"])


async def test_branch_that_changes_leaves_the_tree_as_it_is(gui: Gui, tmp_path: Path) -> None:
    folder = project(tmp_path)
    filled(folder, "src/deep/a.py", "src/b.py")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/first\n")
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await gui.until(lambda: pane.tree.opened_folders() == ["src"])
        resets: list[bool] = []
        pane.tree.folders.modelReset.connect(lambda: resets.append(True))
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/second\n")
        await desk.refresh_branch()
        assert desk.branch == "second"
        await gui.settle()
        assert resets == []


# Sessions


def row(desk: Desk, state: str, title: str, used_at: float = 0.0) -> SessionRow:
    return SessionRow(f"id of {title}", Path("nowhere"), title, state, used_at)  # type: ignore[arg-type]


async def test_each_state_of_a_session_has_its_icon_and_word(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        desk.sessions = tuple(row(desk, state, state) for state in ("running", "waits", "idle", "in_use", "damaged"))
        desk.sessions_changed.emit()
        looks = {cell.text: (cell.icon, cell.note) for cell in cells(pane.sessions)}
        assert looks.pop("idle")[0] == "session"
        assert looks == {
            "running": ("running", "running"),
            "waits": ("hand", "waits"),
            "in_use": ("lock", "in use"),
            "damaged": ("warning", "damaged"),
        }
        assert (pane.sessions.head.note, pane.sessions.head.tone) == ("5", "wait")
        tips = {cell.text: cell.tip for cell in cells(pane.sessions)}
        assert "another process" in tips["in_use"].lower()
        assert "damaged" in tips["damaged"]


async def test_title_from_a_model_is_shown_letter_by_letter(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        desk.sessions = (row(desk, "idle", "a\u202eb\n<b>&amp;"),)
        desk.sessions_changed.emit()
        assert texts(pane.sessions) == ["a⟨U+202E⟩b⏎<b>&amp;"]


async def test_real_sessions_are_listed_chosen_and_asked_for(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await said(gui, desk, "hi")
        first = shown(desk).session.session_id
        assert await desk.new_session()
        await gui.until(lambda: texts(pane.sessions) == ["New session", "hi"])
        view = pane.sessions.rows
        await gui.until(lambda: view.currentIndex().row() == 0)  # type: ignore[union-attr]
        wanted: list[str] = []
        pane.session_wanted.connect(wanted.append)
        view.setFocus()
        gui.keys(view, "Down")
        gui.keys(view, "Return")
        assert wanted == [first]
        await gui.click("New session")
        new: list[bool] = []
        pane.new_session_wanted.connect(lambda: new.append(True))
        await gui.click("New session")
        assert new == [True]


async def test_session_that_waits_turns_amber(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await asked(gui, desk, REPLACE)
        await gui.until(lambda: [cell.icon for cell in cells(pane.sessions)] == ["hand"])
        assert pane.sessions.head.tone == "wait"
        await stopped(gui, desk)
        await gui.until(lambda: pane.sessions.head.tone == "")


# Changes


async def test_changes_are_counted_with_their_lines(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        assert not pane.changes.has_rows
        await approved(gui, desk, REPLACE)
        await approved(gui, desk, "write notes.txt with content: one line")
        assert [(cell.text, cell.note, cell.mark) for cell in cells(pane.changes)] == [("README.md", "+1 −1", "M"), ("notes.txt", "+1 −0", "A")]
        assert pane.changes.head.note == "2  +2 −1"
        wanted: list[str] = []
        pane.file_wanted.connect(wanted.append)
        pane.changes.list_view.activated.emit(pane.changes.list_view.model().index(1, 0))
        assert wanted == [str(tmp_path / "ws" / "notes.txt")]


async def test_rejected_call_changes_nothing(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await asked(gui, desk, REPLACE)
        desk.bridge.answer(desk.bridge.pending[0].approval_id, "reject")
        await gui.until(lambda: not desk.bridge.running)
        assert not pane.changes.has_rows


async def test_changes_come_back_with_the_session(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        await approved(gui, desk, REPLACE)
        pane = pane_of(gui, desk)
        assert texts(pane.changes) == ["README.md"]


# Jobs


async def test_job_is_listed_and_stopped(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await approved(gui, desk, "Run sleep 47.25 &")
        await gui.until(lambda: pane.jobs.has_rows)
        assert pane.jobs.head.note == "1"
        await gui.click("Stop “sleep 47.25 &”")
        await gui.until(lambda: not pane.jobs.has_rows)
        assert await shown(desk).bench.jobs.running() == ()
        assert pane.jobs.head.note == ""


async def test_command_that_the_turn_waits_for_is_listed_and_stopped(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        assert await desk.bridge.send("Run sleep 47.5") == "started", "it changes nothing, so nobody is asked"
        await gui.until(lambda: pane.jobs.has_rows)
        assert pane.jobs.head.note == "1"
        again = pane_of(gui, desk)
        assert again.jobs.has_rows, "a pane that is built anew knows it too"
        again.hide()
        pane.findChildren(JobRows)[0].stop_call_wanted.emit(pane._jobs.calls[0].call_id)
        await gui.until(lambda: not pane.jobs.has_rows)
        assert pane.jobs.head.note == ""
        await stopped(gui, desk)


async def test_command_that_waits_to_run_again_is_not_listed(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        watch = pane_of(gui, desk)._jobs
        place, command = {"turn_id": "t", "step": 1, "call_id": "c"}, {"command": "make all"}
        started = entry(ToolStarted(**place, tool="bash", arguments=command))  # type: ignore[arg-type]
        question = ApprovalRequested(approval_id="a", **place, tool="bash", digest="", danger=3, preview=Preview(kind="none"))  # type: ignore[arg-type]
        watch._hear((started,))
        assert [call.text for call in watch.calls] == ["make all"]
        watch._hear((entry(question),))
        assert not watch.calls, "its first run is over; the second one waits for a person"
        watch._hear((started,))
        assert [call.text for call in watch.calls] == ["make all"], "it was let run again"


async def test_many_jobs_scroll_and_each_can_be_reached(gui: Gui) -> None:
    jobs = [JobState(number, f"sleep {number} &", (), Path("log"), 0.0) for number in range(1, 40)]
    rows = gui.show(JobRows())
    rows.resize(220, 100)
    rows.show_jobs(jobs)
    await gui.settle()
    assert rows.verticalScrollBar().maximum() > 0
    assert rows.content_height == 39 * theme.row
    stopped: list[int] = []
    rows.stop_wanted.connect(stopped.append)
    last = gui.find("Stop “sleep 39 &”")
    last.setFocus()
    gui.keys(last, "Space")
    assert stopped == [39]
    rows.show_jobs(jobs[:1])
    assert rows.content_height == theme.row


async def test_job_that_ends_by_itself_leaves_the_list(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await approved(gui, desk, "Run (until [ -e go ]; do sleep 0.02; done) &")
        await gui.until(lambda: pane.jobs.has_rows)
        (tmp_path / "ws" / "go").touch()
        await gui.until(lambda: not pane.jobs.has_rows)


# Menus


async def test_menu_of_a_file_adds_it_to_the_message_or_copies_its_path(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await gui.until(lambda: names(pane.tree) == ["README.md"])
        mentioned: list[str] = []
        pane.mention_wanted.connect(mentioned.append)
        pane.tree.menu_wanted.emit(pane.tree.folders.index(0, 0), pane.mapToGlobal(QPoint(20, 40)))
        await gui.settle()
        gui.keys(menu_of().rows, "Return")
        assert mentioned == ["README.md"]
        pane.tree.menu_wanted.emit(pane.tree.folders.index(0, 0), pane.mapToGlobal(QPoint(20, 40)))
        await gui.settle()
        gui.keys(menu_of().rows, "Down")
        gui.keys(menu_of().rows, "Return")
        assert QGuiApplication.clipboard().text() == str(tmp_path / "ws" / "README.md")


# What is remembered


async def test_folded_sections_and_open_folders_are_remembered(gui: Gui, tmp_path: Path) -> None:
    folder = project(tmp_path)
    filled(folder, "a/1.txt", "b/2.txt", "b/c/3.txt")
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        await gui.until(lambda: pane.tree.opened_folders() == ["a", "b"])
        pane.tree.collapse(pane.tree.folders.index_of(pane.tree.folders.root.children[0]))
        await gui.click("Changes")
        state = pane.state()
        assert state == {"closed": ["changes"], "folder": str(folder), "opened": ["b"]}
        other = pane_of(gui, desk)
        other.restore(state)
        await gui.until(lambda: other.tree.opened_folders() == ["b"])
        assert not other.changes.opened


async def test_state_waits_until_its_folder_is_open(gui: Gui, tmp_path: Path) -> None:
    folder = project(tmp_path)
    filled(folder, "a/1.txt", "b/2.txt")
    async with desk_in(tmp_path) as desk:
        pane = pane_of(gui, desk)
        pane.restore({"closed": [], "folder": str(folder), "opened": ["b"]})
        assert await desk.open_folder(folder)
        await gui.until(lambda: pane.tree.opened_folders() == ["b"])


@pytest.mark.parametrize("state", [{}, {"closed": 7, "opened": "x", "folder": None}, {"closed": [1], "opened": [None, "../..", "gone"]}])
async def test_odd_state_is_passed_over(gui: Gui, tmp_path: Path, state: dict[str, Any]) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        pane.restore({"folder": str(tmp_path / "ws"), **state})
        await gui.until(lambda: names(pane.tree) == ["README.md"])
        assert pane.sessions.opened


async def test_section_is_shown_with_the_keyboard_in_it(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        pane = pane_of(gui, desk)
        pane.activateWindow()
        pane.sessions.set_opened(opened=False)
        pane.show_section("sessions")
        await gui.settle()
        assert pane.sessions.rows.hasFocus()
        pane.show_section("jobs")
        assert pane.jobs.head.hasFocus(), "an empty section has only its head"


async def test_pane_that_goes_while_folders_are_read_leaves_nothing_behind(gui: Gui, tmp_path: Path) -> None:
    filled(project(tmp_path), *(f"d{number}/x" for number in range(30)))
    async with opened_desk(tmp_path) as desk:
        told = Told(desk)
        pane = SidePane(desk)
        pane.show()
        pane.refresh()
        gone: list[bool] = []
        pane.destroyed.connect(lambda: gone.append(True))
        pane.deleteLater()
        del pane
        await gui.until(lambda: bool(gone))
        await approved(gui, desk, REPLACE)
        assert told.sentences == []
