"""Messages go out once, wait where they must, come back where they are refused, and nothing a person wrote is lost."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QImage, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from tests.ui.desks import desk_in, said
from tests.ui.frame.parts import composer_of, messages, notice, pills, sees_pictures
from tests.ui.frame.sessions import REPLACE, asked, opened_desk, shown, stopped
from tests.ui.gui import Gui
from workbench.conversation.events import UserMessageAdded
from workbench.conversation.messages import ImagePart, TextPart
from workbench.errors import StoreFailed
from workbench.ui.frame.pills import Pill
from workbench.ui.kit.buttons import Button

# Sending


async def test_enter_sends_and_the_field_is_empty(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        sent: list[bool] = []
        composer.sent.connect(lambda: sent.append(True))
        assert not gui.find("Send", Button).isEnabled()
        gui.type(composer.edit, "hi")
        assert gui.find("Send", Button).isEnabled()
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: messages(desk) == ["hi"])
        assert composer.edit.toPlainText() == ""
        assert sent == [True]
        await gui.until(lambda: not desk.bridge.running)


async def test_blank_message_is_not_sent(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.put(" \n ")
        assert not gui.find("Send", Button).isEnabled()
        gui.keys(composer.edit, "Return")
        await gui.settle()
        assert messages(desk) == []
        assert composer.edit.toPlainText() == " \n "


async def test_enter_while_composing_sends_nothing(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.put("你好")
        QApplication.sendEvent(composer.edit, QInputMethodEvent("ma", []))
        gui.keys(composer.edit, "Return")
        await gui.settle()
        assert messages(desk) == []
        assert composer.edit.toPlainText() == "你好"


async def test_refused_message_comes_back_with_the_reason(gui: Gui, tmp_path: Path, monkeypatch: object) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        session = shown(desk).session

        def fail() -> None:
            raise StoreFailed("Nothing is saved any more: the disk is full.")

        session._saving.require = fail  # type: ignore[method-assign]
        composer.put("precious words")
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: notice(composer) != "")
        assert composer.edit.toPlainText() == "precious words"
        assert notice(composer) == "Nothing is saved any more: the disk is full."
        gui.type(composer.edit, "!")
        assert notice(composer) == ""


async def test_without_a_folder_nothing_can_be_sent(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.put("words")
        assert not gui.find("Send", Button).isEnabled()
        assert composer.edit.placeholderText() == "Open a folder to begin"
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: notice(composer) != "")
        assert composer.edit.toPlainText() == "words"


async def test_up_in_an_empty_field_takes_earlier_messages_back(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        gui.keys(composer.edit, "Up")
        assert composer.edit.toPlainText() == ""
        for text in ("hi", "thanks"):
            await said(gui, desk, text)
        gui.keys(composer.edit, "Up")
        assert composer.edit.toPlainText() == "thanks"
        gui.keys(composer.edit, "Up")
        assert composer.edit.toPlainText() == "hi"
        gui.keys(composer.edit, "Down")
        assert composer.edit.toPlainText() == "thanks"
        gui.type(composer.edit, "!")
        gui.keys(composer.edit, "Up")
        assert composer.edit.toPlainText() == "thanks!", "what was changed is not replaced"


# While a turn runs


async def test_stop_takes_the_place_of_send_while_a_turn_runs(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await asked(gui, desk, REPLACE)
        assert composer.edit.placeholderText() == "Write ahead: Enter sends it after this step"
        assert not gui.find("Send", visible=False).isVisible()
        await gui.click("Stop")
        await gui.until(lambda: not desk.bridge.running)
        await gui.until(lambda: gui.find("Send").isVisible())


async def test_queued_message_is_shown_until_it_goes_out(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await asked(gui, desk, REPLACE)
        composer.put("thanks & <b>bye</b>")
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: pills(composer) == ["thanks & <b>bye</b>"])
        assert composer._queue._when.text() == "goes out after this step"
        desk.bridge.answer(desk.bridge.pending[0].approval_id, "approve")
        await gui.until(lambda: not desk.bridge.running)
        await gui.until(lambda: pills(composer) == [])
        assert "thanks & <b>bye</b>" in messages(desk)


async def test_what_waits_can_be_taken_back_whole(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await asked(gui, desk, REPLACE)
        for text in ("one", "two"):
            composer.put(text)
            gui.keys(composer.edit, "Return")
            await gui.settle()
        await gui.until(lambda: pills(composer) == ["one", "two"])
        gui.type(composer.edit, "three")
        first = next(pill for pill in composer.findChildren(Pill) if pill.words == "one")
        first.removed.emit()
        await gui.settle()
        assert composer.edit.toPlainText() == "one\ntwo\nthree"
        assert pills(composer) == []
        assert shown(desk).session.queued == ()
        await stopped(gui, desk)
        assert messages(desk) == [REPLACE]


async def test_what_waits_when_the_turn_is_stopped_says_when_it_goes_out(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await asked(gui, desk, REPLACE)
        composer.put("later")
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: pills(composer) == ["later"])
        await stopped(gui, desk)
        await gui.until(lambda: composer._queue._when.text() == "goes out with your next message")
        assert pills(composer) == ["later"]


async def test_another_session_has_its_own_queue(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await asked(gui, desk, REPLACE)
        composer.put("later")
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: pills(composer) == ["later"])
        first = shown(desk).session.session_id
        assert await desk.new_session()
        await gui.settle()
        assert pills(composer) == []
        assert await desk.open_session(first)
        await gui.until(lambda: pills(composer) == ["later"])
        await stopped(gui, desk)


# Pictures


async def test_pasted_picture_goes_out_with_the_message(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        sees_pictures(desk)
        composer = composer_of(gui, desk)
        composer.attachments.add_image(QImage(8, 6, QImage.Format.Format_RGB32))
        await gui.until(lambda: pills(composer) == ["Pasted picture"])
        assert gui.find("Send", Button).isEnabled(), "a picture is a message"
        gui.type(composer.edit, "what is this")
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: messages(desk) == ["what is this"])
        parts = next(entry.event.message.parts for entry in desk.bridge.entries if isinstance(entry.event, UserMessageAdded))
        assert isinstance(parts[0], TextPart)
        assert isinstance(parts[1], ImagePart)
        assert pills(composer) == []
        await gui.until(lambda: not desk.bridge.running)


async def test_model_that_cannot_see_refuses_pictures_in_a_sentence(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.attachments.add_image(QImage(8, 6, QImage.Format.Format_RGB32))
        assert notice(composer) == "practice cannot see pictures. Choose another model, or describe what is to be seen."
        assert pills(composer) == []


async def test_picture_stays_when_the_model_became_blind(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        sees_pictures(desk)
        composer = composer_of(gui, desk)
        composer.attachments.add_image(QImage(8, 6, QImage.Format.Format_RGB32))
        await gui.until(lambda: len(pills(composer)) == 1)
        sees_pictures(desk, sees=False)
        gui.keys(composer.edit, "Return")
        await gui.settle()
        assert "cannot see pictures" in notice(composer)
        assert len(pills(composer)) == 1
        assert messages(desk) == []
        await gui.click("Remove Pasted picture")
        assert pills(composer) == []


async def test_files_become_pills_mentions_or_a_sentence(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        sees_pictures(desk)
        composer = composer_of(gui, desk)
        inside, outside, picture, broken = tmp_path / "ws" / "a b.txt", tmp_path / "x.txt", tmp_path / "p.png", tmp_path / "broken.png"
        for path in (inside, outside, broken):
            path.write_text("x")
        assert QImage(5, 5, QImage.Format.Format_RGB32).save(str(picture))
        composer.attachments.add_files([inside])
        assert composer.edit.toPlainText() == '"a b.txt" '
        composer.attachments.add_files([picture])
        await gui.until(lambda: pills(composer) == ["p.png"])
        composer.attachments.add_files([outside])
        assert notice(composer).startswith("x.txt is not in this folder")
        composer.attachments.add_files([broken])
        await gui.until(lambda: notice(composer) == "broken.png is not a picture that can be sent.")


async def test_taken_back_message_brings_its_pictures(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        sees_pictures(desk)
        composer = composer_of(gui, desk)
        await asked(gui, desk, REPLACE)
        composer.attachments.add_image(QImage(8, 6, QImage.Format.Format_RGB32))
        await gui.until(lambda: pills(composer) == ["Pasted picture"])
        composer.put("see this")
        gui.keys(composer.edit, "Return")
        await gui.until(lambda: pills(composer) == ["see this"])
        composer.findChildren(Pill)[0].removed.emit()
        await gui.until(lambda: pills(composer) == ["Pasted picture"])
        assert composer.edit.toPlainText() == "see this"
        await stopped(gui, desk)


async def test_files_dropped_beside_the_field_count_too(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(tmp_path / "ws" / "README.md"))])
        place = QPointF(composer.width() / 2, composer.height() - 10)
        buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        assert composer.acceptDrops()
        composer.dropEvent(QDropEvent(place, Qt.DropAction.CopyAction, data, buttons, modifiers))
        assert composer.edit.toPlainText() == "@README.md "


async def test_attach_asks_for_files_without_a_loop_of_its_own(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await gui.click("Attach pictures…")
        (dialog,) = composer.findChildren(QFileDialog)
        assert dialog.directory().absolutePath() == str(tmp_path / "ws")
        dialog.filesSelected.emit([str(tmp_path / "ws" / "README.md")])
        dialog.reject()
        assert composer.edit.toPlainText() == "@README.md "
        await gui.until(lambda: not composer.findChildren(QFileDialog))


async def test_narrow_composer_drops_what_can_be_typed_and_nothing_else(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        await gui.settle()
        assert gui.find("Add a file").isVisible()
        composer.window().resize(350, 600)
        await gui.settle()
        assert not gui.find("Add a file", visible=False).isVisible()
        mode, send = gui.find("Mode"), gui.find("Send")
        assert mode.width() >= mode.sizeHint().width()
        assert send.width() >= send.sizeHint().width()
        assert gui.find("Model").geometry().right() < composer._choices.width()


# What others ask of it


async def test_file_is_mentioned_as_the_tools_name_it(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        composer.mention("src/a.py")
        composer.mention(str(tmp_path / "ws" / "b.py"))
        composer.mention("/etc/hosts")
        assert composer.edit.toPlainText() == "@src/a.py @b.py @/etc/hosts "


async def test_draft_survives_being_built_anew(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        sees_pictures(desk)
        composer = composer_of(gui, desk)
        composer.attachments.add_image(QImage(8, 6, QImage.Format.Format_RGB32))
        await gui.until(lambda: len(pills(composer)) == 1)
        composer.put("half a sen")
        other = composer_of(gui, desk)
        other.restore(composer.state())
        assert other.edit.toPlainText() == "half a sen"
        assert pills(other) == ["Pasted picture"]
        assert other.edit.textCursor().position() == len("half a sen")


async def test_refusal_of_a_mode_is_said(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        composer = composer_of(gui, desk)
        assert not desk.bridge.choose_mode("auto")
        assert notice(composer).startswith("Auto needs a sandbox")
