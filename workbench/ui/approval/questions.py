"""The open questions as the dialog holds them: their order, what a person did with each so far, and the one way in which an answer goes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from workbench.conversation.calls import Answer, RuleScope
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.values import JsonObject
from workbench.errors import WorkbenchError
from workbench.permissions.modes import Rung
from workbench.ui.approval.content import Memory
from workbench.ui.approval.draft import Draft
from workbench.ui.approval.held import held_look
from workbench.ui.approval.subject import made_by
from workbench.ui.bridge import Bridge
from workbench.words import tell


class Written(NamedTuple):
    """What a person wrote about a question: words begun for a rejection, and the arguments as they are edited."""

    note: str
    draft: Draft


class Questions:
    """The open questions of the session that the bridge shows.

    Args:
        bridge: whose questions.
        written: what was written about them before, by approval id.

    Attributes:
        listed: approval ids in the order in which a person sees them.
    """

    def __init__(self, bridge: Bridge, written: Mapping[str, Written]) -> None:
        self._bridge, self._before = bridge, dict(written)
        self._memories: dict[str, Memory] = {}
        self.listed: tuple[str, ...] = ()

    @property
    def pending(self) -> tuple[ApprovalRequested, ...]:
        """The questions, oldest first."""
        return self._bridge.pending

    @property
    def workspace(self) -> str:
        """The real path of the workspace; empty if no session is attached."""
        return str(self._bridge.opened.bench.workspace.path) if self._bridge.opened else ""

    @property
    def rung(self) -> Rung:
        """What holds commands on this machine."""
        return self._bridge.rung

    def is_open(self, requested: ApprovalRequested | None) -> bool:
        """Say whether this very question is open."""
        return requested is not None and any(one.approval_id == requested.approval_id for one in self.pending)

    def by_id(self, approval_id: str) -> ApprovalRequested | None:
        """Return the open question of an id."""
        return next((one for one in self.pending if one.approval_id == approval_id), None)

    def about(self, call_id: str) -> ApprovalRequested | None:
        """Return the newest open question about a call."""
        return next((one for one in reversed(self.pending) if one.call_id == call_id), None)

    def after(self, gone: ApprovalRequested | None) -> ApprovalRequested | None:
        """Return the question to be shown when one is gone: the next in the list, else the oldest."""
        listed = self.listed
        later = listed[listed.index(gone.approval_id) + 1 :] if gone is not None and gone.approval_id in listed else ()
        return next((one for one in self.pending if one.approval_id in later), self.pending[0] if self.pending else None)

    def list_now(self) -> tuple[ApprovalRequested, ...]:
        """Take the questions that are open now as what a person sees, and forget what they did with others."""
        pending = self.pending
        self.listed = tuple(one.approval_id for one in pending)
        self._memories = {approval_id: memory for approval_id, memory in self._memories.items() if approval_id in self.listed}
        return pending

    def seen_pending(self, wanted: Callable[[ApprovalRequested], bool] = lambda _one: True) -> list[ApprovalRequested]:
        """Return the open questions that a person sees in the list, if they are wanted."""
        return [one for one in self.pending if one.approval_id in self.listed and wanted(one)]

    def memory_of(self, requested: ApprovalRequested) -> Memory:
        """Return what a person did with a question so far."""
        if requested.approval_id not in self._memories:
            made = made_by(requested, self._bridge.entries)
            before = self._before.pop(requested.approval_id, None)
            note, draft = before or ("", Draft(made.arguments, requested.arguments, requested.input_schema))
            self._memories[requested.approval_id] = Memory(made=made, draft=draft, note=note, held=held_look(requested, self.rung))
        return self._memories[requested.approval_id]

    def written(self) -> dict[str, Written]:
        """Return what a person wrote about the questions so far, by approval id."""
        return self._before | {approval_id: Written(memory.note, memory.draft) for approval_id, memory in self._memories.items()}

    def answer_all(self, questions: Sequence[ApprovalRequested], answer: Answer) -> None:
        """Answer several questions alike, in order."""
        for requested in questions:
            self.answer(requested, answer)

    def answer(
        self, requested: ApprovalRequested, answer: Answer, *, note: str = "", arguments: JsonObject | None = None,
        rules: Sequence[JsonObject] = (), scope: RuleScope = "session",
    ) -> bool:
        """Answer exactly this question; False, and nothing happened, if it is not open any more or is not about the same plan."""
        asked = self.by_id(requested.approval_id)
        if asked is None or asked.digest != requested.digest:
            return False
        try:
            return self._bridge.answer(requested.approval_id, answer, note=note, arguments=arguments, rules=rules, scope=scope)
        except WorkbenchError as error:
            self._bridge.refused.emit(tell(error))
            return False
