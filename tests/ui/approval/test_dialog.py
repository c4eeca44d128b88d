"""The dialog on questions made by hand: what it takes as an answer, and what it never does."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from tests.ui.approval.asked import HeldBridge, Window, command, focused, long_edit, opened, permissions, press, question, shown, with_rules
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.conversation.calls import Preview
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.guard import GUARD_MS

# The keyboard stays with the composer


async def test_dialog_leaves_the_keyboard_to_the_composer(gui: Gui) -> None:
    bridge = HeldBridge(question())
    window = gui.show(Window())
    window.composer.setFocus()
    await gui.until(window.isActiveWindow)
    dialog = ApprovalDialog(bridge, window)
    gui.type(window.composer, "before ")
    dialog.present()
    for letter in "aaa RR yes\n":
        focused_widget = QApplication.focusWidget()
        assert focused_widget is not None
        gui.type(focused_widget, letter)
        await gui.settle()
    await opened(gui, dialog)
    target = QApplication.focusWidget()
    assert target is window.composer
    gui.type(target, "a A r")
    assert window.composer.toPlainText() == "before aaa RR yes\na A r"
    assert bridge.answers == []
    assert dialog.isVisible()


async def test_new_question_takes_no_keyboard_either(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    bridge.put(question("q2"))
    bridge.take("q1")
    await opened(gui, dialog)
    assert isinstance(QApplication.focusWidget(), QPlainTextEdit)
    assert dialog.shown is bridge.open_questions[0]


async def test_dialog_is_not_modal_and_preselects_no_permission(gui: Gui) -> None:
    dialog = await shown(gui, HeldBridge(with_rules()))
    assert not dialog.isModal()
    assert dialog.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
    assert dialog.focusWidget() is dialog.footer.reject
    assert dialog.footer.reject.default
    for button in permissions(dialog):
        assert not getattr(button, "default", False)
        assert not button.isCheckable()
        assert not button.property("autoDefault")


# The guard


@pytest.mark.parametrize("moment", ["appears", "content", "moved", "raised", "resized"])
async def test_nothing_is_answered_before_the_guard_time(gui: Gui, moment: str) -> None:
    bridge = HeldBridge(question(), question("q2"))
    begun = time.monotonic()
    dialog = await shown(gui, bridge, open_guard=moment != "appears")
    begun = begun if moment == "appears" else time.monotonic()
    match moment:
        case "content":
            bridge.take("q1")
        case "moved":
            dialog.move(dialog.x() + 30, dialog.y() + 10)
        case "resized":
            dialog.resize(dialog.width() - 40, dialog.height())
        case "raised":
            QGuiApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)  # type: ignore[union-attr]
        case _:
            pass
    await gui.settle()
    assert not dialog.guard.is_open
    for button in (dialog.footer.once, dialog.footer.reject, dialog.footer.with_note, dialog.queue.reject_all, dialog.queue.batch):
        assert button.state("disabled")
        gui.click_at(button, button.rect().center())
        QTest.keyClick(button, Qt.Key.Key_Space)
        button.click()
    for key in (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_Escape, Qt.Key.Key_Return):
        press(dialog, key)
        press(dialog, key, Qt.KeyboardModifier.ShiftModifier)
    assert bridge.answers == []
    assert not dialog.footer.note_open
    assert not dialog.batch_open
    await opened(gui, dialog, waiting=True)
    assert time.monotonic() - begun >= GUARD_MS / 1000 - 0.02
    gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
    assert bridge.said == ["approve"]


async def test_press_that_began_before_the_content_changed_comes_to_nothing(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)
    button = dialog.footer.once
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    bridge.take("q1")
    await gui.until(lambda: dialog.guard.is_open)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    button.setFocus()
    QTest.keyPress(button, Qt.Key.Key_Space)
    bridge.put(question("q3"))
    bridge.take("q2")
    await gui.until(lambda: dialog.guard.is_open)
    QTest.keyRelease(button, Qt.Key.Key_Space)
    assert bridge.answers == []


async def test_double_click_answers_once(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"), question("q3"))
    dialog = await shown(gui, bridge)
    button = dialog.footer.once
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QTest.mouseDClick(button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert [one.approval_id for one in bridge.answers] == ["q1"]


# What was not seen is not allowed


async def test_unseen_content_is_not_allowed(gui: Gui) -> None:
    bridge = HeldBridge(long_edit(can_always=True, always=({"tool": "edit", "path": "src/long.py", "effect": "allow"},)))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    assert dialog.footer.offer.blocked == "Scroll to the last line first."
    progress = dialog.content.pane.progress()
    assert progress.icon == "eye"
    assert progress.token == "level2"
    assert progress.words.endswith("of 200 lines seen")
    for button in (dialog.footer.once, dialog.footer.always):
        assert not button.isEnabled()
        gui.click_at(button, button.rect().center())
        button.click()
    press(dialog, Qt.Key.Key_A)
    press(dialog, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    dialog.footer.allowed_once.emit()
    dialog.footer.allowed_always.emit()
    assert bridge.answers == []
    QTest.keyClick(dialog.content.pane.diff, Qt.Key.Key_End)
    await gui.until(lambda: not dialog.footer.offer.blocked)
    assert dialog.content.pane.progress().token == "muted"
    press(dialog, Qt.Key.Key_A)
    assert bridge.said == ["approve"]


async def test_content_that_is_whole_in_sight_counts_as_seen(gui: Gui) -> None:
    dialog = await shown(gui, HeldBridge(question()))
    assert dialog.content.pane.progress().words == "all 2 lines shown"
    assert dialog.content.pane.progress().token == "ok"
    assert dialog.footer.once.isEnabled()


async def test_what_was_seen_stays_seen_while_another_question_is_looked_at(gui: Gui) -> None:
    bridge = HeldBridge(long_edit(), question("q2"))
    dialog = await shown(gui, bridge)
    QTest.keyClick(dialog.content.pane.diff, Qt.Key.Key_End)
    await gui.until(lambda: not dialog.footer.offer.blocked)
    dialog.show_call("call_q2")
    await opened(gui, dialog)
    dialog.show_call("call_q1")
    await opened(gui, dialog)
    assert not dialog.footer.offer.blocked
    bridge.put(long_edit("q3"))
    dialog.show_call("call_q3")
    await opened(gui, dialog)
    assert dialog.footer.offer.blocked


# Level 4


async def test_highest_level_must_be_held(gui: Gui, tmp_path: Path) -> None:
    bridge = HeldBridge(command("rm -rf build", folder=tmp_path, can_always=True, always=({"tool": "bash", "argv": ["rm"], "effect": "allow"},)))
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    footer = dialog.footer
    assert dialog.shown is not None
    assert dialog.shown.danger == 4
    assert footer.hold.isVisible()
    assert not footer.once.isVisible()
    assert not footer.always.isVisible()
    assert not dialog.strip.isVisible()
    assert footer.hint.text() == "No “Always” at level 4."
    gui.click_at(footer.hold, footer.hold.rect().center())
    footer.hold.click()
    footer.once.click()
    footer.always.click()
    footer.hold.setFocus()
    QTest.keyClick(footer.hold, Qt.Key.Key_Space)
    QTest.keyClick(footer.hold, Qt.Key.Key_Return)
    for modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
        press(dialog, Qt.Key.Key_A, modifiers)
    assert bridge.answers == []
    begun = time.monotonic()
    QTest.mousePress(footer.hold, Qt.MouseButton.LeftButton)
    await gui.until(lambda: footer.hold.share > 0.4)
    assert bridge.answers == []
    await gui.until(lambda: bridge.answers)
    assert time.monotonic() - begun >= 0.98
    assert bridge.said == ["approve"]


# Others answer, too


async def test_answer_given_elsewhere_moves_the_dialog_on_and_the_late_click_does_nothing(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)
    stale = dialog.shown
    assert stale is not None
    bridge.open_questions.pop(0)  # answered, and the window has not heard of it yet
    gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
    assert bridge.answers == []
    assert dialog.shown is bridge.open_questions[0]
    assert not dialog.guard.is_open


async def test_question_about_another_plan_is_not_answered(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    bridge.open_questions[0] = question(digest="another plan")
    gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
    assert bridge.answers == []


async def test_new_question_joins_at_the_end_and_changes_nothing(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)
    dialog.show_call("call_q2")
    await opened(gui, dialog)
    bridge.put(question("q3"))
    assert dialog.guard.is_open
    assert dialog.shown is bridge.open_questions[1]
    assert dialog.windowTitle() == "3 calls wait for you"
    gui.click_at(dialog.footer.reject, dialog.footer.reject.rect().center())
    assert dialog.shown is bridge.open_questions[1]
    assert dialog.shown.approval_id == "q3"


async def test_closing_the_window_puts_the_questions_off(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    dialog.close()
    assert not dialog.isVisible()
    dialog.present()
    dialog.accept()
    dialog.reject()
    assert bridge.answers == []
    assert dialog.show_call("call_q1")
    assert not dialog.show_call("nothing")


async def test_empty_queue_offers_nothing(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    bridge.take("q1")
    await gui.settle()
    assert dialog.shown is None
    for button in permissions(dialog):
        button.click()
    dialog.footer.allowed_once.emit()
    dialog.footer.rejected.emit("")
    assert bridge.answers == []


async def test_question_that_cannot_be_shown_is_not_answered_with_what_was_there_before(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    bridge = HeldBridge(question(), question("q2"))
    dialog = await shown(gui, bridge)

    def fail(*_arguments: object) -> None:
        raise RuntimeError("the preview cannot be shown")

    monkeypatch.setattr(dialog.content, "show_question", fail)
    with pytest.raises(RuntimeError):
        dialog.show_call("call_q2")
    await gui.until(lambda: dialog.guard.is_open)
    for button in permissions(dialog):
        button.click()
    dialog.footer.allowed_once.emit()
    dialog.footer.rejected.emit("")
    assert dialog.shown is None
    assert bridge.answers == []


async def test_deeply_nested_arguments_are_shown(gui: Gui) -> None:
    nested: object = "x"
    for _ in range(600):
        nested = [nested]
    bridge = HeldBridge(question(arguments={"deep": nested}, preview=Preview(kind="none"), input_schema={}))
    dialog = await shown(gui, bridge)
    for tab in (1, 2, 0):
        dialog.content.tabs.choose(tab)
        await gui.settle()
    assert dialog.content.pane.text.plain_text().count("[") == 600
    gui.click_at(dialog.footer.reject, dialog.footer.reject.rect().center())
    assert bridge.said == ["reject"]


async def test_deactivated_window_keeps_its_state(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    dialog.content.tabs.choose(2)
    dialog.content.json.editor.edit.setPlainText('{"file_path": "src/a.py", "old_string": "two", "new_string": "22"}')
    parent = dialog.parentWidget()
    assert parent is not None
    parent.activateWindow()
    await gui.until(lambda: not dialog.isActiveWindow())
    dialog.activateWindow()
    await gui.until(dialog.isActiveWindow)
    assert dialog.content.draft.values["new_string"] == "22"
    assert dialog.content.json.isVisible()


# All of it


@pytest.mark.parametrize("size", [(1200, 760), (900, 600), (760, 480)])
async def test_no_widget_reads_html_and_none_is_cut_off(gui: Gui, tmp_path: Path, size: tuple[int, int]) -> None:
    hostile = "ls <span style='font-size:1px'>out; touch x #</span> && rm \u202e -rf ~ " + "x" * 400
    bridge = HeldBridge(
        command(hostile, folder=tmp_path, description="<b>List</b> files\u202e"),
        with_rules("q2", preview=Preview(kind="diff", title="src/<b>a</b>.py", before="a\n", after="b\n", notes=("<i>note</i>",)), agent=("<u>sub</u>",)),
    )
    dialog = await shown(gui, bridge, size=size)
    for call in ("call_q1", "call_q2"):
        dialog.show_call(call)
        for tab in range(3):
            dialog.content.tabs.choose(tab)
            await gui.settle()
            assert_plain(dialog)
            for button in (dialog.footer.reject, dialog.footer.once, dialog.footer.hold, dialog.footer.always):
                if button.isVisible():
                    assert button.width() >= button.sizeHint().width()
                    assert dialog.footer.rect().contains(button.geometry())


async def test_window_that_lay_over_the_dialog_leaves_its_guard_closed(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    other = gui.show(Window())
    other.setGeometry(dialog.geometry())
    other.activateWindow()
    await gui.until(other.isActiveWindow)
    await opened(gui, dialog)
    other.close()
    dialog.activateWindow()
    await gui.until(dialog.isActiveWindow)
    assert not dialog.guard.is_open, "the second click of a double click would land on what was below"
    QTest.mouseClick(dialog.footer.once, Qt.MouseButton.LeftButton)
    assert bridge.answers == []
    await opened(gui, dialog)
    QTest.mouseClick(dialog.footer.once, Qt.MouseButton.LeftButton)
    assert bridge.said == ["approve"]


async def test_click_into_the_dialog_after_the_composer_counts_at_once(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge)
    owner = dialog.parentWidget()
    assert owner is not None
    owner.activateWindow()
    await gui.until(owner.isActiveWindow)
    await opened(gui, dialog)
    dialog.activateWindow()
    await gui.until(dialog.isActiveWindow)
    QTest.mouseClick(dialog.footer.once, Qt.MouseButton.LeftButton)
    assert bridge.said == ["approve"]
