"""The rule strip offers the narrowest rule first, shows exactly what it matches, and is absent where no rule may be offered."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QAbstractButton

from tests.ui.approval.asked import HeldBridge, command, long_edit, opened, question, shown, with_rules
from tests.ui.gui import Gui


async def test_narrowest_rule_is_chosen_and_another_restarts_the_guard(gui: Gui) -> None:
    bridge = HeldBridge(with_rules())
    dialog = await shown(gui, bridge)
    assert dialog.strip.isVisible()
    assert dialog.strip.chosen == {"tool": "edit", "path": "src/a.py", "effect": "allow"}
    segments = dialog.strip.findChildren(QAbstractButton)
    assert [button.text() for button in segments] == ["src/a.py", "src/**"]
    segments[1].click()
    assert dialog.strip.chosen == {"tool": "edit", "path": "src/**", "effect": "allow"}
    assert not dialog.guard.is_open
    assert "below src/" in dialog.strip._also.text()
    await opened(gui, dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert bridge.answers[0].rules == ({"tool": "edit", "path": "src/**", "effect": "allow"},)


async def test_rule_with_a_hidden_character_is_shown_exactly(gui: Gui) -> None:
    rules = ({"tool": "edit", "path": "a\u200b.py", "effect": "allow"}, {"tool": "edit", "path": "b/" * 60 + "**", "effect": "allow"})
    bridge = HeldBridge(question(can_always=True, always=rules))
    dialog = await shown(gui, bridge, size=(900, 600))
    choices = dialog.strip.findChildren(QAbstractButton)
    assert choices[0].accessibleName() == "a⟨U+200B⟩.py"
    assert choices[0].isChecked()
    choices[1].click()
    assert dialog.strip.chosen == rules[1]
    dialog.resize(1000, 700)
    await gui.settle()
    assert dialog.strip.chosen == rules[1], "another width forgets nothing"


async def test_no_strip_without_a_rule(gui: Gui, tmp_path: Path) -> None:
    dialog = await shown(gui, HeldBridge(question(), command("ls", "q2", folder=tmp_path), long_edit("q3", danger=3)))
    for call in ("call_q1", "call_q2", "call_q3"):
        dialog.show_call(call)
        await opened(gui, dialog)
        assert not dialog.strip.isVisible()
        assert not dialog.footer.always.isVisible()
        assert "No “Always”" in dialog.footer.offer.hint
