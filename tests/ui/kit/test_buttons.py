"""Buttons by keyboard and pointer; what they look like says what they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.buttons import Button, Check, Chip, IconButton, MenuButton, Painted, SectionHead
from workbench.ui.kit.layout import column, line
from workbench.ui.kit.theme import TOKENS, theme

MAKERS: dict[str, Callable[[], Painted]] = {
    "plain": lambda: Button("Allow once", keys="A"),
    "default": lambda: Button("Reject", keys="Esc", default=True),
    "primary": lambda: Button("Send", "primary", "send"),
    "danger": lambda: Button("Hold to allow once", "danger"),
    "quiet": lambda: Button("Copy as curl", "quiet", "copy", small=True),
    "icon": lambda: IconButton("search", "Search", count="3"),
    "menu": lambda: MenuButton("Ask", "shield", "a note"),
    "chip": lambda: Chip("Not confined", "shield-off", "fail", outline=True),
    "check": lambda: Check("Follow links", True),
    "section": lambda: SectionHead("Workspace", "24", tone="wait", action="plus"),
}


def colours(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


@pytest.mark.parametrize("kind", MAKERS)
async def test_space_presses_and_the_focus_can_be_seen(gui: Gui, kind: str) -> None:
    button = MAKERS[kind]()
    pressed: list[str] = []
    button.clicked.connect(lambda: pressed.append(kind))
    other = Button("Other")
    gui.show(column(other, button, ground="base")).activateWindow()
    other.setFocus()
    await gui.until(other.hasFocus)
    without = gui.picture(button)
    gui.keys(other, "Tab")
    await gui.until(button.hasFocus)
    assert theme.hex("focus") in colours(gui.picture(button))
    assert gui.picture(button) != without
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert pressed == [kind]


@pytest.mark.parametrize("kind", MAKERS)
def test_a_disabled_button_does_nothing_and_has_no_bright_ink(gui: Gui, kind: str) -> None:
    button = MAKERS[kind]()
    pressed: list[str] = []
    button.clicked.connect(lambda: pressed.append(kind))
    button.setEnabled(False)
    gui.show(column(button, ground="base"))
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not pressed
    assert not {theme.hex("accent_fill"), theme.hex("level4")} & colours(gui.picture(button)) or kind == "chip"


@pytest.mark.parametrize("kind", MAKERS)
def test_every_button_has_a_name_and_grows_with_the_zoom(gui: Gui, kind: str) -> None:
    button = MAKERS[kind]()
    window = gui.show(line(button, None))
    assert_plain(window)
    small = button.sizeHint()
    theme.use("light", "en", 2.0)
    assert button.sizeHint().height() > small.height()
    assert button.sizeHint().width() > small.width() or kind == "section"


def test_other_words_are_the_name_too_and_make_room(gui: Gui) -> None:
    button = gui.show(Button("Send"))
    width = button.sizeHint().width()
    button.setText("Send & keep")
    assert (button.text(), button.accessibleName()) == ("Send & keep", "Send & keep")
    assert button.shortcut().isEmpty()  # an ampersand is no key
    assert button.sizeHint().width() > width


def test_keys_are_told_to_screen_readers(gui: Gui) -> None:
    assert Button("Reject", keys="Esc").accessibleDescription() == "Esc"


def test_an_icon_button_takes_another_name(gui: Gui) -> None:
    button = gui.show(IconButton("pane-left", "Hide the side pane"))
    button.rename("Show the <side> pane")
    assert button.accessibleName() == "Show the <side> pane"
    assert "&lt;side&gt;" in button.toolTip()


def test_a_menu_button_keeps_the_name_it_was_given(gui: Gui) -> None:
    button = gui.show(MenuButton("Ask", "shield"))
    button.show_choice("Auto")
    assert button.accessibleName() == "Auto"
    button.setAccessibleName("Mode")
    button.show_choice("Read only", icon_name="eye")
    assert (button.accessibleName(), button.accessibleDescription(), button.icon_name) == ("Mode", "Read only", "eye")


def test_round_ticks_exclude_each_other(gui: Gui) -> None:
    one, other = Check("This session", True, radio=True), Check("This project", radio=True)
    gui.show(line(one, other))
    QTest.mouseClick(other, Qt.MouseButton.LeftButton)
    assert (one.isChecked(), other.isChecked()) == (False, True)


def test_a_chip_shows_another_status(gui: Gui) -> None:
    chip = gui.show(Chip("Confined", "shield-check", "ok"))
    chip.show_status("Not confined", "shield-off", "fail")
    assert chip.accessibleName() == "Not confined"
    assert theme.hex("fail_tint") in colours(gui.picture(chip))


def test_an_icon_button_looks_different_with_a_count_and_when_on(gui: Gui) -> None:
    button = gui.show(IconButton("todo", "Todo"))
    button.setCheckable(True)
    width = button.sizeHint().width()
    button.set_count("12")
    assert button.sizeHint().width() > width
    button.setChecked(True)
    assert theme.hex("select") in colours(gui.picture(button))


async def test_a_new_theme_repaints_a_button_that_is_shown(gui: Gui) -> None:
    button = Button("Send", "primary")
    holder = gui.show(column(8, button, ground="base"))
    theme.use("dark")
    await gui.settle()
    assert {TOKENS["dark"]["accent_fill"], TOKENS["dark"]["base"]} <= colours(gui.picture(holder))


def test_a_base_paints_nothing_by_itself(gui: Gui) -> None:
    with pytest.raises(NotImplementedError):
        Painted("x", QWidget()).measure()
