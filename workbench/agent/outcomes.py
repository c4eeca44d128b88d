"""What the model is told of a call that did not simply run, and the fact that ends every call.

The wordings are ours; their first line always is ``Error (kind): what happened.`` and the second says what to do next.
"""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple, TypeAlias

from workbench.agent.approvals import Answered
from workbench.conversation.events import StepPlace, ToolFinished
from workbench.conversation.messages import ResultDecision, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import clean_text
from workbench.errors import FileRefused, ToolError, WorkbenchError
from workbench.permissions.gate import Decision
from workbench.tools.base import Result

CHANGE_LIMIT_CHARACTERS = 4000
HeldBack: TypeAlias = Literal["", "cut", "lost", "stopped", "too_many", "unknown_end"]
"""Why no call of a message may run: the answer was cut at the output limit, the connection was lost, a person stopped it, there were too many
calls, or it ended with a word that is not known."""


class Ended(NamedTuple):
    """How a call ended.

    Attributes:
        result: what the tool gave, or what the program says in its place.
        decision: who let it run, or not.
        synthetic: no tool gave this result.
        duration_s: how long the tool ran.
    """

    result: Result
    decision: ResultDecision
    synthetic: bool = True
    duration_s: float = 0.0


def finished(call: ToolCallPart, place: StepPlace, ended: Ended) -> ToolFinished:
    """Return the fact that ends a call."""
    result = ended.result
    part = ToolResultPart(
        call_id=call.call_id,
        name=call.name,
        content=(TextPart(text=clean_text(result.text)), *result.attachments),
        is_error=result.status != "ok",
        decision=ended.decision,
        synthetic=ended.synthetic,
        duration_ms=round(ended.duration_s * 1000),
    )
    return ToolFinished(
        turn_id=place.turn_id,
        step=place.step,
        call_id=call.call_id,
        tool=call.name,
        status=result.status,
        result=part,
        kind=result.kind,
        decision=ended.decision,
        files_changed=result.files_changed,
        duration_s=ended.duration_s,
        truncated=result.truncated,
        output_file=result.output_file,
        exit_code=result.exit_code,
        facts=result.facts,
        ui=result.ui,
    )


def failed(error: WorkbenchError) -> Result:
    """Return the result that tells the model of an error of a tool or of the workspace."""
    match error:
        case ToolError():
            return Result.failed(error)
        case FileRefused():
            return Result.failed(ToolError(error.kind, error.text, error.advice))
        case _:
            return Result.failed(ToolError("workspace_unusable", error.text))


def _says(kind: str, text: str, advice: str) -> Result:
    return Result.failed(ToolError(kind, text, advice))


def unknown_tool(call: ToolCallPart, close: tuple[str, ...], names: tuple[str, ...]) -> Ended:
    """Say that a tool does not exist, in the words of the dialect if it has some; the close names come first."""
    if call.correction:
        return _corrected(call, "unknown_tool")
    name = call.name
    ordered = dict.fromkeys((*close, *names))
    meant = f" Did you mean {' or '.join(close)}?" if close else ""
    return Ended(_says("unknown_tool", f"There is no tool named {name!r}.{meant}", f"The tools are: {', '.join(ordered)}."), "none")


def not_run(call: ToolCallPart, held_back: HeldBack) -> Ended:
    """Say why a call of an answer that did not end well was not run."""
    match held_back:
        case "stopped":
            return stopped(running=False)
        case "lost":
            text = "The connection was lost before your message was complete, so this call was not run."
            return Ended(_says("cancelled", text, "Call the tool again if it is still needed."), "cancelled")
        case "too_many":
            text = "Your message holds more calls than are run at once, so this call was not run."
            return Ended(_says("cancelled", text, "Call the tool again if it is still needed, with fewer calls in one message."), "cancelled")
        case "unknown_end":
            text = "Your message ended in a way this program does not know, so none of its calls was run."
            return Ended(_says("cancelled", text, "Call the tool again if it is still needed."), "cancelled")
        case "cut" | "":
            pass
    if call.status == "invalid_json" and call.correction:
        return _corrected(call, "invalid_json")
    if call.status == "invalid_json":
        text = "The arguments are not valid JSON, so the call was not run."
        return Ended(_says("invalid_json", text, "Send the call again with complete, valid JSON."), "none")
    text = "Your message was cut at the output limit, so none of its calls was run."
    kind = "cancelled" if call.status == "complete" else "invalid_json"
    return Ended(_says(kind, text, "Call the tool again with less text at once: write a long file in smaller parts."), "none")


def _corrected(call: ToolCallPart, kind: str) -> Ended:
    return Ended(Result(status="error", text=call.correction, kind=kind), "none")


def denied(decision: Decision) -> Ended:
    """Say that the program refused a call, and why."""
    reasons = [reason.text for reason in decision.reasons if reason.outcome == "deny"]
    result = _says("denied", f"The call was refused: {' '.join(reasons)}", "Do not retry the same call; find another way, or ask the user.")
    return Ended(_with_status(result, "denied"), "denied")


def rejected(answered: Answered) -> Ended:
    """Say that a person, or the policy that stands in for one, rejected a call; their words stand on lines of their own."""
    advice = "Do not retry the same call; find another way, or ask the user."
    if answered.by == "policy":
        text = "The call needs a person's approval, and nobody is there to give it."
    elif answered.by == "program":
        text = "The call is refused since the mode or the rules were changed."
    else:
        text = "The user rejected this call."
        advice = f"The user says: {answered.note}\n{advice}" if answered.note else advice
    result = _says("denied", text, advice)
    return Ended(_with_status(result, "denied"), "rejected")


def stopped(*, running: bool) -> Ended:
    """Say that a call was stopped by the user, before it began or while it ran."""
    if running:
        text, advice = "The user stopped this call while it ran.", "What it had done by then may remain; look before you repeat it."
    else:
        text, advice = "The user stopped this call before it ran.", "Nothing of it was done."
    return Ended(_says("cancelled", text, advice), "cancelled")


def interrupted(*, running: bool) -> Ended:
    """Say that the program ended before a call had its result."""
    if running:
        text, advice = "The program ended while this call ran; its outcome is unknown.", "Look at the current state before you repeat it."
    else:
        text, advice = "The program ended before this call ran.", "Nothing of it was done; call the tool again if it is still needed."
    return Ended(_says("cancelled", text, advice), "cancelled")


def internal_error(seq: int) -> Ended:
    """Say that the program itself failed; the log has the rest under the journal's number."""
    text = f"Internal error in the program (journal {seq}); this is not your mistake."
    return Ended(_says("internal_error", text, "What the call had done by then may remain. Try another way."), "none")


def edited_note(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the sentence that tells the model what a person changed before the call ran."""
    changes = [_change(name, before, after) for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
    return f"The user edited the call before running it: {'; '.join(changes)}."


def _change(name: str, before: dict[str, Any], after: dict[str, Any]) -> str:
    if name not in after:
        return f"{name} was removed"
    if name not in before:
        return f"{name} is {_shown(after[name])}"
    return f"{name} is {_shown(after[name])} instead of {_shown(before[name])}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= CHANGE_LIMIT_CHARACTERS:
        return text
    return f"{text[:200]} … ({len(text)} characters; read the result to see it all)"


def _with_status(result: Result, status: Literal["denied"]) -> Result:
    return Result(status=status, text=result.text, kind=result.kind)
