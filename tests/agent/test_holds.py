"""Holds by themselves: the first decision wins, a cancelled wait is told, and a refusal asks again."""

from __future__ import annotations

import asyncio

import pytest
from typing_extensions import override

from workbench.agent.holds import Holds
from workbench.conversation.checks import Edit, Finding, RefusalExplained, RequestHeld, RequestReleased
from workbench.conversation.events import Entry
from workbench.conversation.journal import Journal, MemorySink
from workbench.errors import StoreFailed

MENDABLE = Finding(rule="r.mendable", severity="error", pointer="/a", message="It is wrong.", edits=(Edit(op="remove", pointer="/a"),))
HOPELESS = Finding(rule="r.hopeless", severity="error", pointer="/b", message="It is wrong.")


def held(hold_id: str = "hold_1", *findings: Finding) -> RequestHeld:
    return RequestHeld(hold_id=hold_id, turn_id="t", step=1, findings=findings or (MENDABLE,), mends=True)


async def waiting(holds: Holds, request: RequestHeld) -> asyncio.Task[str]:
    task: asyncio.Task[str] = asyncio.get_running_loop().create_task(holds.decide(request))
    await asyncio.sleep(0)
    assert holds.waiting == request
    return task


async def test_a_decision_is_the_answer_about_its_rules() -> None:
    holds = Holds(Journal())
    task = await waiting(holds, held("hold_1", MENDABLE, HOPELESS))
    assert holds.release("hold_1", "repair")
    assert await task == "repair"
    assert dict(holds.answers) == {"r.mendable": "repair", "r.hopeless": "send"}
    assert not holds.release("hold_1", "send")
    assert not holds.release("another", "send")


async def test_a_cancelled_wait_is_told_as_stopped_and_answers_nothing() -> None:
    journal = Journal()
    holds = Holds(journal)
    task = await waiting(holds, held())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    last = journal.entries[-1].event
    assert isinstance(last, RequestReleased)
    assert last.decision == "stop"
    assert holds.answered("r.mendable") is None
    assert holds.waiting is None


async def test_a_refusal_of_what_was_sent_as_it_is_asks_again() -> None:
    journal = Journal()
    holds = Holds(journal)
    task = await waiting(holds, held())
    holds.release("hold_1", "send")
    assert await task == "send"
    assert holds.answered("r.mendable") == "send"
    journal.append(RefusalExplained(exchange_id="e", findings=(MENDABLE,)))
    assert holds.answered("r.mendable") is None
    assert holds.refused("r.mendable")
    assert not holds.refused("r.hopeless")


async def test_another_opening_of_the_session_knows_the_answers() -> None:
    journal = Journal()
    task = await waiting(first := Holds(journal), held())
    first.release("hold_1", "repair")
    await task
    first.close()
    assert Holds(Journal(entries=journal.entries)).answered("r.mendable") == "repair"


@pytest.mark.parametrize(("findings", "expected"), [((MENDABLE,), "repair"), ((HOPELESS,), "send"), ((HOPELESS, MENDABLE), "repair")])
async def test_without_a_person_what_can_be_mended_is(findings: tuple[Finding, ...], expected: str) -> None:
    assert await Holds(Journal(), headless=True).decide(held("hold_1", *findings)) == expected


async def test_a_decision_that_cannot_be_recorded_sends_nothing() -> None:
    class Full(MemorySink):
        full = False

        @override
        def write(self, entry: Entry) -> None:
            if self.full:
                raise StoreFailed("The disk is full.")

    sink = Full()
    holds = Holds(Journal(sink))
    task = await waiting(holds, held())
    sink.full = True
    with pytest.raises(StoreFailed):
        holds.release("hold_1", "repair")
    with pytest.raises(StoreFailed):
        await task
