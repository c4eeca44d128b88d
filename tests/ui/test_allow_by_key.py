"""The key that allows from anywhere: it lets pass only what a person has whole before their eyes, and answers one question each time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QWidget

from tests.ui.gui import Gui
from tests.ui.windows import rest, waiting, window_in


async def test_key_allows_what_the_dialog_shows_though_it_covers_the_card(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        dialog = window.questions.dialog
        window.allow_front()
        assert window.desk.bridge.pending, "nobody can have read it yet"
        await gui.until(lambda: dialog.guard.is_open and not dialog.footer.offer.blocked)
        window.allow_front()
        await rest(gui, window)
        assert "goodbye" in (tmp_path / "ws" / "README.md").read_text()


@pytest.mark.parametrize("hindrance", ["covered", "edited", "noted", "batch", "other"])
async def test_key_allows_nothing_that_the_dialog_does_not_show_as_it_would_run(gui: Gui, tmp_path: Path, hindrance: str) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        dialog, bridge = window.questions.dialog, window.desk.bridge
        await gui.until(lambda: dialog.guard.is_open and not dialog.footer.offer.blocked)
        await gui.until(lambda: all(card.ready for card in window.frame.chat._cards()))
        match hindrance:
            case "covered":
                cover = gui.show(QWidget())
                cover.setGeometry(dialog.geometry())
            case "edited":
                dialog.content.json.editor.edit.setPlainText('{"file_path": "other.txt", "content": "x"}')
            case "noted":
                dialog.footer.open_note()
            case "batch":
                dialog._pages.setCurrentIndex(1)
            case _:
                dialog.shown = msgspec.structs.replace(bridge.pending[0], approval_id="apr_other")
        await gui.settle()
        await gui.until(lambda: dialog.guard.is_open)
        window.allow_front()
        assert bridge.pending, "Alt+Y answered it"
        bridge.stop()
        await rest(gui, window)
        assert "goodbye" not in (tmp_path / "ws" / "README.md").read_text()


@pytest.mark.parametrize("cover", ["window", "popup"])
async def test_key_allows_no_call_whose_card_is_covered(gui: Gui, tmp_path: Path, cover: str) -> None:
    async with window_in(gui, tmp_path) as window:
        await waiting(gui, window)
        window.questions.dialog.hide()
        chat = window.frame.chat
        chat.scroll_to_end()
        await gui.until(lambda: all(card.can_allow_here() for card in chat._cards()) and chat._cards())
        if cover == "popup":
            window.open_palette()
        else:
            other = gui.show(QWidget())
            (card,) = chat._cards()
            other.setGeometry(QRect(card.mapToGlobal(card.rect().center()), QSize(60, 40)))
        await gui.settle()
        assert not chat.allow_waiting()
        assert window.desk.bridge.pending
        window.reject_front()
        await rest(gui, window)


async def test_key_that_is_held_answers_once(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        repeats = {shortcut.key().toString(): shortcut.autoRepeat() for shortcut in window.findChildren(QShortcut)}
        assert not repeats["Alt+Y"]
        assert not repeats["Alt+N"]
        assert repeats["Ctrl+-"], "what can be undone may repeat"
