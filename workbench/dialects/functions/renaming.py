"""Where a request with `functions` says names: declaration, choice, calls and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.values import JsonObject


def named_places(body: JsonObject) -> Iterator[tuple[str, str]]:
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
