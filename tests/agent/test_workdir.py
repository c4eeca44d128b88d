"""The folder in which a model wants to run a command is a path like any other, and approving it grants nothing else (CVE-2025-59532)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from workbench.conversation.events import ApprovalRequested, Decided, ToolFinished


async def asked_or_done(dialogue: Dialogue) -> ApprovalRequested | ToolFinished:
    event = (await dialogue.until(lambda entry: isinstance(entry.event, ApprovalRequested | ToolFinished))).event
    assert isinstance(event, ApprovalRequested | ToolFinished)
    return event


async def test_harmless_command_inside_asks_nobody(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"d/a": ""}) as d:
        await d.user("Go")
        await d.streams("", call("bash", "c1", command="ls", description="look", workdir="d"))
        done = await asked_or_done(d)
        assert isinstance(done, ToolFinished)
        assert (done.status, done.result.text().splitlines()[0]) == ("ok", "a")
        await d.answers("Done.")


@pytest.mark.parametrize("workdir", ["..", "../out", "{OUT}", "l", "l/../out", "/", "~"])
@pytest.mark.parametrize("command", ["ls", "touch made"])
async def test_folder_outside_is_judged_as_outside_whatever_the_command(tmp_path: Path, workdir: str, command: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "home").mkdir()
    async with Dialogue(tmp_path, mode="accept_edits") as d:
        (d.folder / "l").symlink_to(tmp_path / "out")
        await d.user("Go")
        await d.streams("", call("bash", "c1", command=command, description="look", workdir=workdir.replace("{OUT}", str(tmp_path / "out"))))
        told = await asked_or_done(d)
        (decided,) = d.facts(Decided)
        assert (decided.outside, "outside" in decided.badges, decided.outcome == "allow") == (True, True, False)
        if isinstance(told, ApprovalRequested):
            assert not told.can_always
            d.reject(told)
        await d.model.asked()
        await d.answers("Done.")
    assert list((tmp_path / "out").iterdir()) == []


async def test_approved_folder_outside_is_no_root_afterwards(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", call("bash", "c1", command="ls", description="look", workdir="../out"))
        d.approve(await d.question())
        await d.model.asked()
        await d.streams("", call("write", "c2", file_path="../out/new", content="x"), call("read", "c3", file_path="../out"))
        for _ in range(2):
            question = await d.question()
            assert "outside" in question.badges
            d.reject(question)
        await d.model.asked()
        await d.answers("Done.")
        assert d.context.workspace.extra == ()
        assert [decided.outside for decided in d.facts(Decided)] == [True, True, True]
    assert list((tmp_path / "out").iterdir()) == []


async def test_folder_swapped_for_a_link_after_the_approval_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    async with Dialogue(tmp_path, files={"d/a": ""}) as d:
        await d.user("Go")
        await d.streams("", call("bash", "c1", command="touch made", description="make", workdir="d"))
        question = await d.question()
        (d.folder / "d").rename(d.folder / "e")
        (d.folder / "d").symlink_to(tmp_path / "out")
        d.approve(question)
        done = await d.result()
        assert done.kind == "changed_during_approval"
        await d.model.asked()
        await d.answers("Done.")
    assert list((tmp_path / "out").iterdir()) == []
