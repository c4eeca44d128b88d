"""The top bar says what is open, gives way without overlapping, and leads to everything else."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from tests.ui.desks import desk_in, said
from tests.ui.frame.parts import menu_of
from tests.ui.frame.sessions import opened_desk, shown
from tests.ui.gui import Gui
from workbench.conversation.events import TitleSet
from workbench.ui.desk import Desk
from workbench.ui.frame.top_bar import TopBar
from workbench.ui.kit.labels import Label


def bar_of(gui: Gui, desk: Desk, width: int = 1200) -> TopBar:
    bar = TopBar(desk)
    bar.resize(width, bar.height())
    return gui.show(bar)


async def test_bar_says_what_is_open(gui: Gui, tmp_path: Path) -> None:
    (tmp_path / "ws" / ".git").mkdir(parents=True)
    (tmp_path / "ws" / ".git" / "HEAD").write_text("ref: refs/heads/topic\n")
    async with desk_in(tmp_path) as desk:
        bar_of(gui, desk)
        assert gui.find("Workspace").accessibleDescription() == "No folder"
        assert await desk.open_folder(tmp_path / "ws")
        await gui.until(lambda: gui.find("Workspace").accessibleDescription() == "ws topic")
        await said(gui, desk, "hi there")
        assert gui.find("Session", Label).text() == "hi there"
        assert await desk.new_session()
        await gui.settle()
        assert not gui.find("Session", visible=False).isVisible()


async def test_title_is_shown_letter_by_letter(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar_of(gui, desk)
        shown(desk).session.journal.append(TitleSet(title="<b>a\u202eb</b> & c"))
        desk.bridge.flush()
        assert gui.find("Session", Label).text() == "<b>a⟨U+202E⟩b</b> & c"


@pytest.mark.parametrize("width", [480, 720, 1024, 1440])
async def test_nothing_overlaps_however_long_the_words_are(gui: Gui, tmp_path: Path, width: int) -> None:
    folder = tmp_path / ("a rather long name of a folder " * 3)
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/" + "a-long-branch-" * 5)
    async with desk_in(tmp_path) as desk:
        assert await desk.open_folder(folder)
        bar = bar_of(gui, desk, width)
        shown(desk).session.journal.append(TitleSet(title="A title of sixty characters " * 3))
        desk.bridge.flush()
        await gui.settle()
        assert bar.width() == width
        parts = sorted((one for one in bar.children() if isinstance(one, QWidget) and one.isVisible()), key=lambda one: one.x())
        for left, right in pairwise(parts):
            assert left.geometry().right() < right.x(), (left.accessibleName(), right.accessibleName())
        assert parts[0].x() >= 0
        assert parts[-1].geometry().right() < width
        gui.picture(bar)


async def test_buttons_tell_what_is_wanted(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        told: list[object] = []
        bar.menu_wanted.connect(lambda anchor: told.append(anchor.accessibleName()))
        bar.palette_wanted.connect(lambda: told.append("palette"))
        bar.settings_wanted.connect(lambda: told.append("settings"))
        bar.side_toggled.connect(lambda on: told.append(("side", on)))
        bar.inspector_toggled.connect(lambda on: told.append(("inspector", on)))
        for name in ("Menu", "Search, or run a command", "Settings", "Side pane", "Inspector"):
            await gui.click(name)
        assert told == ["Menu", "palette", "settings", ("side", False), ("inspector", False)]
        bar.show_panes(side=True, inspector=False)
        await gui.click("Side pane")
        assert told[-1] == ("side", False), "what others did is not told again, and counts"


async def test_workspace_menu_opens_a_folder_or_copies_the_path(gui: Gui, tmp_path: Path) -> None:
    async with opened_desk(tmp_path) as desk:
        bar = bar_of(gui, desk)
        bar.setMinimumHeight(300)
        wanted: list[bool] = []
        bar.folder_wanted.connect(lambda: wanted.append(True))
        await gui.click("Workspace")
        gui.keys(menu_of().rows, "Return")
        assert wanted == [True]
        await gui.settle()
        gui.find("Workspace").setFocus()
        gui.keys(gui.find("Workspace"), "Space")
        await gui.settle()
        gui.keys(menu_of().rows, "Down")
        gui.keys(menu_of().rows, "Return")
        assert QGuiApplication.clipboard().text() == str(tmp_path / "ws")
