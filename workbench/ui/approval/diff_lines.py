"""One line of a difference as it is shown on one side of a row, and how it is painted: number, sign, text, changed words, line end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from workbench.ui.approval.chunks import CHUNK
from workbench.ui.approval.diff_model import Difference, DiffRow, SideName, changed_spans, line_end
from workbench.ui.approval.exact_text import Insert, Piece, Span, face
from workbench.ui.kit.paint import RIGHT, fill, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _

SIGN = 18
"""Width of the column of signs."""
PAD = 8
"""Pixels after the text."""
_NARROWEST_NUMBER = 40


class _Mark(NamedTuple):
    ground: str
    word: str
    ink: str
    sign: str


_MARKS = {"add": _Mark("add_tint", "add_word", "ok", "+"), "del": _Mark("del_tint", "del_word", "fail", "−")}


class DiffLine(NamedTuple):
    """One line, or a chunk of a long one.

    Attributes:
        number: as it stands in front of it; empty for all chunks but the first.
        text: without its line end.
        mark: ``add``, ``del``, or empty.
        inserts: the name of its line end, where that matters.
        colours: of the code.
        changed: characters, as (start, end), that differ from the line it replaces or was replaced by.
    """

    number: str
    text: str
    mark: str
    inserts: Mapping[int, Insert]
    colours: Sequence[Span] = ()
    changed: Sequence[tuple[int, int]] = ()

    def pieces(self, width: float) -> list[Piece]:
        """Return the rows into which its text is wrapped."""
        return face().pieces(self.text, width, self.inserts)


def line_of(shown: Difference, name: SideName, row: DiffRow, colours: Mapping[int, Sequence[Span]] | None = None) -> DiffLine | None:
    """Return what a row shows on one side; None if nothing. Without `colours` only what its height depends on."""
    place, other = (row.old, row.new) if name == "old" else (row.new, row.old)
    if place < 0:
        return None
    other = other if other >= 0 else row.pair
    side, start = shown.side(name), row.part * CHUNK
    whole = side.text(place)
    if row.part and start >= len(whole):
        return None
    mark = "" if row.kind == "same" else "add" if name == "new" else "del"
    inserts = _end_mark(shown, name, place, other, mark, len(whole) - start) if mark and len(whole) <= start + CHUNK else {}
    line = DiffLine("" if row.part else str(side.numbers[place]), whole[start : start + CHUNK], mark, inserts)
    if colours is None:
        return line
    changed = _changed(shown, name, place, other) if mark and other >= 0 else ()
    spans = [Span(a - start, b - start, token) for a, b, token in colours.get(place, ()) if b > start and a < start + CHUNK]
    return line._replace(colours=spans, changed=[(max(a - start, 0), b - start) for a, b in changed if b > start and a < start + CHUNK])


def _end_mark(shown: Difference, name: SideName, place: int, other: int, mark: str, at: int) -> Mapping[int, Insert]:
    if not shown.shows_end(name, place, other):
        return {}
    label = {"\n": "LF ⏎", "\r\n": "CRLF ⏎", "": _("no line end")}[line_end(shown.side(name).lines[place])]
    return {at: Insert(label, _MARKS[mark].ink)}


def _changed(shown: Difference, name: SideName, place: int, other: int) -> Sequence[tuple[int, int]]:
    if name == "old":
        return changed_spans(shown.old.text(place), shown.new.text(other)).old
    return changed_spans(shown.old.text(other), shown.new.text(place)).new


def number_width(shown: Difference) -> int:
    """Return the width of a column of numbers."""
    last = max((side.numbers[-1] for side in (shown.old, shown.new) if side.numbers), default=0)
    return max(_NARROWEST_NUMBER, int(width_of(str(last), theme.font("tiny", mono=True))) + 16)


def paint_number(p: QPainter, x: float, y: float, width: int, line: DiffLine) -> None:
    """Paint the number of a line into its column."""
    if line.number:
        small = face("tiny")
        piece = Piece(0, len(line.number))
        left = x + width - 8 - small.x_at(line.number, piece, piece.end)
        small.paint(p, QPointF(left, y), theme.mh + 1, line.number, piece, token="muted" if line.mark else "faint")


def paint_line(p: QPainter, area: QRectF, line: DiffLine | None, numbers: int, columns: int = 1) -> None:
    """Paint one side of a row: its number (if there is one column for them), its sign, and the text in as many rows as it needs."""
    if line is None:
        fill(p, area, "sunken")
        return
    x, tall = area.x() + numbers * columns, theme.mh + 1
    if line.mark:
        fill(p, area, _MARKS[line.mark].ground)
        text(p, QRectF(x, area.y(), 12, tall), _MARKS[line.mark].sign, theme.font("code", "bold"), _MARKS[line.mark].ink)
    if columns == 1:
        paint_number(p, x - numbers, area.y(), numbers, line)
    left, one, sight = x + SIGN, face(), p.clipBoundingRect()
    for n, piece in enumerate(line.pieces(area.right() - left - PAD)):
        top = area.y() + n * tall
        if top + tall < sight.top() or top > sight.bottom():
            continue
        for start, end in line.changed:
            if start < piece.end and end > piece.start:
                begin, stop = one.x_at(line.text, piece, start), one.x_at(line.text, piece, end, is_end=True)
                _paint_changed(p, QRectF(left + begin, top + 1, stop - begin, tall - 2), _MARKS[line.mark])
        one.paint(p, QPointF(left, top), tall, line.text, piece, spans=line.colours)
        if n or (not line.number and columns == 1):
            text(p, QRectF(x - numbers, top, numbers - 8, tall), "↳", theme.font("tiny"), "faint", RIGHT)


def _paint_changed(p: QPainter, area: QRectF, mark: _Mark) -> None:
    """Mark what differs inside a line: a stronger wash, and a line under it."""
    fill(p, area, mark.word)
    fill(p, QRectF(area.x(), area.bottom() - 1, area.width(), 1), mark.ink)
