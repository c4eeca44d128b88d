"""One name replaced by a legal one everywhere in a request with `tools`: declaration, choice, calls and results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit
from workbench.conversation.values import JsonObject

_LONGEST = 64


class Renaming:
    """Gives the edits that rename what a request calls by a name; its names are looked for once, however many of them are wrong."""

    def __init__(self, body: JsonObject) -> None:
        self._body = body
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
            for pointer, found in _places(self._body):
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


def _places(body: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (pointer, name) of each name in the request."""
    for place, tool in enumerate(_list(body.get("tools"))):
        yield from _inside(tool, f"/tools/{place}")
    yield from _inside(body.get("tool_choice"), "/tool_choice")
    for place, message in enumerate(_list(body.get("messages"))):
        if not isinstance(message, dict):
            continue
        if message.get("role") == "tool":
            yield from _named(message, f"/messages/{place}")
        for number, call in enumerate(_list(message.get("tool_calls"))):
            yield from _inside(call, f"/messages/{place}/tool_calls/{number}")


def _inside(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    for kind in ("function", "custom") if isinstance(value, dict) else ():
        yield from _named(value.get(kind), f"{pointer}/{kind}")


def _named(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        yield f"{pointer}/name", value["name"]


def _list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else []
