"""The contents of a request body as the rules look at them: calls and results with their places, whatever else is odd about them."""

from __future__ import annotations

from typing import Any, NamedTuple

from workbench.conversation.values import JsonObject
from workbench.dialects.gemini.parts import key_of, member


class Item(NamedTuple):
    """A call or a result.

    Attributes:
        value: the `functionCall` or `functionResponse`.
        pointer: where it stands.
        number: the place of its part in the content.
    """

    value: JsonObject
    pointer: str
    number: int

    @property
    def name(self) -> str:
        """Its name; empty if it has none."""
        name = self.value.get("name")
        return name if isinstance(name, str) else ""

    @property
    def wire_id(self) -> str:
        """Its id; empty if it has none."""
        wire_id = self.value.get("id")
        return wire_id if isinstance(wire_id, str) else ""


def parts_of(content: Any) -> list[Any]:
    """Return the parts of a content; empty if there are none."""
    parts = content.get("parts") if isinstance(content, dict) else None
    return parts if isinstance(parts, list) else []


def calls_of(contents: list[Any], place: int) -> list[Item]:
    """Return the calls of a content."""
    return _items(contents, place, "functionCall")


def results_of(contents: list[Any], place: int) -> list[Item]:
    """Return the results of a content."""
    return _items(contents, place, "functionResponse")


def says_something(content: Any) -> bool:
    """Say whether a user's content holds more than results, so that a turn begins with it."""
    return any(isinstance(part, dict) and part and not isinstance(member(part, "functionResponse"), dict) for part in parts_of(content))


def is_model(content: Any) -> bool:
    """Say whether a content is the model's."""
    return isinstance(content, dict) and content.get("role") == "model"


def _items(contents: list[Any], place: int, name: str) -> list[Item]:
    return [
        Item(member(part, name), f"/contents/{place}/parts/{number}/{key_of(part, name)}", number)
        for number, part in enumerate(parts_of(contents[place]))
        if isinstance(part, dict) and isinstance(member(part, name), dict)
    ]
