"""A stop, at whatever point it comes, ends everything within a moment and leaves a legal history that goes on."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agent.dialogue import Dialogue
from tests.agent.invariants import check_journal
from tests.agent.scripted_model import answer, call, command
from tests.agent.stopping import NthWait, begin
from tests.left_behind import NewChildren
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Entry, ExchangeClosed, ModelResponded, ToolFinished, ToolStarted, TurnFinished
from workbench.conversation.stream import CallArgumentsDelta, CallStarted, StreamEvent, TextDelta

MOST_WAITS = 400


class WaitingSink:
    """A sink that takes a moment, as a disk does."""

    def write(self, entry: Entry) -> None:
        pass

    async def settled(self, seq: int) -> None:
        await asyncio.sleep(0)


def script(d: Dialogue, *, real_commands: bool) -> None:
    """Give the model a turn of three steps in which everything happens that can."""
    effects = command("echo hi > made.txt", "c4") if real_commands else call("write", "c4", file_path="made.txt", content="hi")
    d.model.say(
        *answer(
            "Looking.",
            call("read", "c1", file_path="a.txt"),
            call("list", "c2"),
            call("write", "c3", file_path="b.txt", content="x"),
            effects,
            call("no_such_tool", "c5"),
        )
    )
    edits = [call("edit", name, file_path="b.txt", old_string=old, new_string=new) for name, old, new in (("c6", "x", "y"), ("c7", "y", "z"))]
    d.model.say(*answer("", *edits))
    d.model.say(*answer("Done."))


def approving(d: Dialogue) -> Any:
    """Answer each question a moment after it is asked."""

    def hear(entry: Entry) -> None:
        if isinstance(entry.event, ApprovalRequested):
            asyncio.get_running_loop().call_soon(d.session.resolve, entry.event.approval_id, "approve")

    return d.journal.subscribe(hear, after=d.journal.last_seq)


async def stopped_at(folder: Path, wanted: int, *, soon: bool, real_commands: bool) -> bool:
    """Run the turn with a stop at one point, check everything, go on with another turn; return whether the point was reached."""
    async with Dialogue(folder, files={"a.txt": "one\n"}, sink=WaitingSink()) as d:
        point = NthWait(wanted, lambda: begin(d.session.stop()), soon=soon)
        script(d, real_commands=real_commands)
        listening = approving(d)
        point.install()
        try:
            await d.session.submit("Go")
            await d.session.wait_idle()
            await d.session.stop()
        finally:
            point.remove()
        listening.close()
        assert not d.session.running
        assert not d.session.pending
        assert d.model.open == 0
        assert asyncio.all_tasks() == {asyncio.current_task()}
        check_journal(d.journal.entries)
        end = await d.end()
        assert end.end == "stopped" or (end.end == "answered" and len(d.model.requests) == 3)
        assert point.acted or end.end == "answered"
        d.model.forget()
        request = await d.user("Go on")
        assert request.messages[-1].text() == "Go on"
        assert (await d.answers("Going on.")).end == "answered"
    return point.acted


@pytest.mark.parametrize("soon", [False, True], ids=["while it begins to wait", "while it waits"])
@pytest.mark.time_limit(60)
async def test_stop_at_every_wait_of_a_turn(tmp_path: Path, soon: bool) -> None:
    wanted = 1
    while await stopped_at(tmp_path / str(wanted), wanted, soon=soon, real_commands=False):
        wanted += 1
        assert wanted < MOST_WAITS
    assert wanted > 20, "the turn has fewer waits than its awaits"


@pytest.mark.time_limit(60)
async def test_stop_at_waits_of_a_turn_that_runs_commands(tmp_path: Path, new_children: NewChildren) -> None:
    wanted = 1
    while await stopped_at(tmp_path / str(wanted), wanted, soon=bool(wanted % 2), real_commands=True):
        wanted += 7
        assert wanted < MOST_WAITS
    assert new_children(zombies=False) == []


async def test_stop_ends_the_batch_and_asks_the_model_no_more(tmp_path: Path) -> None:
    """The bug case stop-ends-batch."""
    async with Dialogue(tmp_path, headless="all") as d:
        await d.user("Go")
        writes = [call("write", name, file_path=f"{name}.txt", content="x") for name in ("b", "c")]
        await d.streams("", command("touch a; sleep 20", "a"), *writes)
        await d.fact(ToolStarted)
        started = time.monotonic()
        await d.session.stop()
        assert time.monotonic() - started < 1
        results = d.facts(ToolFinished)
        assert sorted(fact.call_id for fact in results) == ["a", "b", "c"]
        assert {fact.status for fact in results} == {"cancelled"}
        assert {fact.decision for fact in results if fact.call_id != "a"} == {"cancelled"}
        request = await d.user("next")
        assert len(d.model.requests) == 2
        assert [message.role for message in request.messages] == ["user", "assistant", "tool", "user"]
        assert [result.call_id for result in request.messages[2].results()] == ["a", "b", "c"]
        await d.answers("Ok.")
        assert not (d.folder / "b.txt").exists()
        assert not (d.folder / "c.txt").exists()


async def test_question_of_a_stopped_turn_answers_nothing(tmp_path: Path) -> None:
    """The bug case stop-with-open-approval: a late click does nothing, and the same call asks anew."""
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", command("touch old.txt", "m1"))
        old = await d.question()
        await d.session.stop()
        assert not d.session.pending
        assert not d.session.resolve(old.approval_id, "approve")
        (finished,) = d.facts(ToolFinished)
        assert (finished.status, finished.decision) == ("cancelled", "cancelled")
        assert [(fact.answer, fact.by) for fact in d.facts(ApprovalResolved)] == [("stop", "program")]
        await d.user("again")
        await d.streams("", command("touch new.txt", "m1"))
        new = await d.question()
        assert new.approval_id != old.approval_id
        assert not d.session.resolve(old.approval_id, "approve")
        assert d.session.pending == (new,)
        d.reject(new)
        await d.model.asked()
        await d.answers("Ok.")
        assert not (d.folder / "old.txt").exists()
        assert not (d.folder / "new.txt").exists()


async def test_stop_while_streaming_keeps_what_came(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        begun: list[StreamEvent] = [CallStarted(key=1, call_id="c1", name="write"), CallArgumentsDelta(key=1, text='{"file_path": "a')]
        pieces: list[StreamEvent] = [TextDelta(text="Half an ans"), *begun]
        d.model.say(*pieces, whole=False)
        await d.model.streamed()
        await d.session.stop()
        (responded,) = d.facts(ModelResponded)
        assert (responded.message.state, responded.message.text()) == ("cancelled", "Half an ans")
        assert [fact.error for fact in d.facts(ExchangeClosed)] == ["stopped"]
        assert responded.message.calls()[0].status == "truncated"
        request = await d.user("Go on")
        assert results_of_tool(request.messages[2]) == ["Error (cancelled): The user stopped this call before it ran.\nNothing of it was done."]
        await d.answers("Ok.")


def results_of_tool(message: Any) -> list[str]:
    return [result.text() for result in message.results()]


async def test_answer_stop_stops_the_turn(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Go")
        await d.streams("", command("touch a", "c1"), command("touch b", "c2"))
        question = await d.question()
        assert d.session.resolve(question.approval_id, "stop")
        assert (await d.end()).end == "stopped"
        assert [fact.status for fact in d.facts(ToolFinished)] == ["cancelled", "cancelled"]


async def test_stop_before_the_turns_first_step(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.session.submit("Go")
        await d.session.stop()
        assert (await d.end()).end == "stopped"
        assert d.model.requests == []
        request = await d.user("Again")
        assert [message.text() for message in request.messages] == ["Go", "Again"]
        await d.answers("Ok.")


async def test_stop_without_a_turn_does_nothing_and_two_stops_are_one(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.session.stop()
        before = d.journal.last_seq
        await d.user("Go")
        await asyncio.gather(d.session.stop(), d.session.stop(), d.session.stop())
        assert (await d.end()).end == "stopped"
        assert d.journal.last_seq > before


async def test_words_said_the_moment_a_stopped_turn_ends_begin_a_turn_of_their_own(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("One")

        async def follow() -> None:
            await d.session.wait_idle()
            assert await d.session.submit("Two") == "started"

        async with asyncio.TaskGroup() as group:
            group.create_task(follow())
            await asyncio.sleep(0)
            group.create_task(d.session.stop())
        await d.model.asked()
        assert [fact.end for fact in d.facts(TurnFinished)] == ["stopped"]
        d.model.say(*answer("Done."))
        await d.session.wait_idle()
        assert [fact.end for fact in d.facts(TurnFinished)] == ["stopped", "answered"]


async def test_words_said_when_the_turn_was_cancelled_before_it_began(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.session.submit("One")
        begin(d.session.stop())
        await asyncio.sleep(0)
        assert await d.session.submit("Two") == "started"
        assert (await d.model.asked()).messages[-1].text() == "Two"
        assert (await d.answers("Ok.")).end == "stopped"
        await d.session.wait_idle()
        assert [fact.end for fact in d.facts(TurnFinished)] == ["stopped", "answered"]


async def test_stop_works_after_a_stop_that_was_given_up(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("One")
        async with asyncio.TaskGroup() as group:
            given_up = group.create_task(d.session.stop())
            await asyncio.sleep(0)
            given_up.cancel()
        await d.session.wait_idle()
        await d.user("Two")
        await d.session.stop()
        assert [fact.end for fact in d.facts(TurnFinished)] == ["stopped", "stopped"]


async def test_closing_ends_a_running_command_and_leaves_nothing(tmp_path: Path, new_children: NewChildren) -> None:
    async with Dialogue(tmp_path, headless="all") as d:
        await d.user("Go")
        await d.streams("", command("sleep 300 & sleep 300", "c1"))
        await d.fact(ToolStarted)
    assert (await d.end()).end == "stopped"
    assert new_children(zombies=False) == []
    with pytest.raises(RuntimeError, match="closed"):
        await d.session.submit("more")


async def test_program_that_is_cancelled_closes_its_session(tmp_path: Path) -> None:
    """Ctrl-C cancels the task that holds the session; the turn ends as stopped all the same."""
    d = Dialogue(tmp_path)
    asked = asyncio.Event()

    async def front_end() -> None:
        async with d:
            await d.user("Go")
            asked.set()
            await asyncio.Event().wait()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(front_end())
        await asked.wait()
        task.cancel()
    assert (await d.end()).end == "stopped"
    check_journal(d.journal.entries)
