"""Keys in the dialog: letters answer only where nobody writes, Enter never allows, and no typing ahead does."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from tests.ui.approval.asked import HeldBridge, command, focused, opened, permissions, place_of, press, question, shown, with_rules
from tests.ui.gui import Gui

LETTERS = "arARyYnN1 \n"


async def test_letters_answer_only_when_the_dialog_has_the_keyboard(gui: Gui) -> None:
    bridge = HeldBridge(with_rules("q1"), with_rules("q2"), with_rules("q3"), with_rules("q4"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    press(dialog, Qt.Key.Key_A)
    await opened(gui, dialog)
    press(dialog, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    await opened(gui, dialog)
    press(dialog, Qt.Key.Key_R)
    await opened(gui, dialog)
    assert [(one.approval_id, one.answer, bool(one.rules)) for one in bridge.answers] == [
        ("q1", "approve", False),
        ("q2", "approve", True),
        ("q3", "reject", False),
    ]
    press(dialog, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert dialog.footer.note_open
    assert len(bridge.answers) == 3


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.MetaModifier])
async def test_letters_with_other_keys_answer_nothing(gui: Gui, modifier: Qt.KeyboardModifier) -> None:
    bridge = HeldBridge(with_rules())
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    for key in (Qt.Key.Key_A, Qt.Key.Key_R):
        press(dialog, key, modifier)
        press(dialog, key, modifier | Qt.KeyboardModifier.ShiftModifier)
    assert bridge.answers == []


async def test_held_letter_answers_one_question(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    press(dialog, Qt.Key.Key_A)
    await opened(gui, dialog)
    for _ in range(5):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, Qt.KeyboardModifier.NoModifier, "a", True)
        QApplication.sendEvent(place_of(dialog), event)
    assert bridge.said == ["approve"]


async def test_enter_never_allows(gui: Gui) -> None:
    bridge = HeldBridge(with_rules(), question("q2"), question("q3"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    everything = [widget for widget in dialog.findChildren(QWidget) if widget.isVisible() and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus]
    refusals = {dialog.footer.reject, dialog.footer.with_note}
    assert len(everything) > 8
    for widget in everything:
        if widget not in refusals:
            widget.setFocus()
            for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                QTest.keyClick(widget, key)
                QTest.keyClick(widget, key, Qt.KeyboardModifier.ControlModifier)
    assert bridge.answers == []
    dialog.footer.reject.setFocus()
    press(dialog, Qt.Key.Key_Return)
    assert bridge.said == ["reject"]


async def test_escape_rejects_only_outside_of_fields(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    dialog.content.tabs.choose(1)
    editor = dialog.content.form.fields[0].findChild(QWidget, "", Qt.FindChildOption.FindChildrenRecursively)
    assert editor is not None
    field = dialog.content.json.editor.edit
    dialog.content.tabs.choose(2)
    field.setFocus()
    press(dialog, Qt.Key.Key_Escape)
    assert bridge.answers == []
    assert dialog.focusWidget() is dialog.footer.reject
    press(dialog, Qt.Key.Key_Escape)
    assert bridge.said == ["reject"]
    assert dialog.isVisible()


async def test_every_key_in_a_field_answers_nothing(gui: Gui) -> None:
    bridge = HeldBridge(with_rules(), question("q2"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    dialog.content.tabs.choose(2)
    dialog.content.json.editor.edit.setFocus()
    gui.type(dialog.content.json.editor.edit, LETTERS)
    dialog.content.tabs.choose(1)
    for field in dialog.content.form.fields:
        for widget in field.findChildren(QWidget):
            if widget.isVisible() and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus and not isinstance(widget, QAbstractButton):
                widget.setFocus()
                gui.type(widget, LETTERS)
    assert bridge.answers == []


async def test_note_goes_with_the_rejection(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    press(dialog, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    note = dialog.footer.note.edit
    assert dialog.focusWidget() is note
    for button in permissions(dialog):
        assert not button.isVisible()
    gui.type(note, "Allow no A; use the API.")
    QTest.keyClick(note, Qt.Key.Key_Escape)
    assert not dialog.footer.note_open
    assert bridge.answers == []
    await opened(gui, dialog)
    press(dialog, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    assert note.text() == "Allow no A; use the API."
    QTest.keyClick(note, Qt.Key.Key_Return)
    assert [(one.approval_id, one.answer, one.note) for one in bridge.answers] == [("q1", "reject", "Allow no A; use the API.")]
    assert note.text() == ""


async def test_words_typed_for_a_question_that_is_gone_press_nothing(gui: Gui) -> None:
    bridge = HeldBridge(with_rules(), with_rules("q2"))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    press(dialog, Qt.Key.Key_R, Qt.KeyboardModifier.ShiftModifier)
    gui.type(dialog.footer.note.edit, "please use ")
    bridge.take("q1")
    await opened(gui, dialog)
    for letter in "a rather A safer R way, a ":
        QTest.keyClicks(place_of(dialog), letter)
    assert bridge.answers == []
    QTest.keyClick(dialog, Qt.Key.Key_Tab)
    await opened(gui, dialog)
    dialog.footer.reject.setFocus()
    press(dialog, Qt.Key.Key_A)
    assert [one.approval_id for one in bridge.answers] == ["q2"]


async def test_tab_goes_as_one_reads(gui: Gui, tmp_path: Path) -> None:
    dialog = await shown(gui, HeldBridge(command("make lint && pytest -q", folder=tmp_path), question("q2")))
    await focused(gui, dialog)
    passed: list[QWidget] = []
    while (widget := QApplication.focusWidget()) is not None and widget not in passed:
        passed.append(widget)
        gui.keys(widget, "Tab")
    parts = [next(part for part in (dialog.queue, dialog.header, dialog.content, dialog.strip, dialog.footer) if part.isAncestorOf(stop)) for stop in passed]
    order = [part for part, before in zip(parts, [None, *parts], strict=False) if part is not before]
    assert order == [dialog.footer, dialog.queue, dialog.header, dialog.content, dialog.strip], "after the foot it begins anew"
    rules = [stop.accessibleName() for stop, part in zip(passed, parts, strict=True) if part is dialog.strip]
    assert rules == ["This session", "Part 1", "Part 2", "pytest -q"], "line by line"
    gui.keys(dialog.footer.reject, "Shift+Tab")
    assert QApplication.focusWidget() is passed[-1]
