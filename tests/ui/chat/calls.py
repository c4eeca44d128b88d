"""Calls of the chat in any state, for tests that need no session."""

from __future__ import annotations

from itertools import count
from typing import Any

from workbench.conversation.calls import FileChange, Preview, Reason, ToolStatus
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, Decided, ToolFinished
from workbench.conversation.messages import ResultDecision, TextPart, ToolResultPart
from workbench.inspection.timeline_items import Call, CallsItem, CallState

_numbers = count(1)


def call(tool: str, state: CallState, title: str = "", **fields: Any) -> Call:
    return Call(call_id=f"c{next(_numbers)}", tool=tool, state=state, title=title, **fields)


def box(*calls: Call) -> CallsItem:
    return CallsItem(item_id=f"i{next(_numbers)}", step=1, calls=list(calls))


def finished(
    tool: str, status: ToolStatus = "ok", text: str = "ok", *, decision: ResultDecision = "auto", synthetic: bool = False, **fields: Any
) -> ToolFinished:
    part = ToolResultPart(
        call_id="c", name=tool, content=(TextPart(text=text),), is_error=status != "ok", decision=decision, synthetic=synthetic
    )
    return ToolFinished(turn_id="t", step=1, call_id="c", tool=tool, status=status, result=part, decision=decision, **fields)


def changed(path: str, added: int, removed: int) -> FileChange:
    return FileChange(path=path, operation="modify", before_sha256="a", after_sha256="b", added=added, removed=removed)


def denied(sentence: str, code: str = "rule.deny") -> Decided:
    reasons = (Reason(code="mode.ask", text="Asks.", outcome="ask"), Reason(code=code, text=sentence, outcome="deny"))
    return Decided(turn_id="t", step=1, call_id="c", tool="bash", outcome="deny", danger=3, outside=False, reasons=reasons)


def answered(by: str = "person", note: str = "") -> ApprovalResolved:
    return ApprovalResolved(approval_id="a", call_id="c", answer="reject", by=by, note=note)


def question(tool: str, preview: Preview, *why: str, danger: int = 1, **fields: Any) -> ApprovalRequested:
    return ApprovalRequested(
        approval_id=f"a{next(_numbers)}",
        turn_id="t",
        step=1,
        call_id="c",
        tool=tool,
        digest="d",
        danger=danger,
        preview=preview,
        reasons=tuple(Reason(code="x", text=text) for text in why),
        **fields,
    )


def command(text: str, *why: str, danger: int = 2, **fields: Any) -> ApprovalRequested:
    return question("bash", Preview(kind="command", title=text.partition("\n")[0], body=text, language="bash"), *why, danger=danger, **fields)


def waiting(requested: ApprovalRequested) -> Call:
    return call(requested.tool, "waiting", requested.preview.title, approval=requested, preview=requested.preview)
