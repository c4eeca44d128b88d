"""A small picture made of boxes, icons and rows of text: laid out once, painted often, and its text can be chosen by the character.

Cards and notices of the chat are such sheets. Lengths are pixels from the sheet's upper left corner.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextLayout, QTextOption

from workbench.ui.approval.exact_text import Face, Piece, Span
from workbench.ui.chat.item_view import Place
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import box, fill, line_flags
from workbench.ui.kit.theme import theme

ELIDED = {"right": Qt.TextElideMode.ElideRight, "middle": Qt.TextElideMode.ElideMiddle}


@dataclass(slots=True)
class _Area:
    rect: QRectF
    fill: str | None
    edge: str | None
    radius: float


@dataclass(slots=True)
class _Icon:
    name: str
    x: float
    y: float
    token: str
    size: int


@dataclass(slots=True)
class _Words:
    """A row of words. `shown` differs from the text if it did not fit."""

    rect: QRectF
    start: int
    text: str
    shown: str
    font: QFont
    token: str

    def paint(self, p: QPainter, x: float, y: float, token: str = "") -> None:
        p.setFont(self.font)
        p.setPen(theme[token or self.token])
        p.drawText(self.rect.translated(x, y), line_flags(), self.shown)

    def x_at(self, offset: int) -> float:
        """Return where the character at an offset of the sheet's text begins."""
        count = min(max(offset - self.start, 0), len(self.text))
        if self.shown != self.text:
            return self.rect.x() if count == 0 else self.rect.right()
        return self.rect.x() + QFontMetricsF(self.font).horizontalAdvance(self.text[:count])


@dataclass(slots=True)
class _Code:
    """A row of code, foreign text drawn exactly."""

    rect: QRectF
    start: int
    text: str
    face: Face
    line: str
    piece: Piece
    token: str
    spans: Sequence[Span]

    def paint(self, p: QPainter, x: float, y: float, token: str = "") -> None:
        at, spans = QPointF(self.rect.x() + x, self.rect.y() + y), () if token else self.spans
        self.face.paint(p, at, self.rect.height(), self.line, self.piece, token=token or self.token, spans=spans)

    def x_at(self, offset: int) -> float:
        count = min(max(offset - self.start, 0), len(self.text))
        return self.rect.x() + self.face.x_at(self.line, self.piece, self.piece.start + count)


@dataclass(frozen=True)
class Chosen:
    """Characters of a text that are painted otherwise, as (start, end).

    Attributes:
        selection: selected.
        marks: found by a search.
        mark: the one of them that was jumped to.
    """

    selection: tuple[int, int] | None = None
    marks: tuple[tuple[int, int], ...] = ()
    mark: tuple[int, int] | None = None

    @classmethod
    def of(cls, place: Place) -> Chosen:
        """Return what a place says of an item's text."""
        return cls(place.selection, place.marks, place.mark)

    def within(self, start: int) -> Chosen:
        """Return the same for a part of the text that begins at `start`."""
        if self == NOTHING:
            return self
        return Chosen(_moved(self.selection, start), tuple((one - start, other - start) for one, other in self.marks), _moved(self.mark, start))


NOTHING = Chosen()


def _moved(stretch: tuple[int, int] | None, start: int) -> tuple[int, int] | None:
    return None if stretch is None else (stretch[0] - start, stretch[1] - start)


