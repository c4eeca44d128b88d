"""The sandbox is tested for the window: at the start, when a person wants it, once at a time; whoever shows it hears of each change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.ui.desks import desk_in, opened
from tests.ui.gui import PATIENCE_S, Gui
from workbench.workspace import sandbox_selftest


async def test_it_is_found_at_the_start_and_open_sessions_know_it(gui: Gui, tmp_path: Path) -> None:
    async with opened(tmp_path) as desk:
        heard: list[bool] = []
        desk.confinement.changed.connect(lambda: heard.append(desk.confinement.testing))
        await desk.begin()
        await gui.until(lambda: heard == [True, False])
        assert desk.bridge.opened is not None
        assert desk.bridge.opened.bench.gatekeeper.facts == desk.confinement.facts == desk.app.facts
        assert desk.confinement.report.checks, "something was tried"


async def test_a_second_wish_while_it_is_tested_starts_no_second_test(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        heard: list[bool] = []
        desk.confinement.changed.connect(lambda: heard.append(desk.confinement.testing))
        desk.confinement.test()
        desk.confinement.test()
        await gui.until(lambda: len(heard) == 2)
        assert heard == [True, False]


async def test_closing_while_it_is_tested_ends_in_order(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        desk.confinement.test()
        await desk.aclose()
        assert not desk.confinement.testing


async def test_a_test_that_is_cut_off_leaves_no_process_behind(gui: Gui, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go, ready = threading.Event(), threading.Event(), threading.Event()
    real = sandbox_selftest._outside

    @contextmanager
    def held_up(homes: tuple[Path, ...]) -> Iterator[object]:
        begun.set()
        assert go.wait(PATIENCE_S)
        with real(homes) as outside:
            ready.set()
            yield outside

    monkeypatch.setattr(sandbox_selftest, "_outside", held_up)
    async with desk_in(tmp_path) as desk:
        desk.confinement.test()
        await gui.until(begun.is_set)
        asyncio.get_running_loop().call_soon(go.set)  # what the trial needs comes to be only after the test was cut off
        await desk.aclose()
        await gui.until(ready.is_set)
    assert not [child for child in psutil.Process().children() if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
