"""A result's text says how the call ended."""

from __future__ import annotations

import pytest

from workbench.agent import outcomes as told
from workbench.agent.approvals import Answered
from workbench.conversation.messages import ToolCallPart
from workbench.errors import ToolError
from workbench.practice.outcomes import outcome_of, suggested_paths, text_below_edit


def test_plain_text_means_that_it_worked() -> None:
    assert outcome_of("8760").kind == "ok"
    assert outcome_of("").kind == "ok"
    assert outcome_of(None).kind == "missing"


@pytest.mark.parametrize(("kind", "expected"), [("file_not_found", "error"), ("cancelled", "cancelled"), ("denied", "denied"), ("timed_out", "error")])
def test_error_of_a_tool_is_read_back(kind: str, expected: str) -> None:
    outcome = outcome_of(ToolError(kind, "It is not there.", "Look elsewhere.").for_model())
    assert (outcome.kind, outcome.error, outcome.what, outcome.more) == (expected, kind, "It is not there.", "Look elsewhere.")


def test_error_text_inside_of_a_file_is_no_error() -> None:
    assert outcome_of("<path>a</path>\n<content>\n1: Error (denied): x\n</content>").kind == "ok"


def test_offered_names_are_found() -> None:
    outcome = outcome_of("Error (file_not_found): 'readme' does not exist.\nDid you mean README.md or docs/read me.md?")
    assert suggested_paths(outcome) == ["README.md", "docs/read me.md"]
    assert suggested_paths(outcome_of("Error (file_not_found): x\nUse glob or list to see what there is.")) == []
    assert suggested_paths(outcome_of("Error (file_not_found): x\nSimilar files:\n- a.py\n- src/b.py")) == ["a.py", "src/b.py"]


def test_rejection_by_a_person_is_told_from_a_refusal_by_the_program() -> None:
    person = outcome_of(told.rejected(Answered("reject")).result.text)
    assert (person.kind, person.note) == ("rejected", "")
    for by in ("policy", "program"):
        assert outcome_of(told.rejected(Answered("reject", by=by)).result.text).kind == "denied"


@pytest.mark.parametrize("note", ["No new dependency, please.", "不要新依赖：标准库就够了。", "Two lines:\nsecond one", 'Say "no" to it.'])
def test_words_of_a_person_are_found_whole(note: str) -> None:
    outcome = outcome_of(told.rejected(Answered("reject", note)).result.text)
    assert (outcome.kind, outcome.note) == ("rejected", note)


def test_stopped_and_unknown_calls_are_what_they_are() -> None:
    assert outcome_of(told.stopped(running=True).result.text).kind == "cancelled"
    unknown = outcome_of(told.unknown_tool(ToolCallPart(call_id="c", name="raed", arguments_raw="{}"), ("read",), ("read", "list")).result.text)
    assert (unknown.kind, unknown.error) == ("error", "unknown_tool")
    call = ToolCallPart(call_id="c", name="read", arguments_raw="{", status="invalid_json")
    assert outcome_of(told.not_run(call, "").result.text).error == "invalid_json"


@pytest.mark.parametrize(
    ("text", "error"),
    [("raed is not a valid tool, try one of [read].", "unknown_tool"), ("Invalid Format: Missing 'Action:' after 'Thought:'", "invalid_json")],
)
def test_what_react_says_of_calls_that_did_not_run_is_an_error(text: str, error: str) -> None:
    assert outcome_of(text)[:3] == ("error", error, text)


def test_edit_by_a_person_is_told_and_taken_off_the_result() -> None:
    note = told.edited_note({"command": "ls"}, {"command": "ls\n-la"})
    result = f"{note}\nfile\n[exit code 0 · 0.1 s]"
    assert outcome_of(result).edited == note
    assert text_below_edit(result) == "file\n[exit code 0 · 0.1 s]"
    failed = outcome_of(f"Error (timed_out): It took too long.\n{note}")
    assert (failed.kind, failed.edited) == ("error", note)


def test_file_that_speaks_of_edits_is_no_edit() -> None:
    assert outcome_of("<path>a</path>\n<content>\n1: The user edited the call before running it: x\n</content>").edited == ""


@pytest.mark.parametrize("decision", ["rejected", "cancelled"])
def test_decision_of_the_neutral_part_counts_where_it_is_known(decision: str) -> None:
    assert outcome_of("Error (denied): no", decision).kind == decision
