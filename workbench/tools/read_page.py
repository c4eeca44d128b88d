"""One page of a text file: some numbered lines, within limits, from a stream of any length, and what is unusual about the file.

Only the page is kept in memory; a line longer than the limit is cut while it streams by.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

LINE_LIMIT = 2000
"""Characters of a line that are shown."""

PAGE_LIMIT_BYTES = 50 * 1024
COUNT_LIMIT_CHARACTERS = 64 * 1024 * 1024
"""After so much text lines are no longer counted once the page is complete."""

CARRIAGE_RETURN_SIGN = "\u240d"


@dataclass(frozen=True)
class Page:
    """Lines of a file as a model reads them.

    Attributes:
        lines: ``N: text``.
        first: number of the first line shown.
        total_lines: lines in the file, or at least so many.
        counted_all: whether `total_lines` is exact.
        notes: what is unusual: ``empty``, ``crlf``, ``mixed_endings``, ``cr_endings``, ``lone_cr``, ``tabs``, ``no_final_newline``,
            ``long_lines``, ``capped`` (the page ends early because of its size).
    """

    lines: tuple[str, ...]
    first: int
    total_lines: int
    counted_all: bool
    notes: tuple[str, ...]

    @property
    def last(self) -> int:
        """Number of the last line shown."""
        return self.first + len(self.lines) - 1

    @property
    def more(self) -> bool:
        """Whether lines follow."""
        return not self.counted_all or self.last < self.total_lines


def read_page(chunks: Iterable[str], *, first: int, limit: int, cr_ends_lines: bool | None = None) -> Page:
    """Take a page from decoded text.

    Args:
        chunks: the text in pieces, line ends as they are; smaller pieces make the way to a late line cheaper.
        first: number of the first line wanted, from 1.
        limit: how many lines at most.
        cr_ends_lines: whether a lone CR ends a line; None = it does if the first piece has CR and no LF.
    """
    reader = _Reader(first, limit, cr_ends_lines=cr_ends_lines)
    for chunk in chunks:
        if not reader.feed(chunk):
            return reader.page(counted_all=False)
    reader.end()
    return reader.page(counted_all=True)


@dataclass
class _Reader:
    first: int
    limit: int
    lines: list[str] = field(default_factory=list)
    size_bytes: int = 0
    capped: bool = False
    line: int = 1
    """Number of the line that is being read."""
    head: str = ""
    length: int = 0
    """Beginning and length of that line so far."""
    characters: int = 0
    held: str = ""
    """A CR at the end of a chunk: whether an LF follows is not known yet."""
    line_feeds: int = 0
    pairs: int = 0
    returns: int = 0
    cr_ends_lines: bool | None = None
    tabs: bool = False
    long_lines: bool = False
    endless: bool = False

    def feed(self, chunk: str) -> bool:
        """Take a piece of text; False if nothing further is wanted."""
        text = self.held + chunk
        self.held = "\r" if text.endswith("\r") else ""
        self._take(text[: len(text) - len(self.held)])
        if self.length > COUNT_LIMIT_CHARACTERS and self.line >= self.first and not self._complete:
            self.endless = True  # one line without end: show its beginning rather than read on for minutes
            self._finish_line()
            self.line += 1
            return False
        return not (self._complete and self.characters > COUNT_LIMIT_CHARACTERS)

    def end(self) -> None:
        """Say that the text is over."""
        self._take(self.held)
        if self.length:
            self._finish_line()
            self.line += 1

    def page(self, *, counted_all: bool) -> Page:
        return Page(tuple(self.lines), self.first, self.line - 1, counted_all, tuple(self._notes(counted_all=counted_all)))

    @property
    def _complete(self) -> bool:
        return self.capped or self.line >= self.first + self.limit

    def _take(self, text: str) -> None:
        if not text:
            return
        if self.cr_ends_lines is None:
            self.cr_ends_lines = "\n" not in text and "\r" in text
        self.characters += len(text)
        pairs = text.count("\r\n")
        self.line_feeds += text.count("\n")
        self.pairs += pairs
        self.returns += text.count("\r") - pairs
        view = text.replace("\r", "\n") if self.cr_ends_lines else text.replace("\r\n", "\n")
        self.tabs = self.tabs or "\n\t" in view or (self.length == 0 and view.startswith("\t"))
        self._take_view(view)

    def _take_view(self, view: str) -> None:
        count = view.count("\n")
        if self._complete or self.line + count < self.first:
            self._pass_by(view, count)
            return
        *ended, rest = view.split("\n")
        for text in ended:
            self._add(text)
            self._finish_line()
            self.line += 1
            self.head, self.length = "", 0
        self._add(rest)

    def _pass_by(self, view: str, count: int) -> None:
        """Count lines without keeping them."""
        self.line += count
        rest = view[view.rfind("\n") + 1 :] if count else view
        if count:
            self.head, self.length = "", 0
        self._add(rest)

    def _add(self, text: str) -> None:
        if len(self.head) < LINE_LIMIT:
            self.head += text[: LINE_LIMIT - len(self.head)]
        self.length += len(text)

    def _finish_line(self) -> None:
        """Show the line that has just ended, if it belongs to the page and fits."""
        if self._complete or self.line < self.first:
            return
        shown = f"{self.line}: {self.head.replace(chr(13), CARRIAGE_RETURN_SIGN)}"
        if self.length > LINE_LIMIT:
            shown += f" … [line cut: {'more than ' if self.endless else ''}{self.length} characters]"
            self.long_lines = True
        size = len(shown.encode("utf-8", "replace")) + 1
        if self.size_bytes + size > PAGE_LIMIT_BYTES:
            self.capped = True
            return
        self.size_bytes += size
        self.lines.append(shown)

    def _notes(self, *, counted_all: bool) -> Iterable[str]:
        if not self.characters:
            yield "empty"
            return
        if self.cr_ends_lines and not self.line_feeds:
            yield "cr_endings"
        elif self.pairs:
            yield "crlf" if self.pairs == self.line_feeds else "mixed_endings"
        if self.returns and not (self.cr_ends_lines and not self.line_feeds):
            yield "lone_cr"
        if self.tabs:
            yield "tabs"
        if counted_all and self.length:
            yield "no_final_newline"
        if self.long_lines:
            yield "long_lines"
        if self.capped:
            yield "capped"
