"""The facts of a call before it runs: what was decided on it, and what a person is asked."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Any

import msgspec

from workbench.agent.gatekeeper import fact_parts, fact_reasons
from workbench.agent.slots import Slot
from workbench.conversation.calls import Preview, Reason
from workbench.conversation.events import ApprovalRequested, Decided
from workbench.conversation.messages import mint_id
from workbench.permissions.gate import Decision
from workbench.permissions.rules import stored
from workbench.tools.base import Plan


def decided_fact(slot: Slot, plan: Plan, decision: Decision, *, digest: str, notices: tuple[str, ...], edited: bool) -> Decided:
    """Return the gate's answer on a plan as a fact."""
    return Decided(
        turn_id=slot.place.turn_id,
        step=slot.place.step,
        call_id=slot.call.call_id,
        tool=slot.call.name,
        outcome=decision.outcome,
        danger=int(decision.danger),
        outside=decision.outside,
        badges=tuple(decision.badges),
        reasons=fact_reasons(decision.reasons),
        targets=plan.targets,
        arguments=plan.arguments,
        notices=(*notices, *plan.notices),
        edited=edited,
        digest=digest,
        confinement=decision.confinement,
    )


def question_fact(
    slot: Slot, plan: Plan, decision: Decision, *, digest: str, folder: Path, agent: tuple[str, ...] = (), note: Reason | None = None
) -> ApprovalRequested:
    """Return the question about a plan as a fact.

    Args:
        slot: the call.
        plan: what would run.
        decision: what the gate says of it.
        digest: of the plan; the answer holds for it alone.
        folder: the workspace folder.
        agent: the chain of sub-agents that ask.
        note: what a person must know besides.
    """
    return ApprovalRequested(
        approval_id=mint_id("apr"),
        turn_id=slot.place.turn_id,
        step=slot.place.step,
        call_id=slot.call.call_id,
        tool=slot.call.name,
        digest=digest,
        danger=int(decision.danger),
        preview=_preview(plan, folder),
        reasons=((note,) if note else ()) + fact_reasons(decision.reasons),
        badges=tuple(decision.badges),
        targets=plan.targets,
        arguments=plan.arguments,
        input_schema=slot.found.definition.input_schema,
        can_always=decision.can_always,
        agent=agent,
        description=_description(plan),
        always=tuple(stored(rule) for rule in decision.suggested),
        parts=fact_parts(decision),
        confinement=decision.confinement,
    )


def _preview(plan: Plan, folder: Path) -> Preview:
    """Return what a person is shown; if the tool names nothing, the first place it would touch is its title, below `folder` without it."""
    if plan.preview.title or not plan.targets:
        return plan.preview
    target = plan.targets[0]
    inside = target.kind == "path" and PurePath(target.name).is_relative_to(folder)
    title = PurePath(target.name).relative_to(folder).as_posix() if inside else target.name
    return msgspec.structs.replace(plan.preview, title=title)


def _description(plan: Plan) -> str:
    """Return what the model says of its own call; front ends show it as a quote."""
    described: Any = plan.arguments.get("description", "")
    return described if isinstance(described, str) else ""
