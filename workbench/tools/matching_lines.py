"""Whole lines that fit but for blanks at their end, or but for one consistent change of indentation.

What the edit leaves alone keeps the file's own characters: the difference between old and new text is applied to the file's lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from workbench.workspace.line_diff import line_opcodes, split_lines

_BLANKS = " \t"
_TAB_WIDTHS = (2, 3, 4, 8)
_PLACES_AT_LEAST = 20
_LINES_AT_MOST = 2_000_000

Reindent: TypeAlias = Callable[[str], str | None]
"""Maps the indentation a model wrote to the file's; None if it cannot."""


class Found(NamedTuple):
    """A place in the view and the text that is to stand there."""

    start: int
    end: int
    new: str


class _Lines(NamedTuple):
    """The lines of a view (without LF), where each begins, and whether the last one ends with LF."""

    texts: list[str]
    starts: list[int]
    ended: bool


def whole_line_places(view: str, text: str) -> list[int]:
    """Return the places where `text` stands exactly and fills whole lines."""
    places: list[int] = []
    place = view.find(text)
    while place >= 0:
        end = place + len(text)
        if (place == 0 or view[place - 1] == "\n") and (text.endswith("\n") or end == len(view) or view[end] == "\n"):
            places.append(place)
        place = view.find(text, place + 1)
    return places


def trailing_whitespace_matches(view: str, old: str, new: str) -> list[Found]:
    """Fit whole lines that are equal but for trailing blanks; an LF at the end of `old` may be missing at the end of the file."""
    lines, old_lines = _lines_of(view), split_lines(old)
    wanted = [line.rstrip(_BLANKS + "\n") for line in old_lines]
    found = []
    for first in _line_places([text.rstrip(_BLANKS) for text in lines.texts], wanted):
        place = _span(lines, first, len(wanted), ended=old.endswith("\n"), end_may_be_missing=True, view=view)
        if place is not None:
            at_end = old.endswith("\n") and view[place[1] - 1 : place[1]] != "\n"
            found.append(Found(*place, _applied(lines.texts[first : first + len(wanted)], old_lines, new, lambda line: line, lacks_end=at_end) or ""))
    return found


def indentation_matches(view: str, old: str, new: str) -> list[Found]:
    """Fit whole lines that are equal but for one prefix, or but for tabs against a fixed number of spaces; new lines follow suit."""
    lines, old_lines = _lines_of(view), split_lines(old)
    bare_old = [line.removesuffix("\n") for line in old_lines]
    wanted = [line.lstrip(_BLANKS) for line in bare_old]
    found = []
    for first in _line_places([text.lstrip(_BLANKS) for text in lines.texts], wanted):
        place = _span(lines, first, len(wanted), ended=old.endswith("\n"), end_may_be_missing=False, view=view)
        texts = lines.texts[first : first + len(wanted)]
        news = {_applied(texts, old_lines, new, _whole_line(rule), lacks_end=False) for rule in _rules(bare_old, texts)} - {None}
        if place is not None and len(news) == 1:  # rules that disagree on the new lines are no safe ground
            found.append(Found(*place, news.pop() or ""))
    return found


def _lines_of(view: str) -> _Lines:
    texts = view.split("\n")
    ended = texts[-1] == ""
    if ended:
        texts.pop()
    starts, place = [], 0
    for text in texts:
        starts.append(place)
        place += len(text) + 1
    return _Lines(texts, starts, ended)


def _line_places(texts: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    """Yield the numbers (from 0) of the lines at which `wanted` stands among `texts`, overlaps included, up to a bearable number."""
    left = max(_PLACES_AT_LEAST, _LINES_AT_MOST // len(wanted))
    whole = "\n" + "\n".join(texts) + "\n"
    part = "\n" + "\n".join(wanted) + "\n"
    place, line, counted = whole.find(part), 0, 0
    while place >= 0 and left:
        line += whole.count("\n", counted, place)
        counted, left = place, left - 1
        yield line
        place = whole.find(part, place + 1)


def _span(lines: _Lines, first: int, count: int, *, ended: bool, end_may_be_missing: bool, view: str) -> tuple[int, int] | None:
    """Return the place of lines in the view; None if an LF is wanted where the file ends without one."""
    start, last = lines.starts[first], first + count - 1
    end = lines.starts[last] + len(lines.texts[last])
    if ended and (end < len(view)):
        return start, end + 1
    if ended and not end_may_be_missing:
        return None
    return start, end


def _applied(texts: Sequence[str], old_lines: list[str], new: str, change: Callable[[str], str | None], *, lacks_end: bool) -> str | None:
    """Apply the difference old → new to the file's lines; None if a new line cannot be re-indented.

    Args:
        texts: the file's lines, without LF, as many as `old_lines`.
        old_lines: what the model quoted.
        new: what it wants there.
        change: makes a line of the model one of the file.
        lacks_end: the file's last line has no LF, although the quoted one has.
    """
    new_lines = split_lines(new)
    out: list[str] = []
    for step in line_opcodes(old_lines, new_lines):
        if step.tag == "equal":
            out += [text + ("\n" if old.endswith("\n") else "") for text, old in zip(texts[step.a1 : step.a2], old_lines[step.a1 : step.a2], strict=True)]
            continue
        for line in new_lines[step.b1 : step.b2]:
            changed = change(line)
            if changed is None:
                return None
            out.append(changed)
    result = "".join(out)
    return result.removesuffix("\n") if lacks_end else result


def _rules(old: Sequence[str], texts: Sequence[str]) -> Iterator[Reindent]:
    """Yield the changes of indentation that turn every quoted line into the file's."""
    pairs = [(_indent(mine), _indent(theirs)) for mine, theirs in zip(old, texts, strict=True) if mine.strip(_BLANKS)]
    mine, theirs = pairs[0]
    if theirs.endswith(mine):
        yield from _if_all(pairs, _adding(theirs[: len(theirs) - len(mine)]))
    if mine.endswith(theirs):
        yield from _if_all(pairs, _removing(mine[: len(mine) - len(theirs)]))
    for width in _TAB_WIDTHS:
        yield from _if_all(pairs, _to_tabs(width))
        yield from _if_all(pairs, _to_spaces(width))


def _if_all(pairs: Sequence[tuple[str, str]], rule: Reindent) -> Iterator[Reindent]:
    if all(rule(mine) == theirs for mine, theirs in pairs):
        yield rule


def _adding(prefix: str) -> Reindent:
    return lambda indent: prefix + indent


def _removing(prefix: str) -> Reindent:
    return lambda indent: indent.removeprefix(prefix) if indent.startswith(prefix) else None


def _to_tabs(width: int) -> Reindent:
    def rule(indent: str) -> str:
        columns = len(indent.expandtabs(width))
        return "\t" * (columns // width) + " " * (columns % width)

    return rule


def _to_spaces(width: int) -> Reindent:
    return lambda indent: indent.replace("\t", " " * width)


def _whole_line(rule: Reindent) -> Callable[[str], str | None]:
    """Make a rule for indentation one for lines; blank lines stay as they were written."""

    def change(line: str) -> str | None:
        if not line.strip(_BLANKS + "\n"):
            return line
        indent = _indent(line)
        changed = rule(indent)
        return None if changed is None else changed + line[len(indent) :]

    return change


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(_BLANKS))]
