"""Translations beside each other: the same message begins in the same row of each pane, empty rows make up the difference."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from workbench.conversation.messages import ModelRequest
from workbench.inspection.translations import HEAD, Line, Translation

FILLER = -1


class Side(NamedTuple):
    """One pane.

    Attributes:
        text: all rows, each but the last with a line feed.
        lines: the line of the translation that each row shows; FILLER for an empty one.
        rows: the row of each line.
        messages: how many messages the request has.
    """

    translation: Translation
    text: bytes
    lines: array[int]
    rows: array[int]
    messages: int

    def line(self, row: int) -> Line | None:
        """Return the line in a row; None for an empty row, or one below the last."""
        number = self.lines[row] if 0 <= row < len(self.lines) else FILLER
        return self.translation.lines[number] if number != FILLER else None


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


def side_by_side(translations: Sequence[Translation], request: ModelRequest) -> SideBySide:
    """Return the panes of some translations of one request."""
    starts = _starts(translations)
    total = _behind(translations, starts)
    sides = tuple(_side(translation, dict(starts), total, len(request.messages)) for translation in translations)
    calls = (call.call_id for message in request.messages for call in message.calls())
    return SideBySide(sides, starts, {call_id: number for number, call_id in enumerate(dict.fromkeys(calls), 1)})


def _starts(translations: Sequence[Translation]) -> list[tuple[int, int]]:
    """Return the row in which each message begins: where the pane that needs most room before it is ready for it."""
    blocks = [dict(translation.blocks) for translation in translations]
    shift = [0] * len(translations)
    starts: list[tuple[int, int]] = []
    for message in sorted(set().union(*blocks)):
        having = [(place, found[message]) for place, found in enumerate(blocks) if message in found]
        row = max(line + shift[place] for place, line in having)
        row = max(row, starts[-1][1] + 1) if starts else row
        for place, line in having:
            shift[place] = row - line
        starts.append((message, row))
    return starts


def _behind(translations: Sequence[Translation], starts: Sequence[tuple[int, int]]) -> int:
    rows = dict(starts)
    shifts = [rows[translation.blocks[-1][0]] - translation.blocks[-1][1] if translation.blocks else 0 for translation in translations]
    return max((len(translation.lines) + shift for translation, shift in zip(translations, shifts, strict=True)), default=0)


def _side(translation: Translation, starts: Mapping[int, int], total: int, messages: int) -> Side:
    texts: list[str] = []
    lines, rows = array("q"), array("q")
    begins = {line: starts[message] for message, line in translation.blocks}
    for number, line in enumerate(translation.lines):
        while len(lines) < begins.get(number, 0):
            texts.append("")
            lines.append(FILLER)
        rows.append(len(lines))
        lines.append(number)
        texts.append(line.text)
    texts += [""] * (total - len(lines))
    lines.extend([FILLER] * (total - len(lines)))
    return Side(translation, "\n".join(texts).encode("utf-8", "replace"), lines, rows, messages)
