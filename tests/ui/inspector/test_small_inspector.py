"""In a small window the sides of a request keep the room they need, and what a person drew stays as it was drawn."""

from __future__ import annotations

from pathlib import Path

from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import inspected
from workbench.ui.kit.theme import theme


async def test_events_of_a_stream_are_in_sight_in_a_small_window(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui, width=390, height=530) as at:
        await said(gui, at.desk, "read README.md")
        await at.show("stream", at.rows[0].exchange_id)
        assert at.tab.stream.table.viewport().height() >= 2 * theme.row
        assert at.tab.stream.detail.viewport().height() >= theme.mh
        assert at.tab.table.height() <= at.tab.height() // 3


async def test_list_of_requests_stays_as_high_as_it_was_drawn(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        assert at.tab.table.height() == 8 * theme.row
        at.tab._panes.setSizes([400, 300])
        at.tab._panes.splitterMoved.emit(400, 1)
        tall = at.tab.table.height()
        assert tall > 8 * theme.row
        at.inspector.resize(at.inspector.width() - 20, at.inspector.height())
        await gui.settle()
        assert at.tab.table.height() == tall
