"""Prompts, answers, reasoning and steps as single items: what they say, how high they are, what they offer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from tests.ui.chat.chats import NOON, answer, attempt, prompt, reasoning, shared, step
from tests.ui.gui import Gui
from workbench.conversation.messages import ImagePart, Message, Usage
from workbench.inspection.timeline_items import PromptItem
from workbench.ui.chat.answer import AnswerView
from workbench.ui.chat.figures import clock_text, tokens_text
from workbench.ui.chat.item_view import ItemView, Place
from workbench.ui.chat.prompt import PromptView
from workbench.ui.chat.reasoning import ReasoningView
from workbench.ui.chat.step_rule import StepView
from workbench.ui.kit.theme import theme

WIDTH = 580.0


def painted(view: ItemView, *, width: float = WIDTH, pointer: QPointF | None = None, selection: tuple[int, int] | None = None) -> QImage:
    image = QImage(int(width), max(1, view.measure(width)), QImage.Format.Format_RGB32)
    image.fill(theme["base"])
    with QPainter(image) as p:
        view.paint(p, Place(x=0, y=0, width=width, top=0, bottom=image.height(), pointer=pointer, selection=selection, now=NOON + 7))
    return image


def inked(image: QImage, area: QRectF) -> bool:
    ground = image.pixel(round(area.right()) - 1, round(area.top()))
    return any(image.pixel(x, y) != ground for x in range(round(area.left()), round(area.right())) for y in range(round(area.top()), round(area.bottom())))


# Prompts


async def test_a_prompt_is_shown_as_it_was_written(gui: Gui) -> None:
    written = "# not a heading\n- not a list\n\n<b>x</b> and `code`"
    view = PromptView(prompt(written), shared())
    view.measure(WIDTH)
    assert view.plain_text() == written
    assert view.selected_text(2, 15) == "not a heading"
    assert view.accessible_name().startswith("You: # not a heading - not a list")


async def test_lines_of_a_prompt_stay_lines(gui: Gui) -> None:
    one, three = (PromptView(prompt(words), shared()).measure(WIDTH) for words in ("a b c", "a\nb\nc"))
    blank = PromptView(prompt("a\n\nb"), shared()).measure(WIDTH)
    assert three - one > 2 * theme.lh
    assert blank > one + theme.lh


async def test_files_of_a_prompt_are_named_and_counted_when_they_do_not_fit(gui: Gui) -> None:
    view = PromptView(prompt("Look", "src/a.py", "src/b.py"), shared())
    assert view.measure(WIDTH) == PromptView(prompt("Look"), shared()).measure(WIDTH) + theme.lh + 10
    assert view.accessible_name() == "You: Look (src/a.py, src/b.py)"
    many = PromptView(prompt("Look", *(f"some/long/folder/file_{number}.py" for number in range(40))), shared())
    painted(many, width=300)
    alone = PromptItem(item_id="x", message=Message(message_id="m", role="user", parts=(ImagePart(media_type="image/png", data="AA=="),)), at=NOON)
    assert PromptView(alone, shared()).measure(WIDTH) >= theme.lh + 20
    assert PromptView(alone, shared()).first_line() == "image/png"


async def test_a_prompt_can_be_copied(gui: Gui) -> None:
    view = PromptView(prompt("Copy *me*"), shared())
    view.measure(WIDTH)
    (target,) = [target for target in view.targets(WIDTH) if target.action == "copy"]
    assert view.copied_by(target.argument) == "Copy *me*"
    assert not inked(painted(view), target.area.adjusted(4, 6, -4, -6))
    assert inked(painted(view, pointer=QPointF(5, 5)), target.area.adjusted(2, 2, -2, -2))


async def test_the_first_line_of_a_prompt_is_one_line_without_tricks(gui: Gui) -> None:
    assert PromptView(prompt("One\n\n`two` \u202e three"), shared()).first_line() == "One two ⟨U+202E⟩ three"


# Answers


async def test_an_answer_that_has_not_begun_takes_no_room(gui: Gui) -> None:
    for text in ("", " \n\n "):
        view = AnswerView(answer(text, done=False), shared())
        assert view.measure(WIDTH) == view.estimate(WIDTH) == 0


async def test_an_answer_that_broke_off_says_so(gui: Gui) -> None:
    whole, cut = AnswerView(answer("Words"), shared()), AnswerView(answer("Words", cut=True), shared())
    assert cut.measure(WIDTH) > whole.measure(WIDTH)
    assert inked(painted(cut), QRectF(18, cut.measure(WIDTH) - theme.lh, 200, theme.lh))


@pytest.mark.parametrize("text", ["One word", "para " * 200, "a\n\nb\n\nc", "```\n" + "x\n" * 40 + "```", "- item\n" * 30, "中文" * 300])
async def test_estimates_are_near(gui: Gui, text: str) -> None:
    view = AnswerView(answer(text), shared())
    assert view.measure(WIDTH) / 2.2 < view.estimate(WIDTH) < view.measure(WIDTH) * 2.2


async def test_a_caret_stands_after_the_last_word(gui: Gui) -> None:
    for text in ("Words", "```py\nx = 1", "- item\n- more", "|a|b|\n|-|-|\n|1|2|", "word " * 9_000):
        image = painted(AnswerView(answer(text, done=False), shared()))
        fill = theme["accent_fill"].rgb()
        assert any(image.pixel(x, y) == fill for x in range(image.width()) for y in range(max(0, image.height() - 40), image.height())), text[:20]
        done = painted(AnswerView(answer(text), shared()))
        assert not any(done.pixel(x, y) == fill for x in range(done.width()) for y in range(max(0, done.height() - 40), done.height()))


# Reasoning


async def test_reasoning_is_one_line_until_it_is_opened(gui: Gui) -> None:
    view = ReasoningView(reasoning("Because **this** is so.\n\nAnd that."), shared())
    assert view.measure(WIDTH) == theme.row
    assert view.accessible_name() == "Thought for 3.1 s, 186 tokens"
    assert view.selected_text(0, 99) == "(Thought for 3.1 s, 186 tokens)"
    view.toggle("")
    assert view.measure(WIDTH) > 2 * theme.row
    assert view.selected_text(0, 99) == "Because **this** is so.\n\nAnd that."
    painted(view)


async def test_reasoning_that_cannot_be_read_cannot_be_opened(gui: Gui) -> None:
    view = ReasoningView(reasoning("", duration_s=None, tokens=None), shared())
    assert view.accessible_name() == "Thought"
    assert view.targets(WIDTH) == ()
    painted(view)


async def test_reasoning_shows_its_last_line_while_it_arrives(gui: Gui) -> None:
    item = reasoning("First\nnow \u202e this", done=False, duration_s=None, tokens=None)
    view = ReasoningView(item, shared())
    first = painted(view)
    item.text += " and more words of it"
    assert painted(view) != first
    assert view.accessible_name() == "Thinking"


async def test_finding_inside_reasoning_opens_it_once(gui: Gui) -> None:
    view = ReasoningView(reasoning("a needle"), shared())
    assert view.reveal(2)
    assert not view.reveal(2)


# Steps


async def test_a_step_names_its_requests_and_what_they_cost(gui: Gui) -> None:
    usage = Usage(input_tokens=13_312, cached_tokens=10_200, output_tokens=391)
    view = StepView(step(2, attempt(3), usage=usage))
    assert view.plain_text() == "Step 2 · #3 200 · 3.1 s · 13.3k in, 10.2k cached · 391 out"
    assert view.exchange_id == "x3"
    assert StepView(step(1)).plain_text() == "Step 1"


async def test_each_try_of_a_step_opens_its_own_request(gui: Gui) -> None:
    view = StepView(step(2, attempt(3, 429, failure="rate_limit"), attempt(4)))
    assert view.plain_text() == "Step 2 · #3 429, #4 200 · 3.1 s"
    targets = view.targets(WIDTH)
    assert [(target.action, target.argument) for target in targets] == [("show_request", "x3"), ("show_request", "x4")]
    assert targets[0].area.right() < targets[1].area.left() + 8
    painted(view, pointer=targets[0].area.center())


async def test_a_request_that_got_no_response_says_so(gui: Gui) -> None:
    assert StepView(step(1, attempt(1, None, failure="unreachable", duration_s=None))).plain_text() == "Step 1 · #1 no response"
    assert StepView(step(1, attempt(1, None, failure="stopped", duration_s=2))).plain_text() == "Step 1 · #1 stopped · 2.0 s"


async def test_a_running_request_counts_seconds(gui: Gui) -> None:
    view = StepView(step(1, attempt(1, closed=False)))
    assert view.moves()
    painted(view)
    assert view.plain_text() == "Step 1 · #1 00:07"
    assert not StepView(step(1, attempt(1))).moves()


async def test_a_narrow_step_leaves_the_last_facts_out_and_keeps_the_numbers(gui: Gui) -> None:
    usage = Usage(input_tokens=13_312, cached_tokens=10_200, output_tokens=391)
    view = StepView(step(2, attempt(3, 429, failure="rate_limit"), attempt(4), usage=usage))
    for width in (330.0, 250.0, 180.0):
        assert [target.argument for target in view.targets(width)] == ["x3", "x4"], width
        assert all(target.area.left() > 0 and target.area.right() <= width + 4 for target in view.targets(width))
        painted(view, width=width)


# Figures


def test_figures_are_short() -> None:
    assert [tokens_text(count) for count in (0, 391, 999, 1_000, 13_312, 999_949, 999_950, 2_500_000)] == [
        *("0", "391", "999", "1.0k", "13.3k", "999.9k", "1.0M", "2.5M"),
    ]


def test_a_time_has_its_day_unless_it_is_today() -> None:
    assert len(clock_text(NOON, NOON + 60)) == 5
    assert clock_text(NOON, NOON + 86_400).startswith("yesterday ")
