"""Differences and results as rows: every changed line is there with its sign, long lines are wrapped, very long ones cut and counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF

from tests.ui.gui import Gui
from workbench.ui.chat.code_rows import LONGEST_LINE, CodeLine, plain_lines, put_rows, rows_of, spans_of, unified_lines
from workbench.ui.chat.sheet import Sheet
from workbench.workspace.line_diff import count_changes, split_lines, unified_diff

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "-- x", "++ y", "@@ z", "\\ w"]), max_size=30).map("\n".join)


@given(old=TEXTS, new=TEXTS)
def test_every_changed_line_is_there(old: str, new: str) -> None:
    lines = unified_lines(unified_diff(old, new, "name"))
    counts = count_changes(split_lines(old), split_lines(new))
    assert sum(line.sign == "+" for line in lines) == counts.added
    assert sum(line.sign == "-" for line in lines) == counts.removed
    assert [line.text for line in lines if line.sign == "+" and line.text] == [
        line[1:] for line in unified_diff(old, new, "name").split("\n")[2:] if line.startswith("+") and line[1:]
    ]


def test_lines_left_out_between_two_hunks_are_marked() -> None:
    old = [f"{number}\n" for number in range(40)]
    new = ["x\n", *old[1:39], "y\n"]
    lines = unified_lines(unified_diff("".join(old), "".join(new), "name"))
    assert [line.sign for line in lines].count("@") == 1
    assert lines[0] == CodeLine("0", "-")


def test_a_missing_line_end_is_told() -> None:
    assert CodeLine("No newline at end of file", "@") in unified_lines(unified_diff("a", "a\n", "name"))


def test_rows_wrap_and_are_copied_as_one_line(gui: Gui) -> None:
    line = CodeLine("value = " + "x" * 120, "+")
    rows = list(rows_of([line, CodeLine("end", " ")], 400))
    assert len(rows) > 2
    sheet = Sheet(500)
    put_rows(sheet, rows, QRectF(0, 0, 416, 200), language="python")
    assert sheet.text == f"+{line.text}\n end"


def test_a_very_long_line_is_cut_and_counted(gui: Gui) -> None:
    (row, *_more) = rows_of([CodeLine("x" * (LONGEST_LINE + 5))], 1e6)
    assert row.line.text == "x" * LONGEST_LINE + " … +5 characters"


def test_only_the_wanted_lines_are_taken() -> None:
    assert plain_lines("a\nb\nc", 2) == [CodeLine("a"), CodeLine("b")]
    assert plain_lines("a", 2) == [CodeLine("a")]


def test_colours_cover_the_characters_they_are_of() -> None:
    line = 'def f(): return "x"  # why'
    assert [(line[span.start : span.end], span.token) for span in spans_of(line, "python")] == [
        ("def", "syn_keyword"),
        ("f", "syn_name"),
        ("return", "syn_keyword"),
        ('"', "syn_string"),
        ("x", "syn_string"),
        ('"', "syn_string"),
        ("# why", "syn_comment"),
    ]
    assert spans_of(line, "no such language") == []
