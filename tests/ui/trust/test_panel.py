"""A folder that brings things of its own is asked about, calmly; nothing of it has an effect before the answer, and the answer can be changed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QPlainTextEdit

from tests.ui.desks import project
from tests.ui.gui import Gui
from tests.ui.trust.folders import INSTRUCTIONS, bringing
from tests.ui.windows import window_in
from workbench.ui.approval.link import Link
from workbench.ui.kit.buttons import Chip
from workbench.ui.kit.labels import Label
from workbench.ui.main_window import MainWindow
from workbench.ui.trust.item_row import ItemRow

NOT_YET = "Not trusted yet: AGENTS.md is not read"
NOT = "Not trusted: AGENTS.md is not read"


def rows(window: MainWindow) -> list[str]:
    return [row.accessibleName().partition(":")[0] for row in window.frame.trust.findChildren(ItemRow)]


def system_text(window: MainWindow) -> str:
    assert window.desk.bridge.opened is not None
    return "\n".join(window.desk.bridge.opened.session.next_request().system)


async def asked(gui: Gui, window: MainWindow) -> None:
    await gui.until(lambda: window.frame.trust.isVisible())


async def answered(gui: Gui, window: MainWindow, button: str, answer: str) -> None:
    await gui.until(lambda: window.frame.trust.guard.is_open)
    await gui.click(button)
    await gui.until(lambda: window.desk.trust.shipped.answer == answer)
    assert not window.frame.trust.isVisible()


async def test_a_plain_folder_is_not_asked_about(gui: Gui, tmp_path: Path) -> None:
    project(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await window.desk.trust.look()
        assert not window.frame.trust.isVisible()
        assert not any(name.startswith("Not trusted") for name in gui.names())
        assert window.commands.run("trust.show") is False


async def test_everything_is_listed_and_the_keyboard_stays(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        window.activateWindow()
        window.frame.composer.focus()
        await asked(gui, window)
        assert rows(window)[:3] == ["AGENTS.md", "CLAUDE.md", "GEMINI.md"]
        assert {".mcp.json", ".husky/pre-commit", ".vscode/settings.json", ".workbench/permissions.json", "bash"} <= set(rows(window))
        assert window.focusWidget() is window.frame.composer.edit
        assert gui.find(NOT_YET, Chip).isVisible()


async def test_nothing_of_the_folder_has_an_effect_before_the_answer(gui: Gui, tmp_path: Path) -> None:
    ws = bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        assert "Always test" not in system_text(window)
        assert not (ws / "started").exists()
        assert window.desk.bridge.opened is not None
        effects = {rule.effect for rule in window.desk.bridge.opened.bench.gatekeeper.rules.rules}
        assert effects == {"deny"}, "its rules only tighten"


async def test_text_is_shown_on_demand_letter_by_letter(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        assert "Text of AGENTS.md" not in gui.names()
        gui.find("Show the text of AGENTS.md", Link).click()
        await gui.settle()
        assert gui.find("Text of AGENTS.md", QPlainTextEdit).toPlainText() == INSTRUCTIONS
        link = gui.find("Hide the text: AGENTS.md", Link)
        assert link.text() == "Hide the text"
        link.click()
        await gui.settle()
        assert (link.text(), "Text of AGENTS.md" in gui.names()) == ("Show the text", False)


async def test_trust_gives_the_instructions_to_the_open_session_and_can_be_taken_back(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        await answered(gui, window, "Trust this folder", "yes")
        assert "Always test <b>first</b>." in system_text(window)
        assert not any(name.startswith("Not trusted") for name in gui.names())
        assert window.commands.run("trust.show")
        await answered(gui, window, "Trust it no more", "no")
        assert "Always test" not in system_text(window)
        assert gui.find(NOT, Chip).isVisible()


async def test_no_is_kept_and_can_be_looked_at_again_by_the_chip(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        await answered(gui, window, "Open without", "no")
    async with window_in(gui, tmp_path) as window:
        await gui.until(lambda: window.desk.trust.shipped.answer == "no")
        assert not window.frame.trust.isVisible(), "it was answered"
        await gui.click(NOT)
        assert window.frame.trust.isVisible()


async def test_a_change_asks_again_and_says_what_changed(gui: Gui, tmp_path: Path) -> None:
    ws = bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        await answered(gui, window, "Trust this folder", "yes")
        (ws / ".mcp.json").write_text('{"mcpServers": {"other": {}}}')
        await window.desk.trust.look()
        await asked(gui, window)
        assert rows(window)[0] == ".mcp.json"
        assert "new or changed" in gui.names()
        assert any(label.text().startswith("What this folder brings has changed") for label in window.frame.trust.findChildren(Label))
        assert "Always test" not in system_text(window)


async def test_answers_are_taken_only_after_a_moment(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        window.frame.trust.guard.begin()
        gui.click_at(window.frame.trust.trust, window.frame.trust.trust.rect().center())
        await gui.settle()
        assert window.frame.trust.isVisible()
        assert window.desk.trust.shipped.answer == "unasked"


async def test_the_question_survives_another_size_of_everything(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        window.change_zoom(1)
        before = window.frame
        await gui.until(lambda: window.frame is not before)
        await asked(gui, window)


async def test_another_folder_is_asked_about_by_itself(gui: Gui, tmp_path: Path) -> None:
    bringing(tmp_path)
    plain = project(tmp_path, "plain")
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        assert await window.desk.open_folder(plain)
        await gui.until(lambda: not window.frame.trust.isVisible())
        assert not any(name.startswith("Not trusted") for name in gui.names())


async def test_names_and_texts_of_the_folder_hide_nothing_and_are_never_markup(gui: Gui, tmp_path: Path) -> None:
    hooks = project(tmp_path) / ".claude" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "<b>a\u202eb.sh").write_text("<img src=x>\u202e")
    async with window_in(gui, tmp_path) as window:
        await asked(gui, window)
        assert rows(window) == [".claude/hooks/<b>a⟨U+202E⟩b.sh"]
        gui.find("Show the text of .claude/hooks/<b>a⟨U+202E⟩b.sh", Link).click()
        await gui.settle()
        assert window.frame.trust.findChildren(QPlainTextEdit)[0].toPlainText() == "<img src=x>⟨U+202E⟩"
        assert "\u202e" not in "".join(label.text() for label in window.frame.trust.findChildren(Label))
