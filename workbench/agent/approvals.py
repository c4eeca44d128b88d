"""Questions to a person: each is parked until the first answer, and an answer can never meet another question.

A question has an id of its own and holds for one digest. When whoever waits for it is cancelled, it becomes void, and the journal says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from workbench.conversation.calls import Answer, Outcome, RuleScope
from workbench.conversation.events import ApprovalRequested, ApprovalResolved
from workbench.conversation.journal import Journal
from workbench.conversation.values import JsonObject
from workbench.errors import StoreFailed
from workbench.permissions.danger import Danger
from workbench.permissions.modes import Rung
from workbench.permissions.rules import is_grant
from workbench.permissions.suggestions import scopes_for

Headless: TypeAlias = Literal["reads", "all", "none"]
"""Who answers when no person can: ``all`` says yes to everything, ``reads`` to what only looks (level 0), ``none`` to nothing."""

Rejudge: TypeAlias = Callable[[], Outcome]


class Answered(NamedTuple):
    """An answer.

    Attributes:
        note: a person's words to the model, with a rejection.
        arguments: a person's arguments, with ``approve_edited``.
        by: ``person``, ``terminal``, ``policy`` or ``program``.
    """

    answer: Answer
    note: str = ""
    arguments: JsonObject | None = None
    by: str = "person"


class Approval:
    """A parked question; `answer` may be awaited once."""

    def __init__(self, requested: ApprovalRequested, future: asyncio.Future[Answered], void: Callable[[str], None]) -> None:
        self.requested = requested
        self._future = future
        self._void = void

    @property
    def answered(self) -> bool:
        """Whether the answer is there."""
        return self._future.done()

    async def answer(self) -> Answered:
        """Return the answer; on cancel the question becomes void.

        Raises:
            StoreFailed: the answer could not be recorded.
        """
        try:
            return await self._future
        finally:
            self.void()

    def void(self) -> None:
        """Take the question back if nobody answered; a later answer is refused."""
        if not self._future.done() or self._future.cancelled():
            self._void(self.requested.approval_id)


class Approvals:
    """All questions of a session that nobody has answered yet.

    Called only on the loop's thread. Late subscribers see open questions in the journal: requested and not resolved.
    """

    def __init__(self, journal: Journal, *, headless: Headless | None = None) -> None:
        self._journal = journal
        self._headless = headless
        self._open: dict[str, tuple[ApprovalRequested, asyncio.Future[Answered], Rejudge | None]] = {}

    @property
    def headless(self) -> Headless | None:
        """Who answers when no person can; None if a person can."""
        return self._headless

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The open questions, oldest first."""
        return tuple(requested for requested, _future, _rejudge in self._open.values())

    def request(self, requested: ApprovalRequested, *, rejudge: Rejudge | None = None) -> Approval:
        """Ask a question; without a person it is answered at once.

        Args:
            requested: the question; its id must be new.
            rejudge: decides the call again, for when the mode or the rules change while it waits.
        """
        future: asyncio.Future[Answered] = asyncio.get_running_loop().create_future()
        self._journal.append(requested)
        self._open[requested.approval_id] = (requested, future, rejudge)
        if self._headless is not None:
            answer: Answer = "approve" if _says_yes(self._headless, requested) else "reject"
            self.resolve(requested.approval_id, answer, by="policy")
        return Approval(requested, future, self._take_back)

    def resolve(
        self,
        approval_id: str,
        answer: Answer,
        *,
        note: str = "",
        arguments: JsonObject | None = None,
        by: str = "person",
        rules: Sequence[JsonObject] = (),
        scope: RuleScope = "session",
    ) -> bool:
        """Answer a question; the first answer wins.

        Returns:
            False if there is no such question or it was answered already: nothing happened.

        Raises:
            ValueError: edited, but without arguments.
            StoreFailed: the answer could not be recorded; the call is not run.
        """
        if answer == "approve_edited" and arguments is None:
            raise ValueError("an edited approval needs arguments")
        if approval_id not in self._open:
            return False
        requested, future, _rejudge = self._open.pop(approval_id)
        resolved = ApprovalResolved(
            approval_id=approval_id, call_id=requested.call_id, answer=answer, by=by, note=note, arguments=arguments, rules=tuple(rules), scope=scope
        )
        try:
            self._journal.append(resolved)
        except StoreFailed as error:
            future.set_exception(error)
            future.exception()  # it is raised here too, so it must not be called lost if nobody waits for the answer
            raise
        if not future.done():
            future.set_result(Answered(answer, note, arguments, by))
        return True

    def rejudge(self) -> None:
        """Decide every open question again after the mode or the rules changed: what is allowed now runs, what is refused now does not."""
        for approval_id, (_requested, _future, rejudge) in tuple(self._open.items()):
            outcome: Outcome = rejudge() if rejudge else "ask"
            if outcome == "allow":
                self.resolve(approval_id, "approve", by="program")
            elif outcome == "deny":
                self.resolve(approval_id, "reject", by="program")

    def cancel_all(self) -> None:
        """Make every open question void."""
        for approval_id in tuple(self._open):
            self.resolve(approval_id, "stop", by="program")

    def _take_back(self, approval_id: str) -> None:
        if approval_id in self._open:
            _requested, future, _rejudge = self._open[approval_id]
            future.cancel()
            self.resolve(approval_id, "stop", by="program")


def check_offered(requested: ApprovalRequested, answer: Answer, rules: Sequence[JsonObject], scope: RuleScope = "session", rung: Rung = "bwrap") -> None:
    """Check that lasting rules may be added with an answer.

    Raises:
        ValueError: the answer does not approve, one of them was not offered with the question, for the call or for one of its parts, or
            it may not hold that far.
    """
    if rules and answer not in {"approve", "approve_edited"}:
        raise ValueError("rules are only added with an approval")
    command = bool(requested.parts)
    levels = [(rule, requested.danger) for rule in requested.always] + [(rule, part.danger) for part in requested.parts for rule in part.always]
    for rule in rules:
        offered = [danger for known, danger in levels if known == rule]
        if not offered:
            raise ValueError("this rule was not offered with the question")
        if scope not in scopes_for(min(offered), rung=rung, command=command, grant=is_grant(rule)):
            raise ValueError(f"this rule may not hold for scope {scope}")


def _says_yes(headless: Headless, requested: ApprovalRequested) -> bool:
    match headless:
        case "all":
            return True
        case "reads":
            return requested.danger == Danger.LOOK
        case "none":
            return False
