"""A list of thousands of entries is measured once, not once for every row."""

from __future__ import annotations

import pytest

from tests.ui.gui import Gui
from workbench.ui.kit import popup_list
from workbench.ui.kit.paint import width_of
from workbench.ui.kit.popup_list import Entry, EntryList


async def test_groups_are_measured_once_a_list(gui: Gui, monkeypatch: pytest.MonkeyPatch) -> None:
    measured = 0

    def counted(*args: object) -> float:
        nonlocal measured
        measured += 1
        return width_of(*args)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(popup_list, "width_of", counted)
    rows = EntryList([Entry(entry_id=str(number), title=f"model-{number}", group="lab") for number in range(2_000)], "compact", "Models")
    width = rows.wanted_width()
    assert measured <= 2 * 2_000 + 1, "title and note of each, the group once"
    before = measured
    assert rows.group_width() > 0
    assert measured == before
    rows.show_entries([Entry(entry_id="x", title="x", group="a much longer group")])
    assert rows.group_width() > 0
    assert measured == before + 1
    assert width > 0
