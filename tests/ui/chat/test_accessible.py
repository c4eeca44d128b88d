"""Screen readers see the items of the painted chat; nothing of that outlives the view."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication
from shiboken6 import Shiboken

from tests.ui.chat.chats import Chat, answer, mixed, prompt, step
from tests.ui.gui import Gui
from workbench.ui.chat import accessible
from workbench.ui.chat.accessible import ChatInterface

NAME = QAccessible.Text.Name


def tree_of(chat: Chat) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(chat.view)
    assert found is not None
    return found


def names(tree: QAccessibleInterface, count: int) -> list[str]:
    found = []
    for index in range(count):
        child = tree.child(index)
        assert child is not None
        found.append(child.text(NAME))
    return found


async def test_items_are_a_list_with_names_places_and_a_parent(gui: Gui) -> None:
    chat = Chat(gui, [prompt("What is this?"), step(1), answer("A *program*.")])
    tree = tree_of(chat)
    assert tree.role() == QAccessible.Role.List
    assert tree.text(NAME) == "Chat"
    assert names(tree, 3) == ["You: What is this?", "Step 1", "The model: A *program*."]
    child = tree.child(2)
    assert child is not None
    assert child.role() == QAccessible.Role.ListItem
    assert child.rect().topLeft() == chat.view.viewport().mapToGlobal(chat.view.area_of(2).toRect().topLeft())
    assert tree.indexOfChild(child) == 2
    parent = child.parent()
    assert parent is not None
    assert parent.object() is chat.view


async def test_a_point_of_the_screen_is_an_item(gui: Gui) -> None:
    chat = Chat(gui, mixed(100))
    item = next(chat.view.seen()).item + 1
    centre = chat.view.viewport().mapToGlobal(chat.view.area_of(item).center().toPoint())
    child = tree_of(chat).childAt(centre.x(), centre.y())
    assert child is not None
    assert child.text(NAME) == chat.view.views[item].accessible_name()
    outside = chat.view.viewport().mapToGlobal(QPoint(-500, -500))
    assert tree_of(chat).childAt(outside.x(), outside.y()) is None


async def test_items_far_away_have_names_too_and_say_that_they_are_not_in_sight(gui: Gui) -> None:
    chat = Chat(gui, mixed(500))
    child = tree_of(chat).child(0)
    assert child is not None
    assert child.text(NAME).startswith("You: Prompt 0.")
    assert child.state().offscreen
    assert tree_of(chat).childCount() == 500 + chat.view.sticky.isVisible()


async def test_the_keyboards_item_is_the_focused_child(gui: Gui) -> None:
    chat = Chat(gui, [prompt("One"), answer("Two")])
    chat.view.setFocus()
    await gui.until(chat.view.hasFocus)
    chat.press(Qt.Key.Key_Up)
    chat.press(Qt.Key.Key_Up)
    child = tree_of(chat).focusChild()
    assert child is not None
    assert child.text(NAME) == "You: One"


async def test_signs_over_the_chat_are_children_after_the_items(gui: Gui) -> None:
    chat = Chat(gui, mixed(100))
    chat.scroll(chat.maximum - 300)
    chat.say(answer("New"))
    tree = tree_of(chat)
    names_of_widgets = [child.text(NAME) for index in range(101, tree.childCount()) if (child := tree.child(index)) is not None]
    assert "Jump to the end" in names_of_widgets


async def test_items_that_went_are_not_valid_any_more(gui: Gui) -> None:
    chat = Chat(gui, [prompt("One"), answer("Two")])
    child = tree_of(chat).child(1)
    assert child is not None
    chat.items.clear()
    chat.bridge.attached.emit()
    assert not child.isValid()
    assert child.text(NAME) == ""


async def test_announcements_reach_who_listens(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = Chat(gui, [prompt("One")])
    said: list[object] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", said.append)
    accessible.announce(chat.view, "bash waits for you")
    assert [event.message() for event in said] == ["bash waits for you"]  # type: ignore[attr-defined]
    monkeypatch.undo()
    accessible.announce(chat.view, "and again")


async def test_nothing_outlives_the_view(gui: Gui) -> None:
    trees, children = [], []
    for _ in range(20):
        chat = Chat(None, mixed(10))
        chat.view.show()
        tree = tree_of(chat)
        assert isinstance(tree, ChatInterface)
        trees.append(tree)
        children += [tree.child(index) for index in range(5)]
        chat.view.hide()
        chat.view.deleteLater()
        del tree, chat
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    assert not any(Shiboken.isValid(tree) for tree in trees)
    assert not any(Shiboken.isValid(child) for child in children)
