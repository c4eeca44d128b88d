"""A rehearsal says what would come of changed arguments, and does nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from workbench.agent.rehearsal import Rehearsal, check_arguments, rehearse
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.values import JsonObject
from workbench.tools.definitions import load_definition

SCHEMA = load_definition("write").input_schema


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"file_path": "a", "content": "b"}, ""),
        ({"content": "b"}, "'file_path' is missing."),
        ({"file_path": 1, "content": []}, "'content' must be text, not a list."),
        ([], "The arguments must be an object, not a list."),
    ],
)
def test_arguments_are_checked_as_they_will_be(arguments: object, problem: str) -> None:
    assert check_arguments(arguments, SCHEMA).problem == problem


def test_what_would_be_changed_is_told() -> None:
    checked = check_arguments({"file_path": "@a", "content": "b", "mode": 1}, SCHEMA)
    assert checked.values == {"file_path": "a", "content": "b"}
    assert len(checked.notices) == 2


async def asked(d: Dialogue) -> ApprovalRequested:
    await d.user("write it")
    await d.streams("", call("write", file_path="a.txt", content="one\n"))
    return await d.question()


async def tried(d: Dialogue, question: ApprovalRequested, arguments: JsonObject) -> Rehearsal:
    before = len(d.journal.entries)
    registry = d.session._setup.registry
    rehearsal = await rehearse(question, arguments, registry=registry, context=d.context, gatekeeper=d.gatekeeper)
    assert len(d.journal.entries) == before
    return rehearsal


async def test_same_kind_of_change_does_not_ask_again(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        rehearsal = await tried(d, await asked(d), {"file_path": "b.txt", "content": "two\n"})
        assert rehearsal.preview is not None
        assert (rehearsal.preview.title, rehearsal.preview.after) == ("b.txt", "two\n")
        assert (rehearsal.outcome, rehearsal.danger, rehearsal.asks_again, rehearsal.problem) == ("ask", 1, False, "")
        assert list(d.folder.iterdir()) == []
        await d.session.stop()


async def test_place_outside_asks_again(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        rehearsal = await tried(d, await asked(d), {"file_path": str(tmp_path / "b.txt"), "content": "two\n"})
        assert (rehearsal.danger, rehearsal.asks_again) == (4, True)
        assert not (tmp_path / "b.txt").exists()
        await d.session.stop()


async def test_what_cannot_be_done_is_told(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"old.txt": "old\n"}) as d:
        question = await asked(d)
        unread = await tried(d, question, {"file_path": "old.txt", "content": "new\n"})
        assert unread.preview is None
        assert "was not read in this session" in unread.problem
        assert (await tried(d, question, {"file_path": "x"})).problem == "'content' is missing."
        own_data = await tried(d, question, {"file_path": str(tmp_path / "data" / "x"), "content": ""})
        assert own_data.outcome == "deny"
        assert own_data.problem
        await d.session.stop()


async def test_parts_of_a_changed_command_are_judged(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("run it")
        await d.streams("", call("bash", command="touch made", description="x"))
        rehearsal = await tried(d, await d.question(), {"command": "ls && rm -rf x", "description": "x"})
        assert [(part.text, part.danger) for part in rehearsal.parts] == [("ls", 0), ("rm -rf x", 4)]
        assert rehearsal.asks_again
        await d.session.stop()
