"""Translations beside each other: the same message begins in the same row of each pane, empty rows make up the difference.

Long lines are wrapped here, not by the view: only so the rows of all panes can be counted together.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.conversation.messages import ModelRequest
from workbench.dialects.base import Loss
from workbench.dialects.losses import DROPS
from workbench.inspection.line_wrapping import wrapped
from workbench.inspection.stains import Origin
from workbench.inspection.translations import HEAD, Line, Translation

FILLER = -1


class Side(NamedTuple):
    """One pane.

    Attributes:
        text: all rows, each but the last with a line feed.
        lines: the line of the translation that each row shows; FILLER for an empty one.
        rows: the first row of each line.
        in_string: for each row whether it begins inside a JSON string, because the line was wrapped there.
        elsewhere: what of this pane is left out in others, by row: (pane, loss).
        messages: how many messages the request has.
    """

    translation: Translation
    text: bytes
    lines: array[int]
    rows: array[int]
    in_string: bytearray
    elsewhere: Mapping[int, Sequence[tuple[int, Loss]]]
    messages: int

    def line(self, row: int) -> Line | None:
        """Return the line in a row; None for an empty row, or one below the last."""
        number = self.lines[row] if 0 <= row < len(self.lines) else FILLER
        return self.translation.lines[number] if number != FILLER else None

    def begins(self, row: int) -> bool:
        """Say whether a line begins in a row."""
        return 0 <= row < len(self.lines) and self.lines[row] != FILLER and self.rows[self.lines[row]] == row


class SideBySide(NamedTuple):
    """All panes.

    Attributes:
        starts: first row of each message that any pane shows, ascending: (message, row).
        numbers: of the calls in the order in which they were made, from 1, by their id.
    """

    sides: tuple[Side, ...]
    starts: Sequence[tuple[int, int]]
    numbers: Mapping[str, int]

    def message_at(self, row: int) -> int:
        """Return the message in a row; HEAD above the first."""
        place = bisect_right(self.starts, row, key=lambda start: start[1]) - 1
        return self.starts[place][0] if place >= 0 else HEAD

    def rows_of(self, message: int) -> range:
        """Return the rows of a message, empty ones at its end included; none for what is no message."""
        place = bisect_right(self.starts, message, key=lambda start: start[0]) - 1
        if place < 0 or self.starts[place][0] != message:
            return range(0)
        end = self.starts[place + 1][1] if place + 1 < len(self.starts) else len(self.sides[0].lines)
        return range(self.starts[place][1], end)


class _Rows(NamedTuple):
    """The rows of one translation before they are brought in line: of each line its rows, and the first row of each message."""

    lines: list[list[tuple[str, bool]]]
    blocks: list[tuple[int, int]]
    size: int


def side_by_side(translations: Sequence[Translation], request: ModelRequest, columns: Sequence[int]) -> SideBySide:
    """Return the panes of some translations of one request.

    Args:
        translations: at least one.
        request: what they are translations of.
        columns: how many cells a row of each pane has room for.
    """
    rows = [_rows(translation, wide) for translation, wide in zip(translations, columns, strict=True)]
    starts = _starts(rows)
    total = _behind(rows, starts)
    firsts = [_firsts(translation) for translation in translations]
    sides: list[Side] = []
    for pane, translation in enumerate(translations):
        text, lines, begins, in_string = _laid_out(rows[pane], dict(starts), total)
        elsewhere = _elsewhere(pane, translations, firsts[pane], begins)
        sides.append(Side(translation, text, lines, begins, in_string, elsewhere, len(request.messages)))
    calls = (call.call_id for message in request.messages for call in message.calls())
    return SideBySide(tuple(sides), starts, {call_id: number for number, call_id in enumerate(dict.fromkeys(calls), 1)})


def _rows(translation: Translation, columns: int) -> _Rows:
    lines = [wrapped(line.text, columns) for line in translation.lines]
    begins, count = [], 0
    for rows in lines:
        begins.append(count)
        count += len(rows)
    return _Rows(lines, [(message, begins[line]) for message, line in translation.blocks], count)


def _starts(panes: Sequence[_Rows]) -> list[tuple[int, int]]:
    """Return the row in which each message begins: where the pane that needs most room before it is ready for it."""
    blocks = [dict(pane.blocks) for pane in panes]
    shift = [0] * len(panes)
    starts: list[tuple[int, int]] = []
    for message in sorted(set().union(*blocks)):
        having = [(place, found[message]) for place, found in enumerate(blocks) if message in found]
        row = max(line + shift[place] for place, line in having)
        row = max(row, starts[-1][1] + 1) if starts else row
        for place, line in having:
            shift[place] = row - line
        starts.append((message, row))
    return starts


def _behind(panes: Sequence[_Rows], starts: Sequence[tuple[int, int]]) -> int:
    """Return how many rows all panes have."""
    rows = dict(starts)
    return max((pane.size + (rows[pane.blocks[-1][0]] - pane.blocks[-1][1] if pane.blocks else 0) for pane in panes), default=0)


def _laid_out(pane: _Rows, starts: Mapping[int, int], total: int) -> tuple[bytes, array[int], array[int], bytearray]:
    """Return the text, the line of each row, the first row of each line, and which rows begin inside a string."""
    texts: list[str] = []
    lines, begins, in_string = array("q"), array("q"), bytearray()
    wanted = {row: starts[message] for message, row in pane.blocks}
    at = 0
    for number, rows in enumerate(pane.lines):
        missing = wanted.get(at, 0) - len(lines)
        if missing > 0:
            texts += [""] * missing
            lines.extend([FILLER] * missing)
            in_string.extend(bytes(missing))
        begins.append(len(lines))
        at += len(rows)
        for text, inside in rows:
            texts.append(text)
            lines.append(number)
            in_string.append(inside)
    missing = total - len(lines)
    texts += [""] * missing
    lines.extend([FILLER] * missing)
    in_string.extend(bytes(missing))
    return "\n".join(texts).encode("utf-8", "replace"), lines, begins, in_string


def _firsts(translation: Translation) -> Mapping[Origin, int]:
    """Return the first line of each part."""
    found: dict[Origin, int] = {}
    for number, line in enumerate(translation.lines):
        if line.origin is not None:
            found.setdefault(line.origin, number)
    return found


def _elsewhere(pane: int, translations: Sequence[Translation], firsts: Mapping[Origin, int], begins: array[int]) -> Mapping[int, Sequence[tuple[int, Loss]]]:
    found: dict[int, list[tuple[int, Loss]]] = {}
    for other, translation in enumerate(translations):
        for _line, loss in translation.losses if other != pane else ():
            line = firsts.get(Origin(loss.message, loss.part)) if loss.rule in DROPS else None
            if line is not None:
                found.setdefault(begins[line], []).append((other, loss))
    return found
