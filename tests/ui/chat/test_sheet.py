"""Sheets break, elide and measure words without losing any, and every character can be chosen."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from tests.ui.gui import Gui
from workbench.ui.approval.exact_text import face
from workbench.ui.chat.sheet import Chosen, Sheet, broken
from workbench.ui.kit.paint import width_of
from workbench.ui.kit.theme import theme

LONG = "The pattern demands two digits; the parser itself does not, so the regular expression is the only obstacle. 一段没有空格的中文也要换行。"


def test_rows_of_a_sentence_are_the_sentence_and_fit(gui: Gui) -> None:
    font = theme.font("small")
    for width in (60, 130, 400, 2_000):
        rows = broken(f"{LONG}\n\n{LONG}", font, width)
        assert "".join(rows) == f"{LONG}\n\n{LONG}"
        assert all(width_of(row.rstrip(), font) <= width + 1 for row in rows)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.sampled_from("ab \n😀字é̀"), max_size=80), width=st.sampled_from([5, 30, 90]))
def test_any_text_is_broken_without_loss(gui: Gui, text: str, width: int) -> None:
    assert "".join(broken(text, theme.font("small"), width)) == text


def test_a_sentence_of_too_many_rows_is_cut_in_the_last(gui: Gui) -> None:
    sheet = Sheet(100)
    assert sheet.sentence(LONG, QRectF(0, 0, 100, 16), theme.font("small"), most=3) == 3 * 16
    whole = Sheet(100)
    whole.sentence(LONG, QRectF(0, 0, 100, 16), theme.font("small"))
    assert whole.text == LONG


def test_what_is_elided_is_still_said_whole(gui: Gui) -> None:
    sheet = Sheet(100)
    used = sheet.words("src/a/long/path/to/something.py", QRectF(0, 0, 60, 20), theme.font("code"), elide="middle")
    assert used <= 60
    assert sheet.text == "src/a/long/path/to/something.py"


def test_a_minus_is_copied_as_a_hyphen(gui: Gui) -> None:
    sheet = Sheet(100)
    sheet.words("−", QRectF(0, 0, 20, 20), theme.font("code"), said="-")
    sheet.words("old", QRectF(20, 0, 60, 20), theme.font("code"), before="")
    assert sheet.text == "-old"


def test_every_offset_is_found_again_where_it_was_painted(gui: Gui) -> None:
    sheet = Sheet(300)
    sheet.words("read", QRectF(10, 0, 100, 20), theme.font("code", "bold"))
    sheet.words("84 lines", QRectF(200, 0, 90, 20), theme.font("small"), right=True, before="  ")
    line = "tab\there, hidden \u202e and 字"
    for number, piece in enumerate(face().pieces(line, 1_000)):
        sheet.code(line, piece, QRectF(10, 20 + 16 * number, 280, 16), face())
    assert sheet.text == f"read  84 lines\n{line}"
    assert sheet.offset_at(0, 5) == 0
    assert sheet.offset_at(295, 5) == len("read  84 lines")
    assert sheet.offset_at(0, 25) == len("read  84 lines\n")
    assert sheet.offset_at(10_000, 25) == sheet.length
    middle = 10 + face().x_at(line, face().pieces(line, 1_000)[0], 4)
    assert sheet.offset_at(middle + 1, 25) == len("read  84 lines\n") + 4


@pytest.mark.parametrize("name", ["light", "dark"])
def test_chosen_characters_stand_on_their_ground(gui: Gui, name: str) -> None:
    theme.use(name)
    sheet = Sheet(100)
    sheet.words("abcdef", QRectF(0, 0, 100, 20), theme.font("code"))
    image = QImage(100, 20, QImage.Format.Format_RGB32)
    image.fill(theme["base"])
    with QPainter(image) as p:
        sheet.paint(p, 0, 0, chosen=Chosen(selection=(2, 4)))
    step = width_of("a", theme.font("code"))
    assert image.pixelColor(round(3 * step), 1) == theme["select"]
    assert image.pixelColor(round(step), 1) == theme["base"]
    assert image.pixelColor(round(5 * step), 1) == theme["base"]
