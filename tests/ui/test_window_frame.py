"""The panes share the window by its width and as a person drew them; the keyboard goes through them and back."""

from __future__ import annotations

from pathlib import Path

from tests.ui.gui import Gui
from tests.ui.windows import window_in


async def test_panes_share_the_window_by_its_width(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame
        assert (frame.side.isVisible(), frame.rail.isVisible(), frame.inspector.isVisible()) == (True, False, True)
        assert (frame.side.width(), frame.inspector.width()) == (236, 560)
        window.resize(1100, 700)
        await gui.settle()
        assert (frame.side.isVisible(), frame.rail.isVisible(), frame.inspector.isVisible()) == (False, True, True)
        assert frame.inspector.width() == 390
        window.resize(960, 700)
        await gui.settle()
        assert (frame.side.isVisible(), frame.rail.isVisible(), frame.inspector.isVisible()) == (False, True, False)
        window.toggle_inspector()
        await gui.settle()
        assert frame.inspector.isVisible()
        window.resize(1440, 900)
        await gui.settle()
        assert (frame.side.width(), frame.inspector.width()) == (236, 560)


async def test_chat_keeps_its_room_while_the_window_shrinks(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        for width in range(1440, 1190, -40):
            window.resize(width, 800)
            await gui.settle()
            assert window.frame._middle.width() >= 500, width
        window.resize(1440, 900)
        await gui.settle()
        assert window.frame.inspector.width() == 560


async def test_rail_opens_a_section_beside_it(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path, size=(1100, 700)) as window:
        window.frame.rail.section_wanted.emit("sessions")
        await gui.settle()
        assert window.frame.side.isVisible()
        assert window.frame.rail.isVisible()
        window.toggle_side()
        await gui.settle()
        assert not window.frame.side.isVisible()


async def test_wide_inspector_makes_the_side_pane_give_way(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame
        frame._splitter.setSizes([236, 350, 850])
        frame._splitter.splitterMoved.emit(0, 2)
        await gui.settle()
        assert (frame.side.isVisible(), frame.rail.isVisible()) == (False, True)
        window.toggle_side()
        await gui.settle()
        assert frame.side.isVisible()
        assert frame._middle.width() >= 500


async def test_chat_keeps_its_room_however_wide_the_inspector_is_drawn(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame
        for width in (1440, 1100):
            window.resize(width, 800)
            await gui.settle()
            for _ in range(2):
                frame._splitter.setSizes([0, 200, 1300])
                frame._splitter.splitterMoved.emit(0, 2)
                await gui.settle()
            assert not frame.side.isVisible()
            assert frame._middle.width() >= 500, width


async def test_shape_is_remembered(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        window.frame._splitter.setSizes([300, 600, 540])
        window.frame._splitter.splitterMoved.emit(0, 1)
        window.toggle_inspector()
    async with window_in(gui, tmp_path) as window:
        assert window.frame.side.width() == 300
        assert not window.frame.inspector.isVisible()


async def test_f6_goes_through_the_panes_and_back(gui: Gui, tmp_path: Path) -> None:
    async with window_in(gui, tmp_path) as window:
        frame = window.frame

        def pane() -> str:
            focus = window.focusWidget()
            panes = {"side": frame.side, "chat": frame._stack, "composer": frame.composer, "inspector": frame.inspector}
            return next((name for name, part in panes.items() if focus is not None and (part is focus or part.isAncestorOf(focus))), "")

        assert pane() == "composer"
        for expected in ("inspector", "side", "chat", "composer"):
            gui.keys(window, "F6")
            assert pane() == expected
        for expected in ("chat", "side", "inspector", "composer"):
            gui.keys(window, "Shift+F6")
            assert pane() == expected
