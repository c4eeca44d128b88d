"""What the model is told has one form: kind and what happened, then what to do next."""

from __future__ import annotations

import re

import pytest

from workbench.agent.approvals import Answered
from workbench.agent.outcomes import (
    Ended,
    denied,
    edited_note,
    failed,
    finished,
    internal_error,
    interrupted,
    not_run,
    rejected,
    stopped,
    unknown_tool,
)
from workbench.conversation.events import StepPlace
from workbench.conversation.messages import ImagePart, ToolCallPart
from workbench.errors import FileRefused, ToolError, WorkspaceError
from workbench.permissions.danger import Danger
from workbench.permissions.gate import Decision
from workbench.permissions.reasons import Reason
from workbench.tools.base import Result

CALL = ToolCallPart(call_id="c1", name="probe", arguments_raw="{}")
REFUSED = Decision(
    outcome="deny", danger=Danger.EDIT, reasons=(Reason("x", "It is read only.", "", "deny"), Reason("y", "It would ask.", "", "ask"))
)

EVERY = [
    unknown_tool(ToolCallPart(call_id="c", name="reed", arguments_raw="{}"), ("read",), ("list", "read")),
    unknown_tool(ToolCallPart(call_id="c", name="zzz", arguments_raw="{}"), (), ("list", "read")),
    *(not_run(CALL, why) for why in ("cut", "lost", "stopped", "unknown_end")),
    *(not_run(ToolCallPart(call_id="c", name="n", arguments_raw="{", status=status), "") for status in ("truncated", "invalid_json")),
    denied(REFUSED),
    rejected(Answered("reject")),
    rejected(Answered("reject", "not there")),
    rejected(Answered("reject", by="policy")),
    rejected(Answered("reject", by="program")),
    *(tell(running=running) for tell in (stopped, interrupted) for running in (False, True)),
    internal_error(7),
    Ended(failed(ToolError("timed_out", "Too long.", "Less.")), "none"),
    Ended(failed(FileRefused("symlink_loop", "A circle.", "Another path.")), "none"),
]


@pytest.mark.parametrize("ended", EVERY, ids=lambda ended: ended.result.text[:40])
def test_form_of_what_the_model_is_told(ended: Ended) -> None:
    assert re.fullmatch(r"Error \([a-z_]+\): [^\n]+[.?]\n(The user says: [^\n]+\n)?[^\n]+\.", ended.result.text)
    assert ended.result.status != "ok"
    fact = finished(CALL, StepPlace("t", 1), ended)
    assert fact.result.is_error
    assert fact.kind == ended.result.kind
    assert fact.result.text() == ended.result.text


def test_only_reasons_that_refuse_are_told() -> None:
    assert denied(REFUSED).result.text.startswith("Error (denied): The call was refused: It is read only.\n")


def test_workspace_that_is_gone_is_told_without_advice() -> None:
    assert failed(WorkspaceError("The folder is no longer there.")).text == "Error (workspace_unusable): The folder is no longer there."


def test_changes_are_told_one_by_one() -> None:
    note = edited_note({"a": 1, "b": "x", "c": True}, {"a": 2, "b": "x", "d": ["y"]})
    assert note == 'The user edited the call before running it: a is 2 instead of 1; c was removed; d is ["y"].'


def test_long_values_are_cut_in_the_note() -> None:
    note = edited_note({"content": "x" * 10_000}, {"content": "y"})
    assert len(note) < 400
    assert "10002 characters" in note


def test_result_carries_everything_of_the_tool() -> None:
    picture = ImagePart(media_type="image/png", data="AA==")
    result = Result(text="t", attachments=(picture,), truncated=True, output_file="c1.txt", exit_code=3, facts="3 lines", ui={"a": 1})
    fact = finished(CALL, StepPlace("t", 2), Ended(result, "approved", synthetic=False, duration_s=1.25))
    assert (fact.step, fact.status, fact.exit_code, fact.facts, fact.output_file, fact.ui) == (2, "ok", 3, "3 lines", "c1.txt", {"a": 1})
    assert (fact.result.content[-1], fact.result.duration_ms, fact.result.synthetic, fact.decision) == (picture, 1250, False, "approved")
