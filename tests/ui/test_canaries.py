"""Secrets that a person types, keeps or lets a tool show are in no file that the window writes: settings, state, log, session."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tests.settings.test_credentials import Ring
from tests.ui.desks import project
from tests.ui.gui import Gui
from tests.ui.windows import rest, window_in
from tests.whole.test_canaries import ENV_FILE, KEYRING, TOKEN, VARIABLE, everything_kept, given_away
from workbench.settings.credentials import Credentials, Secret
from workbench.ui.log_file import log_to


@pytest.mark.time_limit(120)
async def test_a_window_writes_no_secret(gui: Gui, tmp_path: Path) -> None:
    (project(tmp_path) / ".env").write_text(f"DB_PASSWORD={ENV_FILE}\n")
    (tmp_path / "ws" / "notes.txt").write_text(f"my token is {TOKEN}\n")
    (tmp_path / "data").mkdir()
    async with window_in(gui, tmp_path) as window:
        app = window.desk.app
        app.credentials = Credentials({"OPENAI_API_KEY": VARIABLE}, backend=Ring())
        with log_to(app.data_folder, app.secrets):
            assert await app.credentials.keep("mine", Secret(KEYRING)) == "keyring"
            assert await app.credentials.find("openai", "OPENAI_API_KEY") is not None
            for text in (f"my key is {KEYRING} and {VARIABLE}", "run cat notes.txt", "read notes.txt"):
                gui.type(window.frame.composer.edit, text)
                gui.keys(window.frame.composer.edit, "Return")
                await gui.until(lambda: window.desk.bridge.running)
                await gui.until(lambda: window.desk.bridge.pending or not window.desk.bridge.running)
                for question in window.desk.bridge.pending:
                    window.desk.bridge.answer(question.approval_id, "approve")
                await rest(gui, window)
            logging.getLogger("tests.canaries").error("a slot failed with %s, %s and %s", KEYRING, ENV_FILE, TOKEN)
        QApplication.clipboard().clear()
    names = set()
    for name, data in everything_kept(tmp_path):
        if "/ws/" not in name:
            assert given_away(data) == [], name
            names.add(Path(name).name)
    assert {"window.ini", "settings.toml", "workbench.log", "journal.sqlite"} <= names
