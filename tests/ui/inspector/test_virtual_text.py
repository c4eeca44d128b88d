"""The painted text: selecting, copying, finding, wrapping, keys, and 50 MB."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.pace import not_hung
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.inspector.text_lines import TextLines
from workbench.ui.inspector.text_painter import PAD
from workbench.ui.inspector.virtual_text import VirtualText
from workbench.ui.kit.theme import theme

LINES = [f"line {n} of some words" for n in range(200)]


def shown(gui: Gui, text: str | bytes, *, wrap: bool = True, width: int = 400, height: int = 240, language: str = "") -> VirtualText:
    view = VirtualText("Text", language=language, wrap=wrap)
    view.set_text(text)
    view.resize(width, height)
    return gui.show(view)


def point(view: VirtualText, row: int, column: int) -> QPoint:
    """Return the middle of a cell's left edge."""
    return QPoint(round(view._text_x() + column * view._metrics.cell) + 1, PAD + row * view._metrics.row + view._metrics.row // 2)


def drawn(view: VirtualText, row: int) -> QImage:
    """Return what is painted of a row, without its number."""
    image = view.viewport().grab().toImage()
    return image.copy(view._text_x(), PAD + row * view._metrics.row, image.width() - view._text_x(), view._metrics.row)


async def test_text_is_selected_by_dragging_and_copied(gui: Gui) -> None:
    view = shown(gui, "\n".join(LINES))
    QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 1, 5))
    QTest.mouseMove(view.viewport(), point(view, 3, 4))
    view._drag_to(QPointF(point(view, 3, 4)))
    QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 3, 4))
    assert view.selected_text() == "1 of some words\nline 2 of some words\nline"
    gui.keys(view, "Ctrl+C")
    assert QApplication.clipboard().text() == view.selected_text()


async def test_everything_can_be_chosen_and_copied_as_it_is(gui: Gui) -> None:
    view = shown(gui, "a\tb\r\n中\u202e\n")
    gui.keys(view, "Ctrl+A")
    gui.keys(view, "Ctrl+C")
    assert QApplication.clipboard().text() == "a\tb\r\n中\u202e\n"


async def test_double_click_chooses_a_word(gui: Gui) -> None:
    view = shown(gui, '{"call_abc-1": 2}')
    activated: list[int] = []
    view.activated.connect(activated.append)
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point(view, 0, 5))
    assert view.selected_text() == "call_abc-1"
    assert activated == [5]


async def test_keys_move_and_extend(gui: Gui) -> None:
    view = shown(gui, "\n".join(LINES))
    gui.keys(view, "Down")
    gui.keys(view, "Shift+End")
    assert view.selected_text() == LINES[1]
    gui.keys(view, "Ctrl+End")
    assert view.selection() == (len(view.lines.data),) * 2
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    gui.keys(view, "Home")
    gui.keys(view, "Shift+Right")
    assert view.selected_text() == "l"
    gui.keys(view, "Ctrl+Home")
    gui.keys(view, "PgDown")
    assert view.lines.line_at(view.selection()[0]) == view.verticalScrollBar().pageStep() - 1
    gui.keys(view, "PgUp")
    gui.keys(view, "Up")
    assert view.selection() == (0, 0)


async def test_column_is_kept_over_rows_as_far_as_there_are_cells(gui: Gui) -> None:
    view = shown(gui, "abcdef\nab\nabcdef")
    view.select(5, 5)
    gui.keys(view, "Down")
    assert view.selection() == (9, 9)
    gui.keys(view, "Up")
    assert view.selection() == (2, 2)


async def test_words_are_found_counted_and_gone_through(gui: Gui) -> None:
    view = shown(gui, "\n".join(LINES))
    told: list[tuple[int, int]] = []
    view.matches_changed.connect(lambda n, count: told.append((n, count)))
    view.search("LINE 1 ")
    await gui.until(lambda: told[-1] == (0, 0))
    view.search("of some")
    await gui.until(lambda: told[-1] == (1, 200))
    view.search_next()
    assert view.selected_text() == "of some"
    assert told[-1] == (2, 200)
    view.search_previous()
    view.search_previous()
    assert told[-1] == (200, 200)
    assert view.lines.line_at(view.selection()[0]) == 199
    view.search("")
    assert told[-1] == (0, 0)


async def test_match_far_to_the_right_comes_into_sight(gui: Gui) -> None:
    view = shown(gui, "x" * 1_000_000 + "needle" + "y" * 100, wrap=False)
    view.search("needle")
    left = view.horizontalScrollBar().value()
    assert left <= 1_000_000 < left + view._columns()


