"""Questions: the first answer wins, a stale one meets nothing, and whoever stops waiting takes the question back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from workbench.agent.approvals import Answered, Approvals, Headless
from workbench.conversation.calls import Outcome, Preview
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Entry
from workbench.conversation.journal import Journal
from workbench.errors import StoreFailed


def question(approval_id: str = "a1", danger: int = 2) -> ApprovalRequested:
    return ApprovalRequested(
        approval_id=approval_id, turn_id="t", step=1, call_id="c1", tool="bash", digest="d", danger=danger, preview=Preview(kind="none")
    )


def resolved(journal: Journal) -> list[tuple[str, str, str]]:
    facts = [entry.event for entry in journal.entries if isinstance(entry.event, ApprovalResolved)]
    return [(fact.approval_id, fact.answer, fact.by) for fact in facts]


async def test_first_answer_wins() -> None:
    journal = Journal()
    approvals = Approvals(journal)
    approval = approvals.request(question())
    assert approvals.pending == (approval.requested,)
    assert approvals.resolve("a1", "reject", note="no")
    assert not approvals.resolve("a1", "approve")
    assert await approval.answer() == Answered("reject", "no")
    assert resolved(journal) == [("a1", "reject", "person")]
    assert not approvals.pending


async def test_answer_meets_only_its_own_question() -> None:
    journal = Journal()
    approvals = Approvals(journal)
    first, second = approvals.request(question("a1")), approvals.request(question("a2"))
    assert not approvals.resolve("a3", "approve")
    assert approvals.resolve("a2", "approve")
    assert (first.answered, second.answered) == (False, True)
    first.void()
    second.void()
    assert resolved(journal) == [("a2", "approve", "person"), ("a1", "stop", "program")]


async def test_cancelled_waiter_takes_its_question_back() -> None:
    journal = Journal()
    approvals = Approvals(journal)
    approval = approvals.request(question())
    async with asyncio.TaskGroup() as group:
        task = group.create_task(approval.answer())
        await asyncio.sleep(0)
        task.cancel()
    assert not approvals.pending
    assert not approvals.resolve("a1", "approve")
    assert resolved(journal) == [("a1", "stop", "program")]


async def test_all_are_taken_back_at_once() -> None:
    journal = Journal()
    approvals = Approvals(journal)
    first, second = approvals.request(question("a1")), approvals.request(question("a2"))
    approvals.cancel_all()
    assert (await first.answer()).answer == (await second.answer()).answer == "stop"
    assert resolved(journal) == [("a1", "stop", "program"), ("a2", "stop", "program")]


async def test_late_subscriber_finds_open_questions_in_the_journal() -> None:
    journal = Journal()
    approvals = Approvals(journal)
    approvals.request(question("a1"))
    approvals.request(question("a2"))
    approvals.resolve("a1", "approve")
    heard: list[Entry] = []
    journal.subscribe(heard.append)
    asked = {entry.event.approval_id for entry in heard if isinstance(entry.event, ApprovalRequested)}
    answered = {entry.event.approval_id for entry in heard if isinstance(entry.event, ApprovalResolved)}
    assert asked - answered == {"a2"} == {requested.approval_id for requested in approvals.pending}
    approvals.cancel_all()


@pytest.mark.parametrize(
    ("headless", "danger", "answer"),
    [("all", 4, "approve"), ("reads", 0, "approve"), ("reads", 1, "reject"), ("reads", 3, "reject"), ("none", 0, "reject")],
)
async def test_policy_answers_at_once(headless: Headless, danger: int, answer: str) -> None:
    journal = Journal()
    approval = Approvals(journal, headless=headless).request(question(danger=danger))
    assert approval.answered
    assert (await approval.answer()).answer == answer
    assert resolved(journal) == [("a1", answer, "policy")]


async def test_edited_approval_needs_arguments() -> None:
    approvals = Approvals(Journal())
    approval = approvals.request(question())
    with pytest.raises(ValueError, match="needs arguments"):
        approvals.resolve("a1", "approve_edited")
    assert approvals.resolve("a1", "approve_edited", arguments={"command": "ls"})
    assert (await approval.answer()).arguments == {"command": "ls"}


async def test_open_questions_are_decided_again() -> None:
    journal = Journal()
    approvals = Approvals(journal)
    outcomes: list[Outcome] = ["allow", "deny", "ask"]
    asked = [approvals.request(question(f"a{number}"), rejudge=lambda outcome=outcome: outcome) for number, outcome in enumerate(outcomes)]  # type: ignore[misc]
    approvals.request(question("a9"))
    approvals.rejudge()
    assert [approval.answered for approval in asked] == [True, True, False]
    assert resolved(journal) == [("a0", "approve", "program"), ("a1", "reject", "program")]
    assert [requested.approval_id for requested in approvals.pending] == ["a2", "a9"]
    approvals.cancel_all()


class FullDisk:
    """A sink that takes one fact and then fails."""

    def __init__(self) -> None:
        self.taken = 0

    def write(self, entry: Any) -> None:
        self.taken += 1
        if self.taken > 1:
            raise StoreFailed("the disk is full")

    async def settled(self, seq: int) -> None:
        pass


async def test_answer_that_cannot_be_recorded_lets_nothing_run() -> None:
    approvals = Approvals(Journal(FullDisk()))
    approval = approvals.request(question())
    with pytest.raises(StoreFailed):
        approvals.resolve("a1", "approve")
    with pytest.raises(StoreFailed):
        await approval.answer()
    assert not approvals.pending
