"""The approval dialog stands where it leaves the composer free, as large as it likes if that fits, and goes when nothing waits any more."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, QSize
from PySide6.QtWidgets import QLineEdit
from typing_extensions import override

from tests.ui.approval.asked import opened
from tests.ui.gui import Gui
from tests.ui.windows import rest, window_in
from workbench.ui.approval.dialog import ApprovalDialog
from workbench.ui.main_window import MainWindow
from workbench.ui.questions import place_beside

WANTED, LEAST = QSize(1200, 760), QSize(760, 480)


@pytest.mark.parametrize(
    ("free", "room"),
    [
        (QRect(257, 768, 600, 110), QRect(0, 0, 1440, 900)),
        (QRect(800, 900, 700, 110), QRect(0, 0, 2560, 1400)),
        (QRect(64, 568, 550, 92), QRect(0, 0, 1024, 700)),
        (QRect(-1500, 700, 600, 110), QRect(-1920, 0, 1920, 1080)),
    ],
)
def test_composer_stays_free(free: QRect, room: QRect) -> None:
    place = place_beside(free, room, WANTED, LEAST)
    assert not place.intersects(free)
    assert room.contains(place)
    assert place.width() >= LEAST.width()
    assert place.height() >= LEAST.height()


def test_room_that_is_too_small_for_both_keeps_the_dialog_whole() -> None:
    room = QRect(0, 0, 800, 500)
    place = place_beside(QRect(10, 380, 500, 100), room, WANTED, LEAST)
    assert place.size() == QSize(800, 480)
    assert room.contains(place)


def test_dialog_takes_its_size_where_there_is_room() -> None:
    assert place_beside(QRect(300, 1200, 700, 110), QRect(0, 0, 2560, 1440), WANTED, LEAST).size() == WANTED


class Hidden(QObject):
    """Counts how often a dialog was hidden."""

    def __init__(self, dialog: ApprovalDialog) -> None:
        super().__init__()
        self.times = 0
        dialog.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.times += event.type() == QEvent.Type.Hide
        return False


async def edited(gui: Gui, window: MainWindow, path: str) -> Hidden:
    """Let a call ask, put another path into it, allow that; return what counts from then on."""
    gui.type(window.frame.composer.edit, "Write notes.txt with content: hello")
    gui.keys(window.frame.composer.edit, "Return")
    dialog = window.questions.dialog
    await gui.until(lambda: dialog.isVisible() and dialog.shown)
    dialog.content.tabs.choose(1)
    field = dialog.content.form.fields[0].findChild(QLineEdit)
    assert field is not None
    field.setText(path)
    await opened(gui, dialog)
    hidden = Hidden(dialog)
    gui.click_at(dialog.footer.once, dialog.footer.once.rect().center())
    return hidden


async def test_dialog_stays_while_an_edited_call_asks_again(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        hidden = await edited(gui, window, str(tmp_path / "outside.txt"))
        dialog = window.questions.dialog
        assert not window.desk.bridge.pending, "the answer is out, and nothing came of it yet"
        window.desk.bridge.flush()
        await gui.until(lambda: window.desk.bridge.pending and dialog.shown is window.desk.bridge.pending[0])
        assert dialog.isVisible()
        assert hidden.times == 0
        window.reject_front()
        await gui.until(lambda: not window.desk.bridge.running and not dialog.isVisible())


async def test_dialog_goes_as_soon_as_it_is_known_that_an_edited_call_asks_no_more(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        hidden = await edited(gui, window, "other.txt")
        await gui.until(lambda: not window.questions.dialog.isVisible())
        await gui.until(lambda: not window.desk.bridge.running)
        assert hidden.times == 1
        assert (tmp_path / "ws" / "other.txt").exists()


async def test_dialog_goes_when_the_turn_is_stopped_before_an_edited_call_was_decided_on(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        hidden = await edited(gui, window, str(tmp_path / "outside.txt"))
        window.desk.bridge.stop()
        await gui.until(lambda: not window.desk.bridge.running and not window.questions.dialog.isVisible())
        assert hidden.times == 1


async def waiting(gui: Gui, window: MainWindow) -> ApprovalDialog:
    """Let a call ask, and return the dialog that shows it."""
    gui.type(window.frame.composer.edit, "Write notes.txt with content: hello")
    gui.keys(window.frame.composer.edit, "Return")
    await gui.until(lambda: window.questions.dialog.isVisible() and window.questions.dialog.shown)
    return window.questions.dialog


async def test_dialog_stays_where_it_is_when_sizes_change(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = await waiting(gui, window)
        dialog.setGeometry(20, 30, 1000, 640)
        await gui.settle()
        window.change_zoom(1)
        await gui.until(lambda: window.questions.dialog is not dialog)
        again = window.questions.dialog
        assert again.isVisible()
        assert again.geometry() == QRect(20, 30, 1000, 640)
        assert again.shown == window.desk.bridge.pending[0]
        window.reject_front()
        await gui.until(lambda: not window.desk.bridge.running and not again.isVisible())


async def test_what_was_begun_in_the_dialog_is_kept_when_sizes_change(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = await waiting(gui, window)
        dialog.content.tabs.choose(1)
        field = dialog.content.form.fields[0].findChild(QLineEdit)
        assert field is not None
        field.setText("other.txt")
        await opened(gui, dialog)
        dialog.activateWindow()
        dialog.footer.open_note()
        gui.type(dialog.footer.note.edit, "not there")
        window.change_zoom(1)
        await gui.until(lambda: window.questions.dialog is not dialog)
        again = window.questions.dialog
        assert "other.txt" in again.content.draft.values.values()
        assert (again.content.tabs.chosen, again.footer.note_open, again.footer.note.text()) == (1, True, "not there")
        await gui.until(lambda: again.footer.note.edit.hasFocus())
        window.reject_front()
        await gui.until(lambda: not window.desk.bridge.running)


async def test_text_that_is_no_json_yet_is_kept_when_sizes_change(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = await waiting(gui, window)
        dialog.content.tabs.choose(2)
        gui.type(dialog.content.json.editor.focusProxy() or dialog.content.json.editor, "x")
        broken = dialog.content.json.editor.text()
        assert dialog.content.draft.edited
        window.change_zoom(1)
        await gui.until(lambda: window.questions.dialog is not dialog)
        again = window.questions.dialog
        assert again.content.json.editor.text() == broken
        assert again.content.draft.edited
        assert again.footer.offer.blocked
        window.reject_front()
        await gui.until(lambda: not window.desk.bridge.running)


async def test_dialog_that_a_person_closed_stays_closed_when_sizes_change(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = await waiting(gui, window)
        dialog.close()
        window.change_zoom(1)
        await gui.until(lambda: window.questions.dialog is not dialog)
        assert not window.questions.dialog.isVisible()
        window.reject_front()
        await gui.until(lambda: not window.desk.bridge.running)


async def test_rules_that_an_answer_keeps_are_told_in_the_window(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        dialog = await waiting(gui, window)
        await opened(gui, dialog)
        gui.click_at(dialog.footer.always, dialog.footer.always.rect().center())
        await rest(gui, window)
        assert ("Allowed for the rest of this session: write: notes.txt", "info") in window.frame.told.sentences
