"""The chat shows the timeline of the bridge and keeps it true; signs, cards and time in it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from tests.ui.chat.calls import box, call, question, waiting
from tests.ui.chat.chats import Chat, answer, attempt, mixed, prompt, reasoning, step
from tests.ui.chat.test_waiting_card import Answers
from tests.ui.desks import desk_in, project, said
from tests.ui.gui import Gui
from workbench.conversation.calls import Preview
from workbench.inspection.timeline_items import CallsItem, Changes, NoticeItem, TimelineItem
from workbench.ui.chat.answer import AnswerView
from workbench.ui.chat.calls_view import CallsView
from workbench.ui.chat.chat_view import ChatView
from workbench.ui.chat.notice_view import NoticeView
from workbench.ui.chat.prompt import PromptView
from workbench.ui.chat.reasoning import ReasoningView
from workbench.ui.chat.step_rule import StepView
from workbench.ui.chat.waiting_card import WaitingCard
from workbench.ui.kit.theme import theme
from workbench.words import choose_language

ALL: list[TimelineItem] = [
    prompt("Go"),
    step(1, attempt(1)),
    reasoning("Because"),
    answer("Hi"),
    box(call("read", "ok", "a.py")),
    NoticeItem(item_id="n", kind="notice", text="Told."),
]


def waiting_chat(gui: Gui, *, before: int = 3, danger: int = 1, height: int = 480, body: str = "make docs") -> tuple[Chat, Answers]:
    requested = question("bash", Preview(kind="command", title=body, body=body), "no rule knows it", danger=danger)
    bridge = Answers(requested)
    item = box(waiting(requested))
    chat = Chat(gui, [*mixed(before), item], bridge=bridge, height=height)
    return chat, bridge


def card_of(chat: Chat) -> WaitingCard:
    (card,) = chat.view.overlays.widgets()
    assert isinstance(card, WaitingCard)
    return card


# Items


async def test_every_kind_of_item_has_its_view(gui: Gui) -> None:
    chat = Chat(gui, ALL)
    assert [type(view) for view in chat.view.views] == [PromptView, StepView, ReasoningView, AnswerView, CallsView, NoticeView]
    gui.picture(chat.view)


async def test_changes_keep_every_other_view(gui: Gui) -> None:
    streaming = answer("a", done=False)
    chat = Chat(gui, [*mixed(10), streaming])
    views = list(chat.view.views)
    chat.grow(streaming, "b")
    chat.say(prompt("more"))
    assert chat.view.views[:11] == views
    assert len(chat.view.views) == 12


async def test_items_that_were_taken_away_are_gone(gui: Gui) -> None:
    chat = Chat(gui, mixed(10))
    del chat.items[7:]
    chat.items.append(answer("instead"))
    chat.bridge.timeline_changed.emit(Changes(removed_from=7, appended=1))
    assert [view.item for view in chat.view.views] == chat.items
    chat.items.clear()
    chat.bridge.timeline_changed.emit(Changes(removed_from=0))
    assert chat.view.views == []
    assert chat.maximum == 0


async def test_another_session_is_shown_at_its_end(gui: Gui) -> None:
    chat = Chat(gui, mixed(100))
    chat.view.scroll_to_start()
    chat.view.selecting.select_all()
    chat.bridge.timeline.items = mixed(50)
    chat.bridge.attached.emit()
    assert [view.item for view in chat.view.views] == chat.items
    assert chat.value == chat.maximum
    assert not chat.view.selecting.selection


async def test_a_real_turn_is_shown_as_its_replay(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        assert await desk.open_folder(project(tmp_path))
        view = ChatView(desk.bridge, desk)
        view.resize(640, 480)
        gui.show(view)
        await said(gui, desk, "read README.md")
        live = [(type(each).__name__, each.measure(600)) for each in view.views]
        text = "\n".join(each.plain_text() for each in view.views)
        desk.bridge.attach(desk.bridge.opened)
        assert [(type(each).__name__, each.measure(600)) for each in view.views] == live
        assert "read README.md" in text
        assert {"PromptView", "StepView", "CallsView", "AnswerView"} <= {name for name, _height in live}


async def test_nothing_of_another_session_is_kept(gui: Gui) -> None:
    chat = Chat(gui, [prompt("First"), answer("words\n\n" * 5), prompt("Second"), answer("**words**")])
    documents = chat.view._shared.documents
    assert len(documents) > 3
    blocks = list(documents._owners)
    chat.bridge.attach(None)
    assert len(documents) == 0
    assert all(block.written is None for block in blocks)


# The line of the prompt, and the way to the end


async def test_the_prompt_stays_as_a_line_when_it_has_scrolled_away(gui: Gui) -> None:
    chat = Chat(gui, [prompt("First `prompt`\nof two lines"), answer("word " * 2_000), prompt("Second"), answer("word " * 2_000)])
    chat.view.scroll_to_start()
    assert not chat.view.sticky.isVisible()
    chat.scroll(600)
    assert chat.view.sticky.isVisible()
    assert chat.view.sticky.accessibleName() == "Back to the prompt: First prompt of two lines"
    chat.view.scroll_to_end()
    assert chat.view.sticky.accessibleName() == "Back to the prompt: Second"
    chat.view.sticky.click()
    assert chat.view.y_of(2) == 16
    assert not chat.view.sticky.isVisible()


async def test_the_way_to_the_end_is_offered_only_when_something_is_new(gui: Gui) -> None:
    chat = Chat(gui, mixed(60))
    chat.scroll(chat.maximum - 400)
    assert not chat.view.end_button.isVisible()
    chat.say(answer("New words"))
    assert chat.view.end_button.isVisible()
    await gui.click("Jump to the end")
    assert chat.value == chat.maximum
    assert not chat.view.end_button.isVisible()


# Time


async def test_time_passes_only_while_something_in_sight_moves(gui: Gui) -> None:
    streaming = answer("a", done=False)
    chat = Chat(gui, [*mixed(60), streaming])
    moved = [chat.view.is_moving]
    chat.view.scroll_to_start()
    moved.append(chat.view.is_moving)
    chat.view.scroll_to_end()
    moved.append(chat.view.is_moving)
    streaming.done = True
    chat.grow(streaming, ".")
    moved.append(chat.view.is_moving)
    assert moved == [True, False, True, False]


async def test_the_caret_blinks_unless_everything_holds_still(gui: Gui) -> None:
    chat = Chat(gui, [answer("a", done=False)])
    fill = theme["accent_fill"].rgb()

    def caret() -> bool:
        image = gui.picture(chat.view)
        area = chat.view.area_of(0).toRect()
        return any(image.pixel(x, area.center().y()) == fill for x in range(area.left(), area.left() + 60))

    assert caret()
    await gui.until(lambda: not caret())
    still = Chat(gui, [answer("a", done=False)], hold_still=True)
    await gui.settle()
    assert still.view.turn == 0


# Waiting cards


async def test_the_card_of_a_waiting_call_stands_in_its_place(gui: Gui) -> None:
    chat, _bridge = waiting_chat(gui)
    card = card_of(chat)
    area = chat.view.area_of(3)
    assert card.isVisible()
    assert area.contains(QPointF(card.geometry().center()))
    chat.say(answer("more " * 60))
    for _ in range(6):
        chat.scroll(chat.value - 10)
        assert card.isVisible()
        assert card.y() == chat.view.area_of(3).y()


async def test_a_card_out_of_sight_is_ended_and_comes_back_with_its_guard(gui: Gui) -> None:
    chat, _bridge = waiting_chat(gui, before=40)
    await gui.until(lambda: card_of(chat).ready)
    chat.view.scroll_to_start()
    await gui.settle()
    assert chat.view.overlays.widgets() == ()
    chat.view.scroll_to_end()
    assert not card_of(chat).ready


async def test_alt_y_allows_a_card_that_is_wholly_in_sight(gui: Gui) -> None:
    chat, bridge = waiting_chat(gui)
    card = card_of(chat)
    assert not chat.view.allow_waiting()
    await gui.until(lambda: card.ready)
    assert chat.view.allow_waiting()
    assert [answer for _id, answer in bridge.given] == ["approve"]


async def test_alt_y_pressed_twice_allows_only_the_card_that_was_in_front(gui: Gui) -> None:
    first, second = (question("bash", Preview(kind="command", title=body, body=body), "no rule knows it") for body in ("make docs", "rm -r build"))
    bridge = Answers(first, second)
    chat = Chat(gui, [*mixed(3), box(waiting(first), waiting(second))], bridge=bridge, height=700)
    bridge.pending_changed.emit()
    chat.view.scroll_to_end()
    await gui.until(lambda: len(chat.view._cards()) == 2 and all(card.can_allow_here() for card in chat.view._cards()))
    assert chat.view.allow_waiting()
    assert not chat.view.allow_waiting(), "it was meant for the first, or not at all"
    assert bridge.given == [(first.approval_id, "approve")]
    await gui.until(chat.view.allow_waiting)
    assert [answered for answered, _answer in bridge.given] == [first.approval_id, second.approval_id]


async def test_alt_y_does_nothing_while_the_card_is_covered_or_cut(gui: Gui) -> None:
    chat, bridge = waiting_chat(gui, before=40)
    await gui.until(lambda: card_of(chat).ready)
    chat.scroll(chat.maximum - 30)
    assert not chat.view.allow_waiting()
    chat.view.scroll_to_end()
    chat.view.show_find()
    chat.view.resize(640, 190)
    await gui.settle()
    chat.view.scroll_to_end()
    assert chat.view.find_bar.geometry().intersects(card_of(chat).geometry())
    assert not chat.view.allow_waiting()
    assert bridge.given == []


async def test_alt_y_leaves_level_four_and_long_commands_to_the_dialog(gui: Gui) -> None:
    for danger, body in ((4, "git push --force"), (1, "\n".join(f"echo {number}" for number in range(60)))):
        chat, bridge = waiting_chat(gui, danger=danger, body=body, height=700)
        card = card_of(chat)
        await gui.until(lambda card=card: card.ready)  # type: ignore[misc]
        assert not chat.view.allow_waiting()
        assert bridge.given == []


async def test_a_card_asks_for_the_dialog_through_the_chat(gui: Gui) -> None:
    chat, bridge = waiting_chat(gui)
    card = card_of(chat)
    await gui.until(lambda: card.ready)
    card.review_button.click()
    assert chat.done == [("review", bridge.open[0].approval_id)]


async def test_the_card_ends_with_its_question(gui: Gui) -> None:
    chat, bridge = waiting_chat(gui)
    card = card_of(chat)
    item = chat.items[3]
    assert isinstance(item, CallsItem)
    bridge.open.clear()
    item.calls[0].approval = None
    item.calls[0].state = "ok"
    item.revision += 1
    chat.bridge.timeline_changed.emit(Changes(changed=(3,)))
    assert not card.isVisible()
    assert QApplication.focusWidget() is not card
    gui.picture(chat.view)


# Languages


async def test_chinese_fits(gui: Gui) -> None:
    choose_language("zh_CN")
    theme.use("light", "zh_CN")
    chat = Chat(gui, [prompt("CSV 导入拒绝 `2026-3-9` 这样的日期。"), step(1, attempt(1)), answer("正则要求两位数字，**而** `strptime` 并不要求。")], width=330)
    gui.picture(chat.view)
    assert all(chat.view.height_of(item) > 10 for item in range(3))
