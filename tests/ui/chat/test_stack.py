"""A text as blocks: it grows at its end, and a very long one is laid out only where it is seen."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from tests.ui.chat.chats import shared
from tests.ui.gui import Gui
from workbench.ui.chat.blocks import Shade, Spot
from workbench.ui.chat.documents import Look
from workbench.ui.chat.stack import AT_ONCE, Stack

WIDTH = 500.0
PIECES = ["**a**", "`b`", "\n\n", "\n", "- ", "```\n", "# ", "word ", "> ", "中", "\u202e", "\0", "\r\n", "|x|y|\n|-|-|\n"]
TEXT = "Some **bold** words.\n\n## Head\n\n- one\n- two\n\n```py\nx = 1\ny = 2\n```\n\nThe *end* of it."


def stack_of(text: str) -> Stack:
    stack = Stack(shared(), Look())
    stack.show(text)
    return stack


async def test_growing_gives_what_the_whole_gives(gui: Gui) -> None:
    growing = Stack(shared(), Look())
    for end in range(1, len(TEXT) + 1, 3):
        growing.show(TEXT[:end])
        assert growing.measure(WIDTH) == stack_of(TEXT[:end]).measure(WIDTH), TEXT[:end]


async def test_another_text_replaces_the_one_before(gui: Gui) -> None:
    stack = stack_of(TEXT)
    stack.measure(WIDTH)
    stack.show("Other words that are not a continuation of it, and longer than those before were." * 3)
    assert stack.measure(WIDTH) == stack_of(stack.text).measure(WIDTH)
    stack.show("short")
    assert stack.measure(WIDTH) == stack_of("short").measure(WIDTH)


async def test_copying_inside_a_block_gives_what_is_seen(gui: Gui) -> None:
    stack = stack_of(TEXT)
    start = TEXT.index("bold")
    assert stack.seen(start, start + 4) == "bold"
    assert stack.seen(2, TEXT.index("words") + 5) == "me bold words"
    assert stack.seen(TEXT.index("x = 1"), TEXT.index("y = 2") + 3) == "x = 1\ny ="


async def test_copying_whole_blocks_gives_markdown(gui: Gui) -> None:
    stack = stack_of(TEXT)
    assert stack.seen(0, len(TEXT)) == TEXT
    assert stack.seen(0, TEXT.index("\n\n- one")) == "Some **bold** words.\n\n## Head"
    assert stack.seen(TEXT.index("words"), TEXT.index("```py") - 1) == "words.\n\n## Head\n\n- one\n- two\n"
    assert stack.seen(TEXT.index("## Head"), TEXT.index("end")) == "## Head\n\n- one\n- two\n\n```py\nx = 1\ny = 2\n```\n\nThe "


async def test_a_text_of_many_blocks_lays_out_only_what_is_seen(gui: Gui) -> None:
    text = "\n\n".join(f"Paragraph {number} of **many**." for number in range(20_000))
    stack = stack_of(text)
    guess = stack.settle(WIDTH, 0, 500)
    assert len(stack._blocks) - len(stack._inexact) < 50
    assert guess > 20_000 * 10
    top = stack.top_of(text.index("Paragraph 15000"), WIDTH)
    stack.settle(WIDTH, top, top + 500)
    steady = stack.steady_at(WIDTH, top, top + 500)
    assert abs(steady - text.index("Paragraph 15000")) < 3_000


async def test_growing_a_text_of_many_blocks_costs_its_end_alone(gui: Gui) -> None:
    text = "\n\n".join(f"Paragraph {number}." for number in range(5_000))
    stack = stack_of(text)
    stack.settle(WIDTH, 0, 500)
    before = list(stack._blocks)
    for number in range(50):
        text += f" word {number}"
        stack.show(text)
        stack.measure(WIDTH)
    assert stack._blocks[:-1] == before[:-1], "none of them is made anew"
    assert len(stack._blocks) - len(stack._inexact) < 50, "and none laid out that is not seen"


async def test_a_few_blocks_are_exact_at_once(gui: Gui) -> None:
    stack = stack_of("\n\n".join("word " * (number % 50) + "." for number in range(AT_ONCE)))
    assert stack.measure(WIDTH) == stack.settle(WIDTH, 0, 100_000)


async def test_painting_paints_what_is_in_sight(gui: Gui) -> None:
    stack = stack_of(TEXT)
    image = QImage(520, 400, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    with QPainter(image) as p:
        stack.paint(p, Spot(0, 0, WIDTH, 0, 400), Shade())
    inked = [y for y in range(400) if any(image.pixelColor(x, y).lightness() < 100 for x in range(0, 500, 2))]
    assert inked
    assert max(inked) <= stack.measure(WIDTH)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_any_text_has_places_that_fit_together(window_app: QApplication, pieces: list[str]) -> None:
    text = "".join(pieces)
    stack = stack_of(text)
    height = stack.measure(WIDTH)
    for y in range(0, height, 9):
        for x in (0, 60, 300):
            offset = stack.offset_at(x, y, WIDTH)
            assert 0 <= offset <= len(text)
            assert 0 <= stack.top_of(offset, WIDTH) <= height
    stack.seen(0, len(text) // 2)


async def test_end_of_a_table_that_grows_is_after_its_last_words(gui: Gui) -> None:
    head = "| what | how |\n|---|---|\n| one | two words |\n"
    two_words, fo = (stack_of(head + row) for row in ("", "| three | fo"))
    for stack in (two_words, fo):
        stack.measure(WIDTH)
    assert fo.end_of_text(WIDTH).x() < two_words.end_of_text(WIDTH).x() - 20
    assert fo.end_of_text(WIDTH).y() > two_words.end_of_text(WIDTH).y() + 20
