"""Tables and trees of cells: selection by key and pointer, the look with and without the keyboard, any model."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QToolTip
from typing_extensions import override

from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.ui.kit.buttons import Button
from workbench.ui.kit.cells import CELL, Cell, CellTable, CellTree, Row, Table, Tree, cell_words, make_model
from workbench.ui.kit.layout import column
from workbench.ui.kit.paint import Run
from workbench.ui.kit.theme import theme

ROWS = [[Cell(f"row {n}"), Cell(str(n), align="right")] for n in range(5)]


class Squares(QAbstractTableModel):
    """A model of somebody else's, with a million rows."""

    @override
    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 0 if parent.isValid() else 1_000_000

    @override
    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:
        return 1

    @override
    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        return Cell(str(index.row() ** 2), mono=True) if role == CELL else None


def ground(gui: Gui, view: QAbstractItemView, index: QModelIndex) -> tuple[str, str]:
    """Return the colours of the bar and of the ground of a row."""
    image = gui.picture(view.viewport())
    middle = view.visualRect(index).center().y()
    return image.pixelColor(0, middle).name(), image.pixelColor(4, middle).name()


@pytest.fixture
def table(gui: Gui) -> Table:
    table = Table(["Name", "Size"], ROWS, [120, 60], rights=(1,), stretch=0, selected=1, name="Files")
    gui.show(column(Button("Elsewhere"), table)).activateWindow()
    return table


async def test_arrows_move_the_choice(gui: Gui, table: Table) -> None:
    table.setFocus()
    await gui.until(table.hasFocus)
    for key, row in (("Down", 2), ("Down", 3), ("Up", 2), ("End", 2)):
        gui.keys(table, key)
        assert table.currentIndex().row() == row
    assert [index.row() for index in table.selectionModel().selectedRows()] == [2]
    gui.keys(table, "Tab")
    await gui.until(gui.find("Elsewhere").hasFocus)


async def test_the_chosen_row_shows_who_has_the_keyboard(gui: Gui, table: Table) -> None:
    index = table.rows_model.index(1, 0)
    table.setFocus()
    await gui.until(table.hasFocus)
    assert ground(gui, table, index) == (theme.hex("accent_fill"), theme.hex("select"))
    gui.find("Elsewhere").setFocus()
    await gui.until(gui.find("Elsewhere").hasFocus)
    assert ground(gui, table, index) == (theme.hex("select_idle"), theme.hex("select_idle"))
    assert ground(gui, table, table.rows_model.index(2, 0)) == (theme.hex("base"), theme.hex("base"))


def test_a_click_chooses_the_whole_row(gui: Gui, table: Table) -> None:
    place = table.visualRect(table.rows_model.index(3, 1)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert {index.row() for index in table.selectedIndexes()} == {3}
    assert len(table.selectedIndexes()) == 2


async def test_rows_are_as_high_as_the_theme_says(gui: Gui, table: Table) -> None:
    assert table.rowHeight(0) == theme.row
    theme.use("light", "en", 2.0)
    await gui.settle()
    assert table.rowHeight(0) == theme.row
    assert table.head.height() == theme.row


def test_cells_are_exchanged_without_a_reset(gui: Gui, table: Table) -> None:
    table.rows_model.set_cell(0, 0, Cell("new", note="a note"))
    assert table.rows_model.cell(0).text == "new"
    assert table.rows_model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole) == "new, a note"
    assert table.currentIndex().row() == 1
    table.rows_model.set_rows(ROWS[:2])
    assert table.rows_model.rowCount() == 2
    with pytest.raises(IndexError):
        table.rows_model.cell(9)


def test_the_head_shows_what_sorts(gui: Gui, table: Table) -> None:
    before = gui.picture(table.head)
    table.head.show_sorted(0, downwards=True)
    down = gui.picture(table.head)
    table.head.show_sorted(0, downwards=False)
    assert before != down != gui.picture(table.head)


