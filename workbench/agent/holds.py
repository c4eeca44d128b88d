"""Requests that are held because their provider would refuse them: each waits for a person, who is asked once about a rule.

What was answered is folded from the journal, so a session that is opened again still knows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress

from workbench.conversation.checks import RefusalExplained, ReleaseDecision, RequestHeld, RequestReleased
from workbench.conversation.events import Entry
from workbench.conversation.journal import Journal
from workbench.errors import StoreFailed


class Holds:
    """The held requests of one session, and what was decided about rules. A `Review`; called only on the loop's thread.

    Args:
        journal: takes the facts; its entries tell what was decided before.
        headless: nobody can be asked: what can be mended is, all else is sent as it is.
    """

    def __init__(self, journal: Journal, *, headless: bool = False) -> None:
        self._journal = journal
        self._headless = headless
        self._held: dict[str, RequestHeld] = {}
        self._waiting: dict[str, asyncio.Future[ReleaseDecision]] = {}
        self._answers: dict[str, ReleaseDecision] = {}
        self._refused: set[str] = set()
        self._listening = journal.subscribe(self._add)

    @property
    def waiting(self) -> RequestHeld | None:
        """The request that waits now; None if none does."""
        return next((self._held[hold_id] for hold_id in self._waiting), None)

    @property
    def answers(self) -> Mapping[str, ReleaseDecision]:
        """What was decided about each rule."""
        return self._answers

    def answered(self, rule: str) -> ReleaseDecision | None:
        """Return what was decided about a rule earlier in this session: ``repair`` or ``send``; None if nothing was."""
        return self._answers.get(rule)

    def refused(self, rule: str) -> bool:
        """Say whether a provider refused a request of this session because of a rule."""
        return rule in self._refused

    async def decide(self, held: RequestHeld) -> ReleaseDecision:
        """Write down that a request is held, and return what a person decides about it; on cancel the hold ends as stopped.

        Raises:
            StoreFailed: the journal takes nothing more.
        """
        future: asyncio.Future[ReleaseDecision] = asyncio.get_running_loop().create_future()
        self._waiting[held.hold_id] = future
        try:
            self._journal.append(held)
            if self._headless:
                self.release(held.hold_id, "repair" if any(finding.edits for finding in held.findings) else "send")
            return await future
        finally:
            if self._waiting.pop(held.hold_id, None) is not None:
                with suppress(StoreFailed):
                    self._journal.append(RequestReleased(hold_id=held.hold_id, turn_id=held.turn_id, decision="stop"))

    def release(self, hold_id: str, decision: ReleaseDecision) -> bool:
        """Decide about a held request; the first decision wins.

        Returns:
            False if it does not wait (any more); nothing happened then.

        Raises:
            StoreFailed: the decision could not be recorded; the request is not sent.
        """
        future = self._waiting.pop(hold_id, None)
        if future is None:
            return False
        try:
            self._journal.append(RequestReleased(hold_id=hold_id, turn_id=self._held[hold_id].turn_id, decision=decision))
        except StoreFailed as error:
            future.set_exception(error)
            future.exception()  # it is raised here too, so it must not be called lost if nobody waits for the decision
            raise
        if not future.done():
            future.set_result(decision)
        return True

    def close(self) -> None:
        """Listen no more."""
        self._listening.close()

    def _add(self, entry: Entry) -> None:
        match entry.event:
            case RequestHeld(hold_id=hold_id):
                self._held[hold_id] = entry.event
            case RequestReleased(hold_id=hold_id, decision=decision):
                self._note(self._held.pop(hold_id, None), decision)
            case RefusalExplained(findings=findings):
                for finding in findings:
                    self._refused.add(finding.rule)
                    if self._answers.get(finding.rule) == "send":
                        del self._answers[finding.rule]
            case _:
                pass

    def _note(self, held: RequestHeld | None, decision: ReleaseDecision) -> None:
        for finding in held.findings if held is not None and decision != "stop" else ():
            self._answers[finding.rule] = decision if finding.edits else "send"
