"""Long text broken into rows of a fixed number of cells, without laying anything out and without Qt.

A cell is the width of one letter of the code font; wide characters take two, hidden ones as many as their mark. Lines are given by
the offsets at which they begin, rows are kept only of lines that need more than one, and only the last line is looked at again when
the text grows: a hundred thousand lines cost what is new of them.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from workbench.permissions.visible import is_hidden, visible

TAB_CELLS = 4
LONGEST_BREAK = 20
"""How many characters at the end of a row are searched for a blank to break at."""
_RUN = re.compile("([ -~]+)|([\u3041-\u3096\u30a1-\u30fa\u4e00-\u9ffc\uac00-\ud7a3\uff01-\uff5e]+)|.", re.DOTALL)
"""Characters that take one cell each, those that take two, and any other by itself."""


class Row(NamedTuple):
    """A row: the line it is of, by number, its first and last offset in the text, and whether it begins its line."""

    line: int
    start: int
    end: int
    first: bool


class Rows:
    """The rows of lines of a text.

    Attributes:
        count: how many there are.
    """

    def __init__(self, *, words: bool = False) -> None:
        """With `words`, rows end between words where they can."""
        self._words = words
        self.reset(80, 80)

    def reset(self, columns: int, first_columns: int) -> None:
        """Begin anew for another width, in cells; the first row of all may be shorter than the others."""
        self.columns, self._first_columns = max(8, columns), max(8, first_columns)
        self.count = 0
        self._done = 0
        self._lines: Sequence[int] = ()
        self._end = 0
        self._wrapped: list[int] = []
        self._starts: list[list[int]] = []
        self._row_of: list[int] = []
        self._extra = 0

    def update(self, text: str, lines: Sequence[int], end: int) -> None:
        """Take the lines as they are now; all but the last of those given before are as they were.

        Args:
            text: what the offsets are of.
            lines: where each line begins.
            end: where the last one ends.
        """
        last = min(self._done, max(0, len(lines) - 1))
        known = self._starts[-1] if self._wrapped and self._wrapped[-1] == last and end >= self._end else []
        self._drop_from(last)
        self._lines, self._end = lines, end
        for number in range(self._done, len(lines)):
            stop = lines[number + 1] - 1 if number + 1 < len(lines) else end
            self._add(text, number, lines[number], stop, known)
            known = []
        self._done = max(0, len(lines) - 1)
        self.count = len(lines) + self._extra

    def row(self, number: int) -> Row:
        """Return a row by its number from 0; `count` of them exist."""
        at = bisect_right(self._row_of, number) - 1
        if at < 0:
            return self._whole(number)
        starts, line = self._starts[at], self._wrapped[at]
        part = number - self._row_of[at]
        if part > len(starts):
            return self._whole(line + part - len(starts))
        start = starts[part - 1] if part else self._lines[line]
        end = starts[part] if part < len(starts) else self._line_end(line)
        return Row(line, start, end, not part)

    def row_at(self, offset: int) -> int:
        """Return the number of the row that shows the character at an offset."""
        line = max(0, bisect_right(self._lines, offset) - 1)
        at = bisect_right(self._wrapped, line) - 1
        if at < 0:
            return line
        if self._wrapped[at] == line:
            return self._row_of[at] + bisect_right(self._starts[at], offset)
        return self._row_of[at] + len(self._starts[at]) + line - self._wrapped[at]

    def _whole(self, line: int) -> Row:
        return Row(line, self._lines[line], self._line_end(line), first=True)

    def _line_end(self, line: int) -> int:
        return self._lines[line + 1] - 1 if line + 1 < len(self._lines) else self._end

    def _drop_from(self, line: int) -> None:
        while self._wrapped and self._wrapped[-1] >= line:
            self._wrapped.pop()
            self._row_of.pop()
            self._extra -= len(self._starts.pop())
        self._done = line

    def _add(self, text: str, number: int, start: int, end: int, known: list[int]) -> None:
        """Break a line; of one that only grew, `known` are the rows it had, and the last of them is where to go on."""
        first = self._first_columns if not number else self.columns
        if known:
            starts = known + broken(text, known[-1], end, self.columns, self.columns, words=self._words)
        elif (end - start) * WIDEST > first:
            starts = broken(text, start, end, self.columns, first, words=self._words)
        else:
            return
        if starts:
            self._wrapped.append(number)
            self._row_of.append(number + self._extra)
            self._starts.append(starts)
            self._extra += len(starts)


def grow_starts(starts: list[int], text: str, start: int, end: int) -> None:
    """Add to `starts` where further lines of a range begin; those before the last are known."""
    if not starts:
        starts.append(start)
    at = text.find("\n", starts[-1], end)
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1, end)


def broken(text: str, start: int, end: int, columns: int, first: int, *, words: bool) -> list[int]:
    """Return the offsets at which the second and later rows of a line begin."""
    line = text[start:end]
    tabs = line.count("\t")
    if line.isascii() and (line.replace("\t", "") if tabs else line).isprintable():
        if end - start + tabs * (TAB_CELLS - 1) <= first:
            return []
        if not words and not tabs:
            return list(range(start + first, end, columns))
    return _broken_by_runs(line, start, columns, first, words=words)


def _broken_by_runs(line: str, start: int, columns: int, first: int, *, words: bool) -> list[int]:
    """Go from run to run of characters that are equally wide, and inside one from row to row: a megabyte has a million characters."""
    starts: list[int] = []
    begun, room, used = 0, first, 0
    for run in _RUN.finditer(line):
        at, end = run.span()
        cells = _run_cells(run, used)
        while used + cells * (end - at) > room:
            at += max(0, room - used) // cells if cells else 0
            if at == begun:
                break
            begun = _word_start(line, begun, at) if words else at
            starts.append(start + begun)
            room = columns
            used = cells_in(line[begun:at])
            cells = _run_cells(run, used)
            if begun == at and cells:
                full = _full_rows(line, at, end, max(1, columns // cells), words=words)
                starts.extend(range(start + full.start, start + full.stop, full.step))
                at = begun = full[-1] if full else at
        used += cells * (end - at)
    return starts


def _full_rows(line: str, at: int, end: int, length: int, *, words: bool) -> range:
    """Return where rows begin that follow one at `at`, as long as each is full: inside a run, and where they end between words, before a blank."""
    blank = line.find(" ", at, end) if words else -1
    return range(at + length, min(end, blank + 1) if blank >= 0 else end, length)


def _run_cells(run: re.Match[str], used: int) -> int:
    """Return how many cells each character of a run takes; one that is neither narrow nor wide is a run by itself."""
    return (1, 2)[run.lastindex - 1] if run.lastindex else cells_of(run[0], used)


def _word_start(line: str, begun: int, at: int) -> int:
    """Return where the word that does not fit any more begins; `at` itself if it is long."""
    blank = line.rfind(" ", max(begun + 1, at - LONGEST_BREAK), at)
    return blank + 1 if blank >= 0 else at


# Characters


def cells_of(character: str, used: int) -> int:
    """Return how many cells a character takes after `used` cells of its row."""
    if " " <= character <= "~":
        return 1
    if character == "\t":
        return TAB_CELLS - used % TAB_CELLS
    if is_hidden(character):
        return len(visible(character))
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cells_in(row: str) -> int:
    """Return how many cells a row takes."""
    used = 0
    for character in row:
        used += cells_of(character, used)
    return used


def drawn(row: str) -> str:
    """Return the text of a row as it is drawn: hidden characters as marks, tabs as blanks."""
    if row.isascii() and row.isprintable():
        return row
    if "\t" not in row:
        return visible(row)
    out: list[str] = []
    used = 0
    for character in row:
        cells = cells_of(character, used)
        out.append(" " * cells if character == "\t" else visible(character))
        used += cells
    return "".join(out)


WIDEST = len(visible("\U000e0001"))
"""The most cells one character can take."""
