"""What was painted lately, as pictures: a block that looks as it did is copied to the screen in a tenth of the time it takes to draw it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap

from workbench.ui.kit.theme import theme

MOST_PIXELS = 8_000_000
"""Device pixels that are kept, some 30 MB: a dozen screens of text."""
HIGHEST = 1_200
"""Higher blocks are drawn, as far as they are in sight."""


class Frame(NamedTuple):
    """Where a picture goes: its upper left corner, on whole pixels, its width and height, and the token of what is behind it."""

    corner: QPointF
    size: tuple[int, int]
    ground: str


class Pictures:
    """Pictures of blocks. One is taken when a block is painted a second time with the same look: what still grows is only drawn."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[Hashable, QPixmap | None]] = OrderedDict()
        self._pixels = 0

    def __len__(self) -> int:
        return sum(1 for _key, picture in self._kept.values() if picture is not None)

    def paint(self, p: QPainter, owner: Hashable, look: Hashable, frame: Frame, draw: Callable[[QPainter], None]) -> None:
        """Paint something.

        Args:
            p: paints at the moment.
            owner: whose picture it is.
            look: changes whenever it would look different; theme, zoom and size are looked at here.
            frame: where it goes.
            draw: draws it, its upper left corner at (0, 0).
        """
        ratio = p.device().devicePixelRatio()
        look = (look, frame.size, frame.ground, ratio, theme.name, theme.zoom, theme.language)
        known, picture = self._kept.pop(owner, (None, None))
        if known != look:
            self._forget(picture)
            picture = None
            _drawn_at(p, frame.corner, draw)
        else:
            picture = picture or self._taken(frame, ratio, draw)
            p.drawPixmap(frame.corner, picture)
        self._kept[owner] = (look, picture)
        self._make_room()

    def _taken(self, frame: Frame, ratio: float, draw: Callable[[QPainter], None]) -> QPixmap:
        picture = QPixmap(ceil(frame.size[0] * ratio), ceil(frame.size[1] * ratio))
        picture.setDevicePixelRatio(ratio)
        picture.fill(theme[frame.ground])
        with QPainter(picture) as p:
            draw(p)
        self._pixels += picture.width() * picture.height()
        return picture

    def _forget(self, picture: QPixmap | None) -> None:
        if picture is not None:
            self._pixels -= picture.width() * picture.height()

    def _make_room(self) -> None:
        while len(self._kept) > 1 and (self._pixels > MOST_PIXELS or len(self._kept) > MOST_PIXELS // 10_000):
            self._forget(self._kept.popitem(last=False)[1][1])

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._pixels = 0


def _drawn_at(p: QPainter, corner: QPointF, draw: Callable[[QPainter], None]) -> None:
    p.save()
    p.translate(corner)
    draw(p)
    p.restore()

