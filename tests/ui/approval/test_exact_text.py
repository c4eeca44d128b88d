"""Exact text keeps every character in its order, wraps rather than cuts, and draws what hides as a box."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from tests.ui.gui import Gui
from workbench.ui.approval.exact_text import NARROWEST, Face, Insert, Piece, Span, face
from workbench.ui.kit.theme import theme

ODD = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from(" \t\u200b\u202e\u2066\u0301\u0302\u0303\u0304\u05d0\u05d1\u0634\u0644中文한🌍\U000e0068\u00a0\ud800a/ -"),
    ),
    max_size=80,
)


def picture(text: str, one: Face, piece: Piece, *, width: int = 900) -> QImage:
    image = QImage(width, 24, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as p:
        one.paint(p, QPointF(4, 0), 24, text, piece)
    return image


def used(image: QImage) -> tuple[int, int]:
    """Return the first and the last column that is not white."""
    columns = [x for x in range(image.width()) if any(image.pixelColor(x, y) != Qt.GlobalColor.white for y in range(image.height()))]
    return columns[0], columns[-1]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=ODD, width=st.sampled_from([10.0, 90.0, 140.0, 333.3, 2000.0]), mono=st.booleans())
def test_every_character_is_in_exactly_one_piece_and_none_is_wider_than_its_row(window_app: QApplication, text: str, width: float, mono: bool) -> None:
    theme.use("light")
    one = face("code" if mono else "small", mono=mono)
    pieces = one.pieces(text, width)
    assert pieces[0].start == 0
    assert pieces[-1].end == len(text)
    assert all(one_piece.end == next_piece.start for one_piece, next_piece in pairwise(pieces))
    for piece in pieces:
        assert one.x_at(text, piece, piece.end, is_end=True) <= max(width, NARROWEST) + 0.01 or piece.end - piece.start == 1
        if piece.cells is not None:
            covered = [(cell.start, cell.end) for cell in piece.cells]
            assert "".join(text[start:end] for start, end in covered) == text[piece.start : piece.end]


HIDDEN = ["\u202e", "\u2066", "\u200b", "\u00a0", "\r", "\x1b", "\x00", "\U000e0068", "\ue000", "\ud800", "\u2028", "\u3164", "\ufe0f"]


@pytest.mark.parametrize("character", HIDDEN)
async def test_hidden_character_is_a_box_with_its_code_point(gui: Gui, character: str) -> None:
    one = face()
    (piece,) = one.pieces(f"a{character}b", 900)
    assert piece.cells is not None
    assert [(cell.kind, cell.label) for cell in piece.cells] == [("text", ""), ("hidden", f"U+{ord(character):04X}"), ("text", "")]
    colour = theme["level4_fill"]
    image = picture(f"a{character}b", one, piece)
    assert any(image.pixelColor(x, 12) == colour for x in range(image.width()))


async def test_direction_override_moves_nothing(gui: Gui) -> None:
    one = face()
    text = "echo hi\u202e#hs|live lruc"
    (piece,) = one.pieces(text, 900)
    places = [one.x_at(text, piece, offset) for offset in range(len(text))]
    assert places == sorted(places)
    plain = text.replace("\u202e", "")
    (other,) = one.pieces(plain, 900)
    left = picture("echo hi", one, one.pieces("echo hi", 900)[0])
    assert picture(text, one, piece).copy(0, 0, 54, 24) == left.copy(0, 0, 54, 24)
    assert one.x_at(plain, other, len(plain)) < one.x_at(text, piece, len(text))


async def test_letters_from_right_to_left_stay_between_their_neighbours(gui: Gui) -> None:
    one = face()
    text = "rm \u05d0\u05d1\u05d2 && echo 123"
    (piece,) = one.pieces(text, 900)
    assert piece.cells is not None
    words = [text[cell.start : cell.end] for cell in piece.cells]
    assert "\u05d0\u05d1\u05d2" in words
    assert words.index("\u05d0\u05d1\u05d2") == 3
    assert words[-3:] == ["1", "2", "3"]


async def test_accents_do_not_pile_up_over_other_text(gui: Gui) -> None:
    one = face()
    (piece,) = one.pieces("e" + "\u0301" * 8, 900)
    assert piece.cells is not None
    assert [cell.kind for cell in piece.cells] == ["text", *["hidden"] * 5]
    (alone,) = one.pieces("\u0301x", 900)
    assert alone.cells is not None
    assert alone.cells[0].label == "U+0301"


async def test_widths_add_up_where_text_is_painted_in_runs(gui: Gui) -> None:
    for text in ("x" * 100, "中文" * 30, "aé中b" * 20):
        one = face()
        (piece,) = one.pieces(text, 5000)
        wide = one.x_at(text, piece, len(text))
        _first, last = used(picture(text, one, piece, width=int(wide) + 40))
        assert abs(last - 4 - wide) < 6


async def test_long_line_wraps_at_a_space_if_one_is_near(gui: Gui) -> None:
    one = face()
    text = "word " * 40
    pieces = one.pieces(text, 300)
    assert len(pieces) > 3
    assert all(text[piece.end - 1] == " " for piece in pieces)
    assert len(one.pieces("x" * 1000, 300)) > 20


async def test_inserts_stand_before_their_character_and_cover_none(gui: Gui) -> None:
    one = face()
    text = "cd src && rm x"
    (piece,) = one.pieces(text, 900, {0: Insert("1", "level2", round=True), 10: Insert("2", "level4", round=True), 14: Insert("no line end", "ok")})
    assert piece.cells is not None
    assert [(cell.start, cell.label) for cell in piece.cells if cell.kind == "insert"] == [(0, "1"), (10, "2"), (14, "no line end")]
    assert one.x_at(text, piece, 10, is_end=True) < one.x_at(text, piece, 10)
    narrow = one.pieces(text, NARROWEST, {10: Insert("2", "level4", round=True)})
    second = next(piece for piece in narrow if piece.cells and any(cell.label == "2" for cell in piece.cells))
    assert second.cells is not None
    assert second.cells[-1].kind != "insert"


async def test_spans_colour_their_characters(gui: Gui) -> None:
    one = face()
    (piece,) = one.pieces("abc", 900)
    image = QImage(100, 24, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as p:
        one.paint(p, QPointF(0, 0), 24, "abc", piece, token="text", spans=[Span(1, 2, "level4_fill")])
    assert _reddest(image, one.step, 2 * one.step) > 100
    assert _reddest(image, 0, one.step - 1) < 40


def _reddest(image: QImage, left: float, right: float) -> int:
    """Return by how much red leads green in the reddest pixel between two columns."""
    colours = [image.pixelColor(x, y) for x in range(int(left), int(right)) for y in range(image.height())]
    return max(colour.red() - colour.green() for colour in colours)
