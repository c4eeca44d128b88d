"""The approval dialog stands where it leaves the composer free, as large as it likes if that fits."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, QSize

from workbench.ui.questions import place_beside

WANTED, LEAST = QSize(1200, 760), QSize(760, 480)


@pytest.mark.parametrize(
    ("free", "room"),
    [
        (QRect(257, 768, 600, 110), QRect(0, 0, 1440, 900)),
        (QRect(800, 900, 700, 110), QRect(0, 0, 2560, 1400)),
        (QRect(64, 568, 550, 92), QRect(0, 0, 1024, 700)),
        (QRect(-1500, 700, 600, 110), QRect(-1920, 0, 1920, 1080)),
    ],
)
def test_composer_stays_free(free: QRect, room: QRect) -> None:
    place = place_beside(free, room, WANTED, LEAST)
    assert not place.intersects(free)
    assert room.contains(place)
    assert place.width() >= LEAST.width()
    assert place.height() >= LEAST.height()


def test_room_that_is_too_small_for_both_keeps_the_dialog_whole() -> None:
    room = QRect(0, 0, 800, 500)
    place = place_beside(QRect(10, 380, 500, 100), room, WANTED, LEAST)
    assert place.size() == QSize(800, 480)
    assert room.contains(place)


def test_dialog_takes_its_size_where_there_is_room() -> None:
    assert place_beside(QRect(300, 1200, 700, 110), QRect(0, 0, 2560, 1440), WANTED, LEAST).size() == WANTED
