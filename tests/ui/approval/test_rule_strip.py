"""The rule strip offers the narrowest rules first, shows exactly what they match, and is absent where no rule may be offered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget
from typing_extensions import override

from tests.ui.approval.asked import HeldBridge, bash, command, focused, long_edit, opened, part, press, question, shown, with_rules
from tests.ui.gui import Gui
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.approval.exact_choice import ExactChoice
from workbench.ui.approval.rule_row import RuleRow
from workbench.ui.kit.buttons import Check
from workbench.ui.kit.choices import Segments


def rule(*argv: str) -> dict[str, Any]:
    return {"tool": "bash", "argv": list(argv), "effect": "allow"}


def two(identity: str = "q1", **fields: Any) -> Any:
    """Return a question about two parts, each with rules of its own."""
    first = part("pytest -q", argv=("pytest", "-q"), always=(rule("pytest", "-q"), rule("pytest", "**")))
    return bash(first, part("make x", argv=("make", "x"), always=(rule("make", "x"),)), identity=identity, **fields)


def widths(dialog: ApprovalDialog, row: int = 0) -> list[QAbstractButton]:
    segments = [one for one in dialog.strip.findChildren(RuleRow)[row].findChildren(Segments) if one.accessibleName() == "How wide the rule is"]
    return list(segments[0].buttons)


def is_folded(dialog: ApprovalDialog) -> bool:
    return dialog.strip.folded


def reach(dialog: ApprovalDialog) -> Segments:
    (segments,) = [one for one in dialog.strip.findChildren(Segments) if one.accessibleName() == "How long the rules hold"]
    return segments


def words(dialog: ApprovalDialog) -> str:
    return "\n".join(str(getattr(one, "text", str)()) for one in dialog.strip.findChildren(QWidget) if one.isVisible() and hasattr(one, "text"))


async def test_narrowest_rule_is_chosen_and_another_restarts_the_guard(gui: Gui) -> None:
    bridge = HeldBridge(with_rules())
    dialog = await shown(gui, bridge)
    kept: list[str] = []
    dialog.kept.connect(kept.append)
    assert dialog.strip.isVisible()
    assert [button.text() for button in widths(dialog)] == ["src/a.py", "src/**"]
    widths(dialog)[1].click()
    assert [width.kept for width in dialog.strip.choice.chosen] == [{"tool": "edit", "path": "src/**", "effect": "allow"}]
    assert not dialog.guard.is_open
    assert "below src/" in words(dialog)
    await opened(gui, dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert bridge.answers[0].rules == ({"tool": "edit", "path": "src/**", "effect": "allow"},)
    assert bridge.answers[0].scope == "session"
    assert kept == ["Allowed for the rest of this session: edit: src/**"]


async def test_each_part_is_ticked_by_itself(gui: Gui) -> None:
    bridge = HeldBridge(two(), two("q2"))
    dialog = await shown(gui, bridge)
    ticks = dialog.strip.findChildren(Check)
    assert [tick.text() for tick in ticks] == ["Part 1", "Part 2"]
    assert all(tick.isChecked() for tick in ticks)
    assert ticks[0].accessibleDescription() == "pytest -q, pytest -q"
    ticks[1].click()
    widths(dialog)[1].click()
    await opened(gui, dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert bridge.answers[0].rules == (rule("pytest", "**"),)
    for tick in dialog.strip.findChildren(Check):
        tick.setChecked(False)
    await opened(gui, dialog)
    assert not dialog.footer.always.isEnabled()
    assert dialog.footer.once.isEnabled()
    assert dialog.footer.hint.text() == "Tick a rule first."
    dialog.footer.allowed_always.emit()
    assert len(bridge.answers) == 1


async def test_how_long_rules_hold_is_chosen_within_bounds(gui: Gui) -> None:
    bridge = HeldBridge(with_rules(), two("q2"))
    dialog = await shown(gui, bridge)
    assert [button.text() for button in reach(dialog).buttons] == ["Once", "This session", "This project", "Everywhere"]
    assert reach(dialog).chosen == 1
    reach(dialog).buttons[0].click()
    assert not dialog.guard.is_open
    await opened(gui, dialog)
    assert not dialog.footer.always.isEnabled()
    assert dialog.footer.hint.text() == "“Allow once” keeps no rule."
    reach(dialog).buttons[3].click()
    await opened(gui, dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert bridge.answers[0].scope == "user"
    allowed = [button.isEnabled() for button in reach(dialog).buttons]
    assert allowed == [True, True, False, False], "there is no sandbox here"
    assert reach(dialog).buttons[2].accessibleDescription() == "Without a sandbox, rules for commands end with the session."


async def test_part_without_a_rule_is_named(gui: Gui) -> None:
    asked = bash(part("pytest", argv=("pytest",), always=(rule("pytest"),)), part("python x"), part("node y"))
    dialog = await shown(gui, HeldBridge(asked))
    assert "Parts 2, 3: no rule, so the command still asks." in words(dialog)


async def test_rules_must_be_seen_before_they_are_kept(gui: Gui) -> None:
    asked = bash(*(part(f"make t{n}", argv=("make", f"t{n}"), always=(rule("make", f"t{n}"),)) for n in range(20)))
    bridge = HeldBridge(asked)
    dialog = await shown(gui, bridge)
    await focused(gui, dialog)
    bar = dialog.content.pane.command.verticalScrollBar()
    bar.setValue(bar.maximum())
    await gui.until(lambda: not dialog.footer.offer.blocked)
    assert dialog.strip.height() < 0.45 * dialog.height()
    assert dialog.footer.offer.rules_blocked == "Scroll through the rules first."
    press(dialog, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    dialog.footer.allowed_always.emit()
    assert bridge.answers == []
    assert dialog.footer.once.isEnabled()
    rules = dialog.strip._page.verticalScrollBar()
    rules.setValue(rules.maximum())
    await gui.until(lambda: not dialog.footer.offer.rules_blocked)
    await opened(gui, dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert len(bridge.answers[0].rules) == 20


async def test_low_window_shows_the_rules_before_it_keeps_them(gui: Gui) -> None:
    bridge = HeldBridge(two())
    dialog = await shown(gui, bridge, size=(560, 420))
    bar = dialog.content.pane.command.verticalScrollBar()
    bar.setValue(bar.maximum())
    await gui.until(lambda: not dialog.footer.offer.blocked)
    await opened(gui, dialog)
    assert is_folded(dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert bridge.answers == []
    assert not is_folded(dialog)
    assert not dialog.content.isVisible()
    await focused(gui, dialog)
    press(dialog, Qt.Key.Key_Escape)
    assert is_folded(dialog)
    assert dialog.content.isVisible()
    assert bridge.answers == []
    dialog.strip.fold(False)
    rules = dialog.strip._page.verticalScrollBar()
    await gui.settle()
    rules.setValue(rules.maximum())
    await gui.until(lambda: dialog.strip.seen)
    await opened(gui, dialog)
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert bridge.answers[0].rules == (rule("pytest", "-q"), rule("make", "x"))


async def test_siblings_that_an_answer_settles_leave_the_list(gui: Gui) -> None:
    class Settling(HeldBridge):
        """Settles the other question as the gate does when a rule covers it."""

        @override
        def take(self, approval_id: str) -> None:
            self.open_questions = [one for one in self.open_questions if one.approval_id != "q2"]
            super().take(approval_id)

    dialog = await shown(gui, Settling(with_rules(), with_rules("q2"), question("q3")))
    gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
    assert dialog.shown is not None
    assert dialog.shown.approval_id == "q3"
    assert dialog.windowTitle() == "1 call waits for you"


async def test_rule_with_a_hidden_character_is_shown_exactly(gui: Gui) -> None:
    rules = ({"tool": "edit", "path": "a\u200b.py", "effect": "allow"}, {"tool": "edit", "path": "b/" * 60 + "**", "effect": "allow"})
    bridge = HeldBridge(question(can_always=True, always=rules))
    dialog = await shown(gui, bridge, size=(900, 600))
    choices = dialog.strip.findChildren(ExactChoice)
    assert choices[0].accessibleName() == "a⟨U+200B⟩.py"
    assert choices[0].isChecked()
    choices[1].click()
    assert [width.kept for width in dialog.strip.choice.chosen] == [rules[1]]
    dialog.resize(1000, 700)
    await gui.settle()
    assert [width.kept for width in dialog.strip.choice.chosen] == [rules[1]], "another width forgets nothing"


async def test_no_strip_without_a_rule(gui: Gui, tmp_path: Path) -> None:
    nothing = command("python x.py", "q2", folder=tmp_path, can_always=False)
    dialog = await shown(gui, HeldBridge(question(), nothing, long_edit("q3", danger=3)))
    for call in ("call_q1", "call_q2", "call_q3"):
        dialog.show_call(call)
        await opened(gui, dialog)
        assert not dialog.strip.isVisible()
        assert not dialog.footer.always.isVisible()
        assert "No “Always”" in dialog.footer.offer.hint
