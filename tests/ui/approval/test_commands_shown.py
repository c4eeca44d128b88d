"""Every known bypass is shown as it is: what the dialog says equals the command, hidden characters marked, and refusing is what is preset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible

from tests.shared import ROOT
from tests.ui.approval.asked import HeldBridge, bash, command, focused, part, permissions, press, shown
from tests.ui.gui import Gui
from workbench.permissions.visible import hidden_characters, visible
from workbench.ui.approval.command_text import CommandRows
from workbench.ui.approval.command_view import CommandView

CASES: list[dict[str, Any]] = [
    case
    for line in (ROOT / "tests" / "cases" / "commands.jsonl").read_text(encoding="utf-8").splitlines()
    if (case := json.loads(line))["id"].startswith("B")
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ws")


def test_the_cases_are_there() -> None:
    assert len(CASES) > 300
    assert any(hidden_characters(case["command"]) for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_character_of_a_bypass_stands_in_a_row(case: dict[str, Any], folder: Path) -> None:
    text = case["command"]
    rows = CommandRows(text, command(text, folder=folder).parts)
    joined = "".join(("" if place == 0 or rows.row(place).goes_on else "\n") + rows.row(place).text for place in range(len(rows)))
    assert joined == text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_what_a_view_says_is_the_command(gui: Gui, case: dict[str, Any], folder: Path) -> None:
    text = case["command"]
    view = CommandView("Command")
    view.show_command(text, command(text, folder=folder).parts, [])
    assert view.command_text() == text
    assert view.plain_text().startswith(visible(text, keep="\n"))


async def test_the_dialog_says_each_bypass_whole_and_presets_the_refusal(gui: Gui, folder: Path) -> None:
    bridge = HeldBridge()
    dialog = await shown(gui, bridge, open_guard=False)
    for number, case in enumerate(CASES):
        text = case["command"]
        bridge.open_questions = [command(text, f"q{number}", folder=folder)]
        bridge.pending_changed.emit()
        view = dialog.content.pane.view
        interface = QAccessible.queryAccessibleInterface(view)
        assert interface is not None
        assert interface.text(QAccessible.Text.Description) == visible(text, keep="\n"), case["id"]
        assert dialog.command_text() == text
        assert dialog.focusWidget() is dialog.footer.reject, case["id"]
        assert dialog.footer.reject.default
        for button in permissions(dialog):
            assert not button.hasFocus()
            assert not getattr(button, "default", False)
        assert not dialog.guard.is_open
    assert bridge.answers == []


@pytest.mark.parametrize("end", ["rm -rf ~", "\n" * 9 + "rm -rf ~", " " * 79 + "rm -rf ~", "\u2003" * 40 + "rm -rf ~"], ids=["long", "lines", "spaces", "wide"])
async def test_padding_does_not_hide_the_end(gui: Gui, folder: Path, end: str) -> None:
    text = "echo " + "harmless words " * 530 + "; " + end
    assert len(text) > 7_900
    bridge = HeldBridge(bash(part(text, danger=3), danger=3))
    dialog = await shown(gui, bridge, size=(560, 420))
    await focused(gui, dialog)
    assert dialog.footer.offer.blocked == "Scroll to the last line first."
    press(dialog, Qt.Key.Key_A)
    for button in permissions(dialog):
        button.click()
    bar = dialog.content.pane.command.verticalScrollBar()
    assert bar.maximum() > 1000
    bar.setValue(bar.maximum() - 5 * bar.singleStep())
    await gui.settle()
    assert bridge.answers == []
    bar.setValue(bar.maximum())
    await gui.until(lambda: not dialog.footer.offer.blocked)
    press(dialog, Qt.Key.Key_A)
    assert bridge.said == ["approve"]
