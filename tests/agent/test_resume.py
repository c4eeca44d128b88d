"""A session that was killed at any point opens again: what was open is ended, and the conversation goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.invariants import check_journal
from tests.agent.scripted_model import call, command
from workbench.agent.history import history
from workbench.agent.resume import how_left
from workbench.conversation.events import ApprovalResolved, Entry, ModeChosen, Notice, SessionOpened, ToolFinished, TurnFinished


async def whole_session(folder: Path) -> list[Entry]:
    """Return the facts of a turn in which everything happens."""
    async with Dialogue(folder, files={"a.txt": "one\n"}) as d:
        d.session.choose_mode("accept_edits")
        await d.user("Go")
        await d.streams("Looking.", call("read", "c1", file_path="a.txt"), call("write", "c2", file_path="b.txt", content="x"), command("touch c3", "c3"))
        d.approve(await d.question())
        await d.model.asked()
        await d.streams("", command("touch c4; false", "c4"))
        d.reject(await d.question())
        await d.model.asked()
        await d.answers("Done.")
    return list(d.journal.entries)


async def test_session_killed_after_any_fact_opens_again_and_goes_on(tmp_path: Path) -> None:
    entries = await whole_session(tmp_path / "first")
    for cut in range(1, len(entries) + 1):
        kept = entries[:cut]
        async with Dialogue(tmp_path / str(cut), entries=kept) as d:
            assert list(d.journal.entries[:cut]) == kept
            check_journal(d.journal.entries)
            assert not d.session.running
            request = await d.user("Go on")
            assert request.messages[-1].text() == "Go on"
            assert (await d.answers("Yes.")).end == "answered"


async def test_interrupted_turn_is_told_as_such(tmp_path: Path) -> None:
    entries = await whole_session(tmp_path / "first")
    cut = next(entry.seq for entry in entries if entry.event.__class__.__name__ == "ToolStarted" and getattr(entry.event, "call_id", "") == "c3")
    async with Dialogue(tmp_path / "again", entries=entries[:cut]) as d:
        added = [entry.event for entry in d.journal.entries[cut:]]
        assert isinstance(added[0], SessionOpened)
        assert added[0].resumed
        finished = [event for event in added if isinstance(event, ToolFinished)]
        assert [(event.call_id, event.status) for event in finished] == [("c3", "cancelled")]
        assert "outcome is unknown" in finished[0].result.text()
        (end,) = [event for event in added if isinstance(event, TurnFinished)]
        assert (end.end, end.steps) == ("interrupted", 1)
        assert d.session.mode == "accept_edits"


async def test_question_left_open_becomes_void(tmp_path: Path) -> None:
    async with Dialogue(tmp_path / "first") as d:
        await d.user("Go")
        await d.streams("", command("touch made", "c1"))
        question = await d.question()
        kept = list(d.journal.entries)
        await d.session.stop()
    async with Dialogue(tmp_path / "again", entries=kept) as again:
        assert [(fact.approval_id, fact.answer) for fact in again.facts(ApprovalResolved)] == [(question.approval_id, "stop")]
        assert not again.session.resolve(question.approval_id, "approve")
        assert not again.session.pending


async def test_mode_that_is_not_available_any_more_becomes_ask(tmp_path: Path) -> None:
    async with Dialogue(tmp_path / "first") as d:
        d.journal.append(ModeChosen(mode="auto"))
    async with Dialogue(tmp_path / "again", entries=d.journal.entries) as again:
        assert again.session.mode == "ask"
        (notice,) = again.facts(Notice)
        assert "sandbox" in notice.text


@pytest.mark.parametrize("mode", ["read_only", "accept_edits"])
async def test_mode_asked_for_wins_over_the_one_left(tmp_path: Path, mode: str) -> None:
    async with Dialogue(tmp_path / "first") as d:
        pass
    async with Dialogue(tmp_path / "again", entries=d.journal.entries, mode=mode) as again:  # type: ignore[arg-type]
        assert again.session.mode == mode


async def test_closed_session_has_nothing_to_end(tmp_path: Path) -> None:
    entries = await whole_session(tmp_path / "first")
    left = how_left(entries)
    assert (left.turn_id, left.approvals, left.mode, left.titled) == ("", {}, "accept_edits", True)
    async with Dialogue(tmp_path / "again", entries=entries) as d:
        assert history(d.journal.entries) == history(entries)
        assert [type(entry.event) for entry in d.journal.entries[len(entries) :]] == [SessionOpened]
