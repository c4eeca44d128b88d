"""JSON that comes in pieces, laid out in lines for reading: small objects and arrays on one line, and for each line the way to its value.

It is for text that was just written here, so that it is known to be JSON; a piece never ends inside a string, a number or a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""The way to a value: names of members and places in arrays."""

WIDTH = 56
"""An object or array is laid out on one line if that is no longer than this."""

LONGEST = 400
"""Of a longer text only this many characters are shown, and how many more there are."""

INDENT = 2
_WORD = re.compile(r'[^\s{}\[\]:,"]+')


class JsonLine(NamedTuple):
    """A line: how far it stands in, its text, and the way to the value that it shows or that begins or ends in it."""

    depth: int
    text: str
    path: Path


class Scalar(NamedTuple):
    """A text (with its quotation marks), number or word of JSON and the way to it."""

    path: Path
    text: str


class _Frame:
    """An object or array that is open."""

    __slots__ = ("first_line", "is_object", "key", "path", "place")

    def __init__(self, path: Path, first_line: int, *, is_object: bool) -> None:
        self.path, self.first_line, self.is_object = path, first_line, is_object
        self.place, self.key = 0, ""

    def copy(self) -> _Frame:
        other = _Frame(self.path, self.first_line, is_object=self.is_object)
        other.place, other.key = self.place, self.key
        return other

    def inner(self) -> Path:
        return (*self.path, self.key if self.is_object else self.place)


class JsonLines:
    """Lays out JSON.

    Attributes:
        lines: what is laid out so far; the last one may still get a comma.
    """

    def __init__(self) -> None:
        self.lines: list[JsonLine] = []
        self._frames: list[_Frame] = []
        self._wants_key = False
        self._label = ""

    def copy(self) -> JsonLines:
        """Return a layout that goes on behind the same text."""
        other = JsonLines()
        other.lines, other._frames = list(self.lines), [frame.copy() for frame in self._frames]
        other._wants_key, other._label = self._wants_key, self._label
        return other

    def feed(self, piece: str) -> None:
        """Take the next piece of the text."""
        for token in tokens(piece):
            first = token[0]
            if first in "{[":
                self._open(token)
            elif first in "}]":
                self._close(token)
            elif first == ",":
                self._next()
            elif first == ":":
                self._wants_key = False
            elif self._wants_key:
                self._frames[-1].key = unquoted(token)
                self._label = f"{shortened(token)}: "
            else:
                self._add(shortened(token), self._path())

    def _path(self) -> Path:
        return self._frames[-1].inner() if self._frames else ()

    def _add(self, text: str, path: Path) -> None:
        self.lines.append(JsonLine(len(self._frames), self._label + text, path))
        self._label = ""

    def _open(self, bracket: str) -> None:
        path = self._path()
        self._add(bracket, path)
        self._frames.append(_Frame(path, len(self.lines) - 1, is_object=bracket == "{"))
        self._wants_key = bracket == "{"

    def _close(self, bracket: str) -> None:
        frame = self._frames.pop()
        self._wants_key = False
        flat = self._flat(frame.first_line, bracket)
        if flat is None:
            self.lines.append(JsonLine(len(self._frames), bracket, frame.path))
            return
        self.lines[frame.first_line] = JsonLine(len(self._frames), flat, frame.path)
        del self.lines[frame.first_line + 1 :]

    def _flat(self, first: int, bracket: str) -> str | None:
        """Return the open object or array on one line; None if it is too long for one."""
        inside = self.lines[first + 1 :] if len(self.lines) - first <= WIDTH else None
        if inside is None or sum(len(line.text) for line in inside) + len(self.lines[first].text) > WIDTH:
            return None
        blank = " " if bracket == "}" and inside else ""
        return f"{self.lines[first].text}{blank}{' '.join(line.text for line in inside)}{blank}{bracket}"

    def _next(self) -> None:
        frame, last = self._frames[-1], self.lines[-1]
        self.lines[-1] = last._replace(text=last.text + ",")
        frame.place += 1
        self._wants_key = frame.is_object


class JsonScalars:
    """Finds the texts, numbers, words and names of members of JSON and the ways to them. A name is told with the way to its object."""

    def __init__(self) -> None:
        self._frames: list[_Frame] = []
        self._wants_key = False

    def copy(self) -> JsonScalars:
        """Return a reader that goes on behind the same text."""
        other = JsonScalars()
        other._frames, other._wants_key = [frame.copy() for frame in self._frames], self._wants_key
        return other

    def feed(self, piece: str) -> Iterator[Scalar]:
        """Take the next piece of the text and yield what is in it."""
        for token in tokens(piece):
            first = token[0]
            if first in "{[":
                path = self._frames[-1].inner() if self._frames else ()
                self._frames.append(_Frame(path, 0, is_object=first == "{"))
                self._wants_key = first == "{"
            elif first in "}]":
                self._frames.pop()
                self._wants_key = False
            elif first == ",":
                self._frames[-1].place += 1
                self._wants_key = self._frames[-1].is_object
            elif first == ":":
                self._wants_key = False
            elif self._wants_key:
                self._frames[-1].key = unquoted(token)
                yield Scalar(self._frames[-1].path, token)
            else:
                yield Scalar(self._frames[-1].inner() if self._frames else (), token)


def tokens(piece: str) -> Iterator[str]:
    """Yield the tokens of JSON: brackets, commas, colons, texts with their quotation marks, numbers, words."""
    at, size = 0, len(piece)
    while at < size:
        first = piece[at]
        if first == '"':
            end = _end_of_text(piece, at + 1)
            yield piece[at:end]
            at = end
        elif first in "{}[]:,":
            yield first
            at += 1
        elif first.isspace():
            at += 1
        elif word := _WORD.match(piece, at):
            yield word[0]
            at = word.end()


def _end_of_text(piece: str, at: int) -> int:
    """Return where a text ends, behind its closing quotation mark; a search for each mark, so that no step takes long."""
    while (quote := piece.find('"', at)) >= 0:
        before = quote
        while piece[before - 1] == "\\":
            before -= 1
        if (quote - before) % 2 == 0:
            return quote + 1
        at = quote + 1
    return len(piece)


def unquoted(token: str) -> str:
    """Return the name of a member without its quotation marks; escapes stay, as names with them are only told apart."""
    return token[1:-1]


def shortened(token: str) -> str:
    """Return a token as it is shown."""
    if len(token) <= LONGEST:
        return token
    return f'{token[:LONGEST]}… +{len(token) - LONGEST - 1:,}"'
