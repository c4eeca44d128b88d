"""Nothing jumps: scrolling through estimates, following, resizing, themes."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.pace import steps
from tests.ui.chat.chats import Chat, answer, mixed, prompt, reasoning
from tests.ui.gui import Gui
from workbench.inspection.timeline_items import Changes
from workbench.ui.chat.scroller import WARM
from workbench.ui.kit.theme import theme


def places(chat: Chat) -> dict[int, float]:
    """Return where the items in sight are; those that were laid out."""
    return {found.item: found.y for found in chat.view.seen()}


def scrolled(chat: Chat, pixels: int, times: int) -> Iterator[list[float]]:
    """Scroll again and again; yield by how much each item that stays in sight moved."""
    for _ in range(times):
        before = places(chat)
        chat.scroll(chat.value + pixels)
        after = places(chat)
        yield [before[item] - after[item] for item in before.keys() & after.keys()]


def wheel(chat: Chat, notches: int) -> None:
    where = QPointF(100, 100)
    event = QWheelEvent(
        where,
        chat.view.viewport().mapToGlobal(where),
        QPointF(0, 0).toPoint(),
        QPointF(0, 120 * notches).toPoint(),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(chat.view.viewport(), event)


async def test_it_opens_at_the_end_and_lays_out_only_what_is_in_sight(gui: Gui) -> None:
    chat = Chat(gui, mixed(2_000))
    assert chat.value == chat.maximum > 0
    assert chat.view.follow
    assert sum(chat.view.is_exact(item) for item in range(2_000)) < 60


async def test_a_notch_of_the_wheel_moves_three_rows(gui: Gui) -> None:
    chat = Chat(gui, mixed(200))
    before = chat.value
    wheel(chat, 1)
    assert before - chat.value == QApplication.wheelScrollLines() * theme.row


async def test_scrolling_up_through_estimates_never_jumps(gui: Gui) -> None:
    chat = Chat(gui, mixed(600))
    moved = 0
    for shifts in scrolled(chat, -53, 300):
        assert set(shifts) <= {-53.0}, shifts
        moved += len(shifts)
    assert moved > 600


async def test_scrolling_down_through_estimates_never_jumps(gui: Gui) -> None:
    chat = Chat(gui, mixed(600))
    chat.view.scroll_to_start()
    for shifts in scrolled(chat, 53, 300):
        assert set(shifts) <= {53.0}, shifts


async def test_every_item_is_as_high_as_it_says_after_scrolling_through_all(gui: Gui) -> None:
    chat = Chat(gui, mixed(120))
    chat.view.scroll_to_start()
    while chat.value < chat.maximum:
        chat.scroll(chat.value + 300)
    width = chat.view.column().width
    for item, view in enumerate(chat.view.views):
        assert chat.view.height_of(item) == view.measure(width)


async def test_keys_lead_to_the_ends_and_by_screens(gui: Gui) -> None:
    chat = Chat(gui, mixed(300))
    chat.press(Qt.Key.Key_Home)
    assert chat.value == 0
    assert not chat.view.follow
    chat.press(Qt.Key.Key_PageDown)
    down = chat.value
    assert 200 < down < chat.view.viewport().height()
    chat.press(Qt.Key.Key_PageUp)
    assert chat.value == 0
    chat.press(Qt.Key.Key_End)
    assert chat.value == chat.maximum
    assert chat.view.follow


async def test_the_wheel_scrolls_and_leaves_the_end(gui: Gui) -> None:
    chat = Chat(gui, mixed(100))
    wheel(chat, 2)
    assert chat.value < chat.maximum
    assert not chat.view.follow
    for _ in range(200):
        wheel(chat, -2)
    assert chat.view.follow


async def test_the_end_is_followed_while_text_arrives(gui: Gui) -> None:
    streaming = answer("", done=False)
    chat = Chat(gui, [*mixed(50), streaming])
    for number in range(80):
        chat.grow(streaming, f"word {number} and\n" + "\n" * (number % 7 == 0))
        assert chat.value == chat.maximum
    chat.say(prompt("More"))
    assert chat.value == chat.maximum


async def test_who_reads_above_is_left_in_peace(gui: Gui) -> None:
    streaming = answer("Begin.", done=False)
    chat = Chat(gui, [*mixed(50), streaming])
    chat.scroll(chat.maximum - 700)
    before = places(chat)
    for number in range(60):
        chat.grow(streaming, f" word {number}\n\n")
        assert places(chat) == before
    chat.say(*mixed(10))
    assert places(chat) == before
    assert not chat.view.follow


async def test_reading_inside_the_answer_that_grows_is_possible(gui: Gui) -> None:
    streaming = answer("line of text\n\n" * 100, done=False)
    chat = Chat(gui, [prompt("Go"), streaming])
    chat.scroll(chat.maximum // 2)
    value = chat.value
    for _ in range(40):
        chat.grow(streaming, "one more line\n\n")
    assert chat.value == value
    assert chat.maximum > value


async def test_a_change_above_what_is_read_does_not_move_it(gui: Gui) -> None:
    chat = Chat(gui, mixed(200))
    chat.scroll(chat.maximum // 2)
    before = places(chat)
    changed = next(item for item in chat.items[:10] if item.item_id and hasattr(item, "text"))
    chat.grow(changed, "\n\nmuch more\n\n" * 50)  # type: ignore[arg-type]
    assert places(chat) == before


async def test_items_that_were_only_moved_stay_where_they_are(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(60), answer("tail " * 300, done=False)])
    chat.scroll(chat.maximum - 40)
    views, before = list(chat.view.views), places(chat)
    tail = chat.items.pop()
    chat.items.extend([prompt("between"), tail])
    chat.bridge.timeline_changed.emit(Changes(removed_from=60, appended=2))
    assert chat.view.views[61] is views[60]
    assert {item: y for item, y in places(chat).items() if item < 60} == {item: y for item, y in before.items() if item < 60}


async def test_a_place_in_what_was_moved_stays(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(60), answer("tail " * 3_000, done=False)])
    chat.scroll(chat.maximum - 40)
    view, y = chat.view.views[60], chat.view.y_of(60)
    assert y < 0
    tail = chat.items.pop()
    chat.items.extend([prompt("between"), tail])
    chat.bridge.timeline_changed.emit(Changes(removed_from=60, appended=2))
    assert chat.view.views[61] is view
    assert chat.view.y_of(61) == y


async def test_a_resize_keeps_the_line_at_the_top(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(40), answer("\n\n".join(f"Paragraph {number}. " + "word " * 60 for number in range(30))), *mixed(40)], width=700)
    view = chat.view.views[40]
    chat.view.scroll_to(40, view.plain_text().index("Paragraph 17"), y=0)
    for width in (420, 330, 900, 640):
        chat.view.resize(width, 480)
        await gui.settle()
        line = chat.view.y_of(40) + view.top_of(view.plain_text().index("Paragraph 17"), chat.view.column().width)
        assert abs(line) < 40, width


async def test_a_resize_at_the_end_stays_at_the_end(gui: Gui) -> None:
    chat = Chat(gui, mixed(80))
    for size in ((400, 300), (900, 700), (640, 200)):
        chat.view.resize(*size)
        await gui.settle()
        assert chat.value == chat.maximum


async def test_another_theme_or_zoom_keeps_the_place_and_paints_in_its_colours(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(40), answer("Here **I** read `code`.\n\n```python\nx = 1\n```"), *mixed(40)])
    chat.view.scroll_to(40, y=0)
    light = gui.picture(chat.view)
    theme.use("dark")
    await gui.settle()
    dark = gui.picture(chat.view)
    assert abs(chat.view.y_of(40)) < 2
    assert light.pixelColor(3, 3).lightness() > 200 > 60 > dark.pixelColor(3, 3).lightness()
    theme.use("dark", "en", 1.5)
    await gui.settle()
    assert abs(chat.view.y_of(40)) < 2


async def test_a_chat_shorter_than_the_window_begins_at_the_top(gui: Gui) -> None:
    chat = Chat(gui, [prompt("Hello")])
    assert chat.maximum == 0
    assert chat.view.y_of(0) == 16
    chat.say(answer("Hi"))
    assert chat.view.y_of(0) == 16


async def test_an_empty_chat_can_be_scrolled_and_clicked(gui: Gui) -> None:
    chat = Chat(gui, [])
    for key in (Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_Return):
        chat.press(key)
    chat.click(QPointF(50, 50))
    gui.picture(chat.view)


async def test_folding_keeps_the_row_that_was_clicked(gui: Gui) -> None:
    chat = Chat(gui, [*mixed(30), reasoning("because " * 400), *mixed(30)])
    chat.view.scroll_to(30, y=100)
    y = chat.view.y_of(30)
    chat.click(chat.view.area_of(30).topLeft() + QPointF(40, 10))
    assert (chat.view.views[30].opened, chat.view.y_of(30)) == (True, y)
    chat.click(chat.view.area_of(30).topLeft() + QPointF(40, 10))
    assert (chat.view.views[30].opened, chat.view.y_of(30)) == (False, y)


async def test_what_was_out_of_sight_for_long_forgets_its_layout(gui: Gui) -> None:
    chat = Chat(gui, mixed(WARM * 2))
    chat.view.scroll_to_start()
    while chat.value < chat.maximum:
        chat.scroll(chat.value + 400)
    assert sum(chat.view.is_exact(item) for item in range(WARM * 2)) <= WARM
    chat.view.scroll_to_start()
    assert chat.view.y_of(0) == 16


async def test_an_answer_grows_at_the_same_cost_below_ten_items_and_thousands(gui: Gui) -> None:
    costs = []
    for count in (10, 4_000):
        streaming = answer("", done=False)
        chat = Chat(gui, [*mixed(count), streaming])
        changed = Changes(changed=(count,))
        for number in range(20):
            streaming.text += f"word {number} " * 4 + "\n" * (number % 9 == 0)
            streaming.revision += 1
            cost = steps(chat.bridge.timeline_changed.emit, changed)
        costs.append(cost + steps(chat.view.viewport().grab))
    assert 0 < costs[1] < 2 * costs[0], costs
