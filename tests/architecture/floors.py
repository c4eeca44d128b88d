"""The house as data: which room stands on which floor, and what it may import. The tests beside this file hold the code to it."""

from __future__ import annotations

from typing import NamedTuple


class Room(NamedTuple):
    """One package or module directly under workbench/.

    Attributes:
        floor: imports only go to a lower number.
        may_import: rooms (``wire``) or single modules of a room (``wire.framing``).
        only_inside_functions: rooms that may be imported only when a function runs, so that they are not loaded at start.
    """

    floor: int
    may_import: frozenset[str]
    only_inside_functions: frozenset[str] = frozenset()


def _room(floor: int, may_import: str, only_inside_functions: str = "") -> Room:
    return Room(floor, frozenset(may_import.split()), frozenset(only_inside_functions.split()))


_BELOW_APP = (
    "redaction settings agent providers practice capture mcp tools inspection dialects store lsp conversation permissions workspace wire words"
    " errors resources"
)

HOUSE = {
    "__main__": _room(10, "cli"),
    "cli": _room(9, f"app {_BELOW_APP} ui", only_inside_functions="ui"),
    "ui": _room(8, "app agent settings store inspection capture conversation permissions workspace words redaction resources errors"),
    "app": _room(7, _BELOW_APP),
    "settings": _room(6, "agent providers permissions mcp errors"),
    "agent": _room(5, "tools conversation permissions workspace resources redaction errors"),
    "providers": _room(5, "dialects wire conversation redaction errors"),
    "practice": _room(5, "dialects wire conversation errors"),
    "capture": _room(5, "dialects wire store conversation errors"),
    "mcp": _room(5, "tools conversation errors"),
    "tools": _room(4, "conversation permissions workspace wire lsp resources redaction errors"),
    "inspection": _room(4, "dialects conversation permissions redaction errors"),
    "dialects": _room(3, "wire.framing conversation errors"),
    "store": _room(3, "conversation redaction errors"),
    "lsp": _room(3, "workspace errors"),
    "conversation": _room(2, "errors"),
    "permissions": _room(2, "errors"),
    "workspace": _room(2, "redaction errors"),
    "wire": _room(2, "redaction errors"),
    "words": _room(2, "resources errors"),
    "redaction": _room(1, "errors"),
    "resources": _room(1, "errors"),
    "errors": _room(0, ""),
}

QT = frozenset({"PySide6", "shiboken6", "qasync"})
"""Packages that only ``ui`` knows."""

HEAVY = frozenset({"mcp", "genai_prices", "jsonschema", "referencing", "keyring", "pypdf", "markdownify", "selectolax", "tree_sitter", "simpleeval"})
"""Packages that cost a start too much; they are imported when they are needed, in a thread."""
