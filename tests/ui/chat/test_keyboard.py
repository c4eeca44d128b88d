"""Everything in the chat can be reached and done with keys."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtCore import QRectF, Qt

from tests.ui.chat.chats import Chat, answer, attempt, mixed, prompt, reasoning, step
from tests.ui.gui import Gui
from workbench.inspection.timeline_items import TimelineItem
from workbench.ui.kit.theme import theme

UP, DOWN, LEFT, RIGHT, ENTER = Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Return


async def focused_chat(gui: Gui, items: Sequence[TimelineItem]) -> Chat:
    chat = Chat(gui, items)
    chat.view.setFocus()
    await gui.until(chat.view.hasFocus)
    chat.view.scroll_to_start()
    chat.view.keyboard.go(0)
    chat.view.keyboard.shown = True
    return chat


async def test_up_and_down_move_over_items_and_scroll_to_them(gui: Gui) -> None:
    chat = await focused_chat(gui, mixed(60))
    for _ in range(200):
        chat.press(DOWN)
        item = chat.view.keyboard.item
        assert item is not None
        area = chat.view.area_of(item)
        assert area.intersects(QRectF(chat.view.viewport().rect()))
        if item == 59:
            break
    assert chat.view.keyboard.item == 59
    for _ in range(300):
        chat.press(UP)
    assert chat.view.keyboard.item == 0


async def test_an_item_higher_than_the_window_is_scrolled_before_it_is_left(gui: Gui) -> None:
    chat = await focused_chat(gui, [prompt("Go"), answer("\n\n".join(f"Paragraph {number}" for number in range(80))), prompt("End")])
    chat.press(DOWN)
    presses = 0
    while chat.view.keyboard.item == 1:
        chat.press(DOWN)
        presses += 1
    assert presses > 4
    assert chat.view.keyboard.item == 2


async def test_enter_opens_and_folds(gui: Gui) -> None:
    chat = await focused_chat(gui, [reasoning("Because of this.")])
    chat.press(ENTER)
    assert chat.view.views[0].opened
    chat.press(Qt.Key.Key_Space)
    assert not chat.view.views[0].opened


async def test_left_and_right_choose_among_what_an_item_offers(gui: Gui) -> None:
    links = answer("[one](https://one.example) and [two](https://two.example) and [file](file:///x)")
    chat = await focused_chat(gui, [links])
    gui.picture(chat.view)
    chat.press(RIGHT)
    chat.press(RIGHT)
    assert chat.view.keyboard.ring() is not None
    chat.press(ENTER)
    chat.press(LEFT)
    chat.press(ENTER)
    assert chat.done == [("open_link", "https://two.example"), ("open_link", "https://one.example")]
    chat.press(LEFT)
    assert chat.view.keyboard.ring() is None


async def test_o_opens_the_request_of_the_step(gui: Gui) -> None:
    chat = await focused_chat(gui, [prompt("Go"), step(1, attempt(1, 429, failure="rate_limit"), attempt(2)), answer("Hi"), prompt("More"), answer("Well")])
    chat.press(Qt.Key.Key_O)
    assert chat.done == []
    for item in (1, 2, 4):
        chat.view.keyboard.go(item)
        chat.press(Qt.Key.Key_O)
    assert chat.done == [("show_request", "x2"), ("show_request", "x2")]


async def test_the_ring_is_shown_for_keys_and_not_for_clicks(gui: Gui) -> None:
    chat = await focused_chat(gui, [prompt("Go"), answer("Some words")])
    chat.press(DOWN)
    ring = theme["focus"].rgb()
    area = chat.view.area_of(1).toRect()

    def has_ring() -> bool:
        image = gui.picture(chat.view)
        return any(image.pixel(x, area.top() - 4) == ring for x in range(100, 200))

    assert has_ring()
    chat.click(chat.view.area_of(1).center())
    assert not has_ring()


async def test_code_is_copied_by_key_without_its_fence(gui: Gui) -> None:
    chat = await focused_chat(gui, [answer("Words\n\n```py\nx = 1\n```")])
    gui.picture(chat.view)
    chat.press(RIGHT)
    chat.press(ENTER)
    assert chat.clipboard() == "x = 1"


@pytest.mark.parametrize("key", [UP, DOWN, LEFT, RIGHT, ENTER, Qt.Key.Key_O])
async def test_keys_do_nothing_bad_in_an_empty_chat(gui: Gui, key: Qt.Key) -> None:
    chat = Chat(gui, [])
    chat.press(key)
    assert chat.done == []


async def test_the_place_follows_when_items_go(gui: Gui) -> None:
    chat = await focused_chat(gui, [prompt("Go"), answer("One"), answer("Two")])
    chat.view.keyboard.go(2)
    chat.view.keyboard.cut(1)
    assert chat.view.keyboard.item == 0
