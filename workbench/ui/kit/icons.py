"""Line icons: one SVG each, drawn in any colour, cached as pixmaps."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from typing_extensions import override

from workbench.resources import resource
from workbench.ui.kit.theme import theme

TURNS = 8
"""Positions of an icon that turns."""


class _Key(NamedTuple):
    name: str
    colour: str
    size: int
    ratio: float
    turn: int


_pixmaps: dict[_Key, QPixmap] = {}


@cache
def names() -> tuple[str, ...]:
    """Return the names of all icons."""
    return tuple(sorted(path.stem for path in resource("icons").glob("*.svg")))


def pixmap(name: str, token: str, size: int = 16, ratio: float = 1.0, turn: int = 0) -> QPixmap:
    """Return an icon in the colour of a token; drawn once per name, colour, size, device ratio and turn.

    Args:
        name: one of `names()`.
        token: the name of a colour.
        size: side in device-independent pixels; 16, or 12 beside small text.
        ratio: device pixels per pixel.
        turn: turned right by this many eighths, for what is at work.

    Raises:
        ResourceMissing: there is no such icon.
    """
    key = _Key(name, theme.hex(token), size, ratio, turn % TURNS)
    if key not in _pixmaps:
        _pixmaps[key] = _drawn(key)
    return _pixmaps[key]


def _drawn(key: _Key) -> QPixmap:
    svg = _source(key.name).replace(b"currentColor", key.colour.encode())
    if key.size < 16:
        svg = svg.replace(b'stroke-width="1.5"', b'stroke-width="2"')  # still one pixel wide at 12
    image = QPixmap(QSize(key.size, key.size) * key.ratio)
    image.fill(Qt.GlobalColor.transparent)
    side = key.size * key.ratio
    with QPainter(image) as painter:
        if key.turn:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(side / 2, side / 2)
            painter.rotate(key.turn * 360 / TURNS)
            painter.translate(-side / 2, -side / 2)
        QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, side, side))
    image.setDevicePixelRatio(key.ratio)
    return image


@cache
def _source(name: str) -> bytes:
    return resource("icons", f"{name}.svg").read_bytes()


def draw_icon(painter: QPainter, name: str, x: float, y: float, token: str = "muted", size: int = 16, turn: int = 0) -> None:
    """Draw an icon with its upper left corner at a whole pixel: the strokes of the set fall on the 16-pixel grid only there."""
    painter.drawPixmap(QPoint(round(x), round(y)), pixmap(name, token, size, painter.device().devicePixelRatio(), turn))


class _Engine(QIconEngine):
    """Draws the icon in the colour that its token has at that moment, so that it follows the theme."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__()
        self._name, self._token = name, token

    def _ink(self, mode: QIcon.Mode) -> str:
        return "faint" if mode == QIcon.Mode.Disabled else self._token

    @override
    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        size = min(rect.width(), rect.height())
        draw_icon(painter, self._name, rect.x() + (rect.width() - size) / 2, rect.y() + (rect.height() - size) / 2, self._ink(mode), size)

    @override
    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return pixmap(self._name, self._ink(mode), min(size.width(), size.height()))

    @override
    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        return pixmap(self._name, self._ink(mode), min(size.width(), size.height()), scale)

    @override
    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._token)


def icon(name: str, token: str = "muted") -> QIcon:
    """Return an icon for what Qt draws by itself, such as the entries of its own menus."""
    return QIcon(_Engine(name, token))
