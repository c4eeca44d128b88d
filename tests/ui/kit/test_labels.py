"""Labels and tips show foreign text letter by letter, and follow the theme while they are shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from tests.ui.gui import Gui
from workbench.ui.kit.labels import Badge, Icon, Label, plain_tip, tip_text
from workbench.ui.kit.layout import column
from workbench.ui.kit.theme import theme


def ink(label: Label) -> str:
    return label.palette().color(label.foregroundRole()).name()


def test_html_stays_letters(gui: Gui) -> None:
    label = gui.show(Label("<b>bold</b> & more"))
    assert label.textFormat() is Qt.TextFormat.PlainText
    assert label.width() >= label.fontMetrics().horizontalAdvance("<b>bold</b> & more")


async def test_a_new_theme_recolours_a_label_that_is_shown(gui: Gui) -> None:
    label = Label("quiet", "small", "muted")
    gui.show(column(label))
    light, before = ink(label), gui.picture(label)
    theme.use("dark")
    await gui.settle()
    assert light != ink(label) == theme.hex("muted")
    assert gui.picture(label) != before


async def test_a_zoom_enlarges_a_label_that_is_shown(gui: Gui) -> None:
    label = Label("words", "title", weight="bold")
    gui.show(column(label))
    theme.use("light", "en", 2.0)
    await gui.settle()
    assert label.font().pointSizeF() == pytest.approx(15 * 0.75 * 2)
    assert label.height() >= theme.metrics("title", "bold").height()


def test_a_label_takes_another_colour(gui: Gui) -> None:
    label = gui.show(Label("x", token="ok"))
    label.set_token("fail")
    label.set_weight("bold")
    assert ink(label) == theme.hex("fail")
    assert label.font() == theme.font("body", "bold")


def test_a_deleted_label_hears_of_no_theme(gui: Gui) -> None:
    holder = gui.show(QWidget())
    for _ in range(3):
        Label("gone").setParent(holder)
    gui.close_all()
    theme.use("dark")


def test_a_label_that_gives_way_tells_all_in_its_tip(gui: Gui) -> None:
    label = gui.show(Label("a/very/long/path/that/does/not/fit.py", elide="middle"))
    label.resize(60, 20)
    assert label.minimumSizeHint().width() < 60
    QApplication.sendEvent(label, QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), label.mapToGlobal(QPoint(1, 1))))
    assert QToolTip.text() == label.text()


@pytest.mark.parametrize("foreign", ["<img src='file:///etc/passwd'>", "a & b", "one\ntwo", "<b>"])
def test_a_tip_shows_foreign_text_letter_by_letter(gui: Gui, foreign: str) -> None:
    widget = QWidget()
    plain_tip(widget, foreign)
    assert "<img" not in widget.toolTip()
    assert "<b>" not in widget.toolTip()
    assert widget.toolTip().count("<") == 2  # the paragraph around it


def test_a_tip_shows_hidden_characters_and_has_an_end() -> None:
    assert tip_text("safe\u202egnp.exe") == "safe⟨U+202E⟩gnp.exe"
    assert len(tip_text("x" * 1_000_000)) < 3_000


def test_a_badge_is_as_wide_as_its_words_and_has_a_name(gui: Gui) -> None:
    badge = gui.show(Badge(1))
    narrow = badge.sizeHint().width()
    badge.show_level(4)
    assert badge.accessibleName() == "4 Destroy"
    assert badge.sizeHint().width() > narrow
    assert gui.picture(badge).pixelColor(6, badge.height() // 2).name() == theme.hex("level4_fill")


def test_an_icon_changes(gui: Gui) -> None:
    shown = gui.show(Icon("stop", "ok"))
    before = gui.picture(shown)
    shown.show_icon("stop", "fail")
    assert gui.picture(shown) != before
