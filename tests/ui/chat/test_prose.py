"""Prose is laid out by a document, unless that would take too long."""

from __future__ import annotations

import pytest

from tests.pace import not_hung
from tests.ui.chat.chats import shared, split
from tests.ui.gui import Gui
from workbench.ui.chat.blocks import Source
from workbench.ui.chat.documents import Look
from workbench.ui.chat.prose import LONGEST, MOST_MARKS, ProseBlock, too_wild

WIDTH = 500.0


def block_of(text: str) -> ProseBlock:
    return ProseBlock(split(text)[0], Source(text), shared(), Look())


@pytest.mark.parametrize(
    "source",
    [
        "x" * 10_001,
        "中" * 10_001,
        "word " * (LONGEST // 5 + 1),
        "`a` " * (MOST_MARKS + 1),
        "|" + "a|" * 500 + "\n|" + "-|" * 500,
        "[a](http://b) " * (MOST_MARKS + 1),
        "*a _b " * 3_000,
    ],
    ids=["run", "wide run", "length", "code", "table", "links", "emphasis"],
)
async def test_what_would_take_too_long_is_shown_as_it_was_sent(gui: Gui, source: str) -> None:
    assert too_wild(source)
    block = block_of(source)
    with not_hung(1):
        assert block.height(WIDTH) > 0
    assert block.written is None


async def test_ordinary_text_is_not_wild(gui: Gui) -> None:
    assert not too_wild("word " * 3_000)
    assert not too_wild("A paragraph with `code`, **bold** and [a link](http://a.example).\n" * 20)


async def test_what_is_wider_than_the_column_and_cannot_be_broken_is_shown_as_it_was_sent(gui: Gui) -> None:
    table = "|" + "|".join("a_rather_long_heading" for _ in range(8)) + "|\n" + "|-" * 8 + "|\n"
    block = block_of(table)
    wide = block.height(2_000)
    assert block.written is not None
    assert block.height(300) > wide / 2
    assert block.seen(0, 5) == "|a_ra" or block.written is not None


async def test_deep_nesting_is_laid_out_or_shown_but_never_hangs(gui: Gui) -> None:
    for source in (">" * 3_000 + " x", "\n".join(" " * (2 * depth) + "- x" for depth in range(100)), "[" * 15_000, "*" * 15_000, "\\" * 9_000):
        with not_hung(1):
            block_of(source).height(WIDTH)


async def test_a_point_is_the_character_that_is_seen_there(gui: Gui) -> None:
    text = "The **pattern** demands two digits; `strptime` itself does not."
    block = block_of(text)
    block.height(WIDTH)
    offset = text.index("demands")
    y = block.top_of(offset, WIDTH) + 5
    found = {block.offset_at(x, y, WIDTH) for x in range(int(WIDTH))}
    assert offset in found
    assert text.index("itself") in found
    assert text.index("**") + 1 not in found


async def test_links_have_a_target_for_each_line_they_stand_on(gui: Gui) -> None:
    block = block_of("See [" + "very long words of a link " * 8 + "](https://a.example) and [nowhere](file:///x).")
    block.height(300)
    targets = block.targets(300)
    leading = [target for target in targets if target.action == "open_link"]
    assert len(leading) > 3
    assert {target.argument for target in leading} == {"https://a.example"}
    assert [target.name for target in targets if not target.action] == ["file:///x"]
    assert all(target.area.width() > 0 and target.area.height() > 8 for target in targets)


async def test_what_stands_inside_an_item_is_indented(gui: Gui) -> None:
    text = "1. Do:\n\n    ```\n    x\n    ```\n\n    Then **this**."
    segments = split(text)
    inside = ProseBlock(segments[-1], Source(text), shared(), Look())
    inside.height(WIDTH)
    assert inside.written is not None
    assert inside.written.document.toPlainText() == "Then this."
    assert inside.end_of_text(WIDTH).x() > 60
