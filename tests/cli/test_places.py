"""Where the data folder is, and what comes in from outside."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from workbench.cli import places
from workbench.errors import UsageError


def test_the_data_folder_is_chosen_by_a_variable() -> None:
    assert places.data_folder({"WORKBENCH_DATA": "/a/b"}) == Path("/a/b")
    assert places.data_folder({"WORKBENCH_DATA": "~/b"}) == Path.home() / "b"
    assert places.data_folder({"WORKBENCH_DATA": "c"}) == Path.cwd() / "c"


@pytest.mark.parametrize("environment", [{}, {"WORKBENCH_DATA": ""}])
def test_else_it_is_the_platforms(environment: dict[str, str]) -> None:
    folder = places.data_folder(environment)
    assert folder.is_absolute()
    assert folder.name == "agent-workbench"


def test_text_is_utf_8_with_or_without_its_mark() -> None:
    assert places.text_of("你".encode(), "x") == places.text_of(b"\xef\xbb\xbf" + "你".encode(), "x") == "你"
    with pytest.raises(UsageError, match="Line 3 is not UTF-8 text: byte 2 does not fit"):
        places.text_of(b"a\xff", "Line 3")


def test_standard_input_is_read_whole_or_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for read in (places.standard_input, lambda: b"".join(places.input_lines())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\nb\xff\n")))
        assert read() == b"a\nb\xff\n"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="closed"):
        places.standard_input()
