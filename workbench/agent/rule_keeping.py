"""The rules of a session: its own, which end with it, and those kept for its project or everywhere, which whoever builds it hands in.

The session does not know where rules are kept. What a person adds is in force at once and kept behind that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from workbench.agent.approvals import Approvals
from workbench.agent.gatekeeper import Gatekeeper
from workbench.agent.tasks import Owner
from workbench.conversation.calls import RuleScope
from workbench.conversation.events import Decided, Entry, Notice, TurnStarted
from workbench.conversation.journal import Journal
from workbench.conversation.values import JsonObject, plain_values
from workbench.errors import StoreError, WorkbenchError
from workbench.permissions.rules import Rule, RuleSet


class RuleKeeper(Protocol):
    """Keeps rules of one project beyond a session."""

    async def keep(self, rules: Sequence[Rule], scope: RuleScope) -> object:
        """Keep rules under the ids they have.

        Raises:
            SettingsError: they could not be kept; one sentence.
        """
        ...

    def note_use(self, rule_ids: Iterable[str]) -> None:
        """Note that rules decided a call."""
        ...

    async def changed(self) -> WorkbenchError | None:
        """Return what to tell if somebody else changed kept rules; they are not in force."""
        ...

    def listen(self, listener: Callable[[RuleSet], None]) -> Callable[[], None]:
        """Call `listener` with the kept rules whenever a person changes them; return what ends that."""
        ...

    def notices(self) -> tuple[WorkbenchError, ...]:
        """Return what is wrong with the kept rules, one sentence each."""
        ...


class SessionRules:
    """Puts rules in force in one session. Called on the loop's thread."""

    def __init__(self, *, gatekeeper: Gatekeeper, journal: Journal, approvals: Approvals, keeper: RuleKeeper | None, owner: Owner) -> None:
        self._gatekeeper = gatekeeper
        self._journal = journal
        self._approvals = approvals
        self._keeper = keeper
        self._owner = owner
        self._keeping: set[asyncio.Task[None]] = set()
        self._told: set[str] = set()
        self._ends: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Hear of kept rules from now on, and tell what is wrong with them."""
        if self._keeper is None:
            return
        self._ends = [self._keeper.listen(self._renew), self._journal.subscribe(self._entry, after=self._journal.last_seq).close]
        for error in self._keeper.notices():
            self._tell(error)

    def add(self, rules: Sequence[JsonObject], scope: RuleScope) -> None:
        """Put rules in force, in their stored form, and decide open questions again; those that outlive the session are kept behind that.

        Raises:
            SettingsError: one of them is no rule; none is in force.
        """
        keeper = self._keeper
        added = self._gatekeeper.add(rules, scope if keeper is not None else "session")
        self._approvals.rejudge()
        if keeper is not None and scope != "session":
            task = self._owner.spawn(self._keep(keeper, added, scope), name="keep rules")
            self._keeping.add(task)
            task.add_done_callback(self._keeping.discard)

    async def aclose(self) -> None:
        """Return when everything to be kept is kept, and hear nothing more."""
        if self._keeping:
            await asyncio.wait(self._keeping)
        for end in self._ends:
            end()
        self._ends = []

    async def _keep(self, keeper: RuleKeeper, rules: Sequence[Rule], scope: RuleScope) -> None:
        try:
            await keeper.keep(rules, scope)
        except WorkbenchError as error:
            self._gatekeeper.limit_to_session(rules)
            self._tell(error)

    def _renew(self, kept: RuleSet) -> None:
        self._gatekeeper.renew(kept)
        self._approvals.rejudge()

    def _entry(self, entry: Entry) -> None:
        if self._keeper is None:
            return
        match entry.event:
            case Decided(reasons=reasons, outcome=outcome):
                self._keeper.note_use({reason.subject for reason in reasons if reason.code == f"rule.{outcome}"})
            case TurnStarted():
                self._owner.spawn(self._look(self._keeper), name="look at kept rules")
            case _:
                return

    async def _look(self, keeper: RuleKeeper) -> None:
        error = await keeper.changed()
        if error is not None:
            self._tell(error)

    def _tell(self, error: WorkbenchError) -> None:
        """Write what a person should know, once in a session."""
        if error.text in self._told:
            return
        self._told.add(error.text)
        notice = Notice(message_id=error.message_id, text=error.text, level="warning", values=plain_values(error.values))
        try:
            self._journal.append(notice)
        except StoreError:
            self._journal.emit(notice)
