"""The queue names every open question, shows the chosen one, and rejects only what it lists."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.approval.asked import HeldBridge, command, focused, question, shown
from tests.ui.gui import Gui
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.queue import QueueRow


def rows(dialog: ApprovalDialog) -> list[QueueRow]:
    return [row for row in dialog.queue.findChildren(QueueRow) if row.isVisible()]


async def test_queue_names_every_question(gui: Gui, tmp_path: Path) -> None:
    dialog = await shown(gui, HeldBridge(question(), command("rm -rf x", "q2", folder=tmp_path, agent=("cleaner",))))
    assert [row.accessibleName() for row in rows(dialog)] == ["edit src/a.py, 1 Edit, main", "bash rm -rf x, 4 Destroy, main › cleaner"]
    assert [row.isChecked() for row in rows(dialog)] == [True, False]
    assert dialog.windowTitle() == "2 calls wait for you"


async def test_click_and_arrows_choose_what_is_shown(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"), question("q3"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    gui.click_at(rows(dialog)[2], rows(dialog)[2].rect().center())
    assert dialog.shown is bridge.open_questions[2]
    assert not dialog.guard.is_open
    rows(dialog)[2].setFocus()
    QTest.keyClick(rows(dialog)[2], Qt.Key.Key_Up)
    assert dialog.shown is bridge.open_questions[1]
    assert dialog.focusWidget() is rows(dialog)[1]
    QTest.keyClick(rows(dialog)[1], Qt.Key.Key_Up)
    QTest.keyClick(rows(dialog)[0], Qt.Key.Key_Up)
    assert dialog.shown is bridge.open_questions[0]
    assert bridge.answers == []


async def test_reject_all_rejects_what_is_listed(gui: Gui, tmp_path: Path) -> None:
    bridge = HeldBridge(question(), command("rm -rf x", "q2", folder=tmp_path))
    dialog = await shown(gui, bridge)
    bridge.open_questions.append(question("q3"))  # asked, and the window has not heard of it yet
    gui.click_at(dialog.queue.reject_all, dialog.queue.reject_all.rect().center())
    assert [(one.approval_id, one.answer) for one in bridge.answers] == [("q1", "reject"), ("q2", "reject")]
