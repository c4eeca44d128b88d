"""Code in colour loses no character, whatever the language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.kit.highlight import code_lines, code_runs


@pytest.mark.parametrize("language", ["python", "json", "bash", "no such language"])
@given(source=st.text(alphabet=st.characters(exclude_characters="\r\x00", exclude_categories=["Cs"]), max_size=80))
def test_every_character_is_kept(language: str, source: str) -> None:
    assert "\n".join("".join(run.string for run in line) for line in code_lines(source, language)) == source


@pytest.mark.parametrize(("line", "language"), [("make  # why", "bash"), ("# why", "makefile"), ("# why", "ini"), ("// why", "c"), ("x := 1 // why", "go")])
def test_a_comment_in_the_last_line_has_its_colour_without_a_line_break(line: str, language: str) -> None:
    assert code_runs(line, language)[-1].token == "syn_comment"


def test_kinds_have_their_colours() -> None:
    tokens = {run.string: run.token for run in code_runs("def f(): return 'x' + 1  # why", "python")}
    assert (tokens["def"], tokens["f"], tokens["1"]) == ("syn_keyword", "syn_name", "syn_number")
    assert {tokens["# why"], tokens["return"]} == {"syn_comment", "syn_keyword"}
    assert [run.token for run in code_runs("x = 1", "no such language")] == ["text"]
