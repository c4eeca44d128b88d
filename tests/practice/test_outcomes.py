"""A result's text says how the call ended."""

from __future__ import annotations

import pytest

from workbench.errors import ToolError
from workbench.practice.outcomes import outcome_of, suggested_paths


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
