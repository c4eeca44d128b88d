"""What is painted ends where it says it does, and eliding is seen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from tests.ui.gui import Gui
from workbench.ui.kit.paint import (
    Run,
    badge,
    badge_width,
    badge_words,
    bar,
    box,
    cached_line,
    hatch,
    key_hint,
    meter,
    pill,
    pill_width,
    runs,
    text,
    tint,
    vline,
    width_of,
)
from workbench.ui.kit.theme import theme
from workbench.words import choose_language

WHITE = "#ffffff"


def paper(width: int = 200, height: int = 40) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(WHITE)
    return image


def inked_columns(image: QImage) -> list[int]:
    return [x for x in range(image.width()) if any(image.pixelColor(x, y).name() != WHITE for y in range(image.height()))]


def test_a_box_stays_inside_its_rectangle(gui: Gui) -> None:
    image = paper()
    with QPainter(image) as p:
        box(p, QRectF(10, 5, 50, 20), "accent_fill", "edge", 4)
    assert (inked_columns(image)[0], inked_columns(image)[-1]) == (10, 59)


def test_text_that_does_not_fit_is_elided_where_asked(gui: Gui) -> None:
    font = theme.font("body")
    image = paper()
    with QPainter(image) as p:
        used = text(p, QRectF(0, 0, 80, 20), "src/tidewatch/dates.py and more", font, elide="middle")
    assert used <= 80
    assert inked_columns(image)[-1] <= 80


def test_runs_end_in_a_quiet_ellipsis(gui: Gui) -> None:
    image = paper()
    pieces = [Run("def ", "syn_keyword"), Run("a_long_name_that_goes_on", back="add_word"), Run("never drawn")]
    with QPainter(image) as p:
        short = runs(p, 0, 0, 20, [Run("ab"), Run("cd", "accent")], theme.font("code"))
        reached = runs(p, 0, 20, 20, pieces, theme.font("code"), 100)
    assert short == pytest.approx(width_of("abcd", theme.font("code")))
    assert reached <= 101
    assert inked_columns(image.copy(0, 20, 200, 20))[-1] <= 100


def test_a_pill_and_a_badge_are_as_wide_as_they_say(gui: Gui) -> None:
    with QPainter(image := paper()) as p:
        assert pill(p, 0, 20, "waits", "wait", "hand") == pill_width("waits", "hand")
    assert inked_columns(image)[-1] <= pill_width("waits", "hand")
    with QPainter(image := paper()) as p:
        assert badge(p, 0, 20, 3) == badge_width(badge_words(3))
    assert inked_columns(image)[-1] <= badge_width(badge_words(3))


@pytest.mark.parametrize("level", range(5))
def test_the_danger_can_be_counted(gui: Gui, level: int) -> None:
    image = paper(15, 20)
    with QPainter(image) as p:
        meter(p, 0, 10, level, "fail")
    assert sum(image.pixelColor(4 * n, 14).name() == theme.hex("fail") for n in range(4)) == level


def test_a_badge_speaks_the_language(gui: Gui) -> None:
    assert badge_words(4) == "4 Destroy"
    choose_language("zh_CN")
    assert badge_words(4) == "4 破坏"


def test_a_bar_is_divided_by_its_amounts(gui: Gui) -> None:
    image = paper(100, 10)
    with QPainter(image) as p:
        bar(p, QRectF(0, 0, 100, 10), [(25, "role_user"), (75, "role_tools")], 100)
        bar(p, QRectF(0, 0, 100, 10), [(25, "fail")], 0)  # nothing of nothing
    assert [image.pixelColor(x, 5).name() for x in (10, 24, 60)] == [theme.hex("role_user"), WHITE, theme.hex("role_tools")]


def test_a_share_from_the_cache_is_underlined(gui: Gui) -> None:
    image = paper(100, 20)
    with QPainter(image) as p:
        cached_line(p, QRectF(0, 0, 100, 10), 0.4)
    assert (inked_columns(image)[0], inked_columns(image)[-1]) == (0, 39)


def test_hatching_leaves_its_surroundings_and_the_clip_alone(gui: Gui) -> None:
    image = paper(60, 20)
    with QPainter(image) as p:
        p.setClipRect(QRectF(0, 0, 30, 20))
        hatch(p, QRectF(10, 0, 40, 20), "fail")
    assert (min(inked_columns(image)), max(inked_columns(image))) == (10, 29)


def test_keys_end_at_the_right(gui: Gui) -> None:
    image = paper(100, 20)
    with QPainter(image) as p:
        w = key_hint(p, 90, 10, "Ctrl+K")
        vline(p, 95, 0, 20, "fail")
    assert 90 - w <= inked_columns(image)[0]
    assert image.pixelColor(95, 3).name() == theme.hex("fail")


def test_a_tint_is_its_colour_let_through(gui: Gui) -> None:
    assert tint("accent", 0.5).name() == theme.hex("accent")
    assert tint("accent", 0.5).alphaF() == pytest.approx(0.5, abs=0.01)
