"""What would come of a call if a person changed its arguments: are they usable, what would be done, and would it ask again. Nothing is run.

For front ends while a question is open; the answer itself goes through `Session.resolve`, where everything is decided anew.
"""

from __future__ import annotations

from typing import NamedTuple

from workbench.agent.gatekeeper import Gatekeeper, action_of, fact_parts
from workbench.conversation.calls import CallPart, Outcome, Preview
from workbench.conversation.events import ApprovalRequested
from workbench.conversation.messages import ToolCallPart
from workbench.conversation.values import JsonObject
from workbench.errors import ToolError, WorkspaceError
from workbench.permissions.danger import Badge, Danger
from workbench.permissions.gate import Decision
from workbench.tools.arguments import fit_arguments
from workbench.tools.base import ToolContext
from workbench.tools.registry import ToolRegistry


class Checked(NamedTuple):
    """Arguments against a schema.

    Attributes:
        values: as the tool would get them; empty if they cannot be used.
        notices: what would be changed, one sentence each.
        problem: why they cannot be used, one sentence; empty if they can.
    """

    values: JsonObject
    notices: tuple[str, ...] = ()
    problem: str = ""


class Rehearsal(NamedTuple):
    """A call with changed arguments.

    Attributes:
        preview: what a person would be shown; None if it cannot be prepared.
        parts: the simple commands, of a shell call.
        outcome: what the gate says now.
        danger: its level.
        asks_again: it is stricter than what the person sees, so that it would ask anew.
        problem: why it cannot be done, one sentence.
    """

    preview: Preview | None
    parts: tuple[CallPart, ...] = ()
    outcome: Outcome = "deny"
    danger: int = 0
    asks_again: bool = False
    problem: str = ""


def check_arguments(arguments: object, input_schema: JsonObject) -> Checked:
    """Say whether arguments fit a tool's schema, as they will be checked when they are sent."""
    try:
        fitted = fit_arguments(arguments, input_schema)
    except ToolError as error:
        return Checked({}, problem=error.text)
    return Checked(fitted.values, fitted.notices)


async def rehearse(
    requested: ApprovalRequested, arguments: JsonObject, *, registry: ToolRegistry, context: ToolContext, gatekeeper: Gatekeeper
) -> Rehearsal:
    """Prepare a question's call with other arguments and judge it, without side effects.

    Args:
        requested: the question, as the person sees it.
        arguments: what they would answer with.
        registry: the session's tools.
        context: the tools' surroundings.
        gatekeeper: judges.
    """
    tool = registry.get(requested.tool)
    if tool is None:
        return Rehearsal(None, problem=f"There is no tool named {requested.tool!r}.")
    checked = check_arguments(arguments, requested.input_schema)
    if checked.problem:
        return Rehearsal(None, problem=checked.problem)
    try:
        plan = await tool.prepare(checked.values, context)
    except (ToolError, WorkspaceError) as error:
        return Rehearsal(None, problem=error.text)
    call = ToolCallPart(call_id=requested.call_id, name=requested.tool, arguments_raw="")
    decision = await gatekeeper.judge(action_of(tool, plan, call, repeats=1, edited=True))
    return Rehearsal(
        preview=plan.preview,
        parts=fact_parts(decision),
        outcome=decision.outcome,
        danger=int(decision.danger),
        asks_again=decision.stricter_than(_as_seen(requested)),
        problem=_refusal(decision),
    )


def _as_seen(requested: ApprovalRequested) -> Decision:
    badges = tuple(badge for badge in Badge if badge in requested.badges)
    return Decision(outcome="ask", danger=Danger(requested.danger), outside=Badge.OUTSIDE in badges, badges=badges)


def _refusal(decision: Decision) -> str:
    return " ".join(reason.text for reason in decision.reasons if reason.outcome == "deny") if decision.outcome == "deny" else ""
