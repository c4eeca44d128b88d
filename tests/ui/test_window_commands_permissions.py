"""The palette reaches what a person may want to know of permissions: rules, the sandbox, and what the folder brings."""

from __future__ import annotations

from pathlib import Path

from tests.ui.gui import Gui
from tests.ui.windows import window_in
from workbench.ui.frame.confinement_card import ConfinementCard


async def test_rules_and_sandbox_are_opened_by_command(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        assert window.commands.run("confinement.show")
        assert gui.find("How commands are held", ConfinementCard).is_open
        gui.find("How commands are held", ConfinementCard).dismiss()
        assert window.commands.run("settings.permissions")
        assert window.settings_shown().page == "permissions"


async def test_a_folder_that_brings_nothing_says_why_there_is_nothing_to_show(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        reasons = {command.command_id: command.why_not() for command in window.commands.all()}
        assert reasons["trust.show"] == "This folder brings nothing that would be asked about."
        assert reasons["confinement.show"] == ""
