"""The Messages tab on real sessions: rows while a turn runs, pairs, reasons, the chosen part, and keys."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QWidget

from tests.agent.scripted_model import answer, call, command
from tests.ui.desks import desk_in, project
from tests.ui.gui import Gui
from tests.ui.inspector.shown_messages import shown
from tests.ui.plain_text import assert_plain
from workbench.conversation.events import UserMessageAdded
from workbench.conversation.messages import Usage, text_message
from workbench.conversation.stream import ReasoningDelta, TextDelta
from workbench.ui.inspector.messages_tab import AT_ONCE, MessagesTab
from workbench.ui.kit.theme import theme
from workbench.words import choose_language


async def test_a_new_session_shows_what_will_go_anyway(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        assert on.rows()[0] == "system"
        assert on.rows()[1].endswith(" tools")
        assert on.rows()[2:] == ["user", "what you write below"]


async def test_rows_come_as_the_turn_goes(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path, **{"a.txt": "one\n"}) as on:
        await on.dialogue.user("Read a.txt and\nthen <b>delete</b> it.")
        assert on.rows()[2:] == ["user", "Read a.txt and then <b>delete</b> it.", "assistant"]
        on.dialogue.model.say(ReasoningDelta(text="Reading first."), TextDelta(text="I will look"), whole=False)
        await on.dialogue.model.streamed()
        assert on.rows()[5:] == ["Reading first.", "I will look"]
        on.dialogue.model.say(TextDelta(text=" at it."), *answer("", call("read", "x1111", file_path="a.txt"), command("rm a.txt", "y2222")))
        question = await on.dialogue.question()
        await on.dialogue.result()
        assert on.rows()[6:] == ["I will look at it.", "read a.txt", "bash rm a.txt", "results", "1 line", "no result yet: waiting for you"]
        assert on.said(11) == "Result, no result yet: waiting for you"
        assert "cannot go out yet" in on.said(9)
        assert gui.find("1 result missing").isVisible()
        on.dialogue.reject(question, note="Keep it.")
        await on.dialogue.model.asked()
        assert on.rows()[9:] == ["results", "1 line", "rejected by you, with a note", "assistant"]
        await on.dialogue.answers("I kept it.")
        assert on.rows()[12:] == ["assistant", "I kept it.", "user", "what you write below"]


async def test_figures_are_said_to_be_estimates(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Hello")
        await on.dialogue.answers("", *answer("Hi.", usage=Usage(input_tokens=2000, cached_tokens=1500)))
        on.rows()
        words = on.tab.head._figures.text()
        assert words.startswith("≈ ")
        assert "of 128k tokens, estimated · 2.0k went out with #1 too · 1.5k came from the cache" in words
        assert "four characters are a token" in on.tab.head._figures.toolTip()
        assert "request #1 has the 2,000 tokens that its provider counted" in on.tab.head._figures.toolTip()
        assert on.said(0).startswith("system, about ")


async def test_a_request_that_nearly_fills_the_room_warns(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("word " * 20_000)
        await on.dialogue.answers("", *answer("Hi.", usage=Usage(input_tokens=90_000)))
        on.rows()
        assert (on.tab.head._tight.isVisible(), on.tab.head._figures._token) == (False, "faint")
        await on.dialogue.user("word " * 20_000)
        on.rows()
        assert on.tab.head._figures.text().startswith("≈ 1")
        assert (on.tab.head._tight.isVisible(), on.tab.head._figures._token) == (True, "level2")
        await on.dialogue.answers("", *answer("Hi."))


async def test_a_pair_is_chosen_together_and_keys_go_along_it(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path, **{"a.txt": "one\n", "b.txt": "two\n"}) as on:
        await on.dialogue.user("Read both.")
        await on.dialogue.streams("", call("read", "x1111", file_path="a.txt"), call("read", "y2222", file_path="b.txt"))
        await on.dialogue.model.asked()
        on.rows()
        rows = on.tab.rows
        rows.setFocus()
        await gui.until(rows.hasFocus)
        rows.choose(6)
        assert rows.chosen_call == "y2222"
        gui.keys(rows, "Right")
        assert rows.currentIndex().row() == 9
        gui.keys(rows, "Left")
        assert rows.currentIndex().row() == 6
        image = gui.picture(rows.viewport())
        tints = [image.pixelColor(image.width() - 3, round(rows._middle(n))).name() for n in (5, 6, 9)]
        assert tints == [theme.hex("base"), theme.hex("select"), theme.hex("accent_tint")]
        await on.dialogue.answers("Done.")


async def test_a_missing_result_is_dashed_amber(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Run it.")
        await on.dialogue.streams("", command("touch x", "c1111"))
        question = await on.dialogue.question()
        on.rows()
        pair = on.tab._outgoing.pair("c1111")
        assert pair is not None
        assert pair.result is not None
        rows = on.tab.rows
        column = round(30 + rows.rows_model.outgoing[pair.call].lane * 7)
        picture = gui.picture(rows.viewport())
        inks = [picture.pixelColor(column, y).name() for y in range(round(rows._middle(pair.call)) + 5, round(rows._middle(pair.result)) - 5)]
        assert {theme.hex("base"), theme.hex("level2")} <= set(inks)
        gui.click_at(gui.find("1 result missing"), gui.find("1 result missing").rect().center())
        assert rows.currentIndex().row() == pair.result
        on.dialogue.approve(question)
        await on.dialogue.model.asked()
        await on.dialogue.answers("Done.")


async def test_an_edited_call_shows_what_was_sent_what_ran_and_what_came(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Make it.")
        await on.dialogue.streams("", call("write", "w1111", file_path="x.txt", content="one\n"))
        question = await on.dialogue.question()
        on.rows()
        assert on.tab.show_call("w1111")
        assert on.choices() == []
        assert json.loads(on.tab.detail.text.plain_text()) == {"file_path": "x.txt", "content": "one\n"}
        on.dialogue.approve(question, arguments={"file_path": "x.txt", "content": "two\n"})
        await on.dialogue.model.asked()
        on.rows()
        await gui.until(lambda: on.choices() == ["As sent", "What ran", "Result"])
        assert json.loads(on.choose_text(1))["content"] == "two\n"
        assert on.tab.detail.text._marks
        assert on.choose_text(2)
        assert on.tab.detail.content is not None
        assert on.tab.detail.content.status is not None
        assert (on.tab.detail.content.ident, on.tab.detail.content.status.words) == ("w1111", "edited by you")
        assert "ok, edited by you" in on.rows()[7]
        await on.dialogue.answers("Done.")


async def test_a_command_that_a_person_stopped_is_not_called_failed(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Run it.")
        await on.dialogue.streams("", command("touch begun; sleep 60", "c1111"))
        on.dialogue.approve(await on.dialogue.question())
        await gui.until(lambda: (on.dialogue.folder / "begun").exists())
        await on.dialogue.session.stop()
        (row,) = [row for row in on.rows() if "stopped" in row]
        assert "failed" not in row


async def test_every_row_opens_with_its_whole_text(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        long = "A long sentence. " * 400
        await on.dialogue.user(long)
        await on.dialogue.answers("Short.")
        on.rows()
        texts = []
        for place in range(6):
            on.tab.rows.choose(place)
            on.tab._open_part()
            texts.append(on.tab.detail.text.plain_text())
        system, tools, message, words, reply_message, reply = texts
        assert on.dialogue.folder.as_posix() in system
        assert {tool["name"] for tool in json.loads(tools)} >= {"read", "bash"}
        assert json.loads(message)["parts"][0]["text"] == long
        assert (words, reply) == (long, "Short.")
        assert json.loads(reply_message)["role"] == "assistant"


async def test_enter_opens_and_escape_closes_without_stopping_the_turn(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        stopped: list[int] = []
        stop = QAction(on.tab)
        stop.setShortcut(QKeySequence("Esc"))
        stop.triggered.connect(lambda: stopped.append(1))
        on.tab.addAction(stop)
        on.rows()
        rows, text = on.tab.rows, on.tab.detail.text
        rows.choose(0)
        rows.setFocus()
        await gui.until(rows.hasFocus)
        for widget in (rows, text):
            gui.keys(rows, "Return")
            await gui.until(text.hasFocus)
            widget.setFocus()
            await gui.until(widget.hasFocus)
            gui.keys(widget, "Escape")
            assert on.tab.detail.isHidden()
            await gui.until(rows.hasFocus)
        assert stopped == []
        gui.keys(rows, "Escape")
        assert stopped == [1]


async def test_a_wide_tab_puts_the_part_beside_the_list(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        on.rows()
        on.tab.rows.choose(1)
        on.tab._open_part()
        assert on.tab.panes.orientation() is Qt.Orientation.Vertical
        on.tab.resize(900, 600)
        await gui.until(lambda: on.tab.panes.orientation() is Qt.Orientation.Horizontal)
        on.tab.resize(390, 600)
        await gui.until(lambda: on.tab.panes.orientation() is Qt.Orientation.Vertical)


async def test_copying_takes_the_text_that_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Copy <me>.")
        on.rows()
        on.tab.rows.choose(3)
        on.tab._open_part()
        await gui.settle()
        await gui.click("Copy this text")
        assert QGuiApplication.clipboard().text() == "Copy <me>."
        await gui.click("Close")
        assert on.tab.detail.isHidden()
        await on.dialogue.answers("Done.")


async def test_a_text_that_grows_is_followed_and_keeps_its_place(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Tell me a story.")
        on.dialogue.model.say(TextDelta(text="line\n" * 300), whole=False)
        await on.dialogue.model.streamed()
        on.rows()
        on.tab.rows.choose(5)
        on.tab._open_part()
        bar = on.tab.detail.text.verticalScrollBar()
        await gui.until(lambda: bar.maximum() > 100)
        bar.setValue(40)
        on.dialogue.model.say(TextDelta(text="the end\n"), whole=False)
        await on.dialogue.model.streamed()
        on.rows()
        await gui.until(lambda: on.tab.detail.text.plain_text().endswith("the end\n"))
        assert bar.value() == 40
        await on.dialogue.answers("")


async def test_the_list_follows_its_end_only_from_there(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        for n in range(12):
            await on.dialogue.user(f"Say {n}.")
            await on.dialogue.answers(f"{n}.")
            on.rows()
        assert on.tab.rows.at_end()
        on.tab.rows.scrollToTop()
        await on.dialogue.user("More.")
        on.rows()
        assert on.tab.rows.verticalScrollBar().value() == 0
        await on.dialogue.answers("Done.")


async def test_without_a_session_it_says_so(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        tab = gui.show(MessagesTab(desk.bridge, desk))
        assert tab.rows.rows_model.rowCount() == 0
        assert tab.head._figures.text() == "No session is open."
        assert not tab.show_call("nothing")
        gui.picture(tab)


async def test_a_tab_out_of_sight_waits_until_it_is_seen(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        on.tab.hide()
        await on.dialogue.user("Hello")
        assert "Hello" not in on.rows()
        await on.dialogue.answers("Hi.")
        on.tab.show()
        assert on.rows()[3:6] == ["Hello", "assistant", "Hi."]


async def test_another_session_is_shown_from_its_beginning(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        tab = gui.show(MessagesTab(desk.bridge, desk))
        assert await desk.open_folder(project(tmp_path))
        await desk.bridge.send("list .")
        assert desk.bridge.opened is not None
        await desk.bridge.opened.session.wait_idle()
        desk.bridge.flush()
        await gui.settle()
        before = tab.rows.rows_model.rowCount()
        assert before > 8
        assert await desk.new_session()
        await gui.until(lambda: tab.rows.rows_model.rowCount() == 4)


async def test_a_long_session_is_shown_whole_while_the_loop_goes_on(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        tab = gui.show(MessagesTab(desk.bridge, desk))
        assert await desk.open_folder(project(tmp_path))
        assert desk.bridge.opened is not None
        journal = desk.bridge.opened.session.journal
        for number in range(2 * AT_ONCE + 10):
            journal.append(UserMessageAdded(turn_id="t", message=text_message("user", f"words {number}")))
        desk.bridge.flush()
        assert tab.rows.rows_model.rowCount() < 2 * 2 * AT_ONCE
        await gui.until(lambda: tab.rows.rows_model.rowCount() == 2 + 2 * (2 * AT_ONCE + 11))
        desk.bridge.attach(desk.bridge.opened)
        assert tab.rows.rows_model.rowCount() == 0
        await gui.until(lambda: tab.rows.rows_model.rowCount() == 2 + 2 * (2 * AT_ONCE + 11))
        assert tab.rows.at_end()


async def test_a_tab_out_of_sight_keeps_nothing_of_another_session(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await on.dialogue.user("Hello")
        assert "Hello" in on.rows()
        on.tab.hide()
        on.bridge.attach(None)
        assert (on.tab.rows.rows_model.rowCount(), len(on.tab.rows.rows_model.outgoing)) == (0, 2)


@pytest.mark.parametrize("width", [390, 560])
async def test_the_parts_are_named_and_plain_and_nothing_is_wider_than_the_tab(gui: Gui, tmp_path: Path, width: int) -> None:
    async with shown(gui, tmp_path) as on:
        on.tab.resize(width, 700)
        await on.dialogue.user("Run it.")
        await on.dialogue.streams("", command("touch x", "c1111"))
        question = await on.dialogue.question()
        on.rows()
        on.tab.show_call("c1111")
        await gui.settle()
        assert_plain(on.tab)
        inside = [child for child in on.tab.findChildren(QWidget) if child.isVisible()]
        assert all(child.mapTo(on.tab, child.rect().topRight()).x() < width for child in inside)
        on.dialogue.reject(question)
        await on.dialogue.model.asked()
        await on.dialogue.answers("Done.")


async def test_theme_and_language_are_followed(gui: Gui, tmp_path: Path) -> None:
    choose_language("zh_CN")
    async with shown(gui, tmp_path) as on:
        on.rows()
        theme.use("dark", "zh_CN")
        await gui.settle()
        picture = gui.picture(on.tab)
        assert picture.pixelColor(picture.width() // 2, picture.height() - 20).name() == theme.hex("base")
