"""One name replaced by a legal one everywhere in a request of the chat family: declaration, choice, calls and results."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from workbench.conversation.checks import Edit
from workbench.conversation.values import JsonObject

Places: TypeAlias = Callable[[JsonObject], Iterator[tuple[str, str]]]
"""Yields (pointer, name) of each name in a request."""

_LONGEST = 64


class Renaming:
    """Gives the edits that rename what a request calls by a name; its names are looked for once, however many of them are wrong.

    Args:
        body: the request.
        places: where names stand in its dialect.
    """

    def __init__(self, body: JsonObject, places: Places) -> None:
        self._body, self._look = body, places
        self._places: dict[str, list[str]] | None = None
        self._edits: dict[str, tuple[Edit, ...]] = {}

    def edits(self, name: str) -> tuple[Edit, ...]:
        """Return the edits that give everything called `name` a name that servers take and nothing else has."""
        if name not in self._edits:
            self._edits[name] = self._renamed(name)
        return self._edits[name]

    def _renamed(self, name: str) -> tuple[Edit, ...]:
        if self._places is None:
            self._places = {}
            for pointer, found in self._look(self._body):
                self._places.setdefault(found, []).append(pointer)
        new = wanted = legal_name(name)
        number = 1
        while new in self._places:
            number += 1
            new = f"{wanted[: _LONGEST - 5]}_{number}"
        return tuple(Edit(op="replace", pointer=pointer, value=new) for pointer in self._places.get(name, ()))


def legal_name(name: str) -> str:
    """Return a name of 1 to 64 letters, digits, underscores and hyphens."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:_LONGEST] or "unknown"
