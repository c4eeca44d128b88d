"""A difference of two texts as rows: which lines belong side by side, what stays folded, and which characters of a line changed. No Qt.

Everything that changes is in the rows; only long stretches without a change are folded, and they can be opened.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeAlias

from workbench.conversation.calls import Preview
from workbench.ui.approval.chunks import CHUNK
from workbench.workspace.line_diff import Opcode, line_opcodes, split_lines

RowKind: TypeAlias = Literal["same", "change", "add", "del", "gap"]
Layout: TypeAlias = Literal["side", "unified"]
LineEnd: TypeAlias = Literal["", "\n", "\r\n"]
SideName: TypeAlias = Literal["old", "new"]

AROUND = 6
"""Unchanged lines shown before and after a change."""
FOLDED_FROM = 24
"""A stretch of unchanged lines is folded if it has at least so many."""
LARGE_CHARACTERS, LARGE_LINES = 200_000, 800
"""Of both texts together; what has more is compared in a thread."""
COMPARED_WORDS = 600
ALIKE = 0.35
"""Two lines less alike than this have nothing marked within them: all of it changed."""

_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class DiffRow(NamedTuple):
    """One row.

    Attributes:
        kind: ``gap`` stands for `folded` unchanged lines from `old` and `new` on.
        old, new: places of the lines, from 0; -1 on a side that has no line here.
        part: which chunk of a long line, from 0.
        pair: in a unified row, the place of the line on the other side that this one replaces or was replaced by; else -1.
        folded: lines of a gap.
    """

    kind: RowKind
    old: int = -1
    new: int = -1
    part: int = 0
    pair: int = -1
    folded: int = 0


class Spans(NamedTuple):
    """Characters that differ, as (start, end), on each side."""

    old: tuple[tuple[int, int], ...]
    new: tuple[tuple[int, int], ...]


class Side(NamedTuple):
    """One text.

    Attributes:
        lines: with their line ends.
        numbers: the number of each line in its file.
    """

    lines: Sequence[str]
    numbers: Sequence[int]

    def text(self, place: int) -> str:
        """Return a line without its line end."""
        line = self.lines[place]
        return line.removesuffix(line_end(line)) if line_end(line) else line


class Difference:
    """What one text and another have in common, and what not.

    Attributes:
        old, new: the two sides.
        steps: how one becomes the other.
        whole: both texts are there; else only what stands in a unified diff, so that folded lines cannot be opened.
    """

    def __init__(self, old: Side, new: Side, steps: Sequence[Opcode], *, whole: bool = True, gaps: Sequence[tuple[int, int]] = ()) -> None:
        self.old, self.new, self.steps, self.whole = old, new, tuple(steps), whole
        self._gaps = dict(gaps)

    @classmethod
    def empty(cls) -> Difference:
        """Return that of nothing and nothing."""
        return cls(Side((), ()), Side((), ()), ())

    @cached_property
    def added(self) -> int:
        """How many lines are new."""
        return sum(step.b2 - step.b1 for step in self.steps if step.tag != "equal")

    @cached_property
    def removed(self) -> int:
        """How many lines are gone."""
        return sum(step.a2 - step.a1 for step in self.steps if step.tag != "equal")

    @cached_property
    def usual_ends(self) -> tuple[LineEnd, LineEnd]:
        """How most lines of each side end."""
        return _usual_end(self.old.lines), _usual_end(self.new.lines)

    def rows(self, layout: Layout, opened: Collection[int] = ()) -> list[DiffRow]:
        """Return the rows of a layout.

        Args:
            layout: side by side, or one below the other.
            opened: places (in the new text) of the first line of each gap that a person opened.
        """
        rows: list[DiffRow] = []
        for number, step in enumerate(self.steps):
            if (hidden := self._gaps.get(number)) is not None:
                rows.append(DiffRow("gap", step.a1, step.b1, folded=hidden))
            if step.tag == "equal":
                rows += self._equal(step, opened, first=number == 0, last=number == len(self.steps) - 1)
            elif layout == "side":
                rows += self._beside(step)
            else:
                rows += self._below(step)
        return rows

    def side(self, name: SideName) -> Side:
        """Return one of the texts."""
        return self.old if name == "old" else self.new

    def shows_end(self, name: SideName, place: int, other: int) -> bool:
        """Say whether the end of a changed line must be named: it is another than its counterpart's, or not the usual one of its text.

        `other` is the place of the line on the other side that it replaces or was replaced by, -1 if there is none.
        """
        end = line_end(self.side(name).lines[place])
        if other >= 0:
            return end != line_end(self.side("old" if name == "new" else "new").lines[other])
        return end != self.usual_ends[name == "new"]

    def _equal(self, step: Opcode, opened: Collection[int], *, first: bool, last: bool) -> Iterator[DiffRow]:
        count = step.a2 - step.a1
        head, tail = (0 if first else AROUND), (0 if last else AROUND)
        if len(self.steps) == 1 or count < FOLDED_FROM or step.b1 + head in opened or not self.whole:
            head, tail = count, 0
        for n in range(head):
            yield from self._chunks("same", step.a1 + n, step.b1 + n)
        if count > head + tail:
            yield DiffRow("gap", step.a1 + head, step.b1 + head, folded=count - head - tail)
        for n in range(max(head, count - tail), count):
            yield from self._chunks("same", step.a1 + n, step.b1 + n)

    def _beside(self, step: Opcode) -> Iterator[DiffRow]:
        for n in range(max(step.a2 - step.a1, step.b2 - step.b1)):
            old = step.a1 + n if step.a1 + n < step.a2 else -1
            new = step.b1 + n if step.b1 + n < step.b2 else -1
            yield from self._chunks("add" if old < 0 else "del" if new < 0 else "change", old, new)

    def _below(self, step: Opcode) -> Iterator[DiffRow]:
        removed, added = step.a2 - step.a1, step.b2 - step.b1
        for n in range(removed):
            yield from self._chunks("del", step.a1 + n, -1, step.b1 + n if n < added else -1)
        for n in range(added):
            yield from self._chunks("add", -1, step.b1 + n, step.a1 + n if n < removed else -1)

    def _chunks(self, kind: RowKind, old: int, new: int, pair: int = -1) -> Sequence[DiffRow]:
        """Return the rows of one line, or one pair of lines: more than one if they are very long."""
        raw = max(len(self.old.lines[old]) if old >= 0 else 0, len(self.new.lines[new]) if new >= 0 else 0)
        if raw <= CHUNK:
            return (DiffRow(kind, old, new, 0, pair),)
        longest = max(len(self.old.text(old)) if old >= 0 else 0, len(self.new.text(new)) if new >= 0 else 0)
        return [DiffRow(kind, old, new, part, pair) for part in range(-(-longest // CHUNK))]


def line_end(line: str) -> LineEnd:
    """Return how a line ends."""
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def difference(before: str, after: str) -> Difference:
    """Compare two texts; slow for large ones that have little in common."""
    old, new = split_lines(before), split_lines(after)
    return Difference(_numbered(old), _numbered(new), line_opcodes(old, new))


def unified_difference(body: str) -> Difference:
    """Read a unified diff: what lies between its hunks is not known."""
    reader = _UnifiedReader()
    for line in body.removesuffix("\n").split("\n"):
        reader.take(line)
    return reader.difference()


def difference_of(preview: Preview) -> Difference:
    """Return what a preview of a file says; from its unified diff if the texts themselves are too large to be in it."""
    if preview.kind == "diff" and preview.before is None and preview.after is None:
        return unified_difference(preview.body)
    after = preview.body if preview.kind == "new_file" and preview.after is None else preview.after
    return difference(preview.before or "", after or "")


def is_large(preview: Preview) -> bool:
    """Say whether comparing the texts of a preview could take longer than a frame."""
    if preview.before is None or preview.after is None:
        return False
    return len(preview.before) + len(preview.after) > LARGE_CHARACTERS or preview.before.count("\n") + preview.after.count("\n") > LARGE_LINES


@lru_cache(maxsize=2048)
def changed_spans(old: str, new: str) -> Spans:
    """Return which characters of two lines differ, word by word; all of both if they have little in common."""
    if len(old) > CHUNK or len(new) > CHUNK:
        return _between_common_ends(old, new)
    one, other = _WORDS.findall(old), _WORDS.findall(new)
    if len(one) + len(other) > COMPARED_WORDS:
        return _between_common_ends(old, new)
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    alike = sum(len(word) for tag, a1, a2, _b1, _b2 in steps if tag == "equal" for word in one[a1:a2] if not word.isspace())
    if alike < ALIKE * max(_ink(one), _ink(other)):
        return Spans((), ())
    blocks = [step for step in steps if step[0] != "equal"]
    old_at, new_at = _offsets(one), _offsets(other)
    return Spans(
        tuple((old_at[a1], old_at[a2]) for _tag, a1, a2, _b1, _b2 in blocks if a1 < a2),
        tuple((new_at[b1], new_at[b2]) for _tag, _a1, _a2, b1, b2 in blocks if b1 < b2),
    )


def _between_common_ends(old: str, new: str) -> Spans:
    shortest = min(len(old), len(new))
    head = next((n for n in range(shortest) if old[n] != new[n]), shortest)
    tail = next((n for n in range(shortest - head) if old[-1 - n] != new[-1 - n]), shortest - head)
    spans = Spans(((head, len(old) - tail),), ((head, len(new) - tail),))
    return Spans(tuple(span for span in spans.old if span[0] < span[1]), tuple(span for span in spans.new if span[0] < span[1]))


def _ink(words: Sequence[str]) -> int:
    """Return how many characters of words are not blank."""
    return sum(len(word) for word in words if not word.isspace())


def _offsets(words: Sequence[str]) -> list[int]:
    offsets = [0]
    for word in words:
        offsets.append(offsets[-1] + len(word))
    return offsets


def _numbered(lines: Sequence[str]) -> Side:
    return Side(lines, range(1, len(lines) + 1))


def _usual_end(lines: Sequence[str]) -> LineEnd:
    windows = sum(1 for line in lines if line.endswith("\r\n"))
    return "\r\n" if windows * 2 > len(lines) else "\n"


class _UnifiedReader:
    """Builds a Difference from the lines of a unified diff."""

    def __init__(self) -> None:
        self._old: list[str] = []
        self._new: list[str] = []
        self._old_numbers: list[int] = []
        self._new_numbers: list[int] = []
        self._next_old, self._next_new = 1, 1
        self._steps: list[Opcode] = []
        self._gaps: list[tuple[int, int]] = []
        self._last = ""
        self._heads = 2

    def take(self, line: str) -> None:
        """Take the next line of the diff."""
        if self._heads and line.startswith(("--- ", "+++ ")):
            self._heads -= 1
            return
        self._heads = 0  # from here on such a line is text of the file
        hunk = _HUNK.match(line)
        if hunk:
            self._begin(int(hunk[1]), int(hunk[2]))
        elif line.startswith("\\"):
            self._without_end()
        else:
            self._line(line[:1] or " ", line[1:] + "\n")
        self._last = line[:1]

    def difference(self) -> Difference:
        """Return what was read."""
        return Difference(Side(self._old, self._old_numbers), Side(self._new, self._new_numbers), self._steps, whole=False, gaps=self._gaps)

    def _begin(self, old: int, new: int) -> None:
        if old > self._next_old:
            self._gaps.append((len(self._steps), old - self._next_old))
        self._next_old, self._next_new = old, new

    def _line(self, sign: str, text: str) -> None:
        a, b = len(self._old), len(self._new)
        if sign != "+":
            self._old.append(text)
            self._old_numbers.append(self._next_old)
            self._next_old += 1
        if sign != "-":
            self._new.append(text)
            self._new_numbers.append(self._next_new)
            self._next_new += 1
        self._step(sign, a, b)

    def _step(self, sign: str, a: int, b: int) -> None:
        """Make the last step longer if it goes on: unchanged lines follow unchanged ones; removed and added ones are one replacement."""
        changes = sign != " "
        tag: Literal["equal", "replace"] = "replace" if changes else "equal"
        last = self._steps[-1] if self._steps else None
        begins = bool(self._gaps) and self._gaps[-1][0] == len(self._steps)
        if last is None or begins or last.tag != tag or (sign == "-" and self._last == "+"):
            self._steps.append(Opcode(tag, a, len(self._old), b, len(self._new)))
        else:
            self._steps[-1] = last._replace(a2=len(self._old), b2=len(self._new))

    def _without_end(self) -> None:
        """The line before has no line end in its file."""
        if self._last != "+" and self._old:
            self._old[-1] = self._old[-1].removesuffix("\n")
        if self._last != "-" and self._new:
            self._new[-1] = self._new[-1].removesuffix("\n")
