"""Colours for the pieces of a text that are in sight: JSON and event streams from the piece alone, code by a lexer in short slices."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from workbench.ui.inspector.text_cells import size_of
from workbench.ui.inspector.text_lines import Piece, Recent, TextLines
from workbench.ui.kit.highlight import lexer_of, syntax_token, tokens_of

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LARGEST_CODE_BYTES = 200_000
"""Larger texts in a programming language stay without colours: the lexer would be at work for seconds."""

SLICE_S = 0.003

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*("?)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b', re.DOTALL)
_REST_OF_STRING = re.compile(rb'(?:[^"\\]|\\.)*("?)', re.DOTALL)
_COLON = re.compile(rb"[ \t]*:")
_FIELD = re.compile(rb"(?:data|event|id|retry|error)?:")
_KEY_BYTES = 256  # a key that is longer than this, or cut by a piece, may be coloured as a string


class Span(NamedTuple):
    """Bytes of the text in one colour."""

    start: int
    end: int
    token: str


class Colours(Protocol):
    """Says how a text is coloured."""

    def spans(self, line: int, piece: Piece, /) -> list[Span]:
        """Return the coloured bytes of a piece of a line, in order; what is between them is plain."""
        ...


class Plain:
    """A text without colours."""

    def spans(self, _line: int, _piece: Piece, /) -> list[Span]:
        """Return nothing."""
        return []


class JsonColours:
    """JSON, laid out or on one line; with `fields`, lines of an event stream whose data is JSON."""

    def __init__(self, lines: TextLines, *, fields: bool = False) -> None:
        self._lines = lines
        self._fields = fields
        self._known: Recent[Piece, list[Span]] = Recent()

    def spans(self, line: int, piece: Piece, /) -> list[Span]:
        """Return the coloured bytes of a piece of a line."""
        return self._known.get(piece, lambda found: self._spans(line, found))

    def _spans(self, line: int, piece: Piece) -> list[Span]:
        data, at = self._lines.data, piece.start
        found: list[Span] = []
        if self._fields and at == self._lines.start(line) and (field := _FIELD.match(data, at, piece.end)):
            found.append(Span(at, field.end(), "syn_keyword"))
            at = field.end()
        elif piece.in_string and (rest := _REST_OF_STRING.match(data, at, piece.end)):
            found.append(Span(at, rest.end(), self._of_string(rest)))
            at = rest.end()
        found += (Span(hit.start(), hit.end(), self._token(hit)) for hit in _TOKEN.finditer(data, at, piece.end))
        return found

    def _token(self, hit: re.Match[bytes]) -> str:
        first = hit[0][:1]
        if first == b'"':
            return self._of_string(hit)
        return "syn_keyword" if first.isalpha() else "syn_number"

    def _of_string(self, hit: re.Match[bytes]) -> str:
        """Return the colour of a string that was read to its end, or to that of its piece: a key is followed by a colon."""
        data, end = self._lines.data, hit.end()
        if not hit[1]:
            rest = _REST_OF_STRING.match(data, end, end + _KEY_BYTES)
            end = rest.end() if rest else end
        return "syn_name" if _COLON.match(data, end, end + 8) else "syn_string"


class CodeColours:
    """Source code; coloured piece by piece with `work`, plain until then."""

    def __init__(self, lines: TextLines, lexer: Lexer) -> None:
        self._lines = lines
        self._by_line: dict[int, list[Span]] = {}
        self._source = self._lexed(lexer)

    def spans(self, line: int, _piece: Piece, /) -> list[Span]:
        """Return what is known of the line so far."""
        return self._by_line.get(line, [])

    def work(self) -> bool:
        """Colour for a few milliseconds; False when all is done."""
        until = time.perf_counter() + SLICE_S
        for line, span in self._source:
            self._by_line.setdefault(line, []).append(span)
            if time.perf_counter() > until:
                return True
        return False

    def _lexed(self, lexer: Lexer) -> Iterator[tuple[int, Span]]:
        text = self._lines.data.decode("utf-8", "surrogateescape")
        line, offset = 0, 0
        for kind, value in tokens_of(lexer, text):
            token = syntax_token(kind)
            for n, part in enumerate(value.split("\n")):
                if n:
                    line, offset = line + 1, offset + 1
                size = sum(map(size_of, part)) if not part.isascii() else len(part)
                if part and token != "text":
                    yield line, Span(offset, offset + size, token)
                offset += size


def colours_for(lines: TextLines, language: str) -> Colours:
    """Return the colours of a text.

    Args:
        lines: the text.
        language: ``json``, ``sse`` (an event stream of JSON), a Pygments alias, or empty.
    """
    if language in ("json", "sse"):
        return JsonColours(lines, fields=language == "sse")
    if not language or len(lines.data) > LARGEST_CODE_BYTES:
        return Plain()
    lexer = lexer_of(language)
    return CodeColours(lines, lexer) if lexer is not None else Plain()
