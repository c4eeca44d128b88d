"""Sections share the height so that every head is seen, and fold by pointer and keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.gui import Gui
from workbench.ui.frame.cell_list import CellList, ListRow
from workbench.ui.frame.row_view import RowView
from workbench.ui.frame.section import Section, SectionColumn, shares
from workbench.ui.kit.cells import Cell
from workbench.ui.kit.theme import theme

HEIGHTS = st.lists(st.tuples(st.integers(0, 2_000), st.integers(0, 100)), min_size=1, max_size=6)


@given(st.integers(0, 3_000), HEIGHTS)
def test_heights_are_shared_fairly(total: int, sections: list[tuple[int, int]]) -> None:
    wanted = [max(one, least) for one, least in sections]
    least = [least for _, least in sections]
    given_ = shares(total, wanted, least)
    assert all(low <= height <= high for low, height, high in zip(least, given_, wanted, strict=True))
    assert sum(given_) == max(sum(least), min(total, sum(wanted))), "all room is used, and no more than there is"
    cut = [height for height, high in zip(given_, wanted, strict=True) if height < high]
    for height, low in zip(given_, least, strict=True):
        assert not cut or height <= max(low, max(cut)) + 1, "nobody has more than one who was cut, but by its least"


def rows(count: int) -> tuple[CellList, RowView]:
    model = CellList()
    model.set_rows([ListRow(f"key {number}", Cell(f"row {number}")) for number in range(count)])
    return model, RowView(model, "rows")


def column(gui: Gui, *counts: int, height: int = 400) -> SectionColumn:
    sections = [Section(f"s{place}", f"Section {place}", rows(count)[1], "Nothing here yet.") for place, count in enumerate(counts)]
    shown = gui.show(SectionColumn(sections))
    shown.resize(236, height)
    return shown


async def test_long_section_scrolls_and_the_others_stay_in_sight(gui: Gui) -> None:
    shown = column(gui, 500, 3, 0)
    await gui.settle()
    first, second, third = shown.sections
    assert third.geometry().bottom() < 400
    assert second.height() == theme.lh + 12 + 3 * theme.row + 6
    assert first.rows.height() < 500 * theme.row
    assert shown.verticalScrollBar().maximum() == 0


async def test_what_fits_is_shown_whole_and_leaves_room_below(gui: Gui) -> None:
    shown = column(gui, 2, 2)
    await gui.settle()
    assert [section.rows.height() for section in shown.sections] == [2 * theme.row] * 2
    assert shown.sections[-1].geometry().bottom() < 200


@pytest.mark.parametrize("zoom", [1.0, 2.0])
async def test_sentence_of_an_empty_section_is_never_cut(gui: Gui, zoom: float) -> None:
    theme.use("light", "en", zoom)
    words = "Every file that a call of this session wrote stands here, with its lines."
    sections = [Section("long", "Long", rows(300)[1], ""), Section("empty", "Empty", rows(0)[1], words)]
    shown = gui.show(SectionColumn(sections))
    shown.resize(200, 420)
    await gui.settle()
    hint = sections[1]._hint
    assert hint.height() >= hint.heightForWidth(hint.width())
    assert hint.geometry().bottom() <= sections[1].height()


async def test_where_nothing_fits_the_whole_scrolls(gui: Gui) -> None:
    shown = column(gui, 50, 50, 50, height=120)
    await gui.settle()
    assert shown.verticalScrollBar().maximum() > 0


async def test_empty_section_says_what_will_be_there(gui: Gui) -> None:
    shown = column(gui, 0)
    await gui.settle()
    assert not shown.sections[0].rows.isVisible()
    assert shown.grab().toImage() != column(gui, 1).grab().toImage()


@pytest.mark.parametrize(("key", "opened"), [("Space", False), ("Return", False), ("Left", False), ("Right", True)])
async def test_keys_fold_and_open(gui: Gui, key: str, opened: bool) -> None:
    section = column(gui, 3).sections[0]
    told: list[bool] = []
    section.opened_changed.connect(lambda: told.append(section.opened))
    section.head.setFocus()
    gui.keys(section.head, key)
    await gui.settle()
    assert section.opened is opened
    assert section.rows.isVisible() is opened
    assert told == ([] if opened else [False])
    assert section.head.isChecked() is opened
    if not opened:
        gui.keys(section.head, "Right")
        assert section.opened


async def test_click_folds(gui: Gui) -> None:
    section = column(gui, 3).sections[0]
    await gui.click("Section 0")
    assert not section.opened
    assert section.wanted_height(236) == theme.lh + 12


async def test_note_is_spoken(gui: Gui) -> None:
    section = column(gui, 3).sections[0]
    section.set_note("3", "wait", "3 sessions, 1 waits for you")
    assert section.head.accessibleDescription() == "3 sessions, 1 waits for you"
