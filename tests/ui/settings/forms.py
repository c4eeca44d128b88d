"""The page of providers as a test holds it: fields by name, rows as they are said, and the proof that a key is nowhere."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from tests.ui.gui import Gui
from tests.ui.settings.dialogs import KEY, lines_of
from workbench.ui.desk import Desk
from workbench.ui.kit.labels import Label
from workbench.ui.settings.dialog import SettingsDialog
from workbench.ui.settings.provider_list import ProviderList

LAB = """
[practice]
tokens_per_s = 0

[[profiles]]  # by hand
name = "lab"
title = "Lab server"
base_url = "{url}/v1"
models = ["m-2"]
key_variable = "LAB_API_KEY"

[profiles.quirks]
max_tools = 7
"""


def field(gui: Gui, name: str) -> QLineEdit:
    return gui.find(name, QLineEdit)


def fill(gui: Gui, name: str, text: str) -> None:
    field(gui, name).selectAll()
    gui.type(field(gui, name), text)


def rows(gui: Gui) -> list[str]:
    """Return what a screen reader says of each provider."""
    providers = gui.find("Providers", ProviderList)
    model = providers.model()
    return [str(model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(model.rowCount())]


def row(gui: Gui, beginning: str) -> str:
    return next((text for text in rows(gui) if text.startswith(beginning)), "")


def told(dialog: SettingsDialog) -> str:
    """Return every word that can be read."""
    return "\n".join(label.text() for label in dialog.findChildren(Label) if label.isVisible())


async def choose(gui: Gui, dialog: SettingsDialog, name: str) -> None:
    dialog.providers.choose(name)
    await gui.settle()
    await gui.until(lambda: field(gui, "Address").text())


async def tried(gui: Gui) -> list[tuple[str, str]]:
    """Press Test and wait for its end."""
    await gui.click("Test")
    await gui.until(lambda: "Test" in gui.names() and lines_of(gui) and all(line.outcome != "running" for line in lines_of(gui)))
    return [(line.outcome, line.sentence) for line in lines_of(gui)]


def nowhere(desk: Desk, dialog: SettingsDialog, key: str = KEY) -> None:
    """Fail if a key is in a file, in a text that can be read, or in a value that is kept."""
    for path in desk.app.data_folder.rglob("*"):
        if path.is_file():
            assert key.encode() not in path.read_bytes(), path
    assert key not in repr(desk.app.settings)
    typed_into = field_of_key(dialog)
    for widget in dialog.findChildren(QWidget):
        for name in ("text", "toolTip", "accessibleName", "accessibleDescription", "toPlainText", "placeholderText"):
            said = getattr(widget, name, None)
            if callable(said) and widget not in (typed_into, typed_into.parentWidget()):
                assert key not in str(said()), (widget, name)


def field_of_key(dialog: SettingsDialog) -> QLineEdit:
    """Return the one field that a key is typed into."""
    (found,) = (edit for edit in dialog.findChildren(QLineEdit) if edit.echoMode() is QLineEdit.EchoMode.Password)
    return found
