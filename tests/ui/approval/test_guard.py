"""The guard and the held button, by themselves."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget
from typing_extensions import override

from tests.ui.approval.asked import pass_by
from tests.ui.gui import Gui
from workbench.ui.approval.guard import GUARD_MS, HOLD_MS, Guard, GuardedButton, HoldButton


class Place(QWidget):
    """Holds answers, and tells the guard when it is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.guard = Guard(self)
        self.button = GuardedButton("Allow", self.guard)
        self.default = GuardedButton("Reject", self.guard, default=True)
        self.hold = HoldButton("Hold", self.guard)
        self.pressed: list[str] = []
        layout = QHBoxLayout(self)
        for name, button in (("button", self.button), ("default", self.default), ("hold", self.hold)):
            layout.addWidget(button)
            button.clicked.connect(lambda _on=False, name=name: self.pressed.append(name))
        self.hold.held.connect(lambda: self.pressed.append("held"))
        self.guard.changed.connect(self.update)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        self.guard.painted()


async def place_in(gui: Gui) -> Place:
    place = gui.show(Place())
    await gui.until(place.isActiveWindow)
    await gui.until(lambda: place.guard._clock.runs)
    pass_by(place.guard)
    return place


async def test_time_begins_with_the_painting(gui: Gui) -> None:
    place = Place()
    place.guard.begin()
    stand_still(GUARD_MS + 20)
    assert not place.guard.is_open, "nothing was painted yet"
    begun = time.monotonic()
    gui.show(place)
    await gui.until(lambda: place.guard.is_open)
    assert time.monotonic() - begun >= GUARD_MS / 1000 - 0.02


def stand_still(ms: int) -> None:
    """Keep the loop busy, then let it see that time has passed, before anything pressed meanwhile has been read."""
    time.sleep(ms / 1000)
    QApplication.processEvents()


async def test_guard_does_not_open_before_what_was_pressed_while_the_loop_stood_still(gui: Gui) -> None:
    place = await place_in(gui)
    place.guard.begin()
    place.guard.painted()
    stand_still(GUARD_MS + 200)
    QTest.mouseClick(place.button, Qt.MouseButton.LeftButton)
    assert place.pressed == []
    await gui.until(lambda: place.guard.is_open)
    QTest.mouseClick(place.button, Qt.MouseButton.LeftButton)
    assert place.pressed == ["button"]


@pytest.mark.parametrize("how", ["pointer", "Space"])
async def test_short_press_before_the_loop_stood_still_is_no_holding(gui: Gui, how: str) -> None:
    place = await place_in(gui)
    press(place.hold, how)
    stand_still(HOLD_MS + 200)
    release(place.hold, how)
    await gui.settle()
    assert place.hold.share == 0
    assert "held" not in place.pressed
    press(place.hold, how)
    await gui.until(lambda: "held" in place.pressed)


async def test_button_looks_off_and_keeps_the_keyboard_while_closed(gui: Gui) -> None:
    place = await place_in(gui)
    place.button.setFocus()
    normal = gui.picture(place.button)
    place.guard.begin()
    assert place.button.hasFocus()
    assert place.button.isEnabled()
    assert gui.picture(place.button) != normal
    QTest.mouseClick(place.button, Qt.MouseButton.LeftButton)
    QTest.keyClick(place.button, Qt.Key.Key_Space)
    assert place.pressed == []
    await gui.until(lambda: place.guard.is_open)
    QTest.keyClick(place.button, Qt.Key.Key_Space)
    assert place.pressed == ["button"]


async def test_enter_presses_only_the_default(gui: Gui) -> None:
    place = await place_in(gui)
    for button in (place.button, place.default, place.hold):
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            QTest.keyClick(button, key)
    assert place.pressed == ["default", "default"]


def press(button: HoldButton, how: str) -> None:
    if how == "pointer":
        QTest.mousePress(button, Qt.MouseButton.LeftButton)
    else:
        QTest.keyPress(button, Qt.Key.Key_Space)


def release(button: HoldButton, how: str) -> None:
    if how == "pointer":
        QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    else:
        QTest.keyRelease(button, Qt.Key.Key_Space)


@pytest.mark.parametrize("how", ["pointer", "key"])
async def test_holding_takes_a_second(gui: Gui, how: str) -> None:
    place = await place_in(gui)
    press(place.hold, how)
    await gui.until(lambda: place.hold.share > 0.5)
    release(place.hold, how)
    assert place.hold.share == 0
    begun = time.monotonic()
    press(place.hold, how)
    await gui.until(lambda: place.pressed)
    assert time.monotonic() - begun >= HOLD_MS / 1000 - 0.02
    release(place.hold, how)
    assert place.pressed == ["held"]


async def test_anything_that_intervenes_lets_go(gui: Gui) -> None:
    place = await place_in(gui)
    for intervene in (
        place.guard.begin,
        lambda: QTest.mouseMove(place.hold, QPoint(-20, -20)),
        lambda: place.hold.setEnabled(False),
        place.hold.hide,
        place.button.setFocus,
    ):
        place.hold.show()
        place.hold.setEnabled(True)
        place.hold.setFocus()
        await gui.until(lambda: place.guard.is_open)
        QTest.mousePress(place.hold, Qt.MouseButton.LeftButton)
        assert place.hold.share >= 0
        assert place.hold._whole.runs
        intervene()
        assert not place.hold._whole.runs, intervene
    assert place.pressed == []


async def test_filling_is_painted(gui: Gui) -> None:
    place = await place_in(gui)
    empty = gui.picture(place.hold)
    QTest.mousePress(place.hold, Qt.MouseButton.LeftButton)
    await gui.until(lambda: place.hold.share > 0.4)
    assert gui.picture(place.hold) != empty
    QTest.mouseRelease(place.hold, Qt.MouseButton.LeftButton)
