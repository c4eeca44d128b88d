"""Segments and tabs are real controls: keys, pointer, names, reasons, and one place in the tab order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.choices import Segments, Tabs
from workbench.ui.kit.layout import column
from workbench.ui.kit.theme import theme

MAKERS: dict[str, Callable[[], Segments | Tabs]] = {
    "segments": lambda: Segments(["This call", "This session", "This project"], 1, name="Scope"),
    "icons": lambda: Segments(["a", "b", "c"], 1, icons=["file", "folder", "globe"], name="Scope"),
    "tabs": lambda: Tabs(["Messages", ("Requests", "9"), "Tokens"], 1, name="Scope"),
    "small tabs": lambda: Tabs(["Body", "Headers", ("Stream", "12")], 1, sub=True, tones={2: "wait"}, name="Scope"),
}


def shown(gui: Gui, kind: str) -> tuple[Segments | Tabs, list[int]]:
    choices = MAKERS[kind]()
    changes: list[int] = []
    choices.changed.connect(changes.append)
    gui.show(column(Button("Before"), choices, Button("After"))).activateWindow()
    return choices, changes


@pytest.mark.parametrize("kind", MAKERS)
async def test_arrows_choose_and_stop_at_the_ends(gui: Gui, kind: str) -> None:
    choices, changes = shown(gui, kind)
    gui.find("Before").setFocus()
    await gui.until(gui.find("Before").hasFocus)
    gui.keys(gui.find("Before"), "Tab")
    for key in ("Right", "Right", "Left", "Left", "Left", "Down", "Up"):
        await gui.until(choices.buttons[choices.chosen].hasFocus)
        gui.keys(choices.buttons[choices.chosen], key)
    assert changes == [2, 1, 0, 1, 0]
    assert [button.isChecked() for button in choices.buttons] == [True, False, False]


@pytest.mark.parametrize("kind", MAKERS)
async def test_tab_reaches_the_chosen_one_alone(gui: Gui, kind: str) -> None:
    choices, _ = shown(gui, kind)
    gui.find("Before").setFocus()
    await gui.until(gui.find("Before").hasFocus)
    gui.keys(gui.find("Before"), "Tab")
    await gui.until(choices.buttons[1].hasFocus)
    gui.keys(choices.buttons[1], "Tab")
    await gui.until(gui.find("After").hasFocus)


@pytest.mark.parametrize("kind", MAKERS)
def test_a_click_chooses_once(gui: Gui, kind: str) -> None:
    choices, changes = shown(gui, kind)
    for _ in range(2):
        QTest.mouseClick(choices.buttons[2], Qt.MouseButton.LeftButton)
    assert (choices.chosen, changes) == (2, [2])


@pytest.mark.parametrize("kind", MAKERS)
def test_the_program_chooses_once(gui: Gui, kind: str) -> None:
    choices, changes = shown(gui, kind)
    choices.choose(0)
    choices.choose(0)
    assert (choices.chosen, changes, choices.buttons[0].isChecked()) == (0, [0], True)
    with pytest.raises(IndexError):
        choices.choose(7)


@pytest.mark.parametrize("kind", MAKERS)
async def test_one_that_cannot_be_chosen_says_why_and_is_passed_over(gui: Gui, kind: str) -> None:
    choices, changes = shown(gui, kind)
    choices.choose(0)
    choices.set_reason(1, "Comes with the <next> version.")
    QTest.mouseClick(choices.buttons[1], Qt.MouseButton.LeftButton)
    assert choices.chosen == 0
    gui.keys(choices.buttons[0], "Right")
    assert (choices.chosen, changes) == (2, [0, 2])
    assert "&lt;next&gt;" in choices.buttons[1].toolTip()
    assert choices.buttons[1].accessibleDescription() == "Comes with the <next> version."
    choices.set_reason(1, "")
    choices.choose(1)
    assert choices.chosen == 1


@pytest.mark.parametrize("kind", MAKERS)
def test_the_group_and_each_choice_have_names(gui: Gui, kind: str) -> None:
    choices, _ = shown(gui, kind)
    assert_plain(choices)
    assert choices.accessibleName() == "Scope"
    assert all(button.accessibleName() == button.text() != "" for button in choices.buttons)
    interface = QAccessible.queryAccessibleInterface(choices.buttons[0])
    assert interface.role() is QAccessible.Role.RadioButton


def test_without_a_name_the_choices_are_the_name(gui: Gui) -> None:
    assert Segments(["One", "Two"]).accessibleName() == "One, Two"


def test_a_count_is_shown_and_makes_room(gui: Gui) -> None:
    tabs = gui.show(Tabs(["Messages", "Requests"]))
    width = tabs.sizeHint().width()
    before = gui.picture(tabs.buttons[1])
    tabs.set_count(1, "12", "wait")
    tabs.resize(tabs.sizeHint())
    assert tabs.sizeHint().width() > width
    assert tabs.buttons[1].accessibleDescription() == "12"
    assert gui.picture(tabs.buttons[1]) != before
    tabs.set_count(1, "")
    assert tabs.sizeHint().width() == width


def test_other_words_make_room(gui: Gui) -> None:
    segments = gui.show(Segments(["a", "b"]))
    width = segments.sizeHint().width()
    segments.set_label(0, "much longer")
    assert segments.sizeHint().width() > width
    assert segments.buttons[1].x() > segments.buttons[0].x() + 40


@pytest.mark.parametrize("kind", MAKERS)
async def test_the_ring_and_a_zoom_can_be_seen(gui: Gui, kind: str) -> None:
    choices, _ = shown(gui, kind)
    button = choices.buttons[1]
    gui.find("Before").setFocus()
    without = gui.picture(button)
    gui.keys(gui.find("Before"), "Tab")
    await gui.until(button.hasFocus)
    assert gui.picture(button) != without
    width = button.width()
    theme.use("light", "en", 2.0)
    await gui.until(lambda: choices.buttons[1].width() > width)


@pytest.mark.parametrize("sub", [False, True])
async def test_tabs_move_closer_together_before_one_is_cut(gui: Gui, sub: bool) -> None:
    tabs = gui.show(Tabs(["Body", "Headers", ("Stream", "12"), "Response"], sub=sub))
    for width in (tabs.sizeHint().width(), tabs.minimumSizeHint().width() + 9, tabs.minimumSizeHint().width()):
        tabs.resize(width, tabs.sizeHint().height())
        await gui.settle()
        assert tabs.width() == width
        edges = [edge for button in tabs.buttons for edge in (button.x(), button.geometry().right() + 1)]
        assert edges == sorted(edges)
        assert edges[-1] <= width
    assert tabs.minimumSizeHint().width() < tabs.sizeHint().width() - 40


async def test_the_counts_of_tabs_go_before_a_word_is_cut(gui: Gui) -> None:
    tabs, plain = (Tabs(["Body", "Headers", ("Lint", count), "Timing"], sub=True) for count in ("12", ""))
    gui.show(tabs)
    assert tabs.minimumSizeHint() == plain.minimumSizeHint()
    wide = tabs.sizeHint().width()
    widths = []
    for width in (wide, tabs.minimumSizeHint().width()):
        tabs.resize(width, tabs.sizeHint().height())
        await gui.settle()
        widths.append(tabs.buttons[2].width())
        assert tabs.buttons[3].geometry().right() < width
    assert widths[0] - widths[1] > tabs._count_width(2)
    assert tabs.buttons[2].accessibleDescription() == "12"
    assert tabs.sizeHint().width() == wide
