"""Tests of what is kept from the garbage collector, in a desk with real sessions."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from pathlib import Path

from tests.ui.desks import opened, said, shown
from tests.ui.gui import Gui
from workbench.ui.garbage import Garbage


class Circle:
    """Something that nothing holds but itself."""

    def __init__(self) -> None:
        self.me = self


async def test_garbage_of_any_thread_is_collected_in_that_of_the_window(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        gc.enable()
        Garbage(desk)
        assert not gc.isenabled()
        freed: list[int] = []

        def litter() -> None:
            weakref.finalize(Circle(), lambda: freed.append(threading.get_ident()))
            held = [Circle() for _ in range(5 * gc.get_threshold()[0])]
            assert freed == []
            held.clear()

        await asyncio.to_thread(litter)
        await gui.until(lambda: freed)
        assert freed == [threading.get_ident()]


async def test_everything_is_collected_now_and_then(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        Garbage(desk)
        circle = Circle()
        freed = weakref.ref(circle)
        gc.collect()  # it is among the old ones now
        del circle
        for _ in range(1_000):
            held = [Circle() for _ in range(2 * gc.get_threshold()[0])]
            await gui.settle()
            held.clear()
            if freed() is None:
                break
        assert freed() is None


async def test_what_is_there_when_a_session_is_shown_is_not_walked_again(gui: Gui, tmp_path: Path) -> None:
    gc.unfreeze()
    async with opened(tmp_path) as desk:
        garbage = Garbage(desk, later_ms=1_000_000)
        desk.bridge.attach(desk.bridge.opened)
        assert gc.get_freeze_count() == 0
        await gui.until(lambda: gc.get_freeze_count() > 10_000)
        assert not any(thing is garbage for thing in gc.get_objects())


async def test_what_a_turn_brought_is_not_walked_again(gui: Gui, tmp_path: Path) -> None:
    gc.unfreeze()
    async with opened(tmp_path) as desk:
        garbage = Garbage(desk, later_ms=1_000_000)
        await said(gui, desk, "hello")
        assert gc.get_freeze_count() > 10_000
        assert not any(thing is garbage for thing in gc.get_objects())


async def test_circles_of_closed_sessions_are_found_later(gui: Gui, tmp_path: Path) -> None:
    gc.unfreeze()
    async with opened(tmp_path) as desk:
        Garbage(desk, later_ms=0)
        await said(gui, desk, "hello")
        first = shown(desk)
        circle = weakref.ref(Circle())
        held = desk._open.get(first)
        assert held is not None
        session = weakref.ref(held.opened.session)
        del held
        gc.freeze()
        closed: list[None] = []
        desk.session_closed.connect(lambda: closed.append(None))
        await desk.new_session()
        assert len(closed) == 1
        desk.session_closed.emit()  # nothing is on its way any more
        await gui.until(lambda: circle() is None and session() is None)
        assert gc.get_freeze_count() > 10_000


async def test_nothing_is_looked_for_while_a_turn_runs(gui: Gui, tmp_path: Path) -> None:
    gc.unfreeze()
    async with opened(tmp_path, settings="[practice]\ntokens_per_s = 30\n") as desk:
        Garbage(desk, later_ms=0)
        await desk.bridge.send("Introduce this project")
        circle = weakref.ref(Circle())
        gc.freeze()
        desk.session_closed.emit()
        for _ in range(50):
            await gui.settle()
        assert desk.bridge.running
        assert circle() is not None
        desk.bridge.stop()
        await gui.until(lambda: not desk.bridge.running and circle() is None)
