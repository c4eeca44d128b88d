"""The calls of a step together: reads at once, effects in order, questions all at the same time, and nobody acts on what is about to change."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue, results_of
from tests.agent.scripted_model import call, command
from tests.agent.tools import Probe
from workbench.conversation.events import ToolFinished
from workbench.conversation.stream import StreamEvent
from workbench.tools.base import Result, ToolContext


async def step(d: Dialogue, *calls: Sequence[StreamEvent]) -> list[str]:
    """Let the model call something that needs no person, and return the results that go back."""
    await d.user("Go")
    await d.streams("", *calls)
    texts = results_of(await d.model.asked())
    await d.answers("Done.")
    return texts


async def test_reads_run_in_parallel_and_results_keep_their_order(tmp_path: Path) -> None:
    probe = Probe("probe", gated=True)
    async with Dialogue(tmp_path, tools=[probe]) as d:
        await d.user("Go")
        await d.streams("", *(call("probe", f"c{number}", value=str(number)) for number in range(12)))
        await probe.running(8)
        for _ in range(50):
            await asyncio.sleep(0)
        assert probe.now == 8
        probe.gate.set()
        assert results_of(await d.model.asked()) == [f"probe {number}" for number in range(12)]
        await d.answers("Done.")
    assert probe.most == 8


async def test_reads_do_not_wait_for_a_question_and_effects_wait_in_order(tmp_path: Path) -> None:
    order: list[str] = []

    async def note(arguments: dict[str, Any], _context: ToolContext) -> Result:
        order.append(arguments["value"])
        return Result(text="ok")

    reader, writer = Probe("reader", work=note), Probe("writer", "edit", work=note)
    async with Dialogue(tmp_path, tools=[reader, writer]) as d:
        await d.user("Go")
        await d.streams("", call("writer", "c1", value="first"), call("reader", "c2", value="read"), call("writer", "c3", value="second"))
        first, second = await d.question(), await d.question()
        assert (await d.result()).call_id == "c2"
        d.approve(second)
        for _ in range(20):
            await asyncio.sleep(0)
        assert order == ["read"]
        d.approve(first)
        await d.model.asked()
        assert order == ["read", "first", "second"]
        assert [fact.decision for fact in d.facts(ToolFinished)] == ["auto", "approved", "approved"]
        await d.answers("Done.")


async def test_rejection_is_told_at_once_and_the_others_go_on(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", call("write", "c1", file_path="a", content="x"), call("write", "c2", file_path="b", content="x"))
        first, second = await d.question(), await d.question()
        d.reject(second)
        assert (await d.result()).call_id == "c2"
        d.approve(first)
        await d.model.asked()
        await d.answers("Done.")
        assert (d.folder / "a").exists()


async def test_read_of_a_file_that_an_earlier_call_writes_waits_for_it(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, mode="accept_edits") as d:
        texts = await step(d, call("write", "c1", file_path="new.txt", content="made"), call("read", "c2", file_path="new.txt"))
        assert texts[0].startswith("Created new.txt")
        assert "made" in texts[1]


async def test_second_edit_of_a_file_is_shown_when_the_first_is_done(tmp_path: Path) -> None:
    async with Dialogue(tmp_path, files={"a.txt": "one two\n"}) as d:
        await d.user("Go")
        await d.streams("", call("read", "c0", file_path="a.txt"))
        await d.model.asked()
        await d.streams(
            "",
            call("edit", "c1", file_path="a.txt", old_string="one", new_string="1"),
            call("edit", "c2", file_path="a.txt", old_string="two", new_string="2"),
        )
        first = await d.question()
        assert len(d.session.pending) == 1
        d.approve(first)
        second = await d.question()
        assert second.call_id == "c2"
        assert second.preview.before == "1 two\n"
        d.approve(second)
        await d.model.asked()
        await d.answers("Done.")
        assert d.text("a.txt") == "1 2\n"


async def test_call_that_needs_what_an_earlier_one_makes_is_prepared_after_it(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", command("mkdir made && echo hi > made/x", "c1"), call("read", "c2", file_path="made/x"), call("read", "c3", file_path="nowhere"))
        d.approve(await d.question())
        texts = results_of(await d.model.asked())
        assert "hi" in texts[1]
        assert texts[2].startswith("Error (file_not_found)")
        await d.answers("Done.")


@pytest.mark.parametrize("answer", ["allowed", "approved"])
async def test_a_mode_that_refuses_stops_what_still_waits_for_its_turn(tmp_path: Path, answer: str) -> None:
    first, second = Probe("first", "edit", gated=True, path="a"), Probe("second", "edit", path="b")
    async with Dialogue(tmp_path, tools=[first, second], mode="accept_edits" if answer == "allowed" else "ask") as d:
        await d.user("Go")
        await d.streams("", call("first", "c1"), call("second", "c2"))
        if answer == "approved":
            for _call in range(2):
                d.approve(await d.question())
        await first.running()
        d.session.choose_mode("read_only")
        first.gate.set()
        texts = results_of(await d.model.asked())
        assert "The call was refused" in texts[1]
        assert (len(first.ran), len(second.ran)) == (1, 0)
        await d.answers("Done.")


async def test_a_mode_that_asks_asks_for_what_still_waits_for_its_turn(tmp_path: Path) -> None:
    first, second = Probe("first", "edit", gated=True, path="a"), Probe("second", "edit", path="b")
    async with Dialogue(tmp_path, tools=[first, second], mode="accept_edits") as d:
        await d.user("Go")
        await d.streams("", call("first", "c1"), call("second", "c2"))
        await first.running()
        d.session.choose_mode("ask")
        first.gate.set()
        question = await d.question()
        assert (question.call_id, second.ran) == ("c2", [])
        d.approve(question)
        await d.model.asked()
        assert len(second.ran) == 1
        await d.answers("Done.")
