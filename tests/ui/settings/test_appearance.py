"""Looks are changed by one click, show at once, and follow what others change."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLineEdit

from tests.ui.gui import Gui
from tests.ui.settings.dialogs import dialog_in
from workbench.settings.files import load_settings
from workbench.settings.tree import AppearanceSettings, Theme
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.choices import Segments
from workbench.ui.kit.theme import theme
from workbench.ui.settings.theme_tile import ThemeTile
from workbench.words import language


@pytest.mark.parametrize(("tile", "name"), [("Dark", "dark"), ("Light", "light")])
async def test_a_theme_is_chosen_by_its_tile_and_shows_at_once(gui: Gui, tmp_path: Path, tile: str, name: Theme) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        await gui.click(tile)
        await gui.until(lambda: desk.app.settings.appearance.theme == name)
        assert theme.name == name
        assert load_settings(desk.app.settings_path).settings.appearance == AppearanceSettings(theme=name)
        assert gui.find(tile, ThemeTile).isChecked()


async def test_two_quick_changes_both_count(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        gui.find("Dark", ThemeTile).click()
        gui.find("Hold still", Check).click()
        await gui.until(lambda: desk.app.settings.appearance == AppearanceSettings(theme="dark", hold_still=True))


async def test_the_language_changes_the_dialog_at_once(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, dialog):
        await gui.click("简体中文")
        await gui.until(lambda: language() == "zh_CN")
        assert desk.app.settings.appearance.language == "zh_CN"
        assert dialog.page == "appearance"


@pytest.mark.parametrize(("typed", "percent"), [("133", 133), ("50", 50), ("300", 300)])
async def test_any_zoom_can_be_typed(gui: Gui, tmp_path: Path, typed: str, percent: int) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        zoom = gui.find("Zoom", QLineEdit)
        zoom.setText(typed)
        gui.keys(zoom, "Return")
        await gui.until(lambda: desk.app.settings.appearance.zoom_percent == percent)
        await gui.until(lambda: theme.zoom == percent / 100)
        await gui.until(lambda: gui.find("Zoom", QLineEdit).text() == typed)
        assert gui.find("Zoom in steps", Segments).chosen == -1


@pytest.mark.parametrize("typed", ["49", "301", "", "large", "100 %"])
async def test_a_zoom_out_of_range_is_refused_and_stays(gui: Gui, tmp_path: Path, typed: str) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        zoom = gui.find("Zoom", QLineEdit)
        zoom.setText(typed)
        gui.keys(zoom, "Return")
        assert zoom.accessibleDescription() == "Write a whole number from 50 to 300."
        assert (zoom.text(), desk.app.settings.appearance.zoom_percent) == (typed, 100)


async def test_a_zoom_is_chosen_by_its_step(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        await gui.click("125 %")
        await gui.until(lambda: desk.app.settings.appearance.zoom_percent == 125)
        await gui.until(lambda: gui.find("Zoom", QLineEdit).text() == "125")


async def test_what_others_change_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        assert await desk.save_settings(replace(desk.app.settings, appearance=AppearanceSettings(theme="dark", hold_still=True)))
        assert gui.find("Dark", ThemeTile).isChecked()
        assert gui.find("Hold still", Check).isChecked()
        assert desk.app.settings.appearance == AppearanceSettings(theme="dark", hold_still=True), "showing it saves nothing"


async def test_everything_is_on_the_page_at_300_percent(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, dialog):
        assert await desk.save_settings(replace(desk.app.settings, appearance=AppearanceSettings(zoom_percent=300)))
        dialog.resize(1200, 800)
        await gui.settle()
        assert {"Light", "Dark", "Zoom", "Hold still", "English"} <= set(gui.names())
        theme.use("light", "en", 1.0)
