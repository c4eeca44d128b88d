"""The whole window: a turn from typing to the changed file, stopping, switching, keys, and its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from typing_extensions import override

from tests.ui.desks import FAST, project, said
from tests.ui.gui import Gui
from tests.ui.windows import end, rest, waiting, window_in
from workbench.conversation.events import ApprovalResolved, TurnFinished, TurnStarted
from workbench.store.session_store import SessionStore
from workbench.store.sessions import list_sessions
from workbench.ui.kit.popup import PopupMenu
from workbench.ui.kit.theme import theme
from workbench.ui.main_window import MainWindow
from workbench.ui.palette import Palette
from workbench.ui.window_commands import MENU

SLOW = "[practice]\ntokens_per_s = 30\n"


# A turn


async def test_turn_from_typing_to_the_changed_file(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        assert window.frame.welcome.isVisible()
        await waiting(gui, window)
        assert not window.frame.welcome.isVisible()
        assert window.frame.attention.isVisible()
        assert (tmp_path / "ws" / "README.md").read_text().count("hello") == 1
        await gui.until(lambda: window.questions.dialog.guard.is_open)
        await gui.click("Allow once")
        await rest(gui, window)
        assert end(window).end == "answered"
        assert (tmp_path / "ws" / "README.md").read_text().count("goodbye") == 1
        assert not window.questions.dialog.isVisible()
        assert not window.frame.attention.isVisible()
        await gui.until(lambda: window.frame.composer.edit.isEnabled() and window.desk.sessions[0].state == "idle")


async def test_typing_goes_on_while_the_dialog_appears(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        edit = window.frame.composer.edit
        await waiting(gui, window)
        assert not window.questions.dialog.geometry().intersects(window._composer_place())
        gui.type(edit, "and then")
        assert edit.toPlainText() == "and then"
        assert window.desk.bridge.pending


async def test_closed_dialog_comes_back_with_the_next_question_only(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window.questions.dialog.close()
        window.desk.bridge.pending_changed.emit()
        await gui.settle()
        assert not window.questions.dialog.isVisible()
        await gui.click("Review…")
        assert window.questions.dialog.isVisible()
        window.reject_front()
        await rest(gui, window)
        await waiting(gui, window, "replace says with told in README.md")


async def test_window_that_is_not_looked_at_asks_for_attention(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alerted: list[QWidget] = []
    monkeypatch.setattr(QApplication, "alert", alerted.append)
    async with window_in(gui, tmp_path) as window:
        monkeypatch.setattr(MainWindow, "isActiveWindow", lambda _self: False)
        await waiting(gui, window)
        assert alerted == [window]
        window.reject_front()
        await rest(gui, window)
        monkeypatch.setattr(MainWindow, "isActiveWindow", lambda _self: True)
        await waiting(gui, window, "replace says with told in README.md")
        assert alerted == [window]


async def test_keys_reject_and_show_from_anywhere(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window.activateWindow()
        gui.keys(window.frame.composer.edit, "Alt+N")
        await rest(gui, window)
        resolved = [entry.event for entry in window.desk.bridge.entries if isinstance(entry.event, ApprovalResolved)]
        assert [event.answer for event in resolved] == ["reject"]
        assert "hello" in (tmp_path / "ws" / "README.md").read_text()


async def test_escape_stops_the_turn_within_a_second(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path, settings=SLOW) as window:
        edit = window.frame.composer.edit
        gui.type(edit, "introduce this project")
        gui.keys(edit, "Return")
        await gui.until(lambda: window.desk.bridge.timeline.items[2:])
        begun = asyncio.get_running_loop().time()
        gui.keys(edit, "Esc")
        await rest(gui, window)
        assert asyncio.get_running_loop().time() - begun < 1.0
        assert end(window).end == "stopped"


async def test_escape_closes_a_popup_first(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window.open_palette()
        await gui.settle()
        (palette,) = window.findChildren(Palette)
        gui.keys(palette.query, "Esc")
        await gui.settle()
        assert window.findChildren(Palette) == []
        assert window.desk.bridge.running
        window.reject_front()
        await rest(gui, window)


async def test_key_allows_a_call_that_is_wholly_in_sight(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window.questions.dialog.hide()

        def allowed() -> bool:
            if window.frame.chat.allow_waiting():
                return True
            window.frame.chat.scroll_to_end()
            return False

        await gui.until(allowed)
        await rest(gui, window)
        assert "goodbye" in (tmp_path / "ws" / "README.md").read_text()


async def test_key_shows_a_call_that_must_be_looked_at_first(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window, "run git push --force origin main")
        window.questions.dialog.hide()
        window.allow_front()
        assert window.questions.dialog.isVisible()
        assert window.desk.bridge.pending
        window.reject_front()
        await rest(gui, window)


class Shown(QObject):
    """Notes what is shown as a window."""

    def __init__(self) -> None:
        super().__init__()
        self.windows: set[str] = set()

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.windows.add(type(watched).__name__)
        return False


async def test_nothing_but_the_dialog_ever_appears_as_a_window(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        shown = Shown()
        QApplication.instance().installEventFilter(shown)  # type: ignore[union-attr]
        await waiting(gui, window)
        window._rebuild()
        await gui.settle()
        window.reject_front()
        await rest(gui, window)
        QApplication.instance().removeEventFilter(shown)  # type: ignore[union-attr]
        assert shown.windows == {"ApprovalDialog"}


# Sessions and folders


async def test_switching_away_from_a_turn_and_back(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        first = window.desk.sessions[0].session_id
        window.new_session()
        await gui.until(lambda: len(window.desk.sessions) == 2 and window.frame.welcome.isVisible())
        assert not window.questions.dialog.isVisible()
        assert next(row for row in window.desk.sessions if row.session_id == first).state == "waits"
        window.open_session(first)
        await gui.until(lambda: window.questions.dialog.isVisible())
        assert window.frame.chat.isVisible()
        window.reject_front()
        await rest(gui, window)


async def test_another_folder_is_asked_for_and_opened(gui: Gui, tmp_path: Path) -> None:
    other = project(tmp_path, "other")
    async with window_in(gui, tmp_path) as window:
        assert window.windowTitle().startswith("ws")
        gui.keys(window.frame.composer.edit, "Ctrl+O")
        await gui.until(lambda: window.findChildren(QFileDialog))
        (dialog,) = window.findChildren(QFileDialog)
        dialog.fileSelected.emit(str(other))
        dialog.close()
        await gui.until(lambda: window.windowTitle().startswith("other"))
        assert window.desk.workspace is not None
        assert window.desk.workspace.path == other


async def test_folder_that_cannot_be_opened_is_told_in_the_window(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        window.open_folder(str(tmp_path / "nowhere"))
        await gui.until(lambda: window.frame.told.isVisible())
        assert "nowhere" in window.frame.told.sentences[-1][0]
        await gui.click("Close this message")
        assert not window.frame.told.isVisible()


@pytest.mark.parametrize("what", ["session", "folder", "message"])
async def test_told_error_goes_when_a_person_goes_on(gui: Gui, tmp_path: Path, what: str) -> None:
    other = project(tmp_path, "other")
    async with window_in(gui, tmp_path) as window:
        await said(gui, window.desk, "hi")
        window.open_folder(str(tmp_path / "nowhere"))
        await gui.until(lambda: window.frame.told.isVisible())
        match what:
            case "session":
                window.new_session()
            case "folder":
                window.open_folder(str(other))
            case _:
                window.frame.composer.put("hello")
                window.frame.composer.submit()
        await gui.until(lambda: not window.frame.told.isVisible())


async def test_told_error_about_saving_stays_until_it_is_saved(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        path = window.desk.app.settings_path
        good = path.read_text(encoding="utf-8")
        path.write_text("mode = ", encoding="utf-8")
        assert not await window.desk.save_settings(msgspec.structs.replace(window.desk.app.settings, mode="read_only"))
        await said(gui, window.desk, "hi")
        assert await window.desk.new_session()
        assert window.frame.told.isVisible()
        path.write_text(good, encoding="utf-8")
        assert await window.desk.save_settings(msgspec.structs.replace(window.desk.app.settings, mode="read_only"))
        assert not window.frame.told.isVisible()


# Keys


async def test_every_command_has_a_title_and_runs_or_says_why_not(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        assert len({command.title for command in window.commands.all()}) == len(window.commands.all())
        refused = {command.command_id for command in window.commands.all() if command.why_not()}
        assert {"turn.stop", "call.allow", "call.reject", "call.review", "mode.auto"} <= refused
        assert not refused & {"session.new", "folder.open", "palette.open", "chat.find", "settings.open"}


@pytest.mark.parametrize(("keys", "name"), [("Ctrl+K", "Commands"), ("Alt+M", "Mode")])
async def test_keys_reach_their_command_from_the_composer(gui: Gui, tmp_path: Path, keys: str, name: str) -> None:
    async with window_in(gui, tmp_path) as window:
        gui.type(window.frame.composer.edit, "text")
        gui.keys(window.frame.composer.edit, keys)
        await gui.until(lambda: any(name in shown for shown in gui.names()))
        assert window.frame.composer.edit.toPlainText() == "text"


async def test_menu_runs_what_is_chosen_in_it(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await gui.click("Menu")
        (menu,) = window.findChildren(PopupMenu)
        assert [entry.entry_id for entry in menu.entries] == [word for word in MENU.split() if word != "|"]
        menu.rows.chosen.emit("theme.dark")
        await gui.until(lambda: theme.name == "dark")


# The end


async def test_closing_during_a_turn_leaves_a_whole_session(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path, settings=SLOW) as window:
        gui.type(window.frame.composer.edit, "introduce this project")
        gui.keys(window.frame.composer.edit, "Return")
        await gui.until(lambda: window.desk.bridge.timeline.items[2:])
        window.close()
        assert window.isVisible()
        assert not window.isEnabled()
    (summary,) = list_sessions(tmp_path / "data")
    assert summary.state == "idle"
    store = SessionStore.open(summary.folder)
    events = [entry.event for entry in store.entries()]
    store.close()
    assert [type(event) for event in events if isinstance(event, TurnStarted | TurnFinished)] == [TurnStarted, TurnFinished]
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].end == "stopped"


async def test_closing_with_an_open_question_answers_it_for_nobody(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path, settings=FAST) as window:
        await waiting(gui, window)
    assert "hello" in (tmp_path / "ws" / "README.md").read_text()
    (summary,) = list_sessions(tmp_path / "data")
    assert summary.state == "idle"
