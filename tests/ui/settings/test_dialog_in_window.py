"""The dialog in the real window: one at a time, what was typed survives, and the window takes its changes at once."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLineEdit

from tests.ui.gui import Gui
from tests.ui.windows import window_in
from workbench.ui.kit.theme import theme
from workbench.words import language


async def test_opening_it_twice_shows_the_same_one_with_what_was_typed(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = window.settings_shown("providers")
        dialog.providers.begin("empty")
        await gui.until(lambda: gui.find("Address", QLineEdit).isEnabled())
        gui.type(gui.find("Address", QLineEdit), "http://127.0.0.1:9/v1")
        assert window.settings_shown("limits") is dialog
        assert dialog.page == "limits"
        assert window.settings_shown("providers") is dialog
        assert gui.find("Address", QLineEdit).text() == "http://127.0.0.1:9/v1"
        dialog.reject()
        dialog.reject()
        await gui.settle()


async def test_it_can_be_opened_again_after_it_was_closed(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        gui.keys(window.settings_shown("limits"), "Esc")
        await gui.settle()
        again = window.settings_shown("appearance")
        await gui.until(lambda: "Dark" in gui.names())
        assert again.page == "appearance"


async def test_theme_and_language_show_at_once_in_window_and_dialog(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = window.settings_shown("appearance")
        await gui.click("Dark")
        await gui.until(lambda: theme.name == "dark")
        await gui.click("简体中文")
        await gui.until(lambda: language() == "zh_CN")
        await gui.until(lambda: window.settings_shown() is dialog and dialog.isVisible())
        await gui.click("English")
        await gui.until(lambda: language() == "en")
        assert dialog.page == "appearance"


async def test_the_window_closes_while_something_is_not_saved(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = window.settings_shown("providers")
        dialog.providers.begin("openai")
        await gui.settle()
        assert dialog.providers.unsaved() == 1
