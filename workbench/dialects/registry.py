"""The dialects by name, and which of them a body is written in."""

from __future__ import annotations

from typing import get_args

from workbench.conversation.messages import DialectName
from workbench.dialects import anthropic, chat_completions, functions, gemini, ollama, react, responses, shapes
from workbench.dialects.base import Dialect

_DIALECTS: dict[str, Dialect] = {
    "chat_completions": chat_completions.DIALECT,
    "functions": functions.DIALECT,
    "responses": responses.DIALECT,
    "anthropic": anthropic.DIALECT,
    "gemini": gemini.DIALECT,
    "react": react.DIALECT,
    "ollama": ollama.DIALECT,
}

detect = shapes.detect


def dialect(name: str) -> Dialect:
    """Return the codec of a dialect.

    Raises:
        KeyError: there is no dialect of that name; its text lists those there are.
    """
    try:
        return _DIALECTS[name]
    except KeyError:
        raise KeyError(f"no dialect {name!r}; there are {', '.join(_DIALECTS)}") from None


def names() -> tuple[DialectName, ...]:
    """Return the names of all dialects, in the order in which they are offered."""
    return tuple(name for name in get_args(DialectName) if name in _DIALECTS)
