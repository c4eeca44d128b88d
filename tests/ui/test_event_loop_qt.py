"""Qt gets its turn whatever the tasks do, and a dialog's own loop enters no task twice. `gui` runs every test here on the loop."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QDialog, QWidget
from typing_extensions import override

from tests.ui.gui import Gui

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="qasync's own loop serves there")



async def test_busy_socket_does_not_starve_qt_timers(gui: Gui) -> None:
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    timer = QTimer()
    timer.timeout.connect(tick)
    timer.start(1)
    sending, receiving = socket.socketpair()
    with sending, receiving:
        for end in (sending, receiving):
            end.setblocking(False)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(shovel_in(sending)), group.create_task(shovel_out(receiving))]
            await gui.until(lambda: ticks > 20)
            for task in tasks:
                task.cancel()
    timer.stop()


async def shovel_in(end: socket.socket) -> None:
    while True:
        await asyncio.get_running_loop().sock_sendall(end, b"x" * 4096)


async def shovel_out(end: socket.socket) -> None:
    while True:
        await asyncio.get_running_loop().sock_recv(end, 4096)


class Restless(QWidget):
    """Paints itself again and again."""

    painted = 0

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1
        self.update()


async def test_spinning_task_does_not_starve_painting(gui: Gui) -> None:
    widget = gui.show(Restless())
    turns = 0
    while widget.painted < 10:
        await asyncio.sleep(0)
        turns += 1
        assert turns < 200_000


async def test_callbacks_run_while_a_dialog_has_its_own_loop(gui: Gui) -> None:
    ran_inside: list[int] = []
    done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def open_dialog() -> None:
        dialog = QDialog()
        asyncio.get_running_loop().call_later(0.001, ran_inside.append, 1)
        asyncio.get_running_loop().call_later(0.002, dialog.accept)
        dialog.exec()
        done.set_result(len(ran_inside))

    QTimer.singleShot(0, open_dialog)
    assert await done == 1


async def test_no_task_is_entered_while_another_runs_a_dialog_s_loop(gui: Gui) -> None:
    inside = False
    entered: list[bool] = []

    async def background() -> None:
        for _ in range(20):
            await asyncio.sleep(0.001)
            entered.append(inside)

    async with asyncio.TaskGroup() as group:
        group.create_task(background())
        await gui.until(lambda: len(entered) > 2)
        dialog = QDialog()
        QTimer.singleShot(20, dialog.accept)
        inside = True
        dialog.exec()
        inside = False
    assert len(entered) == 20
    assert not any(entered)


async def test_dialog_that_is_awaited_closes_when_its_task_is_cancelled(gui: Gui) -> None:
    async def ask(dialog: QDialog) -> int:
        answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        dialog.finished.connect(answered.set_result)
        dialog.open()
        try:
            return await answered
        finally:
            dialog.finished.disconnect(answered.set_result)
            dialog.close()

    first, second = gui.show(QDialog()), gui.show(QDialog())
    async with asyncio.TaskGroup() as group:
        answer = group.create_task(ask(first))
        other = group.create_task(ask(second))
        await gui.until(lambda: second.isVisible() and second.isModal())
        first.accept()
        other.cancel()
    assert answer.result() == QDialog.DialogCode.Accepted
    assert not second.isVisible()
