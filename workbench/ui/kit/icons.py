"""Line icons: one SVG each, drawn in any colour, cached as pixmaps."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from workbench.resources import resource
from workbench.ui.kit.theme import theme

FOLDER = resource("icons")
_pixmaps: dict[tuple, QPixmap] = {}


def pixmap(name: str, token: str, size: int = 16, ratio: float = 1.0) -> QPixmap:
    """The icon `name` in the colour of `token`; one rendering per name, colour, size and device ratio."""
    key = name, theme.hex(token), size, ratio
    if key not in _pixmaps:
        svg = (FOLDER / f"{name}.svg").read_bytes().replace(b"currentColor", key[1].encode())
        if size < 16:
            svg = svg.replace(b'stroke-width="1.5"', b'stroke-width="2"')  # still one pixel wide at 12
        image = QPixmap(QSize(size, size) * ratio)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, size * ratio, size * ratio))
        image.setDevicePixelRatio(ratio)
        _pixmaps[key] = image
    return _pixmaps[key]


def draw_icon(painter: QPainter, name: str, x: float, y: float, token: str = "muted", size: int = 16) -> None:
    """Draw at whole pixels: the strokes of the set fall on the 16-pixel grid only there."""
    ratio = painter.device().devicePixelRatio() if painter.device() else 1.0
    painter.drawPixmap(QPoint(round(x), round(y)), pixmap(name, token, size, ratio))


class _Engine(QIconEngine):
    def __init__(self, name: str, token: str):
        super().__init__()
        self._name, self._token = name, token

    def paint(self, painter, rect: QRect, mode, state):
        token = "faint" if mode == QIcon.Mode.Disabled else self._token
        size = min(rect.width(), rect.height())
        draw_icon(painter, self._name, rect.center().x() - size / 2 + 1, rect.center().y() - size / 2 + 1, token, size)

    def pixmap(self, size, mode, state):
        return pixmap(self._name, "faint" if mode == QIcon.Mode.Disabled else self._token, size.width())

    def clone(self):
        return _Engine(self._name, self._token)


def icon(name: str, token: str = "muted") -> QIcon:
    return QIcon(_Engine(name, token))
