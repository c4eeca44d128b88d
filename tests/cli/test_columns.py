"""Widths, exact cuts and the wrapping of words that arrive in pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.cli.columns import CONTINUED, Flow, cut, folded, width_of


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("你好", 4), ("e\u0301", 1), ("\x1b[31mred\x1b[0m", 3), ("你\x1b[2m好\x1b[0m", 4), ("", 0), ("ﾊﾝ", 2), ("“", 1)],
)
def test_width_is_what_a_terminal_uses(text: str, columns: int) -> None:
    assert width_of(text) == columns


def test_cut_rows_fit_and_leave_nothing_out() -> None:
    line = "echo " + "你a" * 40
    rows = cut(line, 30, gutter="│ ")
    assert all(width_of(row) <= 30 for row in rows)
    assert rows[0].startswith("│ echo")
    assert all(row.startswith("│ " + CONTINUED) for row in rows[1:])
    assert "".join(row.removeprefix("│ ").removeprefix(CONTINUED) for row in rows) == line


def test_cut_shows_an_empty_line_as_its_gutter() -> None:
    assert cut("", 80, gutter="│ ") == ["│ "]


def test_a_very_narrow_terminal_still_gets_every_character() -> None:
    assert "".join(row.removeprefix(CONTINUED) for row in cut("0123456789abcdef", 3, gutter="")) == "0123456789abcdef"


def test_words_wrap_between_blanks() -> None:
    assert folded("one two three four", 9) == "one two\nthree\nfour"


def test_chinese_wraps_anywhere_but_before_its_closing_marks() -> None:
    assert folded("我同时读取文件。然后", 14) == "我同时读取文\n件。然后"
    assert folded("他说“你好”", 5) == "他说\n“你\n好”"


def test_code_tables_and_indented_lines_keep_their_form() -> None:
    for line in ("| a | b | a long row of a table |", "    indented by four, as code is", "```\nlong code that must stay on its line\n```"):
        assert folded(line, 12) == line


def test_prose_wraps_again_behind_a_fence() -> None:
    assert folded("```\na b c d e f\n```\na b c d e f", 6) == "```\na b c d e f\n```\na b c\nd e f"


def test_a_word_longer_than_a_row_is_left_to_the_terminal() -> None:
    assert folded("see https://a.example/very/long/path and here", 10) == "see\nhttps://a.example/very/long/path and\nhere", "32 % 10 + 4 fits"


def test_nothing_is_held_back_but_the_growing_word() -> None:
    flow = Flow(80)
    assert flow.feed("one tw") == "one"
    assert flow.feed("o ") == " two"
    assert flow.feed("three\n") == " three\n"
    assert flow.end() == ""


@given(st.text(alphabet="ab 你。“|`\n", max_size=60), st.integers(min_value=1, max_value=12))
def test_pieces_of_any_size_wrap_alike_and_lose_no_word(text: str, columns: int) -> None:
    flow = Flow(columns)
    in_pieces = "".join(flow.feed(character) for character in text) + flow.end()
    whole = Flow(columns)
    assert in_pieces == whole.feed(text) + whole.end()
    assert "".join(in_pieces.split()) == "".join(text.split())
