"""Code in colour: lines as runs of text with a token each. For a screenful; long code is coloured in slices by its view."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from pygments.token import Comment, Keyword, Name, Number, Operator, String
from pygments.util import ClassNotFound

from workbench.ui.kit.paint import Run

if TYPE_CHECKING:
    from pygments.lexer import Lexer


def code_runs(line: str, language: str) -> list[Run]:
    """Return one line of code as coloured runs; a line break in it ends it."""
    return code_lines(line, language)[0]


def code_lines(source: str, language: str) -> list[list[Run]]:
    """Return the lines of a piece of code as coloured runs; in one colour if the language is not known."""
    lexer = lexer_of(language)
    if lexer is None:
        return [[Run(line)] if line else [] for line in source.split("\n")]
    lines: list[list[Run]] = [[]]
    for kind, value in tokens_of(lexer, source):
        token = syntax_token(kind)
        for n, piece in enumerate(value.split("\n")):
            if n:
                lines.append([])
            if piece:
                lines[-1].append(Run(piece, token))
    return lines


def tokens_of(lexer: Lexer, code: str) -> Iterator[tuple[Any, str]]:
    """Yield the kinds and the characters of code, all of them and no others.

    Many lexers know a comment or a line only by the break after it, so the last line is given one that is not told.
    """
    left = len(code)
    for _at, kind, value in lexer.get_tokens_unprocessed(code + "\n"):
        part = value[:left]
        left -= len(part)
        yield kind, part


@cache
def lexer_of(language: str) -> Lexer | None:
    """Return what takes code of a language apart and keeps every character of it; None if the language is not known."""
    lexers = importlib.import_module("pygments.lexers")  # knows five hundred languages: not at every start
    try:
        lexer: Lexer = lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
    return lexer


@cache
def syntax_token(kind: Any) -> str:
    """Return the colour of a kind of code, which is a token type of Pygments."""
    if kind in Comment:
        return "syn_comment"
    if kind in String:
        return "syn_string"
    if kind in Number:
        return "syn_number"
    if kind in Keyword or kind in Operator.Word:
        return "syn_keyword"
    if any(kind in name for name in (Name.Function, Name.Class, Name.Decorator, Name.Tag)):
        return "syn_name"
    return "text"
