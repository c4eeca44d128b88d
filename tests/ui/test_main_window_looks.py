"""How the whole window looks: theme, language, sizes; what is begun in it stays when they change."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.ui.gui import Gui
from tests.ui.windows import end, rest, waiting, window_in
from workbench.ui.kit.popup import PopupMenu
from workbench.ui.kit.theme import theme
from workbench.ui.palette import Palette
from workbench.words import language


async def test_theme_changes_at_once_and_is_kept(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame
        window.commands.run("theme.dark")
        await gui.until(lambda: theme.name == "dark")
        assert window.frame is frame
        assert window.desk.app.settings.appearance.theme == "dark"


async def test_language_changes_every_word_and_keeps_what_was_written(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        gui.type(window.frame.composer.edit, "half a sentence")
        window.commands.run("language.zh_CN")
        await gui.until(lambda: language() == "zh_CN")
        await gui.settle()
        assert window.frame.composer.edit.toPlainText() == "half a sentence"
        assert window.frame.composer.edit.hasFocus()
        window.commands.run("language.en")
        await gui.until(lambda: language() == "en")
        await gui.settle()
        gui.find("Message")


async def test_language_changes_in_the_middle_of_a_question(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window.use_language("zh_CN")
        await gui.until(lambda: language() == "zh_CN" and window.questions.dialog.isVisible())
        window.reject_front()
        await rest(gui, window)
        assert end(window).end == "answered"


async def test_parts_of_before_are_gone_when_they_were_built_anew(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window._rebuild()
        await gui.settle()
        gc.collect()
        before = len(QApplication.allWidgets())
        for _ in range(5):
            window._rebuild()
            await gui.settle()
        gc.collect()
        await gui.settle()
        assert len(QApplication.allWidgets()) <= before
        window.reject_front()
        await rest(gui, window)


async def test_zoom_steps_and_comes_back(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        usual = theme.lh
        gui.keys(window.frame.composer.edit, "Ctrl++")
        await gui.until(lambda: theme.lh > usual)
        await gui.settle()
        assert window.desk.app.settings.appearance.zoom_percent == 110
        gui.keys(window.frame.composer.edit, "Ctrl+0")
        await gui.until(lambda: theme.lh == usual)
        for _ in range(20):
            window.change_zoom(-1)
            await gui.settle()
        await gui.until(lambda: window.desk.app.settings.appearance.zoom_percent == 50)


async def test_palette_stays_open_with_its_text_when_sizes_change(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame
        gui.keys(window.frame.composer.edit, "Ctrl++")
        window.open_palette()
        (palette,) = window.findChildren(Palette)
        gui.type(palette.query, "new s")
        await gui.until(lambda: window.frame is not frame)
        await gui.settle()
        (again,) = window.findChildren(Palette)
        assert (again.is_open, again.query.text(), window.focusWidget()) == (True, "new s", again.query)
        gui.type(again.query, "e")
        gui.keys(again.query, "Escape")
        assert window.focusWidget() is window.frame.composer.edit
        assert window.frame.composer.edit.toPlainText() == ""


async def test_open_menu_is_used_before_sizes_change(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame, usual = window.frame, theme.lh
        window.open_mode_menu()
        (menu,) = window.findChildren(PopupMenu)
        window.change_zoom(1)
        await gui.until(lambda: window.desk.app.settings.appearance.zoom_percent == 110)
        await gui.settle()
        assert (window.frame, theme.lh, menu.is_open) == (frame, usual, True)
        menu.dismiss()
        await gui.until(lambda: window.frame is not frame and theme.lh > usual)


@pytest.mark.parametrize("part", ["inspector", "side", "composer"])
async def test_keyboard_stays_where_it_is_when_sizes_change(gui: Gui, tmp_path: Path, part: str) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame
        frame._focus(getattr(frame, part))
        before = window.focusWidget()
        window.change_zoom(1)
        await gui.until(lambda: window.frame is not frame)
        after = window.focusWidget()
        assert after is not None
        assert type(after) is type(before)
        assert getattr(window.frame, part).isAncestorOf(after)
