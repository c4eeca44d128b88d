"""Where a request with `tools` says names: declaration, choice, calls and results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.conversation.values import JsonObject


def named_places(body: JsonObject) -> Iterator[tuple[str, str]]:
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