class Sheet:
    """See the module.

    Attributes:
        width: pixels.
        height: pixels; whoever lays it out sets it.
    """

    def __init__(self, width: float) -> None:
        self.width = width
        self.height = 0.0
        self._areas: list[_Area] = []
        self._icons: list[_Icon] = []
        self._rows: list[_Words | _Code] = []
        self._pieces: list[str] = []
        self._length = 0

    @property
    def text(self) -> str:
        """All its words, as they are copied and found."""
        return "".join(self._pieces)

    @property
    def length(self) -> int:
        """Number of characters of `text`."""
        return self._length

    # Laying out

    def area(self, rect: QRectF, ground: str | None, edge: str | None = None, radius: float = 0) -> None:
        """Put a box; boxes lie under everything else, in the order they were put."""
        self._areas.append(_Area(rect, ground, edge, radius))

    def icon(self, name: str, x: float, y: float, token: str = "muted", size: int = 16) -> None:
        """Put an icon."""
        self._icons.append(_Icon(name, x, y, token, size))

    def words(
        self,
        text: str,
        rect: QRectF,
        font: QFont,
        token: str = "text",
        *,
        right: bool = False,
        elide: str = "right",
        before: str = "\n",
        said: str | None = None,
    ) -> float:
        """Put one line of words, vertically in the middle of `rect` and elided to it; return the width it takes.

        Args:
            text: the words; foreign ones made visible.
            rect: where.
            font: a font of the theme.
            token: the colour.
            right: at the right edge of `rect`.
            elide: where it is cut, ``right`` or ``middle``.
            before: what stands between it and the words before it in `text`.
            said: what is copied instead of the words; None for the words.
        """
        if not text:
            return 0.0
        metrics = QFontMetricsF(font)
        used, shown = metrics.horizontalAdvance(text), text
        if used > rect.width() + 0.5:
            shown = metrics.elidedText(text, ELIDED[elide], max(0.0, rect.width()))
            used = metrics.horizontalAdvance(shown)
        left = rect.right() - used if right else rect.x()
        said = text if said is None else said
        self._rows.append(_Words(QRectF(left, rect.y(), used + 1, rect.height()), self.say(said, before), said, shown, font, token))
        return used

    def sentence(self, text: str, rect: QRectF, font: QFont, token: str = "text", *, before: str = "\n", most: int = 0) -> float:
        """Put words that are wrapped to the width of `rect`, whose height is that of one line; return the height they take.

        Args:
            text: the words, with line breaks; foreign ones made visible.
            rect: the first line.
            font: a font of the theme.
            token: the colour.
            before: what stands between them and the words before them in `text`.
            most: so many lines at most, the last one elided; 0 for all.
        """
        rows = broken(text, font, rect.width())
        if most and len(rows) > most:
            rows = [*rows[: most - 1], "".join(rows[most - 1 :]).partition("\n")[0]]
        for number, row in enumerate(rows):
            shown = row.rstrip("\n ")
            self.words(shown, rect.translated(0, number * rect.height()), font, token, before=before if number == 0 else "")
            if number < len(rows) - 1:
                self.say(row[len(shown) :], "")
        return len(rows) * rect.height()

    def code(self, line: str, piece: Piece, rect: QRectF, face: Face, token: str = "text", *, spans: Sequence[Span] = (), before: str = "\n") -> None:
        """Put one row of code: the piece of a line that `face` made, in its own characters."""
        text = line[piece.start : piece.end]
        self._rows.append(_Code(rect, self.say(text, before), text, face, line, piece, token, spans))

    def say(self, text: str, before: str = "\n") -> int:
        """Add words to `text` that are painted elsewhere, or not at all; return where they begin."""
        if before and self._length:
            self._pieces.append(before)
            self._length += len(before)
        self._pieces.append(text)
        self._length += len(text)
        return self._length - len(text)

    # Painting and choosing

    def paint(self, p: QPainter, x: float, y: float, top: float = -1e9, bottom: float = 1e9, chosen: Chosen | None = None) -> None:
        """Paint what lies between `top` and `bottom`, with the upper left corner at x, y."""
        for area in self._areas:
            rect = area.rect.translated(x, y)
            if rect.bottom() >= top and rect.y() <= bottom:
                if area.radius or area.edge:
                    box(p, rect, area.fill, area.edge, area.radius)
                elif area.fill:
                    fill(p, rect, area.fill)
        for icon in self._icons:
            draw_icon(p, icon.name, x + icon.x, y + icon.y, icon.token, icon.size)
        for row in self._rows:
            if y + row.rect.bottom() >= top and y + row.rect.y() <= bottom:
                _paint_row(p, row, x, y, chosen or NOTHING)

    def top_of(self, offset: int) -> float:
        """Return the y of the row with a character of `text`."""
        row = next((row for row in reversed(self._rows) if row.start <= offset), None)
        return row.rect.y() if row else 0.0

    def offset_at(self, x: float, y: float) -> int:
        """Return the offset in `text` that is nearest to a point."""
        if not self._rows:
            return 0
        near = min(self._rows, key=lambda row: (_distance(row.rect.y(), row.rect.bottom(), y), _distance(row.rect.x(), row.rect.right(), x)))
        low, high = near.start, near.start + len(near.text)
        while low < high:
            middle = (low + high) // 2
            if (near.x_at(middle) + near.x_at(middle + 1)) / 2 <= x:
                low = middle + 1
            else:
                high = middle
        return low


def _paint_row(p: QPainter, row: _Words | _Code, x: float, y: float, chosen: Chosen) -> None:
    """Paint a row: what was found and what is selected on their grounds, the hit that was jumped to in its own colours."""
    grounds = [(mark, "level2_tint") for mark in chosen.marks] + ([(chosen.selection, "select")] if chosen.selection else [])
    for stretch, ground in grounds:
        if (area := _stretch(row, stretch)) is not None:
            fill(p, area.translated(x, y), ground)
    row.paint(p, x, y)
    if chosen.mark is not None and (area := _stretch(row, chosen.mark)) is not None:
        p.save()
        p.setClipRect(area.translated(x, y), Qt.ClipOperation.IntersectClip)
        fill(p, area.translated(x, y), "accent_fill")
        row.paint(p, x, y, "on_fill")
        p.restore()


def _stretch(row: _Words | _Code, stretch: tuple[int, int]) -> QRectF | None:
    """Return where characters of the text stand in a row; None if none of them does."""
    start, end = max(stretch[0], row.start), min(stretch[1], row.start + len(row.text))
    if start >= end:
        return None
    return QRectF(row.x_at(start), row.rect.y(), row.x_at(end) - row.x_at(start), row.rect.height())


def _distance(low: float, high: float, value: float) -> float:
    """Return how far a value is from a stretch; its last pixel belongs to the next one."""
    return low - value if value < low else max(0.0, value - high + 0.001)


def broken(text: str, font: QFont, width: float) -> list[str]:
    """Return `text` broken into rows of at most `width` pixels; joined they are the text again."""
    rows: list[str] = []
    lines = text.split("\n")
    for line in lines[:-1]:
        rows += _broken_line(line + "\n", font, width)
    return rows + (_broken_line(lines[-1], font, width) if lines[-1] or not rows else [])


def _broken_line(line: str, font: QFont, width: float) -> list[str]:
    bare = line.rstrip("\n")
    if QFontMetricsF(font).horizontalAdvance(bare) <= width:
        return [line]
    layout = QTextLayout(bare, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    ends: list[int] = []
    layout.beginLayout()
    while (row := layout.createLine()).isValid():
        row.setLineWidth(max(width, 20.0))
        ends.append(row.textStart() + row.textLength())
    layout.endLayout()
    # QTextLayout counts UTF-16 units
    return _cut(line, ends) if ends else [line]


def _cut(line: str, ends: Sequence[int]) -> list[str]:
    """Cut at UTF-16 offsets; the rest of the line belongs to the last row."""
    units = [0]
    for character in line:
        units.append(units[-1] + (2 if ord(character) > 0xFFFF else 1))
    places = [0, *(bisect_right(units, end) - 1 for end in ends[:-1]), len(line)]
    return [line[start:end] for start, end in pairwise(places)]
