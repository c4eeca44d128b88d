"""Foreign text as rows of code on a sheet: results, arguments, and differences with their signs. Exact characters, long lines wrapped or cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from PySide6.QtCore import QRectF

from workbench.ui.approval.exact_text import Piece, Span, face
from workbench.ui.chat.sheet import Sheet
from workbench.ui.kit.highlight import code_runs
from workbench.ui.kit.theme import theme
from workbench.words import _, many

Sign: TypeAlias = Literal["+", "-", " ", "@", "$", ""]

LONGEST_LINE = 2_000
"""Characters of a line that are shown; the rest is counted."""
WRAPPED = "↳"
"""Before a row that goes on with a line: in the column of signs, without one at the left edge of the box."""
MARGIN = 8

GROUNDS = {"+": "add_tint", "-": "del_tint"}


class CodeLine(NamedTuple):
    """A line with the sign before it; ``@`` stands for lines left out, ``$`` is before a command, plain text has none."""

    text: str
    sign: Sign = ""


class CodeRow(NamedTuple):
    """A row on the sheet: a piece of a line."""

    line: CodeLine
    piece: Piece
    first: bool


def sign_width() -> int:
    """Return how wide the column of signs is: two letters."""
    return round(2 * theme.metrics("code").horizontalAdvance("0")) + 2


def unified_lines(diff: str) -> list[CodeLine]:
    """Return the lines of a unified diff without its head; where lines are left out between two hunks stands one with the sign ``@``."""
    lines: list[CodeLine] = []
    begun = False
    for line in diff.removesuffix("\n").split("\n"):
        if line.startswith("@@"):
            lines += [CodeLine("⋯", "@")] if begun else []
            begun = True
        elif begun and line[:1] in ("+", "-", " "):
            lines.append(CodeLine(line[1:], line[:1]))  # type: ignore[arg-type]
        elif begun and line.startswith("\\"):
            lines.append(CodeLine(_("No newline at end of file"), "@"))
    return lines


def plain_lines(text: str, most: int) -> list[CodeLine]:
    """Return the first lines of a text, at most so many."""
    return [CodeLine(line) for line in text.split("\n", most)[:most]]


def rows_of(lines: Sequence[CodeLine], width: float) -> Iterator[CodeRow]:
    """Yield the rows of lines in a place of a width; lines that are too long for it are wrapped, very long ones cut and counted."""
    for line in lines:
        shown = line if len(line.text) <= LONGEST_LINE else CodeLine(cut_line(line.text), line.sign)
        for number, piece in enumerate(face().pieces(shown.text, width - (sign_width() if line.sign else 0))):
            yield CodeRow(shown, piece, number == 0)


def cut_line(text: str) -> str:
    """Return the beginning of a long line, and how much more there is."""
    more = many("… +{n} character", "… +{n} characters", len(text) - LONGEST_LINE)
    return f"{text[:LONGEST_LINE]} {more}"


def put_rows(sheet: Sheet, rows: Sequence[CodeRow], area: QRectF, *, ground: str = "sunken", language: str = "") -> None:
    """Put rows into a box on a sheet: 4 pixels above and below, grounds of changed lines from edge to edge."""
    sheet.area(area, ground, "line", 5)
    for number, row in enumerate(rows):
        line, top = row.line, area.y() + 4 + number * theme.mh
        if line.sign in GROUNDS:
            sheet.area(QRectF(area.x() + 1, top, area.width() - 2, theme.mh), GROUNDS[line.sign])
        left = area.x() + MARGIN
        if line.sign:
            _put_sign(sheet, row, QRectF(left, top, sign_width(), theme.mh))
            left += sign_width()
        elif not row.first:
            sheet.words(WRAPPED, QRectF(area.x() + 1, top, MARGIN + 4, theme.mh), theme.font("tiny", mono=True), "faint", said="", before="")
        place = QRectF(left, top, area.right() - MARGIN - left, theme.mh)
        spans = spans_of(line.text, language) if language and line.sign != "@" else ()
        before = "" if line.sign in ("+", "-", " ", "$") or not row.first else "\n"
        sheet.code(line.text, row.piece, place, face(), "faint" if line.sign == "@" else "text", spans=spans, before=before)


def _put_sign(sheet: Sheet, row: CodeRow, place: QRectF) -> None:
    """Put a sign that is copied as the diff has it, or the mark of a wrapped row, which is not copied."""
    font = theme.font("code")
    if not row.first:
        sheet.words(WRAPPED, place, font, "faint", said="", before="")
    elif row.line.sign == "+":
        sheet.words("+", place, font, "ok")
    elif row.line.sign == "-":
        sheet.words("−", place, font, "fail", said="-")
    elif row.line.sign == "$":
        sheet.words("$", place, font, "faint", said="")
    elif row.line.sign == " ":
        sheet.say(" ")


def spans_of(line: str, language: str) -> list[Span]:
    """Return the colours of one line of code."""
    spans, at = [], 0
    for run in code_runs(line, language):
        if run.token != "text":
            spans.append(Span(at, at + len(run.string), run.token))
        at += len(run.string)
    return spans
