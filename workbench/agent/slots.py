"""One call of a step while it is carried out: where it stands, what was decided, and how it ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from workbench.agent.approvals import Approval
from workbench.agent.gatekeeper import paths_of
from workbench.agent.outcomes import Ended
from workbench.conversation.calls import Confinement
from workbench.conversation.events import StepPlace
from workbench.conversation.messages import ResultDecision, ToolCallPart
from workbench.conversation.values import JsonObject
from workbench.permissions.gate import Decision
from workbench.permissions.modes import Mode
from workbench.permissions.rules import RuleSet
from workbench.tools.base import Plan, Tool, ToolContext

READ_ONLY = frozenset({"none", "read", "net_read"})


class CallEnded(Exception):
    """A call has its end without running (any more): unknown, denied, rejected, stopped."""

    def __init__(self, ended: Ended) -> None:
        super().__init__(ended.result.kind)
        self.ended = ended


@dataclass(frozen=True, kw_only=True)
class Ready:
    """A call that was prepared and decided, and not refused.

    Attributes:
        plan: what would run.
        decision: what the gate said of it.
        digest: of the plan; an approval holds only for this.
        approval: the open question; None if the call may run.
        by: who let it run: ``auto``, ``approved`` or ``edited``.
        original: the model's own arguments, to tell it what a person changed.
        under: the mode and rules it was decided under.
    """

    plan: Plan
    decision: Decision
    digest: str
    approval: Approval | None
    by: ResultDecision
    original: dict[str, Any]
    under: tuple[Mode, RuleSet]

    def approved(self) -> Ready:
        """Return it as a person let it run: no question is open any more."""
        return replace(self, approval=None, by="edited" if self.by == "edited" else "approved")


@dataclass(eq=False)
class Slot:
    """A call's place in its step.

    Attributes:
        call: as the model sent it.
        place: its turn and step.
        context: the tool's surroundings for this call.
        tool: set once it was found.
        repeats: how often this very call came in the turn.
        ready: None while it is not decided: at the beginning, or because it has to wait for an earlier call.
        at_once: it only reads, is allowed, and needs nothing of an earlier call.
        wanted: how its command shall be held since the sandbox stopped it; empty leaves it to the gate.
        started: the tool was started.
        ended: how it ended; set exactly once.
        done: set when it has ended.
    """

    call: ToolCallPart
    place: StepPlace
    context: ToolContext
    tool: Tool | None = None
    repeats: int = 0
    ready: Ready | None = None
    at_once: bool = False
    wanted: Confinement = ""
    started: bool = False
    ended: Ended | None = None
    done: asyncio.Event = field(default_factory=asyncio.Event)
    _started_s: float = 0.0

    @property
    def found(self) -> Tool:
        """The tool, once it was found."""
        if self.tool is None:
            raise RuntimeError("the tool was not looked up")
        return self.tool

    @property
    def decided(self) -> Ready:
        """The plan and its decision, once they are there."""
        if self.ready is None:
            raise RuntimeError("the call was not decided")
        return self.ready

    def start(self) -> None:
        """Note that the tool starts now."""
        self.started = True
        self._started_s = time.monotonic()

    @property
    def duration_s(self) -> float:
        """Seconds since the tool started; 0 if it did not."""
        return time.monotonic() - self._started_s if self.started else 0.0

    def held_context(self) -> ToolContext:
        """Return the surroundings with what was decided: how a command is held, and which places were named in it."""
        decision = self.decided.decision
        revealed = frozenset(place for part in decision.parts for place in part.places)
        return replace(self.context, confinement=decision.confinement, revealed=revealed)

    @property
    def has_effects(self) -> bool:
        """Whether it may change something; an unknown tool does not."""
        return self.tool is not None and self.tool.tool_class not in READ_ONLY

    @property
    def runs_in_turn(self) -> bool:
        """Whether later calls have to expect effects of this one that are still to come."""
        return self.has_effects and self.ended is None


def would_change(slots: Sequence[Slot], plan: Plan) -> bool:
    """Say whether a call that has still to run would change a path that `plan` touches."""
    touched = paths_of(plan.targets, changing=True) | paths_of(plan.targets, changing=False)
    return any(slot.runs_in_turn and slot.ready is not None and paths_of(slot.ready.plan.targets, changing=True) & touched for slot in slots)


def exactly(arguments: JsonObject) -> bytes:
    """Return arguments so that two are equal only if a tool gets the same: in Python 1 equals true and 1.0, in JSON it does not."""
    return msgspec.json.encode(arguments, order="deterministic")