async def test_long_lines_wrap_and_the_line_at_the_top_stays(gui: Gui) -> None:
    view = shown(gui, "\n".join("word " * 100 for _ in range(50)))
    assert view.wrapped
    view.scroll_to_line(20)
    view.set_wrap(False)
    assert view.verticalScrollBar().value() == 20
    assert view.horizontalScrollBar().maximum() > 0
    view.set_wrap(True)
    assert view._rows.place_of(view.verticalScrollBar().value()) == (20, 0)
    assert view.horizontalScrollBar().maximum() == 0
    view.resize(700, 240)
    await gui.settle()
    assert view._rows.place_of(view.verticalScrollBar().value()) == (20, 0)


async def test_row_shows_what_its_bytes_are(gui: Gui) -> None:
    """The picture of a wrapped row is that of the same text alone; a mark stands for what is hidden."""
    columns = shown(gui, "x", width=400)._columns()
    whole = shown(gui, "abc " * 60)
    for row in (0, 1, 2):
        alone = shown(gui, ("abc " * 60)[row * columns : (row + 1) * columns])
        assert drawn(whole, row) == drawn(alone, 0)
    assert drawn(shown(gui, "a\u202eb"), 0) != drawn(shown(gui, "ab"), 0)
    assert drawn(shown(gui, b"a\xffb"), 0) != drawn(shown(gui, "a\ufffdb"), 0)


@pytest.mark.parametrize("name", ["light", "dark"])
async def test_colours_follow_the_theme(gui: Gui, name: str) -> None:
    theme.use(name)
    view = shown(gui, '{"key": "text", "n": 1}', language="json")
    image = view.viewport().grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(0, 300, 1) for y in range(PAD, PAD + 18)}
    for token in ("syn_name", "syn_string", "syn_number"):
        assert theme[token].name() in colours
    other = "dark" if name == "light" else "light"
    theme.use(other)
    await gui.settle()
    assert view.viewport().grab().toImage().pixelColor(5, 5).name() == theme["base"].name()


async def test_marks_wash_whole_lines(gui: Gui) -> None:
    view = VirtualText("Text")
    view.set_lines(["a", "b", "c"], {1: "add_tint"})
    view.resize(300, 120)
    gui.show(view)
    image = view.viewport().grab().toImage()
    height = view._metrics.row
    colours = [image.pixelColor(290, PAD + row * height + height // 2).name() for row in range(3)]
    assert colours == [theme["base"].name(), theme["add_tint"].name(), theme["base"].name()]


async def test_code_gets_its_colours_when_nothing_else_is_to_do(gui: Gui) -> None:
    view = shown(gui, "def f():\n    return 1\n" * 50, language="python")
    await gui.until(lambda: not view._working.isActive())
    image = view.viewport().grab().toImage()
    assert theme["syn_keyword"].name() in {image.pixelColor(x, y).name() for x in range(48, 80) for y in range(PAD, PAD + 18)}


async def test_ten_megabytes_are_scrolled_and_searched_without_a_halt(gui: Gui) -> None:
    record = b'{"role":"user","content":"' + "line of text 中文 \\n ".encode() * 40 + b'"},'
    lines = TextLines(b"[" + record * (10_000_000 // len(record)))
    view = shown(gui, b"", width=900, height=800, language="json")
    with not_hung(4):
        view.show_lines(lines)
        for part in range(20):
            view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() * part // 19)
            view.viewport().grab()
        view.set_wrap(False)
        for part in range(20):
            view.horizontalScrollBar().setValue(view.horizontalScrollBar().maximum() * part // 19)
            view.viewport().grab()
        view.search("role")
    view.show_lines(TextLines())


async def test_screen_reader_hears_what_is_in_sight_and_where_the_keyboard_is(gui: Gui) -> None:
    view = shown(gui, "first\nsecond\u202e\n" + "x\n" * 100)
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface is not None
    assert interface.text(QAccessible.Text.Name) == "Text"
    assert interface.text(QAccessible.Text.Value).startswith("first\nsecond⟨U+202E⟩\nx\n")
    assert interface.text(QAccessible.Text.Value).count("\n") < 30
    assert interface.state().readOnly
    gui.keys(view, "Down")
    assert view.caret_line() == "second⟨U+202E⟩"
    assert_plain(view)


async def test_views_come_and_go(gui: Gui) -> None:
    for _ in range(30):
        view = shown(gui, "x\n" * 10)
        assert QAccessible.queryAccessibleInterface(view) is not None
        gui.close_all()


async def test_empty_text_can_be_handled(gui: Gui) -> None:
    view = shown(gui, b"")
    for keys in ("Down", "Up", "Ctrl+End", "PgDown", "Ctrl+A", "Ctrl+C", "F3", "Shift+F3", "Return"):
        gui.keys(view, keys)
    view.search("x")
    view.scroll_to_line(5)
    assert (view.selected_text(), view.plain_text(), view.text_in_sight()) == ("", "", "")
