"""Code is painted row by row, keeps every character, and gets its colours a little later."""

from __future__ import annotations

from PySide6.QtGui import QImage, QPainter

from tests.pace import not_hung, steps, turns
from tests.ui.chat.chats import shared, split
from tests.ui.gui import Gui
from workbench.ui.chat.blocks import Shade, Shared, Source, Spot
from workbench.ui.chat.code import INSET_X, INSET_Y, CodeBlock
from workbench.ui.chat.segments import Splitter
from workbench.ui.kit.theme import theme

WIDTH = 400.0


def block_of(text: str, common: Shared | None = None) -> CodeBlock:
    return CodeBlock(split(text)[0], Source(text), common or shared())


def painted(block: CodeBlock, shade: Shade | None = None, *, top: float = 0, y: float = 0) -> QImage:
    image = QImage(int(WIDTH), 300, QImage.Format.Format_RGB32)
    image.fill(theme["base"])
    with QPainter(image) as p:
        block.paint(p, Spot(0, y, WIDTH, top, 300), shade or Shade())
    return image


def colours(image: QImage) -> set[str]:
    return {image.pixelColor(x, y).name() for x in range(12, 380) for y in range(10, 60)}


async def test_its_height_is_its_rows_without_any_layout(gui: Gui) -> None:
    block = block_of("```\n" + "line\n" * 100_000 + "```")
    with not_hung(1):
        assert block.height(WIDTH) == 100_000 * theme.mh + 2 * INSET_Y
    few = block_of("```\n" + "line\n" * 100 + "```")
    assert 0 < steps(painted, block, y=-1_000_000) < 2 * steps(painted, few), "the rows in sight are painted"


async def test_long_lines_go_on_in_the_next_row(gui: Gui) -> None:
    block = block_of("```py\n" + "x" * 1_000_000 + "\n```")
    columns = int((WIDTH - 2 * INSET_X) // theme.metrics("code").horizontalAdvance("x"))
    rows = (block.height(WIDTH) - 2 * INSET_Y) // theme.mh
    assert abs(rows - 1_000_000 // columns) <= 2
    painted(block)


async def test_a_long_line_breaks_between_words_and_its_mark_stays_off_the_outline(gui: Gui) -> None:
    text = "```sh\nmake  # " + "word " * 40 + "\n```"
    block = block_of(text)
    rows = block._lay_out(WIDTH)
    assert rows.count > 2
    assert all(text[rows.row(number).end - 1] == " " for number in range(rows.count - 1))
    image = painted(block)
    middle = INSET_Y + theme.mh
    left = [image.pixelColor(1, y).name() for y in range(middle + 2, middle + theme.mh - 2)]
    assert set(left) == {theme.hex("sunken")}


async def test_every_point_is_a_character_and_back(gui: Gui) -> None:
    text = "```\n\tif x:\n中文 e\u0301 \u202e end\nlast"
    block = block_of(text)
    block.height(WIDTH)
    for offset in (4, 5, 6, text.index("中"), text.index("文"), text.index("end"), text.index("last") + 2):
        y = block.top_of(offset, WIDTH) + 4
        assert offset in {block.offset_at(x / 2, y, WIDTH) for x in range(800)}


async def test_colours_come_after_the_first_paint(gui: Gui) -> None:
    common = shared()
    block = block_of('```python\ndef f():\n    return "====="  # note\n```', common)
    plain = colours(painted(block))
    assert theme.hex("syn_string") not in plain
    await gui.until(lambda: common.colours.idle)
    assert {theme.hex("syn_string"), theme.hex("syn_keyword")} <= colours(painted(block))
    assert block.coloured == block.revision()


async def test_code_that_grows_is_coloured_again_but_not_all_the_time(gui: Gui) -> None:
    common, splitter, source = shared(), Splitter(), Source()
    source.text = "```python\nx = 1\n"
    splitter.grow(source.text)
    block = CodeBlock(splitter.segments[0], source, common)
    revisions = set()
    for number in range(60):
        source.text += f"y{number} = 'text'\n"
        splitter.grow(source.text)
        painted(block)
        await gui.settle()
        revisions.add(block.coloured)
    assert len(revisions) < 30
    await gui.until(lambda: (painted(block), block.coloured == block.revision())[1])
    assert len(block.spans) >= 60


async def test_unknown_languages_and_endless_lines_stay_plain(gui: Gui) -> None:
    common = shared()
    for text in ("```nosuchlanguage\nx\n```", "```python\n" + "x = 1;" * 2_000 + "\n```", "```python\n" + "x = 1\n" * 50_000 + "```"):
        block = block_of(text, common)
        painted(block)
        await gui.until(lambda: common.colours.idle)
        assert not any(block.spans)


async def test_an_open_block_in_a_slow_lexer_never_holds_the_window(gui: Gui) -> None:
    common = shared()
    block = block_of("```python\n" + "def f(a, b):\n    return [a for a in b if a]  # comment\n" * 1_500 + "```", common)
    async with turns() as coming:
        painted(block)
        await gui.until(lambda: common.colours.idle)
    assert block.spans
    assert coming.worst_share < 0.25


async def test_selected_and_found_characters_stand_out(gui: Gui) -> None:
    text = "```\nfind me here\n```"
    block = block_of(text)
    start = text.index("me")
    image = painted(block, Shade((start, start + 2), ((start + 3, start + 7),), None))
    x, y = INSET_X + 6 * theme.metrics("code").horizontalAdvance("x"), INSET_Y + 1
    assert image.pixelColor(round(x), y) == theme["select"]
    assert theme.hex("level2_tint") in colours(image)
    jumped = painted(block, Shade(None, ((start, start + 2),), (start, start + 2)))
    assert theme.hex("accent_fill") in colours(jumped)


async def test_copying_gives_the_code_without_its_fence(gui: Gui) -> None:
    text = "1. x\n\n   ```sh\n   ls \u202e\n     -l\n   ```"
    block = CodeBlock(split(text)[1], Source(text), shared())
    assert block.code() == "ls \u202e\n  -l"
    (target,) = block.targets(WIDTH)
    assert target.action == "copy"
    assert target.area.right() <= WIDTH
