"""The rail counts what the side pane shows, and leads there."""

from __future__ import annotations

from pathlib import Path

from tests.ui.frame.sessions import REPLACE, approved, asked, opened_desk, stopped
from tests.ui.gui import Gui
from workbench.ui.frame.rail import Rail, RailButton


async def test_counts_follow_the_session(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        gui.show(Rail(desk))
        await approved(gui, desk, REPLACE)
        await approved(gui, desk, "Run sleep 47.5 &")
        changes, sessions, jobs = (gui.find(name, RailButton) for name in ("Changes", "Sessions", "Jobs"))
        await gui.until(lambda: (changes.count, sessions.count, jobs.count) == ("1", "1", "1"))
        assert changes.accessibleDescription() == "1 file"
        assert not sessions.waits
        await asked(gui, desk, "write b.txt with content: x")
        await gui.until(lambda: sessions.waits)
        await stopped(gui, desk)
        await gui.until(lambda: not sessions.waits)


async def test_rail_that_was_out_of_sight_counts_what_happened_meanwhile(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        rail = gui.show(Rail(desk))
        changes = gui.find("Changes", RailButton)
        rail.hide()
        await approved(gui, desk, REPLACE)
        assert changes.count == ""
        rail.show()
        assert changes.count == "1"
        await desk.new_session()
        assert changes.count == ""


async def test_click_and_key_ask_for_a_section(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        rail = gui.show(Rail(desk))
        wanted: list[str] = []
        rail.section_wanted.connect(wanted.append)
        await gui.click("Workspace")
        gui.find("Jobs").setFocus()
        gui.keys(gui.find("Jobs"), "Space")
        assert wanted == ["workspace", "jobs"]
        rail.show_chosen("jobs")
        assert gui.find("Jobs", RailButton).isChecked()
        rail.show_chosen("")
        assert not gui.find("Jobs", RailButton).isChecked()
