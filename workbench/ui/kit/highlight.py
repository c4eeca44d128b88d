"""Code in colour: lines as runs of text with a token each."""

from __future__ import annotations

from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String

from workbench.ui.kit.paint import Run


def code_runs(line: str, language: str) -> list[Run]:
    """One line of code as coloured runs."""
    return code_lines(line, language)[0]


def code_lines(source: str, language: str) -> list[list[Run]]:
    lines: list[list[Run]] = [[]]
    for kind, value in lex(source, get_lexer_by_name(language, stripnl=False, ensurenl=False)):
        token = syntax_token(kind)
        for n, piece in enumerate(value.split("\n")):
            if n:
                lines.append([])
            if piece:
                lines[-1].append(Run(piece, token))
    return lines


def syntax_token(kind) -> str:
    if kind in Comment:
        return "syn_comment"
    if kind in String:
        return "syn_string"
    if kind in Number:
        return "syn_number"
    if kind in Keyword or kind in Operator.Word:
        return "syn_keyword"
    if kind in Name.Function or kind in Name.Class or kind in Name.Decorator or kind in Name.Tag:
        return "syn_name"
    return "text"


