"""The dialog as a whole: pages by list, Esc, what is not saved, a settings file that is broken, another language."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import isValid

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from tests.ui.settings.dialogs import Provider, dialog_in
from workbench.settings.files import load_settings
from workbench.ui.kit.buttons import Button, Check
from workbench.ui.settings.dialog import SettingsDialog
from workbench.ui.settings.page_list import PageList
from workbench.ui.settings.strip import Strip
from workbench.ui.settings.theme_tile import ThemeTile
from workbench.wire.server import LoopbackServer

PAGES = ("providers", "limits", "permissions", "appearance")


def strip_of(dialog: SettingsDialog) -> str:
    strip = next(strip for strip in dialog.findChildren(Strip) if strip.parentWidget() and strip.width() > 400)
    return strip.label.text() if strip.isVisible() else ""


async def test_it_does_not_run_a_loop_of_its_own(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        assert not dialog.isModal()
        assert dialog.isVisible()


@pytest.mark.parametrize("page", PAGES)
async def test_it_opens_on_the_page_that_was_asked_for(gui: Gui, tmp_path: Path, page: str) -> None:
    async with dialog_in(gui, tmp_path, page=page) as (_desk, dialog):
        assert dialog.page == page


async def test_every_page_is_plain_and_named(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        for page in PAGES:
            dialog.show_page(page)
            await gui.settle()
        assert_plain(dialog)


async def test_arrows_in_the_list_turn_the_pages(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        pages = gui.find("Pages", PageList)
        pages.setFocus()
        gui.keys(pages, "Down")
        assert dialog.page == "limits"


async def test_tab_goes_from_the_list_through_the_page_in_reading_order(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (_desk, dialog):
        dialog.activateWindow()
        await gui.until(dialog.isActiveWindow)
        gui.find("Pages").setFocus(Qt.FocusReason.TabFocusReason)
        order = []
        for _ in range(7):
            focused = QApplication.focusWidget()
            assert focused is not None
            gui.keys(focused, "Tab")
            now = QApplication.focusWidget()
            order.append(now.accessibleName() if now else "")
        assert order == ["Steps", "Tokens", "Time", "Pause and ask", "Longest answer", "Reasoning effort", "Pace"]


async def test_esc_closes_it_and_it_is_gone(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        gui.keys(dialog, "Esc")
        await gui.until(lambda: not isValid(dialog))


async def test_esc_speaks_once_of_what_is_not_saved(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (desk, dialog):
        await began(gui, dialog)
        dialog.show_page("appearance")
        gui.keys(dialog, "Esc")
        assert dialog.isVisible()
        assert dialog.page == "providers"
        assert strip_of(dialog) == "1 provider has changes that are not saved."
        gui.keys(dialog, "Esc")
        await gui.until(lambda: not isValid(dialog))
        assert desk.app.settings.profiles == ()


async def began(gui: Gui, dialog: SettingsDialog, address: str = "http://127.0.0.1:9/v1") -> None:
    """Begin a provider and fill in its form."""
    dialog.providers.begin("empty")
    await gui.settle()
    gui.type(gui.find("Name", QLineEdit), "Lab")
    gui.type(gui.find("Address", QLineEdit), address)


async def test_save_in_the_strip_saves_and_closes(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (desk, dialog):
        await began(gui, dialog)
        gui.keys(dialog, "Esc")
        strip = dialog.findChildren(Strip)
        button = next(button for part in strip for button in part.findChildren(Button) if button.text() == "Save")
        button.click()
        await gui.until(lambda: not isValid(dialog))
        assert [profile.name for profile in desk.app.settings.profiles] == ["lab"]


async def test_what_cannot_be_saved_keeps_the_dialog_open(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (_desk, dialog):
        await began(gui, dialog, "ftp://nothing")
        gui.keys(dialog, "Esc")
        button = next(button for part in dialog.findChildren(Strip) for button in part.findChildren(Button) if button.text() == "Save")
        button.click()
        await gui.until(lambda: "write it as http://" in gui.find("Address", QLineEdit).accessibleDescription())
        assert dialog.isVisible()
        assert gui.find("Address", QLineEdit).text() == "ftp://nothing"


# The file


async def test_a_file_that_is_broken_is_told_and_can_be_set_aside(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance", settings="mode = ") as (desk, dialog):
        await gui.until(lambda: "cannot be used" in strip_of(dialog))
        await gui.click("Dark")
        await gui.until(lambda: any("Nothing was saved" in text for text in texts(dialog)))
        assert desk.app.settings_path.read_text(encoding="utf-8") == "mode = "
        assert gui.find("Like the system", ThemeTile).isChecked(), "the tile goes back to what is in force"
        await gui.click("Set it aside and begin a new one")
        await gui.until(lambda: "settings.kept.toml" in strip_of(dialog))
        await gui.click("Dark")
        await gui.until(lambda: desk.app.settings.appearance.theme == "dark")
        assert (desk.app.data_folder / "settings.kept.toml").read_text(encoding="utf-8") == "mode = "
        assert load_settings(desk.app.settings_path).settings.appearance.theme == "dark"


def texts(dialog: SettingsDialog) -> list[str]:
    return [label.text() for label in dialog.findChildren(QWidget) if hasattr(label, "text") and label.isVisible()]


async def test_a_file_that_breaks_while_the_dialog_is_open_loses_nothing(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="limits") as (desk, dialog):
        steps = gui.find("Steps", QLineEdit)
        desk.app.settings_path.write_text("mode = ", encoding="utf-8")
        steps.setText("7")
        gui.keys(steps, "Return")
        await gui.until(lambda: "Set it aside and begin a new one" in gui.names())
        assert steps.text() == "7", "what was typed stays"
        assert desk.app.settings.limits.steps == 50
        await gui.click("Set it aside and begin a new one")
        await gui.until(lambda: "is kept as" in strip_of(dialog))
        gui.keys(steps, "Return")
        await gui.until(lambda: desk.app.settings.limits.steps == 7)
        assert desk.app.settings.practice.tokens_per_s == 0, "what was in force stays in force"


async def test_comments_and_unknown_entries_survive_a_change_in_the_dialog(gui: Gui, tmp_path: Path) -> None:
    by_hand = "# mine\n[practice] # slow\ntokens_per_s = 0\n\n[future]\nx = 1\n"
    async with dialog_in(gui, tmp_path, page="appearance", settings=by_hand) as (desk, _dialog):
        await gui.click("Light")
        await gui.until(lambda: desk.app.settings.appearance.theme == "light")
        text = desk.app.settings_path.read_text(encoding="utf-8")
        assert "# mine" in text
        assert "# slow" in text
        assert "[future]\nx = 1" in text


async def test_what_another_process_wrote_meanwhile_stays(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        path = desk.app.settings_path
        path.write_text(path.read_text(encoding="utf-8") + '\n[[profiles]]\nname = "theirs"\nbase_url = "http://127.0.0.1:9/v1"\n', encoding="utf-8")
        await gui.click("Dark")
        await gui.until(lambda: desk.app.settings.appearance.theme == "dark")
        assert [profile.name for profile in load_settings(path).settings.profiles] == ["theirs"]
        assert [profile.name for profile in desk.app.settings.profiles] == ["theirs"]


# Language and zoom


async def test_another_language_builds_the_dialog_anew_and_keeps_what_was_typed(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path) as (desk, dialog):
        await began(gui, dialog)
        dialog.show_page("appearance")
        await gui.click("简体中文")
        await gui.until(lambda: desk.app.settings.appearance.language == "zh_CN")
        await gui.until(lambda: "English" in gui.names())
        assert dialog.page == "appearance"
        await gui.click("English")
        await gui.until(lambda: desk.app.settings.appearance.language == "en")
        dialog.show_page("providers")
        await gui.until(lambda: gui.find("Name", QLineEdit).text() == "Lab")
        assert dialog.providers.unsaved() == 1


async def test_a_test_that_runs_when_the_language_changes_is_stopped(gui: Gui, tmp_path: Path) -> None:
    async with LoopbackServer(Provider()) as server, dialog_in(gui, tmp_path) as (desk, dialog):
        await began(gui, dialog, f"{server.base_url}/v1")
        dialog.providers.test()
        dialog.show_page("appearance")
        await gui.click("简体中文")
        await gui.until(lambda: desk.app.settings.appearance.language == "zh_CN")
        await gui.settle()
        dialog.close()


async def test_hold_still_is_saved_by_its_tick(gui: Gui, tmp_path: Path) -> None:
    async with dialog_in(gui, tmp_path, page="appearance") as (desk, _dialog):
        await gui.click("Hold still")
        await gui.until(lambda: desk.app.settings.appearance.hold_still)
        assert gui.find("Hold still", Check).isChecked()
