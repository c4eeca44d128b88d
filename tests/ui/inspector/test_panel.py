"""The inspector's frame: tabs, counts, what the chat and the palette ask of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import inspected
from tests.ui.plain_text import assert_plain
from workbench.ui.inspector.requests_tab import STREAM


async def test_call_leads_to_where_it_is_shown(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "read README.md")
        (call_id,) = at.rows[0].call_ids
        at.inspector.show_call(call_id)
        assert at.inspector.tabs.chosen == 0
        assert at.tab.show_call(call_id)
        assert at.tab.table.row is not None
        assert at.tab.table.row.number == 1


async def test_request_opens_its_tab(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        first, _second = await at.exchange(), await at.exchange()
        at.inspector.choose_tab("messages")
        at.inspector.show_request(first)
        assert at.inspector.tabs.chosen == 1
        assert at.tab.table.row is not None
        assert at.tab.table.row.exchange_id == first
        at.inspector.choose_tab("messages")
        at.inspector.show_request("x99")
        assert at.inspector.tabs.chosen == 0


async def test_tabs_and_sides_are_chosen_by_name(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await at.exchange()
        at.inspector.choose_tab("requests.stream")
        assert (at.inspector.tabs.chosen, at.tab.parts.chosen) == (1, STREAM)
        for name in ("tokens", "requests.tokens"):
            with pytest.raises(ValueError, match="is not in list"):
                at.inspector.choose_tab(name)


async def test_button_closes_it(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        closed: list[bool] = []
        at.inspector.closed.connect(lambda: closed.append(True))
        await gui.click("Close the inspector")
        assert closed == [True]


async def test_everything_has_a_name_and_is_plain(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "read README.md")
        for part in (at.inspector.tabs, at.inspector._close, at.tab):
            assert_plain(part)