def test_a_model_of_a_million_rows_is_shown_as_it_is(gui: Gui) -> None:
    table = CellTable(Squares(), ["Square"], [100], name="Squares")
    table.resize(200, 200)
    gui.show(table)
    table.scrollToBottom()
    assert table.indexAt(QPoint(5, 5)).row() > 999_900
    assert_plain(table)


TREE: list[Row] = [
    ([Cell("src", "folder-open")], [[Cell("dates.py", "file", mark="M")], [Cell("cli.py", "file")]]),
    ([Cell("tests")], [[Cell("x")]], False),
    [Cell("README")],
]


async def test_a_tree_opens_closes_and_shows_the_keyboard(gui: Gui) -> None:
    tree = Tree(TREE, selected=(0, 1), name="Workspace")
    gui.show(column(Button("Elsewhere"), tree)).activateWindow()
    model = tree.rows_model
    assert (tree.isExpanded(model.index(0, 0)), tree.isExpanded(model.index(1, 0))) == (True, False)
    assert tree.currentIndex().data(CELL).text == "cli.py"
    tree.setFocus()
    await gui.until(tree.hasFocus)
    assert ground(gui, tree, tree.currentIndex()) == (theme.hex("accent_fill"), theme.hex("select"))
    gui.find("Elsewhere").setFocus()
    assert ground(gui, tree, tree.currentIndex())[0] == theme.hex("select_idle")
    for key in ("Left", "Left", "Down", "Right"):
        gui.keys(tree, key)
    assert not tree.isExpanded(model.index(0, 0))
    assert tree.isExpanded(model.index(1, 0))
    assert_plain(tree)


async def test_a_tree_takes_the_colours_of_a_new_theme(gui: Gui) -> None:
    tree = gui.show(CellTree(make_model(TREE, 1), ground="window", name="Files"))
    theme.use("dark")
    await gui.settle()
    assert gui.picture(tree).pixelColor(100, tree.height() - 4).name() == theme.hex("window")
    assert tree.palette().highlight().color().alpha() == 0


def test_what_does_not_fit_is_in_the_tip(gui: Gui) -> None:
    long = "a/path/that/is/far/too/long/for/its/column.py"
    table = gui.show(Table(["Path", "Kind"], [[Cell(long), Cell("x", tip="<b>why</b>")]], [60, 60]))
    for column_at, tip in ((0, long), (1, "&lt;b&gt;why&lt;/b&gt;")):
        place = table.visualRect(table.rows_model.index(0, column_at)).center()
        QApplication.sendEvent(table.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place)))
        assert tip in QToolTip.text()


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (Cell("a.py", mark="M", note="3 lines"), "a.py, 3 lines, M"),
        (Cell(level=2), "2 Run"),
        (Cell(runs=(Run("git "), Run("push", "accent"))), "git push"),
        (Cell("x", pill="waits", words="x waits for you"), "x waits for you"),
        (Cell(parts=((1, "role_user"),), total=2, words="1 of 2 tokens"), "1 of 2 tokens"),
    ],
)
def test_a_cell_says_what_it_shows(cell: Cell, words: str) -> None:
    assert cell_words(cell) == words


def test_every_kind_of_cell_paints_something(gui: Gui) -> None:
    cells = [Cell("x"), Cell(level=4), Cell("x", pill="waits", pill_tone="wait"), Cell(parts=((3, "role_user"),), total=4, cached=2), Cell(mark="M")]
    cells += [Cell(runs=(Run("a"), Run("b", "accent"))), Cell("x", note="right", note_right=True), Cell("x", "file")]
    cells += [Cell("", wash="level2_tint"), Cell(pill="alone")]
    table = Table(["a"], [[cell] for cell in (Cell(), *cells)], [140])
    table.resize(200, 400)
    gui.show(table)
    image = gui.picture(table.viewport())
    pictures = {bytes(image.copy(table.visualRect(table.rows_model.index(n, 0))).constBits()) for n in range(len(cells) + 1)}
    assert len(pictures) == len(cells) + 1
