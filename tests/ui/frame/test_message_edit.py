"""Keys in the message field: Enter sends only what a person meant to send."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QImage, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication

from tests.ui.gui import Gui
from workbench.ui.frame.message_edit import Asked, MessageEdit


def edit_of(gui: Gui, text: str = "") -> MessageEdit:
    edit = gui.show(MessageEdit())
    edit.resize(400, edit.height())
    edit.put(text)
    edit.setFocus()
    return edit


def told(edit: MessageEdit) -> list[str]:
    sent: list[str] = []
    edit.submitted.connect(lambda: sent.append(edit.toPlainText()))
    return sent


def compose(edit: MessageEdit, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(edit, event)


async def test_enter_sends_and_shift_enter_breaks_the_line(gui: Gui) -> None:
    edit = edit_of(gui)
    sent = told(edit)
    gui.type(edit, "one")
    gui.keys(edit, "Shift+Return")
    gui.type(edit, "two")
    assert sent == []
    gui.keys(edit, "Return")
    assert sent == ["one\ntwo"]
    assert "\u2028" not in edit.document().toRawText()


async def test_enter_of_the_number_pad_sends(gui: Gui) -> None:
    edit = edit_of(gui, "x")
    sent = told(edit)
    gui.keys(edit, "Num+Enter")
    assert sent == ["x"]


async def test_enter_that_ends_composing_does_not_send(gui: Gui) -> None:
    edit = edit_of(gui)
    sent = told(edit)
    compose(edit, "nihao")
    gui.keys(edit, "Return")
    assert sent == []
    compose(edit, "", "你好")
    assert edit.toPlainText() == "你好"
    gui.keys(edit, "Return")
    assert sent == ["你好"]


async def test_given_up_composing_lets_enter_send_again(gui: Gui) -> None:
    edit = edit_of(gui, "x")
    sent = told(edit)
    compose(edit, "ni")
    compose(edit, "")
    gui.keys(edit, "Return")
    assert sent == ["x"]


async def test_nothing_is_completed_while_an_input_method_composes(gui: Gui) -> None:
    edit = edit_of(gui, "@da")
    assert edit.what_is_asked() == Asked("file", "da")
    compose(edit, "ni")
    assert edit.what_is_asked() is None


async def test_field_grows_from_two_lines_to_ten(gui: Gui) -> None:
    edit = edit_of(gui)
    assert edit.height() == edit.height_of(2)
    edit.put("1\n2\n3\n4\n5")
    await gui.settle()
    assert edit.height() == edit.height_of(5)
    edit.put("\n" * 40)
    await gui.settle()
    assert edit.height() == edit.height_of(10)
    edit.put("word " * 60)
    await gui.settle()
    assert edit.height() > edit.height_of(3), "wrapped lines count"
    edit.put("")
    await gui.settle()
    assert edit.height() == edit.height_of(2)


async def test_undo_brings_back_what_was_replaced(gui: Gui) -> None:
    edit = edit_of(gui, "before")
    edit.put("after")
    edit.undo()
    assert edit.toPlainText() == "before"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("@", Asked("file", "")),
        ("look at @src/da", Asked("file", "src/da")),
        ("mail a@b", None),
        ("@done ", None),
        ("/mo", Asked("command", "mo")),
        ("/etc/hosts", None),
        ("see /mo", None),
        ("one\n/mo", None),
    ],
)
async def test_what_is_asked_follows_from_the_text_before_the_caret(gui: Gui, text: str, asked: Asked | None) -> None:
    assert edit_of(gui, text).what_is_asked() == asked


async def test_completion_takes_the_place_of_what_was_typed(gui: Gui) -> None:
    edit = edit_of(gui, "look at @da")
    edit.complete(Asked("file", "da"), "@dates.py ")
    assert edit.toPlainText() == "look at @dates.py "


@pytest.mark.parametrize(("before", "after", "whole"), [("", "", "W "), ("a", "", "a W "), ("a ", "b", "a W b"), ("a\n", " b", "a\nW b")])
async def test_word_is_put_in_with_blanks_around_it(gui: Gui, before: str, after: str, whole: str) -> None:
    edit = edit_of(gui, before + after)
    cursor = edit.textCursor()
    cursor.setPosition(len(before))
    edit.setTextCursor(cursor)
    edit.put_word("W")
    assert edit.toPlainText() == whole


async def test_pasted_pictures_and_files_are_given_and_text_is_pasted(gui: Gui, tmp_path: Path) -> None:
    edit = edit_of(gui)
    pictures: list[QImage] = []
    files: list[list[str]] = []
    edit.pictures_given.connect(pictures.append)
    edit.files_given.connect(files.append)
    picture, local, text, both = QMimeData(), QMimeData(), QMimeData(), QMimeData()
    picture.setImageData(QImage(3, 4, QImage.Format.Format_RGB32))
    local.setUrls([QUrl.fromLocalFile(str(tmp_path / "a b.png"))])
    text.setText("<b>words</b>")
    both.setText("cells")
    both.setImageData(QImage(1, 1, QImage.Format.Format_RGB32))
    for data in (picture, local, text, both):
        assert edit.canInsertFromMimeData(data)
        edit.insertFromMimeData(data)
    assert [(one.width(), one.height()) for one in pictures] == [(3, 4)]
    assert files == [[str(tmp_path / "a b.png")]]
    assert edit.toPlainText() == "<b>words</b>cells"


async def test_esc_is_left_to_the_window(gui: Gui) -> None:
    edit = edit_of(gui, "x")
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    edit.keyPressEvent(event)
    assert not event.isAccepted()
