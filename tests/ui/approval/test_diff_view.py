"""The painted difference: layouts, folds, line ends, and texts of any size."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.pace import not_hung, turns
from tests.ui.gui import Gui
from workbench.conversation.calls import Preview
from workbench.ui.approval.diff_view import DiffView
from workbench.ui.kit.theme import theme
from workbench.workspace.line_diff import unified_diff


def view(gui: Gui, preview: Preview, width: int = 1000, height: int = 400) -> DiffView:
    shown = DiffView()
    shown.resize(width, height)
    gui.show(shown)
    shown.show_preview(preview)
    return shown


def layout_of(shown: DiffView) -> str:
    return shown.diff_layout


def compares(shown: DiffView) -> bool:
    return shown.comparing


def measured(shown: DiffView) -> bool:
    return shown.laid_out


def is_whole(shown: DiffView) -> bool:
    return shown.difference.whole


def change(before: str, after: str, name: str = "a.txt") -> Preview:
    return Preview(kind="diff", title=name, before=before, after=after, body=unified_diff(before, after, name))


def lines(count: int, word: str = "line") -> str:
    return "".join(f"{word} {number}\n" for number in range(count))


async def test_sides_stand_beside_each_other_where_there_is_room(gui: Gui) -> None:
    shown = view(gui, change("a\nb\n", "a\nc\n"))
    assert layout_of(shown) == "side"
    shown.choose_layout("unified")
    assert layout_of(shown) == "unified"
    shown.choose_layout(None)
    shown.resize(700, 400)
    await gui.settle()
    assert layout_of(shown) == "unified"
    assert not shown.can_stand_beside
    shown.choose_layout("side")
    assert layout_of(shown) == "unified", "no room for two sides"


async def test_new_file_has_one_side(gui: Gui) -> None:
    shown = view(gui, Preview(kind="new_file", title="a.py", body="one\ntwo\n"), width=2000)
    assert layout_of(shown) == "unified"
    assert not shown.can_stand_beside
    assert shown.plain_text() == "+one\n+two"


async def test_what_was_seen_survives_the_other_layout(gui: Gui) -> None:
    shown = view(gui, change(lines(100, "old"), lines(100, "new")), height=200)
    await gui.until(lambda: shown.seen.count > 5)
    before = shown.seen.count
    shown.choose_layout("unified")
    assert shown.seen.count >= 2 * before
    shown.choose_layout("side")
    assert shown.seen.count >= before
    assert not shown.seen.whole


async def test_end_counts_when_its_last_line_is_in_sight(gui: Gui) -> None:
    shown = view(gui, change(lines(300), lines(150) + "new\n" + lines(300).split("\n", 151)[-1]), height=300)
    await gui.until(lambda: shown.laid_out)
    await gui.settle()
    assert not shown.seen.whole or shown.row_at(299) >= 0
    QTest.keyClick(shown, Qt.Key.Key_End)
    await gui.until(lambda: shown.seen.whole)


async def test_fold_opens_on_a_click_and_on_enter_and_is_never_needed(gui: Gui) -> None:
    before = lines(200)
    shown = view(gui, change(before, before.replace("line 100\n", "changed\n")), height=2000)
    await gui.until(lambda: shown.seen.whole)
    folded = shown.row_count()
    assert shown.seen.count == shown.seen.total == folded - 2
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(200, 14))
    assert shown.row_count() > folded
    assert shown.seen.whole
    opened = shown.row_count()
    QTest.keyClick(shown, Qt.Key.Key_End)
    QTest.keyClick(shown, Qt.Key.Key_Return)
    assert shown.row_count() > opened
    assert shown.row_count() == 200


async def test_changed_line_end_is_painted(gui: Gui) -> None:
    same = gui.picture(view(gui, change("a\nb\n", "a\nb\nc\n")))
    other = gui.picture(view(gui, change("a\nb\n", "a\nb\nc")))
    assert same != other


async def test_hundred_thousand_lines_are_shown_before_they_are_laid_out(gui: Gui) -> None:
    text = lines(100_000, "value =")
    with not_hung(5):
        shown = view(gui, Preview(kind="new_file", title="a.py", body=text))
        gui.picture(shown)
    assert not measured(shown), "it is laid out later, in slices"
    async with turns() as coming:
        await gui.until(lambda: measured(shown))
    assert coming.worst_share < 0.25
    assert shown.seen.total == 100_000
    assert not shown.seen.whole
    with not_hung(1):
        QTest.keyClick(shown, Qt.Key.Key_End)
        gui.picture(shown)
    await gui.until(lambda: shown.seen.whole)
    assert shown.seen.count < 200


async def test_large_texts_are_compared_in_a_thread_and_shown_meanwhile(gui: Gui) -> None:
    before = lines(60_000)
    after = before.replace("line 30000\n", "changed\n").replace("line 59999\n", "end\n")
    shown = view(gui, change(before, after))
    assert compares(shown)
    assert not is_whole(shown)
    assert "+changed" in shown.plain_text()
    await gui.until(lambda: not compares(shown))
    assert is_whole(shown)
    assert (shown.difference.added, shown.difference.removed) == (2, 2)


async def test_only_the_last_comparison_is_shown(gui: Gui) -> None:
    before = lines(30_000)
    shown = view(gui, change(before, before + "first\n"))
    shown.show_preview(change(before, before + "second\n"))
    shown.show_preview(change("a\n", "b\n"))
    await asyncio.to_thread(lambda: None)
    await gui.settle()
    assert shown.plain_text() == "-a\n+b"
    assert not compares(shown)


async def test_view_may_go_while_its_texts_are_compared(gui: Gui) -> None:
    before = lines(30_000)
    shown = DiffView()
    shown.show_preview(change(before, before + "x\n"))
    future = shown._comparison.future
    assert future is not None
    shown.deleteLater()
    await gui.settle()
    await future
    await gui.settle()


async def test_theme_and_font_changes_repaint(gui: Gui) -> None:
    shown = view(gui, change("a\nb\n", "a\nc\n", "a.py"))
    light = gui.picture(shown)
    theme.use("dark")
    await gui.settle()
    dark = gui.picture(shown)
    assert light != dark
    tall = shown.content_height()
    theme.use("dark", "en", 1.5)
    await gui.settle()
    assert shown.content_height() > tall


async def test_code_is_coloured_a_moment_later(gui: Gui) -> None:
    shown = view(gui, Preview(kind="new_file", title="a.py", body="def f():\n    return 'x'\n"))
    await gui.until(lambda: 1 in shown._new_colours.lines)
    tokens = {span.token for span in shown._new_colours.lines[0]}
    assert "syn_keyword" in tokens
