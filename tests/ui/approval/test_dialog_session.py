"""The dialog on real sessions: a real program, real tools and files, and the practice model as fast as it can."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPlainTextEdit

from tests.ui.approval.asked import opened, session_in, shown
from tests.ui.gui import Gui
from workbench.conversation.events import ApprovalRequested, ApprovalResolved, ToolFinished
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.desk import Desk

F = TypeVar("F")


async def asks(gui: Gui, desk: Desk, text: str) -> ApprovalDialog:
    """Say something, and return the dialog when it shows the question that comes of it."""
    assert await desk.bridge.send(text) == "started"
    await gui.until(lambda: desk.bridge.pending)
    return await shown(gui, desk.bridge)


async def ended(gui: Gui, desk: Desk) -> None:
    """Wait for the end of the turn."""
    await gui.until(lambda: not desk.bridge.running, timeout_s=15)
    desk.bridge.flush()


def facts(desk: Desk, kind: type[F]) -> list[F]:
    return [entry.event for entry in desk.bridge.entries if isinstance(entry.event, kind)]


def click(gui: Gui, dialog: ApprovalDialog, name: str) -> None:
    button = getattr(dialog.footer, name)
    assert button.isVisible()
    gui.click_at(button, button.rect().center())


async def test_allowed_edit_writes_what_was_shown(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path, notes__txt="one\ntwo\n") as desk:
        dialog = await asks(gui, desk, "Replace “two” with “2” in notes.txt")
        assert dialog.content.pane.diff.plain_text() == " one\n-two\n+2"
        assert dialog.content.pane.progress().words == "all 2 lines shown"
        assert not dialog.queue.batch.isVisible()
        click(gui, dialog, "once")
        await ended(gui, desk)
        assert (tmp_path / "ws" / "notes.txt").read_text() == "one\n2\n"
        (resolved,) = facts(desk, ApprovalResolved)
        assert (resolved.answer, resolved.by) == ("approve", "person")
        assert dialog.shown is None


async def test_rejected_command_does_not_run_and_the_note_reaches_the_model(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Run touch made.txt")
        assert dialog.command_text() == "touch made.txt"
        click(gui, dialog, "with_note")
        gui.type(dialog.footer.note.edit, "Make no files, please.")
        QTest.keyClick(dialog.footer.note.edit, Qt.Key.Key_Return)
        await ended(gui, desk)
        assert not (tmp_path / "ws" / "made.txt").exists()
        assert desk.bridge.opened is not None
        results = [result.text() for message in desk.bridge.opened.session.messages for result in message.results()]
        assert any("The user says: Make no files, please." in text for text in results)


async def test_edited_path_outside_asks_anew(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Write notes.txt with content: hello")
        first = dialog.shown
        assert first is not None
        dialog.content.tabs.choose(1)
        path = dialog.content.form.fields[0].findChild(QLineEdit)
        assert path is not None
        path.setText(str(tmp_path / "outside.txt"))
        assert dialog.footer.once.text() == "Allow edited, once"
        await gui.until(lambda: "It will ask again" in dialog.content.verdict.text())
        await opened(gui, dialog)
        click(gui, dialog, "once")
        await gui.until(lambda: dialog.shown is not None and dialog.shown.approval_id != first.approval_id)
        again = dialog.shown
        assert again is not None
        assert again.call_id == first.call_id
        assert again.danger == 4
        assert "outside" in again.badges
        assert not (tmp_path / "outside.txt").exists()
        assert dialog.content.draft.changed() == ["file_path"]
        assert dialog.content.draft.sent["file_path"] == "notes.txt"
        await opened(gui, dialog)
        click(gui, dialog, "reject")
        await ended(gui, desk)
        assert not (tmp_path / "outside.txt").exists()
        assert not (tmp_path / "ws" / "notes.txt").exists()


async def test_edit_that_is_no_stricter_runs_and_the_model_is_told(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Write notes.txt with content: hello")
        dialog.content.tabs.choose(2)
        dialog.content.json.editor.edit.setPlainText('{"file_path": "notes.txt", "content": "good bye\\n"}')
        await gui.until(lambda: "+1 −0, level 1 Edit" in dialog.content.verdict.text())
        assert dialog.content.tabs.counts[1] == "1 changed"
        dialog.content.tabs.choose(0)
        assert dialog.content.pane.diff.plain_text() == "+good bye"
        await opened(gui, dialog)
        click(gui, dialog, "once")
        await ended(gui, desk)
        assert (tmp_path / "ws" / "notes.txt").read_text() == "good bye\n"
        (finished,) = facts(desk, ToolFinished)
        assert finished.decision == "edited"
        assert "The user edited the call" in finished.result.text()


async def test_arguments_that_do_not_fit_cannot_be_sent(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Write notes.txt with content: hello")
        dialog.content.tabs.choose(2)
        dialog.content.json.editor.edit.setPlainText('{"content": 1}')
        assert dialog.content.verdict.text() == "'file_path' is missing."
        await opened(gui, dialog)
        assert dialog.footer.offer.blocked == "The arguments cannot be used yet."
        assert not dialog.footer.once.isEnabled()
        dialog.footer.allowed_once.emit()
        dialog.content.json.editor.edit.setPlainText("{\n 'a")
        assert dialog.content.verdict.text().startswith("This is not JSON")
        assert facts(desk, ApprovalResolved) == []
        dialog.content.reset_button.click()
        assert dialog.content.verdict.text() == "As the model sent it."
        assert not dialog.footer.offer.blocked


async def test_rule_is_added_and_holds(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "ws" / "sub").mkdir(parents=True)
    (tmp_path / "ws" / "sub" / "notes.txt").write_text("one two three\n")
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Replace “two” with “2” in sub/notes.txt")
        assert [width.kept for width in dialog.strip.choice.chosen] == [{"tool": "edit", "path": "sub/notes.txt", "effect": "allow"}]
        click(gui, dialog, "always")
        await ended(gui, desk)
        (resolved,) = facts(desk, ApprovalResolved)
        assert resolved.rules == ({"tool": "edit", "path": "sub/notes.txt", "effect": "allow"},)
        assert await desk.bridge.send("Replace “three” with “3” in sub/notes.txt") == "started"
        await ended(gui, desk)
        assert (tmp_path / "ws" / "sub" / "notes.txt").read_text() == "one 2 3\n"
        assert len(facts(desk, ApprovalRequested)) == 1
        (tmp_path / "ws" / "sub" / "other.txt").write_text("one\n")
        assert await desk.bridge.send("Replace “one” with “1” in sub/other.txt") == "started"
        await gui.until(lambda: desk.bridge.pending)
        await gui.until(lambda: dialog.shown is not None)
        assert dialog.shown is not None
        assert dialog.shown.preview.title == "sub/other.txt"


async def test_rule_for_a_part_lets_others_of_its_kind_pass_and_no_more(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Run shellcheck a.sh")
        (offered,) = dialog.strip.choice.offered
        assert [width.words for width in offered.widths] == ["shellcheck a.sh", "shellcheck …"]
        dialog.strip.findChildren(QAbstractButton)[1].click()
        await opened(gui, dialog)
        click(gui, dialog, "always")
        await ended(gui, desk)
        (resolved,) = facts(desk, ApprovalResolved)
        assert resolved.rules == ({"tool": "bash", "argv": ["shellcheck", "**"], "effect": "allow"},)
        assert await desk.bridge.send("Run shellcheck b.sh") == "started"
        await ended(gui, desk)
        assert len(facts(desk, ApprovalRequested)) == 1
        assert await desk.bridge.send("Run shellcheck b.sh && make x") == "started"
        await gui.until(lambda: desk.bridge.pending)
        await gui.until(lambda: dialog.shown is not None and dialog.shown.parts[0].outcome == "allow")
        assert dialog.shown is not None
        assert "allowed by a rule of this session" in dialog.content.pane.command.plain_text()
        assert [one.parts for one in dialog.strip.choice.offered] == [(2,)]
        await gui.until(dialog.strip._figures.words.text)
        await opened(gui, dialog)
        click(gui, dialog, "reject")
        await ended(gui, desk)


async def test_rule_for_the_project_outlives_the_session(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path, notes__txt="one two\n") as desk:
        dialog = await asks(gui, desk, "Replace “two” with “2” in notes.txt")
        kept: list[str] = []
        dialog.kept.connect(kept.append)
        dialog.strip._hold_for(2)
        await opened(gui, dialog)
        click(gui, dialog, "always")
        await ended(gui, desk)
        assert facts(desk, ApprovalResolved)[0].scope == "project"
        assert kept == ["Allowed from now on in this project: edit: notes.txt"]
        assert await desk.new_session()
        assert await desk.bridge.send("Replace “one” with “1” in notes.txt") == "started"
        await ended(gui, desk)
        assert facts(desk, ApprovalRequested) == []
        assert (tmp_path / "ws" / "notes.txt").read_text() == "1 2\n"


async def test_stop_empties_the_dialog_and_the_late_click_runs_nothing(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Run touch made.txt")
        desk.bridge.stop()
        await gui.until(lambda: not desk.bridge.pending)
        gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
        await ended(gui, desk)
        assert dialog.shown is None
        assert [one.answer for one in facts(desk, ApprovalResolved)] == ["stop"]
        assert not (tmp_path / "ws" / "made.txt").exists()


async def test_mode_change_decides_what_waits(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Write notes.txt with content: hello")
        assert desk.bridge.choose_mode("accept_edits")
        await ended(gui, desk)
        assert dialog.shown is None
        assert (tmp_path / "ws" / "notes.txt").read_text() == "hello"


async def test_hidden_character_survives_an_edit_of_another_argument(gui: Gui, tmp_path: Path) -> None:
    async with session_in(tmp_path) as desk:
        dialog = await asks(gui, desk, "Write notes.txt with content: no\u00a0break \u202e here")
        dialog.content.tabs.choose(1)
        fields = {field.field.name: field for field in dialog.content.form.fields}
        assert fields["content"].field.kind == "json"
        shown_text = fields["content"].findChild(QPlainTextEdit)
        assert shown_text is not None
        assert "\\u202e" in shown_text.toPlainText()
        path = fields["file_path"].findChild(QLineEdit)
        assert path is not None
        path.setText("other.txt")
        await opened(gui, dialog)
        click(gui, dialog, "once")
        await ended(gui, desk)
        assert (tmp_path / "ws" / "other.txt").read_text() == "no\u00a0break \u202e here"
