"""The head of a question says who wants what, where, how dangerous it is and why it asks; all of it must be seen."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget

from tests.ui.approval.asked import MODE_ASKS, HeldBridge, command, opened, question, shown
from tests.ui.gui import Gui
from workbench.conversation.calls import Preview, Reason, Target
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.exact_label import ExactLabel, line_height
from workbench.ui.approval.header import Band
from workbench.ui.approval.pills import Pills
from workbench.ui.approval.queue import in_batch
from workbench.ui.approval.wrapped import Wrapped
from workbench.ui.kit.labels import Icon, Label
from workbench.ui.kit.theme import theme


def words(dialog: ApprovalDialog) -> str:
    return "\n".join(label.text() for label in dialog.header.findChildren(ExactLabel))


async def test_head_says_who_where_and_why(gui: Gui, tmp_path: Path) -> None:
    dialog = await shown(gui, HeldBridge(command("ls && rm -rf /etc/x", folder=tmp_path, agent=("cleaner",), description="Just <b>lists</b> files")))
    said = words(dialog)
    assert "Part 2: It deletes whole folders, or without asking. (rm -rf /etc/x)" in said
    assert "Asks because" not in said
    assert "It deletes whole folders" in gui.find("Why it asks", Band).accessibleDescription()
    assert "Just <b>lists</b> files" in said
    names = [widget.accessibleName() for widget in dialog.header.findChildren(ExactLabel)]
    assert "The model says" in names
    (pills,) = dialog.header.findChildren(Pills)
    assert pills.accessibleName() == "With all your rights, destroys, outside"
    assert pills.accessibleDescription() == "No sandbox confines it: it can do whatever you can do."


async def test_trace_opens_in_place_with_all_outcomes(gui: Gui) -> None:
    reasons = (
        Reason(code="floor.secret", text="It holds keys.", subject="/ws/.env"),
        Reason(code="rule.allow", text="A rule allows it: edit: src/**.", outcome="allow"),
    )
    dialog = await shown(gui, HeldBridge(question(reasons=reasons, badges=("secret",), danger=3)))
    link = next(button for button in dialog.header.findChildren(QAbstractButton) if button.text() == "Rule trace")
    assert "A rule allows it" not in words(dialog)
    link.click()
    await gui.settle()
    assert "A rule allows it: edit: src/**." in words(dialog)
    assert "It holds keys. (/ws/.env)" in words(dialog)
    link.click()
    await gui.settle()
    assert "A rule allows it" not in words(dialog)


async def test_place_outside_is_named(gui: Gui) -> None:
    target = Target(kind="path", name="/etc/pass\u200bwd", access="write", outside=True)
    dialog = await shown(gui, HeldBridge(question(targets=(target,), danger=4, badges=("outside",))))
    names = [label.accessibleName() for label in dialog.header.findChildren(ExactLabel)]
    assert "outside the workspace: /etc/pass⟨U+200B⟩wd" in names


async def test_place_outside_is_named_once(gui: Gui) -> None:
    target = Target(kind="path", name="/etc/passwd", access="read", outside=True)
    reason = Reason(code="floor.outside", text="This leads outside the workspace.", subject="/etc/passwd", outcome="ask")
    dialog = await shown(gui, HeldBridge(question(targets=(target,), danger=3, badges=("outside",), reasons=(reason,))))
    assert "This leads outside the workspace. (/etc/passwd)" in words(dialog)
    assert not any("outside the workspace: " in label.accessibleName() for label in dialog.header.findChildren(ExactLabel))


async def test_further_question_says_what_was_stopped_and_what_yes_grants(gui: Gui, tmp_path: Path) -> None:
    stopped = Reason(code="sandbox.stopped", text="The sandbox stopped it: it needs the network.", subject="network")
    denied = Reason(code="sandbox.denied", text="The sandbox kept it off the network.", subject="example.org:443")
    asked = command("make deps", folder=tmp_path, danger=3, reasons=(MODE_ASKS, stopped, denied), confinement="network")
    bridge = HeldBridge(asked)
    dialog = await shown(gui, bridge)
    said = words(dialog)
    assert "The sandbox kept it off the network. (example.org:443)" in said
    assert said.index("The sandbox stopped it: it needs the network.") < said.index("Changing a file asks")
    assert "Allow: it runs once more from its beginning, in this folder and with the network." in said
    assert any(label.text() == "the same command again, with network" for label in dialog.header.findChildren(Label))
    assert dialog.header.findChildren(Pills)[0].accessibleName().startswith("This folder, with network")
    assert "what it sends cannot be taken back" in dialog.content.pane.command.plain_text()
    assert dialog.command_text() == "make deps"
    assert not in_batch(asked)
    dialog.content.tabs.choose(2)
    dialog.content.json.editor.edit.setPlainText('{"command": "make other", "description": "x"}')
    await opened(gui, dialog)
    assert dialog.footer.offer.blocked == "It can only run again as it ran before."
    dialog.footer.allowed_once.emit()
    assert bridge.answers == []


async def test_facts_wrap_rather_than_being_cut(gui: Gui, tmp_path: Path) -> None:
    marks = ("destroys", "protected", "outside", "secret", "network", "hidden_characters")
    dialog = await shown(gui, HeldBridge(command("ls", folder=tmp_path, agent=("a-long-name-of-an-agent", "another-one"), badges=marks)), size=(560, 420))
    (facts,) = dialog.header.findChildren(Wrapped)
    for child in facts.findChildren(QWidget):
        assert facts.rect().contains(child.geometry()), child.accessibleName()


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("danger", [1, 4])
async def test_icon_stands_in_the_middle_of_the_first_line_of_reasons(gui: Gui, zoom: float, danger: int) -> None:
    theme.use("light", zoom=zoom)
    reasons = tuple(Reason(code=f"call.{n}", text=f"It is number {n}.") for n in range(danger))
    dialog = await shown(gui, HeldBridge(question(reasons=reasons, danger=danger)))
    (band,) = dialog.header.findChildren(Band)
    (icon,) = band.findChildren(Icon)
    first = band.findChildren(ExactLabel)[0]
    middles = [widget.mapTo(band, QPoint(0, 0)).y() + tall / 2 for widget, tall in ((icon, icon.height()), (first, line_height("body")))]
    assert middles[0] == pytest.approx(middles[1], abs=1)


async def test_head_that_is_too_long_must_be_scrolled_through(gui: Gui) -> None:
    preview = Preview(kind="diff", title="a/" * 2000, before="a\n", after="b\n")
    dialog = await shown(gui, HeldBridge(question(preview=preview)), size=(900, 600))
    assert dialog.header.height() <= 0.45 * dialog.height() + 1
    assert dialog.footer.offer.blocked
    assert dialog.header.focusPolicy() is Qt.FocusPolicy.StrongFocus
    plain = gui.picture(dialog.header)
    dialog.take_keyboard()
    await gui.until(dialog.isActiveWindow)
    dialog.header.setFocus()
    assert gui.picture(dialog.header) != plain, "the ring shows that the keyboard scrolls it"
    QTest.keyClick(dialog.header, Qt.Key.Key_End)
    await gui.until(lambda: not dialog.footer.offer.blocked)
