"""In a narrow window one line stands in for the list of questions."""

from __future__ import annotations

from tests.ui.approval.asked import HeldBridge, opened, question, shown
from tests.ui.gui import Gui


async def test_narrow_window_steps_through_the_questions(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2"), question("q3"))
    dialog = await shown(gui, bridge, size=(560, 420))
    bar = dialog.queue_bar
    assert bar.isVisible()
    assert not dialog.queue.isVisible()
    assert bar._words.text() == "Call 1 of 3 that wait for you"
    assert not bar.before.isEnabled()
    bar.after.click()
    assert dialog.shown is not None
    assert dialog.shown.approval_id == "q2"
    assert not dialog.guard.is_open
    bar.after.click()
    assert dialog.shown.approval_id == "q3"
    assert not bar.after.isEnabled()
    await opened(gui, dialog)
    gui.click_at(bar.reject_all, bar.reject_all.rect().center())
    assert bridge.said == ["reject"] * 3


async def test_narrow_window_allows_several_from_their_list_only(gui: Gui) -> None:
    bridge = HeldBridge(question(), question("q2", danger=4), question("q3"))
    dialog = await shown(gui, bridge, size=(560, 420))
    assert dialog.queue_bar.batch.text() == "Allow these 2…"
    gui.click_at(dialog.queue_bar.batch, dialog.queue_bar.batch.rect().center())
    assert dialog.batch_open
    assert bridge.answers == []


async def test_single_question_has_no_bar_and_a_wide_window_has_the_list(gui: Gui) -> None:
    bridge = HeldBridge(question())
    dialog = await shown(gui, bridge, size=(560, 420))
    assert not dialog.queue_bar.isVisible()
    bridge.put(question("q2"))
    assert dialog.queue_bar.isVisible()
    dialog.resize(1000, 700)
    await gui.settle()
    assert not dialog.queue_bar.isVisible()
    assert dialog.queue.isVisible()
