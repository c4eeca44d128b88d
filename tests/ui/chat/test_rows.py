"""Long lines are broken into rows that fit, the same way however the text arrives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.pace import not_hung, steps
from workbench.ui.chat.rows import _RUN, LONGEST_BREAK, WIDEST, Rows, broken, cells_in, cells_of, drawn, grow_starts

PIECES = ["日本語", "한", "カ", "＠", "。", "\t\t", "\U000e0001", "a", "word ", "\n", "\t", "中", "\u202e", "x" * 30, "é", "e\u0301", " ", "\0"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=50).map("".join)


def starts_of(text: str) -> list[int]:
    starts: list[int] = []
    grow_starts(starts, text, 0, len(text))
    return starts


def rows_of(text: str, columns: int, first: int, *, words: bool) -> Rows:
    rows = Rows(words=words)
    rows.reset(columns, first)
    rows.update(text, starts_of(text), len(text))
    return rows


@given(TEXTS, st.integers(8, 40), st.integers(8, 40), st.booleans(), st.lists(st.integers(1, 9), max_size=60))
def test_growing_text_has_the_rows_of_the_whole(text: str, columns: int, first: int, words: bool, cuts: list[int]) -> None:
    growing = Rows(words=words)
    starts: list[int] = []
    at = 0
    growing.reset(columns, first)
    for cut in [*cuts, len(text)]:
        at = min(len(text), at + cut)
        grow_starts(starts, text, 0, at)
        growing.update(text[:at], starts, at)
        whole = rows_of(text[:at], columns, first, words=words)
        assert [growing.row(number) for number in range(growing.count)] == [whole.row(number) for number in range(whole.count)]


@given(TEXTS, st.integers(8, 40), st.booleans())
def test_rows_fit_and_lose_nothing(text: str, columns: int, words: bool) -> None:
    rows = rows_of(text, columns, columns, words=words)
    found = [rows.row(number) for number in range(rows.count)]
    assert "".join(("\n" if row.first else "") + text[row.start : row.end] for row in found) == "\n" + text
    assert all(cells_in(text[row.start : row.end]) <= max(columns, WIDEST) for row in found)
    for number, row in enumerate(found):
        for offset in range(row.start, row.end):
            assert rows.row_at(offset) == number


@given(TEXTS.map(lambda text: text.replace("\n", "")), st.integers(8, 40), st.integers(8, 40), st.booleans())
def test_runs_break_where_single_characters_do(text: str, columns: int, first: int, words: bool) -> None:
    starts, begun, room, used = list[int](), 0, first, 0
    for at, character in enumerate(text):
        while used + cells_of(character, used) > room and at > begun:
            blank = text.rfind(" ", max(begun + 1, at - LONGEST_BREAK), at) if words else -1
            begun = blank + 1 if blank >= 0 else at
            starts.append(begun)
            room, used = columns, cells_in(text[begun:at])
        used += cells_of(character, used)
    assert broken(text, 0, len(text), columns, first, words=words) == starts


def test_every_character_of_a_wide_run_takes_two_cells() -> None:
    wide = [character for character in map(chr, range(0x110000)) if (found := _RUN.match(character)) and found.lastindex == 2]
    assert len(wide) > 30_000
    assert {cells_of(character, 0) for character in wide} == {2}


def test_words_stay_whole_where_they_can() -> None:
    text = "one two three four"
    rows = rows_of(text, 10, 10, words=True)
    assert [text[rows.row(number).start : rows.row(number).end] for number in range(rows.count)] == ["one two ", "three four"]


def test_hidden_characters_and_tabs_are_drawn_as_something() -> None:
    assert drawn("a\tb\u202ec\0") == "a   b⟨U+202E⟩c⟨U+0000⟩"
    assert drawn("plain 中") == "plain 中"


def test_a_hundred_thousand_lines_are_measured_once_and_growth_costs_its_end_alone() -> None:
    text = "\tx = compute(value)\n" * 100_000
    starts = starts_of(text)
    rows = Rows()
    rows.reset(90, 80)
    rows.update(text, starts, len(text))
    assert rows.count == 100_001
    grown = text + "y" * 100
    assert steps(rows.update, grown, starts, len(grown)) < 1_000
    assert rows.count == 100_002


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize(("piece", "cells"), [("x", 1), ("word ", 5), ("\u4e2d", 2)])
def test_a_megabyte_without_a_break_does_not_hang(piece: str, cells: int, words: bool) -> None:
    text = piece * (1_000_000 // len(piece))
    with not_hung(1):
        rows = rows_of(text, 100, 100, words=words)
    assert rows.count == len(text) // len(piece) * cells // 100
