"""The desk opens folders and sessions, keeps what is at work, chooses models, and tells every refusal in one sentence."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.ui.desks import FAST, Told, desk_in, opened, project, row, said, shown
from tests.ui.gui import Gui
from workbench.conversation.events import ApprovalRequested, Notice, TurnFinished
from workbench.inspection.timeline_items import PromptItem
from workbench.practice.server import MODEL_NAME
from workbench.store.sessions import list_sessions

SLOW = "[practice]\ntokens_per_s = 20\n"
HOLD = """
import pathlib, sys
from workbench.store.session_store import SessionStore
store = SessionStore.open(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""
REPLACE = "replace hello with goodbye in README.md"


# Folders


async def test_open_folder_shows_a_new_session_on_it(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        assert desk.workspace is not None
        assert desk.workspace.path == tmp_path / "ws"
        assert desk.branch == ""
        assert [row.state for row in desk.sessions] == ["idle"]
        assert desk.sessions[0].session_id == shown(desk)
        assert desk.models[0].model == MODEL_NAME
        assert desk.models[0].local


async def test_branch_is_read_and_read_again_after_a_turn(gui: Gui, tmp_path: Path) -> None:
    folder = project(tmp_path)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/first\n")
    async with opened(tmp_path) as desk:
        assert desk.branch == "first"
        (folder / ".git" / "HEAD").write_text("ref: refs/heads/second\n")
        await said(gui, desk, "hi")
        await gui.until(lambda: desk.branch == "second")


@pytest.mark.parametrize("which", ["missing", "file", "data", "home"])
async def test_folder_that_cannot_serve_changes_nothing(gui: Gui, tmp_path: Path, which: str) -> None:
    (tmp_path / "file").write_text("x")
    async with opened(tmp_path) as desk:
        told, before = Told(desk), (shown(desk), desk.workspace, desk.sessions)
        path = {"missing": tmp_path / "nowhere", "file": tmp_path / "file", "data": tmp_path, "home": Path.home()}[which]
        assert not await desk.open_folder(path)
        assert len(told.sentences) == 1
        assert told.sentences[0][1] == "error"
        assert str(path) in told.last
        assert (shown(desk), desk.workspace, desk.sessions) == before


async def test_another_folder_has_its_own_sessions(gui: Gui, tmp_path: Path) -> None:
    other = project(tmp_path, "other")
    async with opened(tmp_path) as desk:
        await said(gui, desk, "hi")
        first = shown(desk)
        assert await desk.open_folder(other)
        assert desk.workspace is not None
        assert desk.workspace.path == other
        assert first not in [row.session_id for row in desk.sessions]
        assert await desk.open_folder(tmp_path / "ws")
        assert first in [row.session_id for row in desk.sessions]


# Sessions


async def test_session_in_which_nothing_was_said_leaves_no_files(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        first = shown(desk)
        assert await desk.new_session()
        assert shown(desk) == first
    assert list_sessions(tmp_path / "data") == []


async def test_session_has_its_first_message_as_title(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        assert desk.sessions[0].title == "New session"
        await said(gui, desk, "hi there")
        await gui.until(lambda: desk.sessions[0].title == "hi there")


async def test_idle_session_is_closed_when_another_is_shown_and_can_be_opened_again(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await said(gui, desk, "hi there")
        first = shown(desk)
        assert await desk.new_session()
        assert [held.opened.session.session_id for held in desk._open] == [shown(desk)]
        assert row(desk, first).state == "idle"
        assert await desk.open_session(first)
        assert shown(desk) == first
        assert next(item.message.text() for item in desk.bridge.timeline.items if isinstance(item, PromptItem)) == "hi there"


async def test_turns_that_ended_long_ago_do_not_end_again(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        for words in ("one", "two", "three"):
            await said(gui, desk, words)
        first = shown(desk)
        await desk.new_session()
        rested: list[str] = []
        desk._open.rested.connect(rested.append)
        await desk.open_session(first)
        await gui.settle()
        assert rested == []
        held = desk._open.get(first)
        assert held is not None
        assert (held.title, held.said, held.state) == ("one", True, "idle")
        await said(gui, desk, "four")
        await gui.until(lambda: rested == [first])


async def test_session_whose_turn_runs_goes_on_unseen(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        first = shown(desk)
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: row(desk, first).state == "waits")
        assert await desk.new_session()
        assert row(desk, first).state == "waits"
        assert await desk.open_session(first)
        (question,) = desk.bridge.pending
        assert desk.bridge.answer(question.approval_id, "approve")
        await gui.until(lambda: row(desk, first).state == "idle")
        assert "goodbye" in (tmp_path / "ws" / "README.md").read_text()


async def test_unseen_session_is_closed_when_its_turn_has_ended(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path, SLOW) as desk:
        first = shown(desk)
        await desk.bridge.send("hi")
        await gui.until(lambda: row(desk, first).state == "running")
        assert await desk.new_session()
        assert len(list(desk._open)) == 2
        held = desk._open.get(first)
        assert held is not None
        held.opened.session.spawn(held.opened.session.stop(), name="stop")
        await gui.until(lambda: [held.opened.session.session_id for held in desk._open] == [shown(desk)])
        assert row(desk, first).state == "idle"


async def test_running_session_of_another_folder_stays_in_the_list(gui: Gui, tmp_path: Path) -> None:
    other = project(tmp_path, "other")
    async with opened(tmp_path) as desk:
        first = shown(desk)
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: row(desk, first).state == "waits")
        assert await desk.open_folder(other)
        assert row(desk, first).state == "waits"
        assert await desk.open_session(first)
        assert desk.workspace is not None
        assert desk.workspace.path == tmp_path / "ws"


async def test_session_that_another_process_writes_is_in_use(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await said(gui, desk, "hi there")
        first, told = shown(desk), Told(desk)
        assert await desk.new_session()
        pipe = asyncio.subprocess.PIPE
        holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLD, str(row(desk, first).folder), stdin=pipe, stdout=pipe)
        assert holder.stdout is not None
        assert await holder.stdout.readline() == b"held\n"
        await desk.refresh_sessions()
        assert row(desk, first).state == "in_use"
        assert not await desk.open_session(first)
        assert len(told.sentences) == 1
        assert first in told.last
        await holder.communicate(b"")
        await desk.refresh_sessions()
        assert await desk.open_session(first)


async def test_damaged_session_says_so_and_nothing_changes(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await said(gui, desk, "hi there")
        first, told = shown(desk), Told(desk)
        assert await desk.new_session()
        file = row(desk, first).folder / "journal.sqlite"
        file.write_bytes(b"this is no database" * 300)
        await desk.refresh_sessions()
        before = shown(desk)
        assert row(desk, first).state == "damaged"
        assert not await desk.open_session(first)
        assert len(told.sentences) == 1
        assert shown(desk) == before


async def test_session_that_is_gone_says_so(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        told = Told(desk)
        assert not await desk.open_session("20200101-000000-000-abcdef")
        assert "20200101-000000-000-abcdef" in told.last


async def test_sessions_show_those_of_a_run_before(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        await said(gui, desk, "first words")
        first = shown(desk)
    async with opened(tmp_path) as desk:
        assert [row.title for row in desk.sessions] == ["New session", "first words"]
        assert await desk.open_session(first)
        assert [row.title for row in desk.sessions] == ["first words"]
        assert any(isinstance(entry.event, TurnFinished) for entry in desk.bridge.entries)


async def test_two_sessions_asked_for_at_once_are_shown_one_after_the_other(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        for words in ("one", "two"):
            await said(gui, desk, words)
            await desk.new_session()
        one, two = (next(row.session_id for row in desk.sessions if row.title == title) for title in ("one", "two"))
        assert all(await asyncio.gather(desk.open_session(one), desk.open_session(two), desk.open_session(one)))
        assert shown(desk) == one
        assert [held.opened.session.session_id for held in desk._open] == [one]


async def test_closing_stops_what_runs_and_leaves_it_durable(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        first = shown(desk)
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: desk.bridge.pending)
        await desk.new_session()
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: desk.bridge.pending)
    summaries = list_sessions(tmp_path / "data")
    assert [summary.state for summary in summaries] == ["idle", "idle"]
    assert first in [summary.session_id for summary in summaries]


# What is told


async def test_what_was_found_at_the_start_is_told(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path, settings=FAST + "strange = 1\n") as desk:
        told = Told(desk)
        await desk.begin()
        assert "strange" in told.last
        assert told.sentences[0][1] == "warning"
        assert desk.models


async def test_session_that_cannot_be_saved_any_more_tells_so_even_unseen(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        told = Told(desk)
        await desk.bridge.send(REPLACE)
        await gui.until(lambda: any(isinstance(entry.event, ApprovalRequested) for entry in desk.bridge.entries))
        assert desk.bridge.opened is not None
        journal = desk.bridge.opened.session.journal
        journal.emit(Notice(message_id="", text="The disk is full.", level="error"))
        assert told.sentences == [("The disk is full.", "error")]
        await desk.new_session()
        journal.emit(Notice(message_id="", text="The disk is full.", level="error"))
        assert told.last == f"In the session “{REPLACE}”: The disk is full."


async def test_task_that_fails_is_told_and_the_desk_goes_on(gui: Gui, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def fail() -> None:
        raise KeyError("x")

    async with opened(tmp_path) as desk:
        told = Told(desk)
        desk.spawn(fail(), name="fails")
        await gui.until(lambda: "KeyError" in told.last)
        assert await desk.new_session()
    assert "task fails failed" in caplog.text
