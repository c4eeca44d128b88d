"""A command whole: its exact text with the parts numbered, then each part with its verdict, its folder, the real paths and the reasons."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from typing_extensions import override

from workbench.conversation.calls import CallPart
from workbench.permissions.visible import visible
from workbench.ui.approval.command_text import CommandLine, CommandRows, PartFact, Verdict, facts_of, mixed_words_sentence, says_something, verdict_of
from workbench.ui.approval.exact_text import Piece, face
from workbench.ui.approval.rows_view import RowsView
from workbench.ui.approval.seen import Seen
from workbench.ui.kit.icons import draw_icon
from workbench.ui.kit.paint import CENTRE, RIGHT, box, fill, hline, text, width_of
from workbench.ui.kit.theme import theme
from workbench.words import _, many

SIDE = 20
"""From the edge of the view to a box."""
TEXT_LEFT = SIDE + 30
FACT_INDENT = 18
PAD = 12
_GAP = 10


class CommandView(RowsView):
    """Shows one command. Everything in it must be scrolled through before it can be allowed."""

    ground = "raised"

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._text = ""
        self._rows = CommandRows("", ())
        self._parts: Sequence[CallPart] = ()
        self._facts: list[list[PartFact]] = []
        self._verdicts: list[Verdict] = []
        self._notes: list[PartFact] = []
        self._heading = 0

    def show_command(self, string: str, parts: Sequence[CallPart], notes: Sequence[PartFact], seen: Seen | None = None) -> None:
        """Show a command from its beginning.

        Args:
            string: exactly what would run.
            parts: its simple commands.
            notes: sentences below it.
            seen: what a person has seen of it before.
        """
        self._text, self._rows = string, CommandRows(string, parts)
        self._parts = parts if says_something(parts) else ()
        self._facts = [facts_of(part) for part in self._parts]
        self._verdicts = [verdict_of(part) for part in self._parts]
        mixed = mixed_words_sentence(string)
        self._notes = [*([PartFact("warning", mixed, "level2")] if mixed else []), *notes]
        self._heading = 1 if self._parts else 0
        self.reset(seen)

    def command_text(self) -> str:
        """Return the command, exactly."""
        return self._text

    def plain_text(self) -> str:
        """Return all that is shown, for screen readers and tests."""
        lines = [visible(self._text, keep="\n")]
        for number, part in enumerate(self._parts, 1):
            lines.append(visible(f"{number} · {part.text} · {self._verdicts[number - 1].words}"))
            lines += [visible(fact.words) for fact in self._facts[number - 1]]
        return "\n".join([*lines, *(visible(note.words) for note in self._notes)])

    # Rows: the command, a heading, the parts, the notes

    @override
    def row_count(self) -> int:
        return len(self._rows) + self._heading + len(self._parts) + len(self._notes)

    @override
    def margin(self) -> int:
        return 12

    @override
    def row_height(self, row: int, width: int) -> int:
        if row < len(self._rows):
            line = self._rows.row(row)
            return len(face().pieces(line.text, width - TEXT_LEFT - SIDE - PAD, line.inserts)) * self._tall() + self._edge(row)
        at = row - len(self._rows)
        if at < self._heading:
            return theme.lh + 2 * _GAP
        at -= self._heading
        if at < len(self._parts):
            return self._part_height(at, width)
        note = self._notes[at - len(self._parts)]
        return self._words_height(note.words, width - 2 * SIDE - 44) + 16 + _GAP

    @staticmethod
    def _tall() -> int:
        return theme.mh + 8

    def _edge(self, row: int) -> int:
        """Return the room above the first and below the last line of the command."""
        return (10 if row == 0 else 0) + (10 if row == len(self._rows) - 1 else 0)

    def _part_height(self, place: int, width: int) -> int:
        head = len(self._head_pieces(place, width)) * (theme.mh + 2) + 10
        inner = width - part_left() - SIDE - PAD - FACT_INDENT
        return head + sum(self._words_height(fact.words, inner) + 4 for fact in self._facts[place]) + 6

    def _head_pieces(self, place: int, width: float) -> list[tuple[str, Piece]]:
        room = width - part_left() - SIDE - PAD - self._verdict_width(place) - 16
        return [(line, piece) for line in self._parts[place].text.split("\n") for piece in face().pieces(line, room)]

    def _verdict_width(self, place: int) -> float:
        return width_of(self._verdicts[place].words, theme.font("small", "medium")) + 22

    @staticmethod
    def _words_height(words: str, width: float) -> int:
        return sum(len(face("small", mono=False).pieces(line, width)) for line in words.split("\n")) * (theme.lh + 1)

    # Painting

    @override
    def paint_ground(self, p: QPainter, area: QRectF) -> None:
        fill(p, area, self.ground)
        top = self.margin() - self.verticalScrollBar().value()
        rows = len(self._tops) - 1
        self._paint_box(p, area, top, 0, min(len(self._rows), rows), "sunken")
        first = len(self._rows) + self._heading
        self._paint_box(p, area, top, min(first, rows), min(first + len(self._parts), rows), "base")

    def _paint_box(self, p: QPainter, area: QRectF, top: int, first: int, last: int, token: str) -> None:
        """Paint the box around some rows, as much of it as is in sight."""
        upper, lower = max(top + self._tops[first], -_GAP), min(top + self._tops[last], area.height() + _GAP)
        if upper < lower:
            box(p, QRectF(SIDE, upper, area.width() - 2 * SIDE, lower - upper), token, "edge", 6)

    @override
    def paint_row(self, p: QPainter, row: int, area: QRectF) -> None:
        if row < len(self._rows):
            self._paint_line(p, row, self._rows.row(row), area)
            return
        at = row - len(self._rows)
        if at < self._heading:
            many_parts = len(self._parts) > 1
            words = many("{n} part, the strictest decides", "{n} parts, the strictest decides", len(self._parts)) if many_parts else _("What is known of it")
            text(p, area.adjusted(SIDE, _GAP, -SIDE, -_GAP), words, theme.font("small", "medium"), "muted")
        elif at - self._heading < len(self._parts):
            self._paint_part(p, at - self._heading, area)
        else:
            self._paint_note(p, self._notes[at - self._heading - len(self._parts)], area)

    def _paint_line(self, p: QPainter, row: int, line: CommandLine, area: QRectF) -> None:
        one, tall, sight = face(), self._tall(), p.clipBoundingRect()
        first = area.y() + (10 if row == 0 else 0)
        if row == 0:
            text(p, QRectF(SIDE + 12, first, 16, tall), "$", theme.font("code", "bold"), "faint")
        for n, piece in enumerate(one.pieces(line.text, area.width() - TEXT_LEFT - SIDE - PAD, line.inserts)):
            y = first + n * tall
            if y + tall < sight.top() or y > sight.bottom():
                continue
            for spans, above, thick in ((line.mixed, 3, tall - 6), (line.underlined, tall - 4, 2)):
                for start, end, token in spans:
                    if start < piece.end and end > piece.start:
                        left, right = one.x_at(line.text, piece, start), one.x_at(line.text, piece, end, is_end=True)
                        fill(p, QRectF(TEXT_LEFT + left, y + above, right - left, thick), token)
            one.paint(p, QPointF(TEXT_LEFT, y), tall, line.text, piece, spans=line.spans)
            if n or line.goes_on:
                text(p, QRectF(SIDE, y, TEXT_LEFT - SIDE - 10, tall), "↳", theme.font("tiny"), "faint", RIGHT)

    def _paint_part(self, p: QPainter, place: int, area: QRectF) -> None:
        part, verdict = self._parts[place], self._verdicts[place]
        if place:
            hline(p, SIDE + 1, area.width() - SIDE - 1, area.y())
        ink, head = f"level{part.danger}", theme.mh + 12
        side = theme.mh - 1
        mark = QRectF(SIDE + 12, area.y() + (head - side) / 2, side + (4 if place >= 9 else 0) + (6 if place >= 99 else 0), side)
        box(p, mark, None, ink, side / 2)
        text(p, mark, str(place + 1), theme.font("tiny", "bold"), ink, CENTRE)
        y = area.y() + 5
        for line, piece in self._head_pieces(place, area.width()):
            face().paint(p, QPointF(part_left(), y), theme.mh + 2, line, piece)
            y += theme.mh + 2
        right = area.width() - SIDE - PAD
        wide = self._verdict_width(place)
        draw_icon(p, verdict.icon, right - wide, round(area.y() + (head - 16) / 2), verdict.token)
        text(p, QRectF(right - wide + 22, area.y(), wide, head), verdict.words, theme.font("small", "medium"), verdict.token)
        y += 5
        for fact in self._facts[place]:
            y = self._paint_words(p, fact, QPointF(part_left(), y), area.width() - part_left() - SIDE - PAD - FACT_INDENT, 12) + 4

    def _paint_note(self, p: QPainter, note: PartFact, area: QRectF) -> None:
        inner = area.adjusted(SIDE, _GAP, -SIDE, 0)
        box(p, inner, "sunken", None, 6)
        self._paint_words(p, note, QPointF(inner.x() + PAD, inner.y() + 8), inner.width() - 44, 16)

    @staticmethod
    def _paint_words(p: QPainter, fact: PartFact, at: QPointF, width: float, icon: int) -> float:
        """Paint an icon and wrapped words beside it; return the y reached."""
        one, y, tall = face("small", mono=False), at.y(), theme.lh + 1
        draw_icon(p, fact.icon, at.x(), round(y + (tall - icon) / 2), fact.token if fact.token != "muted" else "faint", icon)
        for line in fact.words.split("\n"):
            for piece in one.pieces(line, width):
                one.paint(p, QPointF(at.x() + icon + 6 + (2 if icon > 12 else 0), y), tall, line, piece, token=fact.token)
                y += tall
        return y


def part_left() -> int:
    """Return where the words of a part begin: behind the circle with its number, which grows with the fonts."""
    return SIDE + 24 + theme.mh
