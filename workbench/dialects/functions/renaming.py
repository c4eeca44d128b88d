"""One name replaced by a legal one everywhere in a request with `functions`: declaration, choice, calls and results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workbench.conversation.checks import Edit
from workbench.conversation.values import JsonObject


def renamed(body: JsonObject, name: str) -> tuple[Edit, ...]:
    """Return the edits that give everything called `name` a name that servers take and nothing else has."""
    places = list(_places(body))
    used = {other for _, other in places}
    new = wanted = legal_name(name)
    number = 1
    while new in used:
        number += 1
        new = f"{wanted[:60]}_{number}"
    return tuple(Edit(op="replace", pointer=pointer, value=new) for pointer, other in places if other == name)


def legal_name(name: str) -> str:
    """Return a name of 1 to 64 letters, digits, underscores and hyphens."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"


def _places(body: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield (pointer, name) of each name in the request."""
    for place, function in enumerate(_objects(body.get("functions"))):
        yield from _named(function, f"/functions/{place}/name")
    yield from _named(body.get("function_call"), "/function_call/name")
    for place, message in enumerate(_objects(body.get("messages"))):
        if message.get("role") == "function":
            yield from _named(message, f"/messages/{place}/name")
        yield from _named(message.get("function_call"), f"/messages/{place}/function_call/name")


def _named(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        yield pointer, value["name"]


def _objects(values: Any) -> list[JsonObject]:
    return [value if isinstance(value, dict) else {} for value in values] if isinstance(values, list) else []
