"""Markdown as it arrives, taken apart into segments that can be shown one by one. Without Qt.

A segment is prose (a paragraph, a heading, a list, a table, a quote) or a fenced block of code. Whatever arrives, only the last
segments change, so a long answer is laid out anew at its end alone. Segments keep offsets into the text, never copies of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["prose", "list", "quote", "heading", "indented", "code"]

LONGEST_LIST = 2_000
"""Characters after which a list goes on in another segment, at its next outermost item: a list costs more than its length to lay out."""

_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*)")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_BREAKS_IN = re.compile(r" {0,3}(?:(?:[-*+]|1[.)])[ \t]+\S|>)")
"""What ends a paragraph without a blank line before it: an item that is not empty, a quote."""
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_QUOTE = re.compile(r" {0,3}>")
_BLANKS = re.compile(r"[ \t]*")
_LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
_UNDECIDED = frozenset(" \t\r`~#>-*+.)0123456789")
"""While a line holds only these, its next character can still make it something else."""
_LONGEST_MARK = 40


@dataclass(eq=False, slots=True)
class Segment:
    """A piece of the text, from offset `start` to offset `end`, without the line break at its end.

    Attributes:
        kind: what it is; everything but ``code`` is Markdown to be laid out.
        indent: how many blanks at the front of each line belong to what is around it (a fence, or the item of a list it stands in).
        language: of code, as the fence names it, lower case; empty if it does not.
        lines: of code, the offset at which each line begins.
        body_end: of code, where the last line ends.
        closed: no further line can join it.
        revision: counts up with every change.
    """

    kind: Kind
    start: int
    end: int
    indent: int = 0
    language: str = ""
    lines: list[int] = field(default_factory=list)
    body_end: int = 0
    closed: bool = False
    revision: int = 0
    fence: str = ""

    def line(self, text: str, number: int) -> Line:
        """Return a line of code, by its number from 0, without what belongs to the fence."""
        start = self.lines[number]
        end = self.lines[number + 1] - 1 if number + 1 < len(self.lines) else self.body_end
        if self.indent:
            start = min(_blanks_end(text, start, end), start + self.indent)
        if end > start and text[end - 1] == "\r":
            end -= 1
        return Line(start, text[start:end])


class Line(NamedTuple):
    """A line of code and the offset in the text at which it begins."""

    start: int
    text: str


class Splitter:
    """Splits a text that only grows.

    Attributes:
        segments: always what the whole text so far gives, however it was cut when it arrived.
    """

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self._seen = 0
        self._line = 0
        self._blank = False
        self._nested = 0
        self._undo: _Undo | None = None
        self._settled = False

    def grow(self, text: str) -> int:
        """Take the whole text so far, which begins with what was given before; return the index of the first segment that changed."""
        if len(text) == self._seen:
            return len(self.segments)
        if self._settled and text.find("\n", self._seen) < 0:
            return self._lengthen(len(text))
        self._take_back()
        first = max(0, len(self.segments) - 1)
        at = self._seen
        while (end := text.find("\n", at)) >= 0:
            self._add(text, self._line, end, whole=True)
            self._line = at = end + 1
        self._seen = len(text)
        self._try_last(text)
        return first

    def _lengthen(self, end: int) -> int:
        """Let the last line, which is what it is, grow."""
        self._seen = end
        last = self.segments[-1]
        last.end = end
        last.revision += 1
        if last.kind == "code":
            last.body_end = end
        return len(self.segments) - 1

    # The line that has not ended yet

    def _try_last(self, text: str) -> None:
        """Show the line that still grows as if it ended here; `_take_back` undoes it."""
        self._settled = False
        if self._line == len(text):
            return
        self._undo = _Undo.of(self.segments, blank=self._blank, nested=self._nested)
        gave_text = self._add(text, self._line, len(text), whole=False)
        self._settled = gave_text and not _undecided(text, self._line, in_code=self.segments[-1].kind == "code")

    def _take_back(self) -> None:
        if self._undo is not None:
            self._undo.restore(self.segments)
            self._blank, self._nested = self._undo.blank, self._undo.nested
            self._undo = None

    # Lines

    def _add(self, text: str, start: int, end: int, *, whole: bool) -> bool:
        """Let a line join the segments; False if it gave no text to one. With `whole` it has ended; a fence that has not is shown as one already."""
        last = self.segments[-1] if self.segments and not self.segments[-1].closed else None
        if last is not None and last.kind == "code":
            return self._add_to_code(last, text, start, end, whole=whole)
        front = _blanks_end(text, start, end)
        if front == end or text[front:end].isspace():
            self._blank = True
            return False
        if front - start < self._nested:
            self._nested = 0
        fence = _FENCE.match(text, start, end)
        if fence is not None and self._opens(fence, last):
            self._close()
            self.segments.append(_code(fence, start, end))
            self._blank = False
            return False
        self._add_prose(last, text, start, end, whole=whole)
        return True

    def _add_to_code(self, code: Segment, text: str, start: int, end: int, *, whole: bool) -> bool:
        code.end = end
        code.revision += 1
        if end - start < 200 and _closes(text[start:end], code.fence, whole=whole):
            code.closed = whole
            if whole and code.indent:
                self._nested = code.indent
            return False
        code.lines.append(start)
        code.body_end = end
        return True

    def _opens(self, fence: re.Match[str], last: Segment | None) -> bool:
        """Say whether it is a fence: ticks have none in what follows, and without a list around it it stands at most three blanks in."""
        indent, marks, info = fence.groups()
        in_list = self._nested or (last is not None and last.kind == "list")
        return not (marks[0] == "`" and "`" in info) and (bool(in_list) or (len(indent) <= 3 and "\t" not in indent))

    def _add_prose(self, last: Segment | None, text: str, start: int, end: int, *, whole: bool) -> None:
        inner = min(end, start + self._nested)
        kind = _kind(text, inner, end)
        if last is None or not self._joins(last, kind, text, inner, end):
            self._close()
            last = Segment(kind, start, end, self._nested)
            self.segments.append(last)
        last.end = end
        last.revision += 1
        last.closed = whole and kind == "heading"
        self._blank = False

    def _joins(self, last: Segment, kind: Kind, text: str, start: int, end: int) -> bool:
        """Say whether a line that is not blank goes on with the segment before it."""
        if kind == "heading" or last.indent != self._nested:
            return False
        indented = text[start] in " \t"
        if last.kind == "list":
            long = last.end - last.start > LONGEST_LIST and kind == "list" and not indented
            return not long and (not self._blank or indented or kind == "list")
        if self._blank:
            return last.kind == kind and kind in ("quote", "indented")
        if last.kind == "indented":
            return indented
        return last.kind == "quote" or _BREAKS_IN.match(text, start, end) is None

    def _close(self) -> None:
        if self.segments:
            self.segments[-1].closed = True


@dataclass(slots=True)
class _Undo:
    """What the last line may change: the number of segments, and the last of them."""

    count: int
    end: int
    lines: int
    body_end: int
    closed: bool
    blank: bool
    nested: int

    @classmethod
    def of(cls, segments: list[Segment], *, blank: bool, nested: int) -> _Undo:
        last = segments[-1] if segments else Segment("prose", 0, 0)
        return cls(len(segments), last.end, len(last.lines), last.body_end, last.closed, blank, nested)

    def restore(self, segments: list[Segment]) -> None:
        del segments[self.count :]
        if not segments:
            return
        last = segments[-1]
        if last.end != self.end:
            last.revision += 1
        last.end, last.body_end, last.closed = self.end, self.body_end, self.closed
        del last.lines[self.lines :]


def _blanks_end(text: str, start: int, end: int) -> int:
    blanks = _BLANKS.match(text, start, end)
    return blanks.end() if blanks else start


def _undecided(text: str, start: int, *, in_code: bool) -> bool:
    """Say whether the line at the end of the text can still become another thing than it is now."""
    head = text[start : start + _LONGEST_MARK]
    if in_code:
        return head.lstrip(" \t")[:1] in ("", "`", "~")
    if _FENCE.match(text, start):
        return True
    return _UNDECIDED.issuperset(head) and (len(head) < _LONGEST_MARK or set(head) <= set(" \t`~"))


def _kind(text: str, start: int, end: int) -> Kind:
    if _ITEM.match(text, start, end):
        return "list"
    if _HEADING.match(text, start, end):
        return "heading"
    if text.startswith(("    ", "\t"), start):
        return "indented"
    return "quote" if _QUOTE.match(text, start, end) else "prose"


def _code(fence: re.Match[str], start: int, end: int) -> Segment:
    indent, marks, info = fence.groups()
    language = _LANGUAGE.match(info)
    return Segment("code", start, end, len(indent), language[0].lower() if language else "", body_end=end, fence=marks)


def _closes(line: str, fence: str, *, whole: bool) -> bool:
    """Say whether a line ends the code; one that has not ended counts as soon as it can become the fence."""
    marks = line.strip()
    return bool(marks) and set(marks) == {fence[0]} and (len(marks) >= len(fence) or not whole)
