"""A second opinion on a text that would be allowed, from a parser of other people's making: tree-sitter's grammar of bash.

It may only make a decision stricter. It is asked last, because nearly every text that it would object to asks already.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node

_KINDS = frozenset({
    "program", "command", "command_name", "word", "string", "string_content", "raw_string", "ansi_c_string", "number", "concatenation", "pipeline", "list",
    "redirected_statement", "file_redirect", "file_descriptor", "heredoc_redirect", "heredoc_start", "heredoc_body", "heredoc_content", "heredoc_end",
    "herestring_redirect", "test_command", "unary_expression", "binary_expression", "test_operator", "comment", "subshell", "compound_statement",
    "negated_command", "simple_expansion", "expansion", "variable_name", "special_variable_name", "variable_assignment", "brace_expression",
    "command_substitution", "process_substitution", "arithmetic_expansion", "for_statement", "do_group", "if_statement", "elif_clause", "else_clause",
    "extglob_pattern", "regex", "parenthesized_expression",
})  # fmt: skip
"""What the understood subset of bash may look like to the other parser."""
_KNOWN_ERROR = re.compile(r"<<-?[ \t]*\S+[ \t]*(;|&&|\|\|)")
"""tree-sitter-bash 0.25 does not read a here-document whose line goes on with another command."""


def objection(text: str, names: frozenset[str]) -> str:
    """Return what the other parser sees that was not understood, as a short phrase; empty if the two agree.

    Args:
        text: the whole command.
        names: every command word that was understood, as typed.
    """
    try:
        language = _language()
    except ImportError:
        return "the second reader of commands is not installed"
    from tree_sitter import Parser

    root = Parser(language).parse(text.encode()).root_node
    if root.has_error:
        return "" if _KNOWN_ERROR.search(text) else "a second reader finds an error in it"
    for node in _nodes(root):
        if node.type not in _KINDS:
            return f"a second reader finds a {node.type.replace('_', ' ')} in it"
        if node.type == "command_name" and (word := (node.text or b"").decode()) not in names and word != "time":
            return f"a second reader finds the command {word[:40]} in it"
    return ""


@functools.cache
def _language() -> Language:
    import tree_sitter_bash
    from tree_sitter import Language

    return Language(tree_sitter_bash.language())


def _nodes(root: Node) -> Iterator[Node]:
    """Yield every named node."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.named_children)
