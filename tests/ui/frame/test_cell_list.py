"""A list tells of what differs and of nothing else."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt

from tests.ui.gui import Gui
from workbench.ui.frame.cell_list import CellList, ListRow
from workbench.ui.frame.row_view import RowView
from workbench.ui.kit.cells import CELL, Cell


def rows(*texts: str) -> list[ListRow]:
    return [ListRow(text[0], Cell(text)) for text in texts]


async def test_row_that_stays_is_told_only_if_it_differs(gui: Gui) -> None:
    model = CellList()
    model.set_rows(rows("a1", "b1", "c1"))
    changed: list[int] = []
    resets: list[bool] = []
    model.dataChanged.connect(lambda first, _last: changed.append(first.row()))
    model.modelReset.connect(lambda: resets.append(True))
    model.set_rows(rows("a1", "b2", "c1"))
    assert (changed, resets) == ([1], [])
    model.set_rows(rows("b2", "a1"))
    assert resets == [True]
    assert model.index_of("a").row() == 1
    assert model.key_of(model.index_of("b")) == "b"
    assert model.key_of(QModelIndex()) == ""
    assert not model.index_of("z").isValid()


async def test_rows_are_shown_and_spoken(gui: Gui) -> None:
    model = CellList()
    model.set_rows([ListRow("a", Cell("name", note="now"))])
    index = model.index(0, 0)
    assert index.data(Qt.ItemDataRole.DisplayRole) == "name"
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "name, now"
    assert index.data(CELL) == Cell("name", note="now")
    assert not model.hasChildren(index)
    view = gui.show(RowView(model, "names"))
    view.setCurrentIndex(index)
    gui.picture(view)


async def test_list_that_gets_the_keyboard_has_a_row_to_begin_with(gui: Gui) -> None:
    model = CellList()
    model.set_rows(rows("a", "b"))
    view = gui.show(RowView(model, "names"))
    view.activateWindow()
    view.setFocus()
    await gui.until(lambda: view.currentIndex().row() == 0)
