"""Pointer, tool tips and clicks: what is clicked is what was meant, and links lead only where they say."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from tests.ui.chat.chats import Chat, answer, attempt, mixed, prompt, reasoning, step
from tests.ui.gui import Gui

HAND, BEAM, ARROW = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.IBeamCursor, Qt.CursorShape.ArrowCursor


def move(chat: Chat, point: QPointF) -> Qt.CursorShape:
    QTest.mouseMove(chat.view.viewport(), point.toPoint())
    return chat.view.viewport().cursor().shape()


def target_at(chat: Chat, item: int, number: int = 0) -> QPointF:
    """Return the middle of a target of an item, in the viewport."""
    gui_area = chat.view.area_of(item)
    return gui_area.topLeft() + chat.view.views[item].targets(gui_area.width())[number].area.center()


async def test_the_pointer_tells_what_a_click_does(gui: Gui) -> None:
    chat = Chat(gui, [step(1, attempt(1)), answer("Words and [a link](https://a.example)."), prompt("Mine")])
    gui.picture(chat.view)
    assert move(chat, target_at(chat, 1)) == HAND
    assert move(chat, chat.at(1, 2)) == BEAM
    assert move(chat, target_at(chat, 0)) == HAND
    assert move(chat, QPointF(30, chat.view.area_of(0).center().y())) == ARROW
    assert move(chat, QPointF(300, 470)) == ARROW


async def test_a_link_is_opened_by_a_click_and_only_to_the_web(gui: Gui) -> None:
    chat = Chat(gui, [answer("[a](https://a.example/x) then [b](file:///etc/passwd) then [c](javascript:alert)")])
    gui.picture(chat.view)
    for number in range(3):
        chat.click(target_at(chat, 0, number))
    assert chat.done == [("open_link", "https://a.example/x")]


async def test_tool_tips_tell_the_real_address_in_plain_text(gui: Gui) -> None:
    chat = Chat(gui, [answer("[https://good.example](https://evil.example/<b>\u202e) and [x](<file:///a b>)")])
    gui.picture(chat.view)
    words, area = chat.view.pointing.tip(target_at(chat, 0))
    assert words.startswith("https://evil.example/")
    assert area.contains(target_at(chat, 0))
    assert chat.view.pointing.tip(target_at(chat, 0, 1))[0] == "file:///a b"
    assert chat.view.pointing.tip(QPointF(300, 470)) == ("", QRectF())


async def test_dragging_over_a_target_selects_and_does_not_click(gui: Gui) -> None:
    chat = Chat(gui, [answer("Before [a long link here](https://a.example) after it")])
    gui.picture(chat.view)
    start = target_at(chat, 0)
    chat.drag(start, start + QPointF(60, 0))
    assert chat.done == []
    assert chat.view.selecting.text()


async def test_a_press_that_is_released_elsewhere_does_nothing(gui: Gui) -> None:
    chat = Chat(gui, [reasoning("Because"), answer("[a](https://a.example)")])
    gui.picture(chat.view)
    viewport = chat.view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, target_at(chat, 1).toPoint())
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, target_at(chat, 0).toPoint())
    assert chat.done == []
    assert not chat.view.views[0].opened


async def test_other_buttons_do_nothing(gui: Gui) -> None:
    chat = Chat(gui, [answer("[a](https://a.example)")])
    gui.picture(chat.view)
    point = target_at(chat, 0)
    for button in (Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        for kind in (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease):
            event = QMouseEvent(kind, point, chat.view.viewport().mapToGlobal(point), button, button, Qt.KeyboardModifier.NoModifier)
            QApplication.sendEvent(chat.view.viewport(), event)
    assert chat.done == []


async def test_the_copy_sign_of_code_copies_the_code(gui: Gui) -> None:
    chat = Chat(gui, [answer("Look:\n\n```py\nx = 1\n```")])
    gui.picture(chat.view)
    chat.click(target_at(chat, 0))
    assert chat.clipboard() == "x = 1"
    assert QToolTip.text() == "Copied"
    assert chat.done == []


async def test_a_number_of_a_step_opens_the_request(gui: Gui) -> None:
    chat = Chat(gui, [step(1, attempt(1, 500, failure="server"), attempt(2))])
    for number in (0, 1):
        chat.click(target_at(chat, 0, number))
    assert chat.done == [("show_request", "x1"), ("show_request", "x2")]


async def test_the_pointer_leaves(gui: Gui) -> None:
    chat = Chat(gui, mixed(10))
    move(chat, QPointF(200, 200))
    assert chat.view.pointing.now is not None
    chat.view.pointing.leave()
    assert chat.view.pointing.now is None
