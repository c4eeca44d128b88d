"""Changes are made one after the other, each to what is in force then; what is refused is one sentence."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec.structs import replace

from tests.ui.desks import desk_in
from tests.ui.gui import Gui
from workbench.settings.files import load_settings
from workbench.settings.tree import AppearanceSettings, Settings
from workbench.ui.kit.buttons import Check
from workbench.ui.settings.rows import SettingRow
from workbench.ui.settings.saving import Saving


def dark(now: Settings) -> Settings:
    return replace(now, appearance=replace(now.appearance, theme="dark"))


def still(now: Settings) -> Settings:
    return replace(now, appearance=replace(now.appearance, hold_still=True))


def huge(now: Settings) -> Settings:
    return replace(now, appearance=replace(now.appearance, zoom_percent=9999))


async def test_changes_at_the_same_time_all_count(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        saving = Saving(desk, gui.show(Check("x")))
        assert await asyncio.gather(*(saving.change(change) for change in (dark, still))) == ["", ""]
        assert desk.app.settings.appearance == AppearanceSettings(theme="dark", hold_still=True)
        assert load_settings(desk.app.settings_path).settings == desk.app.settings


async def test_a_value_that_is_not_allowed_is_refused_before_anything_is_saved(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        saving, before = Saving(desk, gui.show(Check("x"))), desk.app.settings
        assert "zoom_percent" in await saving.change(huge)
        assert desk.app.settings == before


async def test_what_the_desk_says_is_the_reason(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        saving = Saving(desk, gui.show(Check("x")))
        desk.app.settings_path.write_text("mode = ", encoding="utf-8")
        assert "Nothing was saved" in await saving.change(dark)


async def test_a_row_that_is_gone_when_the_answer_comes_does_no_harm(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        saving = Saving(desk, gui.show(Check("x")))
        row = SettingRow("x", "", Check("y"))
        saving.apply(dark, row)
        row.deleteLater()
        await gui.until(lambda: desk.app.settings.appearance.theme == "dark")
        await gui.settle()
