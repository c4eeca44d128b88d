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


def test_kinds_have_their_colours() -> None:
    tokens = {run.string: run.token for run in code_runs("def f(): return 'x' + 1  # why", "python")}
    assert (tokens["def"], tokens["f"], tokens["1"]) == ("syn_keyword", "syn_name", "syn_number")
    assert {tokens["# why"], tokens["return"]} == {"syn_comment", "syn_keyword"}
    assert [run.token for run in code_runs("x = 1", "no such language")] == ["text"]
