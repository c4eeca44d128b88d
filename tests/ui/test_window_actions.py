"""What parts of the window ask for reaches where it belongs; a link opens only if a browser is for it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QDesktopServices

from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.windows import window_in
from workbench.conversation.events import ExchangeOpened, ToolFinished, ToolStarted
from workbench.ui.file_windows import ChangesWindow, TextWindow

REPLACE = "replace hello with goodbye in README.md"


async def test_request_and_call_are_shown_in_the_inspector(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await said(gui, window.desk, "introduce this project")
        window.toggle_inspector()
        exchange = next(entry.event.exchange_id for entry in window.desk.bridge.entries if isinstance(entry.event, ExchangeOpened))
        window.frame.chat.activated.emit("show_request", exchange)
        await gui.settle()
        assert window.frame.inspector.isVisible()
        assert window.frame.inspector.requests.isVisible()
        call_id = next(entry.event.call_id for entry in window.desk.bridge.entries if isinstance(entry.event, ToolFinished))
        window.frame.chat.activated.emit("show_call", call_id)
        await gui.settle()
        assert window.frame.inspector.messages.isVisible()
        asked = window.frame.inspector.messages.detail.text.lines.data
        window.frame.chat.activated.emit("show_result", call_id)
        await gui.settle()
        result = next(entry.event.result for entry in window.desk.bridge.entries if isinstance(entry.event, ToolFinished))
        assert window.frame.inspector.messages.detail.text.lines.data.decode() == result.text()
        assert asked != result.text().encode()


async def test_question_and_its_change_are_shown(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await window.desk.bridge.send(REPLACE)
        await gui.until(lambda: window.desk.bridge.pending)
        question = window.desk.bridge.pending[0]
        window.questions.dialog.hide()
        window.frame.chat.activated.emit("review", question.approval_id)
        assert window.questions.dialog.isVisible()
        assert window.questions.dialog.shown == question
        window.desk.bridge.answer(question.approval_id, "approve")
        await gui.until(lambda: not window.desk.bridge.running)
        window.frame.chat.activated.emit("show_diff", question.call_id)
        await gui.until(lambda: window.findChildren(ChangesWindow))


async def test_file_of_the_tree_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        window.frame.side.file_wanted.emit(str(tmp_path / "ws" / "README.md"))
        await gui.until(lambda: window.findChildren(TextWindow))
        window.frame.side.mention_wanted.emit("README.md")
        assert "@README.md" in window.frame.composer.edit.toPlainText()


async def test_turn_and_call_are_stopped(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await window.desk.bridge.send("run sleep 300")
        await gui.until(lambda: any(isinstance(entry.event, ToolStarted) for entry in window.desk.bridge.entries))
        (started,) = [entry.event for entry in window.desk.bridge.entries if isinstance(entry.event, ToolStarted)]
        window.frame.chat.activated.emit("stop_call", started.call_id)
        await gui.until(lambda: not window.desk.bridge.running)
        (finished,) = [entry.event for entry in window.desk.bridge.entries if isinstance(entry.event, ToolFinished)]
        assert finished.status == "cancelled"
        await window.desk.bridge.send(REPLACE)
        await gui.until(lambda: window.desk.bridge.pending)
        window.frame.chat.activated.emit("stop", "")
        await gui.until(lambda: not window.desk.bridge.running)


async def test_limit_is_raised_from_the_chat(gui: Gui, tmp_path: Path) -> None:
    settings = "[practice]\ntokens_per_s = 0\n[limits]\nsteps = 1\n"
    async with window_in(gui, tmp_path, settings=settings) as window:
        opened = window.desk.bridge.opened
        assert opened is not None
        await window.desk.bridge.send("introduce this project")
        await gui.until(lambda: opened.session.waiting_limit is not None)
        window.frame.chat.activated.emit("raise_limit", "2")
        await gui.until(lambda: opened.session.waiting_limit is not None and opened.session.waiting_limit.maximum == 2)
        window.frame.chat.activated.emit("end_at_limit", "")
        await gui.until(lambda: not window.desk.bridge.running)


async def test_settings_open_from_the_chat_on_their_page(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        window.frame.chat.activated.emit("settings", "permissions")
        await gui.until(lambda: "Command to try" in gui.names())


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:x", "", "ftp://example.com"])
async def test_link_that_no_browser_is_for_is_not_opened(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    async with window_in(gui, tmp_path) as window:
        window.frame.chat.activated.emit("open_link", address)
        await gui.settle()
        assert opened == []
        assert window.frame.told.isVisible()


@pytest.mark.qt_no_exception_capture
async def test_action_that_nothing_does_is_a_mistake(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        with pytest.raises(ValueError, match="nothing does 'fly'"):
            window._actions.run("fly", "")
