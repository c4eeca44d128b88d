"""Bytes on a grid of cells: nothing hidden, nothing lost, every byte in one cell and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.inspector.text_cells import TAB_CELLS, Stretch, cells_in, cells_of, decoded, is_plain, shown, size_of

MIXED = st.text(alphabet=st.sampled_from("ab{\"é中文字🌍\t\x00\u202e\u200b\u0301\u3000ｱ\r")).map(str.encode) | st.binary(max_size=30)


@pytest.mark.parametrize(
    ("text", "drawn"), [("a", "a"), ("\t", "⇥   "), ("\x1b", "⟨U+001B⟩"), ("\u202e", "⟨U+202E⟩"), ("\udcff", "⟨0xFF⟩"), ("\u00a0", "⟨U+00A0⟩"), ("中", "中")]
)
def test_what_cannot_be_seen_is_drawn_as_a_mark(text: str, drawn: str) -> None:
    assert shown(text) == drawn


@pytest.mark.parametrize(
    ("text", "cells"), [("a", 1), ("é", 1), ("中", 2), ("🌍", 2), ("\u0301", 0), ("\t", TAB_CELLS), ("\u202e", 8), ("\udcff", 6), ("ｱ", 1)]
)
def test_characters_take_their_cells(text: str, cells: int) -> None:
    assert cells_of(text) == cells


@given(MIXED)
def test_every_byte_has_a_cell_that_leads_back_to_its_character(data: bytes) -> None:
    stretch = Stretch(data)
    assert stretch.offsets[-1] == len(data)
    assert stretch.cells[-1] == cells_in(data, 0, len(data))
    for offset in range(len(data)):
        cell = stretch.cell_at(offset)
        if cell < stretch.cells[-1]:
            assert stretch.offset_at(cell) <= offset
    assert stretch.offset_at(stretch.cells[-1]) == len(data)


@given(MIXED, st.integers(0, 40), st.integers(0, 40))
def test_what_is_drawn_of_a_window_is_all_that_stands_in_it(data: bytes, first: int, width: int) -> None:
    stretch = Stretch(data)
    drawn = list(stretch.glyphs(first, first + width))
    seen = [n for glyphs in drawn for n in range(glyphs.start, glyphs.end)]
    assert seen == sorted(set(seen))
    for place, character in enumerate(stretch.text):
        begins, ends = stretch.cells[place], stretch.cells[place + 1]
        if begins < first + width and ends > first:
            assert stretch.offsets[place] in seen, repr(character)
    for glyphs in drawn:
        assert glyphs.cell < first + width
        assert decoded(data[glyphs.start : glyphs.end]) == glyphs.text or glyphs.marked


@given(MIXED)
def test_sizes_add_up(data: bytes) -> None:
    assert sum(map(size_of, decoded(data))) == len(data)
    assert is_plain(data, 0, len(data)) == all(0x20 <= byte < 0x7F for byte in data)


def test_marks_are_drawn_alone_and_wide_characters_one_by_one() -> None:
    runs = [(glyphs.text, glyphs.cell, glyphs.marked) for glyphs in Stretch("ab\u0301中文\tz".encode()).glyphs(0, 99)]
    assert runs == [("ab\u0301", 0, False), ("中", 2, False), ("文", 4, False), ("⇥   ", 6, True), ("z", 10, False)]
