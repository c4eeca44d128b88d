"""A command that the sandbox stopped: a person is asked once whether it may run again as it would have to, and what comes of that is told.

The model cannot ask for this, and no rule allows it: the question has an id, a decision and a level of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from workbench.agent.approvals import Approval, Approvals
from workbench.agent.slots import CallEnded, Slot
from workbench.conversation.calls import Confinement
from workbench.permissions.gate import Decision
from workbench.permissions.reasons import Reason
from workbench.tools.base import Interrupted, Plan, Result

Refusal: TypeAlias = Literal["nobody", "mode", "person", "stopped"]

_AS: dict[Confinement, str] = {"network": "with the network", "unconfined": "outside of the sandbox"}
_DENIED = {
    "write": "The sandbox stopped it from writing there.",
    "read": "The sandbox stopped it from reading there.",
    "network": "The sandbox kept it off the network.",
    "other": "The sandbox stopped something it tried.",
}
DENIALS_TOLD = 8
_WHY_NOT: dict[Refusal, str] = {
    "nobody": "nobody is there to allow it",
    "mode": "the mode or a rule does not allow it",
    "person": "the user did not allow it",
    "stopped": "the user stopped the call",
}


@dataclass(frozen=True)
class SecondRun:
    """What is needed of the harness to ask and run once more.

    Attributes:
        approvals: where questions go.
        decide: lets the gate decide on the plan as the slot now wants it, and writes that down; ends the call if it is refused.
        ask: asks a person.
        run: runs the plan that was decided on.
    """

    approvals: Approvals
    decide: Callable[[Slot, Plan], Awaitable[Decision]]
    ask: Callable[[Slot, Plan, Decision], Approval]
    run: Callable[[Slot], Awaitable[Result]]

    async def after(self, slot: Slot, first: Result) -> Result:
        """Return the result of the second run, or the first one with the reason why there was none.

        Raises:
            Interrupted: the call was stopped while the question was open; it carries the first result.
        """
        ready = slot.decided
        slot.wanted = first.stopped_by_sandbox
        if self.approvals.headless not in {None, "all"}:
            return _told(first, slot.wanted, "nobody")
        try:
            decision = await self.decide(slot, ready.plan)
        except CallEnded:
            return _told(first, slot.wanted, "mode")
        asked = replace(decision, reasons=(*decision.reasons, *_denials(first)))
        slot.ready = replace(ready, decision=decision, approval=self.ask(slot, ready.plan, asked))
        try:
            refusal = await self._refused(slot)
        except asyncio.CancelledError:
            raise Interrupted(replace(_told(first, slot.wanted, "stopped"), status="cancelled", kind="cancelled")) from None
        if refusal:
            slot.ready = replace(ready, approval=None)
            return _told(first, slot.wanted, refusal)
        slot.ready = slot.decided.approved()
        second = await self.run(slot)
        note = f"[the sandbox stopped it at first; the user let it run again {_AS[slot.wanted]}. What it did before may have been done twice.]"
        return replace(second, text=f"{second.text}\n{note}", stopped_by_sandbox="")

    async def _refused(self, slot: Slot) -> Refusal | None:
        """Wait for the answer; None is a yes. Other arguments would be another call: they are no yes to this one."""
        if slot.decided.approval is None:
            return "nobody"
        answered = await slot.decided.approval.answer()
        if answered.answer == "approve":
            return None
        return "mode" if answered.by == "program" else "person"


def _denials(first: Result) -> tuple[Reason, ...]:
    """Return what the sandbox stopped in the first run, for the question: whoever answers should know what the command tried."""
    sandbox = first.ui.get("sandbox")
    denied = sandbox.get("denied") if isinstance(sandbox, dict) else None
    found = [one for one in denied if isinstance(one, dict)] if isinstance(denied, list) else []
    return tuple(Reason("sandbox.denied", _DENIED.get(str(one.get("kind")), _DENIED["other"]), str(one.get("subject") or "")) for one in found[:DENIALS_TOLD])


def _told(first: Result, wanted: Confinement, why_not: Refusal) -> Result:
    note = f"[it was not run again {_AS[wanted]}: {_WHY_NOT[why_not]}]"
    return replace(first, text=f"{first.text}\n{note}", stopped_by_sandbox="")
