"""Cheap painting: boxes, text, pills, danger badges, token bars. No widget, no rich text, no gradient, no blur."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.theme import theme
from workbench.words import level_name

LEFT, RIGHT, CENTRE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter
VCENTRE = Qt.AlignmentFlag.AlignVCenter
ELIDE = {
    "right": Qt.TextElideMode.ElideRight,
    "middle": Qt.TextElideMode.ElideMiddle,
    "left": Qt.TextElideMode.ElideLeft,
}


@dataclass(frozen=True)
class Tone:
    """A meaning in three colours: the ink, the wash behind it, and the outline."""

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


def box(
    p: QPainter, rect: QRectF, fill: str | None, edge: str | None = None, radius: float = 6, width: float = 1
) -> None:
    """A rounded rectangle whose outline lies inside `rect`, on whole pixels."""
    p.setRenderHint(QPainter.RenderHint.Antialiasing, radius > 0)
    p.setPen(QPen(theme[edge], width) if edge else Qt.PenStyle.NoPen)
    p.setBrush(theme[fill] if fill else Qt.BrushStyle.NoBrush)
    inset = width / 2 if edge else 0
    p.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius)
    p.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def fill(p: QPainter, rect: QRectF, token: str) -> None:
    p.fillRect(rect, theme[token])


def hline(p: QPainter, x1: float, x2: float, y: float, token: str = "line") -> None:
    p.fillRect(QRectF(x1, y, x2 - x1, 1), theme[token])


def vline(p: QPainter, x: float, y1: float, y2: float, token: str = "line", width: float = 1) -> None:
    p.fillRect(QRectF(x, y1, width, y2 - y1), theme[token])


def width_of(text: str, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(text)


def text(
    p: QPainter, rect: QRectF, string: str, font: QFont, token: str = "text", align=LEFT, elide: str = "right"
) -> float:
    """Draw one line, vertically centred, elided to `rect`; return the width it took."""
    metrics = QFontMetricsF(font)
    if metrics.horizontalAdvance(string) > rect.width() + 0.5:
        string = metrics.elidedText(string, ELIDE[elide], rect.width())
    p.setFont(font)
    p.setPen(theme[token])
    p.drawText(rect, int(align | VCENTRE | Qt.TextFlag.TextSingleLine), string)
    return metrics.horizontalAdvance(string)


@dataclass(frozen=True)
class Run:
    """A piece of a line in one look."""

    string: str
    token: str = "text"
    font: QFont | None = None
    back: str | None = None


def runs(
    p: QPainter, x: float, y: float, height: float, pieces: Iterable[Run], font: QFont, limit: float = 1e9
) -> float:
    """Draw pieces one after another on a line; return the x reached. What passes `limit` ends in a quiet `…`."""
    pieces = list(pieces)
    dots = width_of("…", font)
    too_long = x + sum(width_of(piece.string, piece.font or font) for piece in pieces) > limit
    for piece in pieces:
        used, string = piece.font or font, piece.string
        w = width_of(string, used)
        if too_long and x + w > limit - dots:
            string = (
                QFontMetricsF(used).elidedText(string + "  ", ELIDE["right"], limit - x).removesuffix("…")
                if limit - x > 2 * dots
                else ""
            )
            w = width_of(string, used)
        if piece.back:
            box(p, QRectF(x - 1, y + 2, w + 2, height - 4), piece.back, None, 3)
        p.setFont(used)
        p.setPen(theme[piece.token])
        p.drawText(QRectF(x, y, w + 2, height), int(LEFT | VCENTRE | Qt.TextFlag.TextSingleLine), string)
        x += w
        if string != piece.string:
            p.setPen(theme["faint"])
            p.drawText(QRectF(x, y, dots + 2, height), int(LEFT | VCENTRE | Qt.TextFlag.TextSingleLine), "…")
            break
    return x


def pill_width(label: str, icon: str | None = None) -> float:
    return width_of(label, theme.font("tiny", "medium")) + 12 + (15 if icon else 0)


def pill(
    p: QPainter, x: float, cy: float, label: str, tone: str = "plain", icon: str | None = None, outline: bool = False
) -> float:
    """A small label, its left edge at x and its middle at cy; return its width."""
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
    """Four rising bars, `level` of them filled: the danger can be counted, not only seen."""
    bottom = round(cy) + 5
    for n in range(4):
        tall = 4 + 2 * n
        p.fillRect(QRectF(x + 4 * n, bottom - tall, 3, tall), theme[ink if n < level else empty])
    return 15


def badge_width(label: str) -> float:
    return 8 + 15 + 6 + width_of(label, theme.font("tiny", "bold")) + 8


def badge(p: QPainter, x: float, cy: float, level: int, label: str | None = None) -> float:
    """The danger badge: meter, number and word. Level 4 is solid."""
    label = label or f"{level} {level_name(level)}"
    w, h = badge_width(label), theme.lh + 4
    rect = QRectF(x, round(cy - h / 2), w, h)
    solid = level == 4
    ink = "on_fill" if solid else f"level{level}"
    box(p, rect, "level4_fill" if solid else f"level{level}_tint", None, 4)
    meter(p, x + 8, cy, level, ink)
    text(p, QRectF(x + 29, rect.y(), w, h), label, theme.font("tiny", "bold"), ink)
    return w


def key_hint(p: QPainter, right: float, cy: float, keys: str, token: str = "faint") -> float:
    """Key names, right-aligned at `right`; return the width."""
    font = theme.font("tiny")
    w = width_of(keys, font)
    text(p, QRectF(right - w, cy - 10, w + 1, 20), keys, font, token)
    return w


def bar(p: QPainter, rect: QRectF, parts: list[tuple[float, str]], total: float, gap: float = 1) -> None:
    """A stacked bar: (amount, token) parts of `total` over the width of `rect`."""
    x = rect.x()
    for amount, token in parts:
        w = rect.width() * amount / total
        if w > 0:
            p.fillRect(QRectF(x, rect.y(), max(1.0, w - gap), rect.height()), theme[token])
        x += w


def cached_line(p: QPainter, rect: QRectF, share: float) -> None:
    """A bracket under a bar: this much of it comes from the provider's cache."""
    w = round(rect.width() * share)
    y = rect.bottom() + 3
    p.fillRect(QRectF(rect.x(), y, w, 2), theme["field"])
    p.fillRect(QRectF(rect.x() + w - 2, y - 2, 2, 4), theme["field"])


def hatch(p: QPainter, rect: QRectF, token: str, step: int = 4) -> None:
    """Diagonal lines: 'from the cache'."""
    p.save()
    p.setClipRect(rect)
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setPen(QPen(theme[token], 1))
    x = rect.x() - rect.height()
    while x < rect.right():
        p.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.y()))
        x += step
    p.restore()


def tint(token: str, alpha: float) -> QColor:
    colour = theme[token]
    colour.setAlphaF(alpha)
    return colour
