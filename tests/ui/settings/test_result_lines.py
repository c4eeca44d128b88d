"""Lines from outside are shown letter by letter, one thing a line, with the other side's own words in a block."""

from __future__ import annotations

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.labels import Label
from workbench.ui.settings.result_lines import Block, ResultLine, ResultLines

FINE = ResultLine("ok", "The address answers", "HTTP 200 · 0.1 s", "not shown")
BAD = ResultLine("failed", "<b>evil</b>\u202egpj", "HTTP 500", "line one\n<i>two</i>\u200b")


def words(widget: ResultLines) -> list[str]:
    return [label.text() for label in widget.findChildren(Label)]


async def test_foreign_text_is_plain_and_hidden_characters_can_be_seen(gui: Gui) -> None:
    widget = gui.show(ResultLines("Results"))
    widget.show_lines((FINE, BAD))
    assert words(widget) == ["The address answers", "HTTP 200 · 0.1 s", "<b>evil</b>⟨U+202E⟩gpj", "HTTP 500"]
    (block,) = widget.findChildren(Block)
    assert block.toPlainText() == "line one\n<i>two</i>⟨U+200B⟩"
    assert block.isReadOnly()
    assert_plain(widget)


async def test_lines_that_stay_are_the_same_widgets(gui: Gui) -> None:
    widget = gui.show(ResultLines("Results"))
    widget.show_lines((FINE,))
    first = widget.findChildren(Label)[0]
    widget.show_lines((FINE, BAD))
    assert widget.findChildren(Label)[0] is first
    assert "failed, <b>evil" in widget.accessibleDescription()
    widget.show_lines(())
    assert not widget.isVisible()


async def test_a_long_block_is_no_higher_than_six_lines(gui: Gui) -> None:
    short, long = gui.show(Block("x")), gui.show(Block("x" * 10_000))
    assert short.height() < long.height() < 8 * short.height()
