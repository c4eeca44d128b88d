"""Words are found in all items, without layout, and one goes from hit to hit."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from tests.ui.chat.chats import Chat, answer, mixed, prompt, reasoning
from tests.ui.gui import Gui
from workbench.ui.kit.theme import theme

NOTHING = Qt.KeyboardModifier.NoModifier


async def found(gui: Gui, chat: Chat, words: str) -> QLineEdit:
    """Open the bar, type words, and wait until all items were looked through."""
    chat.view.show_find()
    edit = chat.view.find_bar.field.edit
    edit.setText(words)
    await gui.until(lambda: chat.view.finding.complete)
    return edit


async def test_ctrl_f_counts_and_goes_to_the_first_hit(gui: Gui) -> None:
    chat = Chat(gui, [prompt("A needle"), *mixed(80), answer("The Needle and the NEEDLE")])
    chat.view.scroll_to_start()
    QTest.keyClick(chat.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert chat.view.find_bar.isVisible()
    await gui.until(chat.view.find_bar.field.edit.hasFocus)
    gui.type(chat.view.find_bar.field.edit, "needle")
    await gui.until(lambda: chat.view.find_bar.field.note == "1 of 3")


async def test_f3_goes_round_and_shift_f3_back(gui: Gui) -> None:
    chat = Chat(gui, [prompt("A needle"), *mixed(80), answer("The Needle and the NEEDLE")])
    chat.view.scroll_to_start()
    edit = await found(gui, chat, "needle")
    notes = []
    for key, modifiers in [(Qt.Key.Key_F3, NOTHING)] * 3 + [(Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier), (Qt.Key.Key_Return, NOTHING)]:
        QTest.keyClick(edit, key, modifiers)
        notes.append(chat.view.find_bar.field.note)
    assert notes == ["2 of 3", "3 of 3", "1 of 3", "3 of 3", "1 of 3"]


async def test_a_hit_far_away_is_brought_in_sight_and_marked(gui: Gui) -> None:
    text = "\n\n".join(f"Paragraph {number}" for number in range(400)) + "\n\nthe needle\n\n" + "tail\n\n" * 200
    chat = Chat(gui, [*mixed(300), answer(text), *mixed(300)])
    chat.view.scroll_to_start()
    await found(gui, chat, "the needle")
    hit = chat.view.finding.hit
    assert hit is not None
    y = chat.view.y_of(300) + chat.view.views[300].top_of(hit.start, chat.view.column().width)
    assert 60 < y < chat.view.viewport().height() - 20
    image = gui.picture(chat.view)
    fill = theme["accent_fill"].rgb()
    assert any(image.pixel(x, round(y) + 8) == fill for x in range(20, 300))


async def test_nothing_is_laid_out_to_find_it(gui: Gui) -> None:
    chat = Chat(gui, mixed(3_000))
    await found(gui, chat, "prompt 29")
    assert chat.view.find_bar.field.note.endswith(f"of {sum(number // 10 ** k == 29 for number in range(0, 3_000, 5) for k in range(3))}")
    assert sum(chat.view.is_exact(item) for item in range(3_000)) < 120


async def test_a_hit_in_folded_reasoning_opens_it(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(40), reasoning("deep inside stands a needle"), *mixed(40)])
    await found(gui, chat, "a needle")
    assert chat.view.views[40].opened
    assert 0 < chat.view.y_of(40) < chat.view.viewport().height()


async def test_what_is_not_there_is_said_to_be_not_there(gui: Gui) -> None:
    chat = Chat(gui, mixed(20))
    await found(gui, chat, "nowhere at all")
    assert chat.view.find_bar.field.note == "not found"
    assert not chat.view.find_bar.next_button.isEnabled()
    chat.view.finding.step(1)
    assert chat.view.finding.hit is None


async def test_esc_closes_and_gives_the_keyboard_back(gui: Gui) -> None:
    chat = Chat(gui, mixed(20))
    chat.view.setFocus()
    await gui.until(chat.view.hasFocus)
    edit = await found(gui, chat, "word")
    assert chat.view.marks_of(chat.view.finding.hit.item if chat.view.finding.hit else 0)
    QTest.keyClick(edit, Qt.Key.Key_Escape)
    assert not chat.view.find_bar.isVisible()
    await gui.until(chat.view.hasFocus)
    assert not any(chat.view.marks_of(item) for item in range(20))


async def test_what_arrives_is_searched_too(gui: Gui) -> None:
    streaming = answer("first needle", done=False)
    chat = Chat(gui, [streaming])
    await found(gui, chat, "needle")
    chat.grow(streaming, " and a second needle")
    chat.say(answer("a third needle"))
    await gui.until(lambda: chat.view.find_bar.field.note == "1 of 3")


async def test_the_bar_fits_into_a_narrow_chat(gui: Gui) -> None:
    chat = Chat(gui, mixed(20), width=330)
    await found(gui, chat, "word")
    assert chat.view.viewport().rect().contains(chat.view.find_bar.geometry())
    assert chat.view.find_bar.field.width() > 150


async def test_esc_does_not_reach_a_shortcut_of_the_window_while_the_bar_is_open(gui: Gui) -> None:
    chat = Chat(gui, mixed(20))
    stopped: list[bool] = []
    QShortcut(QKeySequence("Esc"), chat.view).activated.connect(lambda: stopped.append(True))
    edit = await found(gui, chat, "word")
    await gui.until(edit.hasFocus)
    QTest.keyClick(edit, Qt.Key.Key_Escape)
    assert not chat.view.find_bar.isVisible()
    await found(gui, chat, "word")
    chat.view.setFocus()
    await gui.until(chat.view.hasFocus)
    QTest.keyClick(chat.view, Qt.Key.Key_Escape)
    assert not chat.view.find_bar.isVisible()
    assert stopped == []
    QTest.keyClick(chat.view, Qt.Key.Key_Escape)
    assert stopped == [True]
