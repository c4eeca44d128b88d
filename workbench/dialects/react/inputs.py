"""The input of an action, as models write it, made into the argument text of a call; and what a model is told of a broken form."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.conversation.messages import CallStatus
from workbench.conversation.values import JsonObject
from workbench.dialects.json_text import escape_halves, read_json, write_json
from workbench.dialects.react.labels import BLANKS

MISSING_ACTION = "Invalid Format: Missing 'Action:' after 'Thought:'"
MISSING_INPUT = "Invalid Format: Missing 'Action Input:' after 'Action:'"
BOTH = "Parsing LLM output produced both a final answer and a parse-able action"
NO_FORM = "invalid_format"
"""The name of the call that stands for a turn without a readable action; its result is the correction."""

_FENCE_LINE = re.compile(r"\A[ \t]*```[^`\n]*(?:\n|\Z)|(?:\A|\n)[ \t]*```[ \t]*\Z")
_NOTHING = frozenset({"", "none", "null", "n/a"})
_LONGEST_LITERAL = 100_000


class Bound(NamedTuple):
    """Argument text of a call.

    Attributes:
        repaired: something stood around the object, or it was no JSON; such a call always asks.
        correction: what the model is told if it cannot be used.
    """

    raw: str
    status: CallStatus = "complete"
    repaired: bool = False
    correction: str = ""


def bound(text: str, name: str, schema: JsonObject | None) -> Bound:
    """Return the arguments that an action's input means.

    Args:
        text: all that stood behind the label.
        name: the tool.
        schema: the tool's parameters; None where they are not known: free text is the parameter ``input`` then.
    """
    words = unfenced(text)
    if words.lower() in _NOTHING:
        return Bound("{}")
    try:
        value = read_json(words)
    except ValueError:
        return _bound_broken(words, name, schema)
    if isinstance(value, dict):
        return Bound(escape_halves(words))
    return _bound_text(value if isinstance(value, str) else words, name, schema)


def unfenced(text: str) -> str:
    """Return text without a code fence around it, closed or not."""
    return _FENCE_LINE.sub("", _FENCE_LINE.sub("", text.strip(BLANKS)).strip(BLANKS)).strip(BLANKS)


def _bound_broken(words: str, name: str, schema: JsonObject | None) -> Bound:
    start = words.find("{")
    if start >= 0 and (found := _object_at(words, start)) is not None:
        text, value = found
        if start == 0 or _fits(value, schema):
            return Bound(escape_halves(text), repaired=True)
    if start == 0:
        literal = _literal(words)
        if literal is not None:
            return Bound(write_json(literal).decode(), repaired=True)
        return Bound(escape_halves(words), "invalid_json", correction=_not_an_object(name))
    return _bound_text(_unquoted(words), name, schema)


def _bound_text(words: str, name: str, schema: JsonObject | None) -> Bound:
    parameter = "input" if schema is None else _only_text(schema)
    if parameter is None:
        return Bound(escape_halves(words), "invalid_json", correction=_not_an_object(name))
    return Bound(json.dumps({parameter: words}, ensure_ascii=False) if words.isprintable() else write_json({parameter: words}).decode())


def _object_at(words: str, start: int) -> tuple[str, JsonObject] | None:
    """Return the balanced object that begins at a place."""
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(words, start)
    except (ValueError, RecursionError):
        return None
    return (words[start:end], value) if isinstance(value, dict) else None


def _fits(value: JsonObject, schema: JsonObject | None) -> bool:
    properties = schema.get("properties") if schema is not None else None
    return bool(value) and (not isinstance(properties, dict) or value.keys() <= properties.keys())


def _literal(words: str) -> JsonObject | None:
    """Return a dictionary as Python writes it."""
    if len(words) > _LONGEST_LITERAL:
        return None
    try:
        value: Any = ast.literal_eval(words)
        json.dumps(value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


def _only_text(schema: Mapping[str, Any]) -> str | None:
    """Return the one parameter that free text can be meant for: the only required one, or the only one there is, if it is a text."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return None
    wanted = required if isinstance(required, list) and required else list(properties)
    about = properties.get(wanted[0]) if len(wanted) == 1 else None
    return str(wanted[0]) if isinstance(about, dict) and about.get("type") == "string" else None


def _unquoted(words: str) -> str:
    return words[1:-1] if len(words) > 1 and words[0] == words[-1] and words[0] in "\"'`" else words


def _not_an_object(name: str) -> str:
    return f"Invalid Format: 'Action Input:' of {name or 'the tool'} must be one JSON object with its parameters"


def unknown_tool(name: str, tools: Mapping[str, Any] | frozenset[str]) -> str:
    """Return what the model is told of a tool that it was not offered."""
    return f"{name} is not a valid tool, try one of [{', '.join(tools)}]."
