"""Text is selected across items, and what is copied is what is highlighted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from tests.ui.chat.chats import Chat, answer, attempt, mixed, prompt, reasoning, step
from tests.ui.gui import Gui
from workbench.ui.chat.selection import Mark, Selection, around
from workbench.ui.kit.theme import theme

FIRST = "The **pattern** demands two digits; `strptime` itself does not."
CODE = "See:\n\n```py\nx = 1\n\ny = 2\n```\n\nDone."


async def dragged(gui: Gui, chat: Chat, start: tuple[int, int], end: tuple[int, int]) -> str:
    chat.drag(chat.at(*start), chat.at(*end))
    await gui.settle()
    return chat.view.selecting.text()


async def test_dragging_inside_a_paragraph_copies_what_is_highlighted(gui: Gui) -> None:
    chat = Chat(gui, [answer(FIRST)])
    assert await dragged(gui, chat, (0, FIRST.index("pattern")), (0, FIRST.index("two"))) == "pattern demands "
    assert await dragged(gui, chat, (0, FIRST.index("itself")), (0, FIRST.index("strptime"))) == "strptime "
    chat.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert chat.clipboard() == "strptime "


async def test_dragging_across_items_copies_them_in_order(gui: Gui) -> None:
    chat = Chat(gui, [prompt("What is it?"), step(1, attempt(1)), answer(FIRST), answer(CODE)])
    text = await dragged(gui, chat, (0, 5), (3, CODE.index("y = 2") + 1))
    assert text == f"is it?\n\nStep 1 · #1 200 · 3.1 s\n\n{FIRST}\n\nSee:\n\nx = 1\n\ny"
    assert await dragged(gui, chat, (3, CODE.index("y = 2") + 1), (0, 5)) == text


async def test_code_is_copied_as_it_was_sent_hidden_characters_and_all(gui: Gui) -> None:
    source = "```\na\u202eb\tc\n```"
    chat = Chat(gui, [answer(source)])
    start = source.index("a")
    assert await dragged(gui, chat, (0, start), (0, start + 4)) == "a\u202eb\t"


async def test_a_double_click_takes_the_word_a_third_the_line(gui: Gui) -> None:
    chat = Chat(gui, [answer("First line here\n\nSecond **bold** words")])
    viewport, point = chat.view.viewport(), chat.at(0, 8).toPoint()
    QTest.mouseDClick(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    assert chat.view.selecting.text() == "line"
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
    assert chat.view.selecting.text() == "First line here"


async def test_shift_click_extends_and_a_click_clears(gui: Gui) -> None:
    chat = Chat(gui, [answer(FIRST)])
    chat.click(chat.at(0, FIRST.index("demands")))
    assert not chat.view.selecting.selection
    chat.click(chat.at(0, FIRST.index("digits")), Qt.KeyboardModifier.ShiftModifier)
    assert chat.view.selecting.text() == "demands two "
    chat.click(QPointF(300, 400))
    assert not chat.view.selecting.selection


async def test_everything_is_selected_and_copied_as_markdown(gui: Gui) -> None:
    chat = Chat(gui, [prompt("Hi"), answer(CODE), reasoning("Because."), answer(FIRST)])
    chat.press(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    chat.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert chat.clipboard() == f"Hi\n\n{CODE}\n\n(Thought for 3.1 s, 186 tokens)\n\n{FIRST}"


async def test_ten_thousand_items_are_copied_without_laying_them_out(gui: Gui) -> None:
    chat = Chat(gui, mixed(3_000))
    chat.view.selecting.select_all()
    assert len(chat.view.selecting.text()) > 500_000
    assert sum(chat.view.is_exact(item) for item in range(3_000)) < 60


async def test_dragging_below_the_edge_scrolls(gui: Gui) -> None:
    chat = Chat(gui, mixed(60))
    chat.view.scroll_to_start()
    viewport = chat.view.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(100, 100))
    QTest.mouseMove(viewport, QPoint(100, 300))
    QTest.mouseMove(viewport, QPoint(120, viewport.height() + 60))
    await gui.until(lambda: chat.value > 300)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(120, viewport.height() + 60))
    stopped = chat.value
    first, last = chat.view.selecting.selection.ends
    assert last.item > first.item
    await gui.settle()
    assert chat.value == stopped


async def test_what_is_selected_is_painted(gui: Gui) -> None:
    chat = Chat(gui, [prompt("A prompt"), answer(FIRST), answer(CODE)])
    before = gui.picture(chat.view)
    chat.view.selecting.select_all()
    after = gui.picture(chat.view)
    select = theme["select"].rgb()
    for item, offset in ((0, 3), (1, 6), (2, CODE.index("x = 1") + 2)):
        point = chat.at(item, offset).toPoint()
        area = [(x, y) for x in range(point.x() - 2, point.x() + 6) for y in range(point.y() - 6, point.y() + 8)]
        assert any(after.pixel(x, y) == select for x, y in area), item
        assert not any(before.pixel(x, y) == select for x, y in area), item


async def test_keys_select_whole_items_and_copy_the_one_they_are_on(gui: Gui) -> None:
    chat = Chat(gui, [prompt("One"), answer("Two"), answer("Three")])
    chat.press(Qt.Key.Key_Home)
    chat.press(Qt.Key.Key_Down)
    chat.view.keyboard.go(0)
    chat.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert chat.clipboard() == "One"
    chat.press(Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    chat.press(Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert chat.clipboard() == "One\n\nTwo"


async def test_a_selection_stays_while_text_arrives(gui: Gui) -> None:
    streaming = answer("Begin", done=False)
    chat = Chat(gui, [answer(FIRST), streaming])
    assert await dragged(gui, chat, (0, FIRST.index("demands")), (0, FIRST.index("two"))) == "demands "
    for _ in range(10):
        chat.grow(streaming, " more")
    assert chat.view.selecting.text() == "demands "


@pytest.mark.parametrize(
    ("text", "offset", "line", "found"),
    [
        ("one two", 5, False, "two"),
        ("one two", 3, False, "one"),
        ("a, b", 2, False, " "),
        ("snake_case(x)", 4, False, "snake_case"),
        ("first\nsecond\nthird", 8, True, "second"),
        ("last", 4, False, "last"),
        ("", 0, False, ""),
        ("", 0, True, ""),
        ("one\n", 4, True, ""),
    ],
)
def test_words_and_lines_around_a_place(text: str, offset: int, line: bool, found: str) -> None:
    start, end = around(text, offset, line=line)
    assert text[start:end] == found


def test_a_selection_is_cut_with_its_items() -> None:
    selection = Selection()
    selection.anchor, selection.head = Mark(3, 0), Mark(1, 2)
    assert selection.ends == (Mark(1, 2), Mark(3, 0))
    selection.cut(4)
    assert selection
    selection.cut(3)
    assert not selection
