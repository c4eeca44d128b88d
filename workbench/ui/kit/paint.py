"""Cheap painting: boxes, text, pills, danger badges, token bars. No widget, no rich text, no gradient, no blur."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.theme import theme
from workbench.words import level_name

LEFT, RIGHT, CENTRE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter
VCENTRE = Qt.AlignmentFlag.AlignVCenter
ONE_LINE = Qt.TextFlag.TextSingleLine
ELIDE = {"right": Qt.TextElideMode.ElideRight, "middle": Qt.TextElideMode.ElideMiddle, "left": Qt.TextElideMode.ElideLeft}
DESTROY = 4
"""The level whose badge is solid."""
METER = 15
"""Width of the meter of a badge."""


@dataclass(frozen=True)
class Tone:
    """A meaning in two colours: the ink and the wash behind it."""

    ink: str
    wash: str


TONES = {
    "plain": Tone("muted", "level0_tint"),
    "you": Tone("accent", "accent_tint"),
    "ok": Tone("ok", "ok_tint"),
    "fail": Tone("fail", "fail_tint"),
    "wait": Tone("level2", "level2_tint"),
    **{f"level{n}": Tone(f"level{n}", f"level{n}_tint") for n in range(5)},
}


def box(p: QPainter, rect: QRectF, fill: str | None, edge: str | None = None, radius: float = 6, width: float = 1) -> None:
    """Draw a rounded rectangle whose outline lies inside `rect`, on whole pixels."""
    p.setRenderHint(QPainter.RenderHint.Antialiasing, radius > 0)
    if edge:
        p.setPen(QPen(theme[edge], width))
    else:
        p.setPen(Qt.PenStyle.NoPen)
    if fill:
        p.setBrush(theme[fill])
    else:
        p.setBrush(Qt.BrushStyle.NoBrush)
    inset = width / 2 if edge else 0
    p.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)
    p.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def focus_ring(p: QPainter, rect: QRectF, radius: float = 5) -> None:
    """Draw the one focus look: a 2-pixel ring inside the edge of whatever has the keyboard."""
    box(p, rect, None, "focus", radius, 2)


def fill(p: QPainter, rect: QRectF, token: str) -> None:
    """Fill an area."""
    p.fillRect(rect, theme[token])


def hline(p: QPainter, x1: float, x2: float, y: float, token: str = "line") -> None:
    """Draw a hairline from left to right, its upper edge at y."""
    p.fillRect(QRectF(x1, y, x2 - x1, 1), theme[token])


def vline(p: QPainter, x: float, y1: float, y2: float, token: str = "line", width: float = 1) -> None:
    """Draw a line from top to bottom, its left edge at x."""
    p.fillRect(QRectF(x, y1, width, y2 - y1), theme[token])


@cache
def line_flags(align: Qt.AlignmentFlag = LEFT) -> int:
    """Return what one line is drawn with, vertically centred; to join the flags for each word would take as long as to draw it."""
    flags: int = (align | VCENTRE | ONE_LINE).value
    return flags


def width_of(text: str, font: QFont) -> float:
    """Return the width of a line of text in pixels."""
    return theme.metrics_of(font).horizontalAdvance(text)


def text(p: QPainter, rect: QRectF, string: str, font: QFont, token: str = "text", align: Qt.AlignmentFlag = LEFT, elide: str = "right") -> float:
    """Draw one line, vertically centred, elided to `rect`; return the width it took."""
    metrics = theme.metrics_of(font)
    used = metrics.horizontalAdvance(string)
    if used > rect.width() + 0.5:
        string = metrics.elidedText(string, ELIDE[elide], rect.width())
        used = metrics.horizontalAdvance(string)
    p.setFont(font)
    p.setPen(theme[token])
    p.drawText(rect, line_flags(align), string)
    return used


@dataclass(frozen=True)
class Run:
    """A piece of a line in one look; `back` is the colour behind it."""

    string: str
    token: str = "text"
    font: QFont | None = None
    back: str | None = None


def runs(p: QPainter, x: float, y: float, height: float, pieces: Iterable[Run], font: QFont, limit: float = 1e9) -> float:
    """Draw pieces one after another on a line; return the x reached. What passes `limit` ends in a quiet `…`."""
    pieces = list(pieces)
    widths = [width_of(piece.string, piece.font or font) for piece in pieces]
    dots = width_of("…", font)
    last = limit - dots if x + sum(widths) > limit else 1e9
    for piece, w in zip(pieces, widths, strict=True):
        if x + w <= last:
            _run(p, x, y, height, piece, piece.string, font, w)
            x += w
            continue
        used = piece.font or font
        string = theme.metrics_of(used).elidedText(piece.string + "  ", ELIDE["right"], limit - x).removesuffix("…") if limit - x > 2 * dots else ""
        w = width_of(string, used)
        _run(p, x, y, height, piece, string, font, w)
        p.setPen(theme["faint"])
        p.drawText(QRectF(x + w, y, dots + 2, height), line_flags(LEFT), "…")
        return x + w + dots
    return x


def _run(p: QPainter, x: float, y: float, height: float, piece: Run, string: str, font: QFont, w: float) -> None:
    if piece.back:
        box(p, QRectF(x - 1, y + 2, w + 2, height - 4), piece.back, None, 3)
    p.setFont(piece.font or font)
    p.setPen(theme[piece.token])
    p.drawText(QRectF(x, y, w + 2, height), line_flags(LEFT), string)


def pill_width(label: str, icon: str | None = None) -> float:
    """Return the width that `pill` will take."""
    return width_of(label, theme.font("tiny", "medium")) + 12 + (15 if icon else 0)


def pill(p: QPainter, x: float, cy: float, label: str, tone: str = "plain", icon: str | None = None, outline: bool = False) -> float:
    """Draw a small label, its left edge at x and its middle at cy; return its width."""
    font, look = theme.font("tiny", "medium"), TONES[tone]
    w, h = pill_width(label, icon), theme.lh + 2
    rect = QRectF(x, round(cy - h / 2), w, h)
    box(p, rect, None if outline else look.wash, look.ink if outline else None, 4)
    left = x + 6
    if icon:
        draw_icon(p, icon, left - 1, round(cy - 6), look.ink, 12)
        left += 15
    text(p, QRectF(left, rect.y(), w, h), label, font, look.ink)
    return w


def meter(p: QPainter, x: float, cy: float, level: int, ink: str, empty: str = "edge") -> float:
    """Draw four rising bars, `level` of them filled, so that the danger can be counted; return the width."""
    bottom = round(cy) + 5
    for n in range(4):
        tall = 4 + 2 * n
        p.fillRect(QRectF(x + 4 * n, bottom - tall, 3, tall), theme[ink if n < level else empty])
    return METER


def badge_words(level: int) -> str:
    """Return what a danger badge says, e.g. ``2 Run``."""
    return f"{level} {level_name(level)}"


def badge_width(label: str) -> float:
    """Return the width that `badge` will take."""
    return 8 + METER + 6 + width_of(label, theme.font("tiny", "bold")) + 8


def badge(p: QPainter, x: float, cy: float, level: int, label: str | None = None) -> float:
    """Draw the danger badge: meter, number and word; level 4 is solid. Return its width."""
    label = label or badge_words(level)
    w, h = badge_width(label), theme.lh + 4
    rect = QRectF(x, round(cy - h / 2), w, h)
    solid = level == DESTROY
    ink = "on_fill" if solid else f"level{level}"
    box(p, rect, "level4_fill" if solid else f"level{level}_tint", None, 4)
    meter(p, x + 8, cy, level, ink)
    text(p, QRectF(x + 8 + METER + 6, rect.y(), w, h), label, theme.font("tiny", "bold"), ink)
    return w


def key_hint(p: QPainter, right: float, cy: float, keys: str, token: str = "faint") -> float:
    """Draw key names, right-aligned at `right`; return the width."""
    font = theme.font("tiny")
    w = width_of(keys, font)
    text(p, QRectF(right - w, cy - 10, w + 1, 20), keys, font, token)
    return w


def bar(p: QPainter, rect: QRectF, parts: Sequence[tuple[float, str]], total: float, gap: float = 1) -> None:
    """Draw a stacked bar: (amount, token) parts of `total` over the width of `rect`; nothing if `total` is 0."""
    x = rect.x()
    for amount, token in parts:
        w = rect.width() * amount / total if total else 0
        if w > 0:
            p.fillRect(QRectF(x, rect.y(), max(1.0, w - gap), rect.height()), theme[token])
        x += w


def cached_line(p: QPainter, rect: QRectF, share: float) -> None:
    """Draw a bracket under a bar: this much of it (0 to 1) comes from the provider's cache."""
    w = round(rect.width() * share)
    y = rect.bottom() + 3
    p.fillRect(QRectF(rect.x(), y, w, 2), theme["field"])
    p.fillRect(QRectF(rect.x() + w - 2, y - 2, 2, 4), theme["field"])


def hatch(p: QPainter, rect: QRectF, token: str, step: int = 4) -> None:
    """Draw diagonal lines over an area."""
    p.save()
    p.setClipRect(rect, Qt.ClipOperation.IntersectClip)
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(QPen(theme[token], 1))
    x = rect.x() - rect.height()
    while x < rect.right():
        p.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.y()))
        x += step
    p.restore()


def tint(token: str, alpha: float) -> QColor:
    """Return the colour of a token, let through by `alpha` (0 to 1)."""
    colour = theme[token]
    colour.setAlphaF(alpha)
    return colour
