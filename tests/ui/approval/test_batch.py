"""Several calls are allowed together only from a list that shows them, and never one that is dangerous or may deceive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.ui.approval.asked import HeldBridge, command, focused, opened, question, shown
from tests.ui.gui import Gui
from workbench.conversation.calls import Preview
from workbench.ui.approval.exact_label import ExactLabel
from workbench.ui.approval.queue import in_batch


@pytest.mark.parametrize(
    ("fields", "together"),
    [
        ({}, True),
        ({"danger": 3}, True),
        ({"danger": 4}, False),
        ({"badges": ("hidden_characters",)}, False),
        ({"badges": ("outside",), "danger": 3}, True),
        ({"preview": Preview(kind="command", body="x" * 2001)}, False),
        ({"preview": Preview(kind="new_file", body="x\n" * 900, after="x\n" * 900)}, True),
        ({"preview": Preview(kind="new_file", body="x\n" * 1001, after="x\n" * 1001)}, False),
        ({"preview": Preview(kind="diff", body="+x\n" * 700)}, False),
    ],
)
def test_what_is_allowed_only_by_itself(fields: dict[str, Any], together: bool) -> None:
    assert in_batch(question(**fields)) is together


async def test_batch_never_holds_the_highest_level(gui: Gui, tmp_path: Path) -> None:
    bridge = HeldBridge(question(), command("rm -rf x", "q2", folder=tmp_path), command("make", "q3", folder=tmp_path), question("q4"))
    dialog = await shown(gui, bridge)
    assert dialog.queue.batch.text() == "Allow these 3…"
    gui.click_at(dialog.queue.batch, dialog.queue.batch.rect().center())
    assert dialog.batch_open
    assert bridge.answers == [], "it asks once more"
    assert not dialog.guard.is_open
    dialog.batch.allow.click()
    assert bridge.answers == []
    await gui.until(lambda: dialog.guard.is_open and dialog.batch.allow.isEnabled())
    texts = [label.text() for label in dialog.batch.findChildren(ExactLabel)]
    assert "src/a.py" in texts
    assert "make" in texts
    assert not any("rm -rf" in text for text in texts)
    bridge.put(question("q5"))
    gui.click_at(dialog.batch.allow, dialog.batch.allow.rect().center())
    assert [(one.approval_id, one.answer) for one in bridge.answers] == [("q1", "approve"), ("q3", "approve"), ("q4", "approve")]
    assert [one.approval_id for one in bridge.open_questions] == ["q2", "q5"]
    assert not dialog.batch_open


async def test_changes_of_files_are_in_the_list_line_by_line(gui: Gui) -> None:
    change = Preview(kind="diff", title="a.py", body="@@ -1 +1 @@\n-one\n+rm = True\n", before="one\n", after="rm = True\n")
    bridge = HeldBridge(question(preview=change), question("q2", preview=Preview(kind="new_file", title="b.py", body="evil()\n", after="evil()\n")))
    dialog = await shown(gui, bridge)
    gui.click_at(dialog.queue.batch, dialog.queue.batch.rect().center())
    texts = [label.text() for label in dialog.batch.findChildren(ExactLabel)]
    assert any("-one\n+rm = True" in text for text in texts)
    assert any("evil()" in text for text in texts)


async def test_what_is_worth_knowing_of_a_call_stands_in_the_list(gui: Gui, tmp_path: Path) -> None:
    linked = Preview(kind="diff", title="a.py", body="-one\n+two\n", notes=("The file has 2 names (hard links); all of them change.",))
    where = Preview(kind="command", title="make", body="make", notes=("Runs in deploy.",))
    asked = [question(preview=linked)]
    asked += [command("make", name, folder=tmp_path, preview=where, arguments=arguments) for name, arguments in (
        ("q2", {"command": "make", "workdir": "deploy"}), ("q3", {"command": "make", "description": "Build"}))]
    dialog = await shown(gui, HeldBridge(*asked))
    gui.click_at(dialog.queue.batch, dialog.queue.batch.rect().center())
    texts = [label.text() for label in dialog.batch.findChildren(ExactLabel)]
    assert linked.notes[0] in texts
    assert texts.count("Runs in deploy.") == 1, "of a plain command nothing is"


async def test_what_is_answered_elsewhere_leaves_the_batch(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"), question("q3"))
    dialog = await shown(gui, bridge)
    gui.click_at(dialog.queue.batch, dialog.queue.batch.rect().center())
    await opened(gui, dialog)
    bridge.take("q2")
    assert dialog.batch.allow.text() == "Allow these 2 calls once"
    bridge.take("q3")
    assert not dialog.batch_open
    dialog.batch.allow.click()
    assert bridge.answers == []


async def test_long_batch_must_be_scrolled_to_its_end(gui: Gui) -> None:
    bridge = HeldBridge(*(question(f"q{number}") for number in range(20)))
    dialog = await shown(gui, bridge, size=(900, 600))
    await focused(gui, dialog)
    gui.click_at(dialog.queue.batch, dialog.queue.batch.rect().center())
    await gui.until(lambda: dialog.guard.is_open)
    await gui.settle()
    assert not dialog.batch.allow.isEnabled()
    QTest.keyClick(dialog.batch.back, Qt.Key.Key_A)
    assert bridge.answers == []
    bar = dialog.batch._area.verticalScrollBar()
    bar.setValue(bar.maximum())
    await gui.until(lambda: dialog.batch.allow.isEnabled())
    QTest.keyClick(dialog.batch.back, Qt.Key.Key_Escape)
    assert not dialog.batch_open
    assert bridge.answers == []
