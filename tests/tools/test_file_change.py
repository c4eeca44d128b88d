"""Changed lines are shown with their surroundings and their numbers, never too many of them."""

from __future__ import annotations

from workbench.tools.file_change import LineSpan, numbered_lines, outside_change

TEXT = "".join(f"l{number}\n" for number in range(1, 101))


def test_lines_around_a_change() -> None:
    assert numbered_lines(TEXT, [LineSpan(10, 11)]).split("\n") == [f"{number}: l{number}" for number in range(7, 15)]


def test_neighbouring_changes_are_shown_once_and_distant_ones_apart() -> None:
    shown = numbered_lines(TEXT, [LineSpan(1, 1), LineSpan(5, 5), LineSpan(50, 50)]).split("\n")
    assert shown == [*(f"{number}: l{number}" for number in range(1, 9)), "…", *(f"{number}: l{number}" for number in range(47, 54))]


def test_removed_lines_show_where_they_were() -> None:
    assert numbered_lines(TEXT, [LineSpan(10, 9)]).split("\n") == [f"{number}: l{number}" for number in range(7, 13)]
    assert numbered_lines("", [LineSpan(1, 0)]) == ""


def test_much_is_cut() -> None:
    shown = numbered_lines(TEXT, [LineSpan(1, 90)]).split("\n")
    assert (len(shown), shown[-1]) == (41, "… more changed lines; use read to see them")
    assert len(numbered_lines("x" * 10_000, [LineSpan(1, 1)])) < 2100


def test_line_ends_are_not_shown() -> None:
    assert numbered_lines("a\r\nb\r\n", [LineSpan(1, 2)]) == "1: a\n2: b"


def test_change_made_by_others_is_shown_if_the_old_bytes_are_known() -> None:
    assert "-a\n+b" in outside_change(b"a\n", "b\n", "x")
    assert outside_change(None, "b\n", "x") == ""
