"""What a person approved is what runs: their edits go through the same steps, and what changed since is shown again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import call, command
from tests.agent.tools import Probe
from workbench.conversation.events import ApprovalRequested, ToolFinished


async def test_file_changed_while_the_question_was_open_is_shown_again(tmp_path: Path) -> None:
    """The bug case changed-while-dialog-open: an old approval never overwrites a new text."""
    async with Dialogue(tmp_path, files={"q.txt": "one\n"}) as d:
        await d.user("Go")
        await d.streams("", call("read", "c0", file_path="q.txt"))
        await d.model.asked()
        await d.streams("", call("edit", "c1", file_path="q.txt", old_string="one", new_string="two"))
        question = await d.question()
        (d.folder / "q.txt").write_bytes(b"one\nuser\n")
        d.approve(question)
        again = await d.question()
        assert again.approval_id != question.approval_id
        assert again.digest != question.digest
        assert again.reasons[0].code == "call.changed"
        assert d.text("q.txt") == "one\nuser\n"
        d.approve(again)
        await d.model.asked()
        await d.answers("Done.")
        assert d.text("q.txt") == "two\nuser\n"


async def test_edit_into_something_more_dangerous_asks_again(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", command("touch made", "c1"))
        question = await d.question()
        d.approve(question, arguments={"command": "rm -rf build", "description": "do it"})
        again = await d.question()
        assert (again.danger, again.badges) == (4, ("destroys",))
        assert again.approval_id != question.approval_id
        d.approve(again, arguments={"command": "echo safe", "description": "do it"})
        (text,) = results_of(await d.model.asked())
        assert text.startswith('The user edited the call before running it: command is "echo safe" instead of "touch made".\nsafe')
        await d.answers("Done.")
        assert len(d.facts(ApprovalRequested)) == 2


async def test_edit_that_does_not_fit_is_asked_again_with_the_reason(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", call("write", "c1", file_path="a", content="x"))
        d.approve(await d.question(), arguments={"file_path": 3})
        again = await d.question()
        assert again.reasons[0].code == "edit.unusable"
        assert "content" in again.reasons[0].text
        assert again.arguments == {"file_path": "a", "content": "x"}
        d.approve(again)
        await d.model.asked()
        await d.answers("Done.")
        assert d.text("a") == "x"
        assert d.facts(ToolFinished)[0].decision == "approved"


async def test_rule_for_other_calls_does_not_run_what_a_person_wanted_otherwise(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", *(call("write", name, file_path=f"src/{name}", content="x") for name in ("c1", "c2")))
        first, second = await d.question(), await d.question()
        d.approve(first, arguments={"file_path": 3})
        again = await d.question()
        assert again.reasons[0].code == "edit.unusable"
        d.approve(second, rules=[second.always[1]])
        assert again in d.session.pending, "its own words were not to run as they were"
        d.session.choose_mode("read_only")
        assert again not in d.session.pending, "what is refused is refused"
        await d.model.asked()
        await d.answers("Done.")
        assert not (d.folder / "src" / "c1").exists()


async def test_edit_without_a_change_is_a_plain_approval(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", call("write", "c1", file_path="a", content="x"))
        d.approve(await d.question(), arguments={"content": "x", "file_path": "a"})
        assert (await d.result()).decision == "approved"
        await d.model.asked()
        await d.answers("Done.")


async def test_edit_into_something_refused_is_not_run(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", command("touch made", "c1"))
        data = tmp_path / "data"
        d.approve(await d.question(), arguments={"command": f"cat {data}/settings.toml", "description": "x"})
        finished = await d.result()
        assert (finished.status, finished.decision) == ("denied", "denied")
        await d.model.asked()
        await d.answers("Done.")


async def test_plan_changed_after_its_approval_is_not_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    probe = Probe("writer", "edit")
    async with Dialogue(tmp_path, tools=[probe]) as d:
        await d.user("Go")
        await d.streams("", call("writer", "c1", value="good"))
        question = await d.question()
        question.arguments["value"] = "evil"
        d.approve(question)
        finished = await d.result()
        assert (finished.status, finished.kind) == ("error", "internal_error")
        await d.model.asked()
        await d.answers("Done.")
    assert not probe.ran
    assert "changed after it was decided" in caplog.text


async def test_edit_of_one_into_true_is_an_edit(tmp_path: Path) -> None:
    probe = Probe("writer", "edit")
    probe.definition.input_schema["properties"]["flag"] = {}
    async with Dialogue(tmp_path, tools=(probe,)) as d:
        await d.user("Go")
        await d.streams("", call("writer", "c1", flag=1))
        d.approve(await d.question(), arguments={"flag": True})
        await d.model.asked()
        await d.answers("Done.")
    assert probe.ran[0]["flag"] is True
