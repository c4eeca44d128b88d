"""What rules would have let through is worked out beside the loop, from this session and the project's others."""

from __future__ import annotations

from pathlib import Path

from tests.ui.approval.asked import HeldBridge, question, session_in, shown, with_rules
from tests.ui.desks import said
from tests.ui.gui import Gui
from workbench.conversation.calls import Target
from workbench.conversation.events import Decided, Entry
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.link import Link

TARGET = Target(kind="path", name="/src/a.py", access="write")


def figures(dialog: ApprovalDialog) -> str:
    return dialog.strip._figures.words.text()


async def test_figures_follow_the_chosen_rules(gui: Gui) -> None:
    bridge = HeldBridge(with_rules())
    for number, name in enumerate(("a", "a", "b")):
        target = Target(kind="path", name=f"/src/{name}.py", access="write")
        asked = with_rules(f"old{number}", targets=(target,))
        fact = Decided(turn_id="t1", step=1, call_id=asked.call_id, tool="edit", outcome="ask", danger=1, outside=False)
        bridge.known += [Entry(2 * number + 1, 0.0, fact), Entry(2 * number + 2, 0.0, asked)]
    dialog = await shown(gui, bridge)
    await gui.until(lambda: figures(dialog) == "2 of your last 3 calls")
    dialog.strip._widen(0, 1)
    assert figures(dialog) == "", "no figure of other rules stands there"
    await gui.until(lambda: figures(dialog) == "3 of your last 3 calls")
    which = next(link for link in dialog.strip.findChildren(Link) if link.text() == "Which?")
    which.click()
    await gui.settle()
    assert dialog.strip._calls.isVisible()
    assert len(dialog.strip._calls.children()) > 3
    which.click()
    await gui.settle()
    assert not dialog.strip._calls.isVisible()


async def test_nothing_is_told_of_a_question_that_is_gone(gui: Gui) -> None:
    bridge = HeldBridge(with_rules(), question("q2"))
    dialog = await shown(gui, bridge, open_guard=False)
    bridge.take("q1")
    await gui.settle()
    assert dialog.shown is not None
    assert dialog.shown.approval_id == "q2"
    assert not dialog.strip.isVisible()


async def test_other_sessions_of_the_project_count(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path, notes__txt="one two three\n") as desk:
        assert await desk.bridge.send("Replace “two” with “2” in notes.txt") == "started"
        await gui.until(lambda: desk.bridge.pending)
        desk.bridge.answer(desk.bridge.pending[0].approval_id, "approve")
        await gui.until(lambda: not desk.bridge.running)
        assert await desk.new_session()
        assert await desk.bridge.send("Replace “three” with “3” in notes.txt") == "started"
        await gui.until(lambda: desk.bridge.pending)
        dialog = await shown(gui, desk.bridge)
        await gui.until(lambda: figures(dialog).startswith("1 of your last"))
        desk.bridge.answer(desk.bridge.pending[0].approval_id, "reject")
        await gui.until(lambda: not desk.bridge.running)
        await said(gui, desk, "thanks")
