"""The messages of a request body as the rules see them: blocks with their places, neighbours of one role joined as the API joins them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from workbench.conversation.checks import Edit
from workbench.conversation.values import JsonObject

NOTHING = "(empty)"


class Placed(NamedTuple):
    """A block and where it stands; `number` is -1 for content that is a text, not a list."""

    message: int
    number: int
    block: JsonObject

    @property
    def pointer(self) -> str:
        """Return the JSON pointer to it."""
        place = f"/messages/{self.message}/content"
        return place if self.number < 0 else f"{place}/{self.number}"


class Turn(NamedTuple):
    """Neighbours of one role."""

    role: Any
    blocks: list[Placed]
    first: int
    last: int

    def of(self, *kinds: str) -> list[Placed]:
        """Return the blocks of some types."""
        return [placed for placed in self.blocks if placed.block.get("type") in kinds]


def blocks_of(place: int, message: Any) -> Iterator[Placed]:
    """Yield the blocks of one message; what is no block is left out."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        yield Placed(place, -1, {"type": "text", "text": content})
    for number, block in enumerate(content if isinstance(content, list) else ()):
        if isinstance(block, dict):
            yield Placed(place, number, block)


def turns_of(messages: Sequence[Any]) -> list[Turn]:
    """Return the messages joined by role."""
    turns: list[Turn] = []
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if turns and turns[-1].role == role:
            before = turns[-1]
            turns[-1] = before._replace(blocks=[*before.blocks, *blocks_of(place, message)], last=place)
        else:
            turns.append(Turn(role, list(blocks_of(place, message)), place, place))
    return turns


def joined(turns: Sequence[Turn]) -> list[JsonObject]:
    """Return the turns as messages."""
    return [{"role": turn.role, "content": [placed.block for placed in turn.blocks]} for turn in turns]


def drop(messages: Sequence[Any], *places: Placed) -> tuple[Edit, ...]:
    """Return the edits that take blocks of one message away; a message that loses all of them goes, a last one says that it is empty."""
    place = places[0].message
    content = messages[place].get("content")
    size = len(content) if isinstance(content, list) else 1
    if len(places) < size:
        return tuple(Edit(op="remove", pointer=placed.pointer) for placed in sorted(places, key=lambda placed: -placed.number))
    if place == len(messages) - 1 and (place == 0 or messages[place].get("role") == "user"):
        return (Edit(op="replace", pointer=f"/messages/{place}/content", value=NOTHING),)
    return (Edit(op="remove", pointer=f"/messages/{place}"),)


def insert_results(messages: Sequence[Any], turn: Turn, following: Turn | None, results: Sequence[JsonObject]) -> tuple[Edit, ...]:
    """Return the edits that put results behind those at the front of the user's turn after some calls, or into a new message."""
    if following is None or following.role != "user":
        return (Edit(op="add", pointer=f"/messages/{turn.last + 1}", value={"role": "user", "content": list(results)}),)
    place = following.first
    content = messages[place].get("content")
    if not isinstance(content, list):
        said = [{"type": "text", "text": content}] if isinstance(content, str) and content.strip() else []
        return (Edit(op="replace", pointer=f"/messages/{place}/content", value=[*results, *said]),)
    at = leading_results(content)
    return tuple(Edit(op="add", pointer=f"/messages/{place}/content/{at + number}", value=result) for number, result in enumerate(results))


def leading_results(content: Sequence[Any]) -> int:
    """Return how many results stand at the front of a content list."""
    return next((number for number, block in enumerate(content) if not (isinstance(block, dict) and block.get("type") == "tool_result")), len(content))
