"""Finds which part of the neutral conversation each place of an encoded request came from, whatever the dialect.

The request is written a second time with a stain in place of each text, argument and blob: encoders do not read these, so both bodies
have the same shape, and where a stain stands in the one, the part stands in the other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from workbench.conversation.messages import FilePart, ImagePart, Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.inspection.json_lines import Path, Scalar

_STAIN = re.compile(r"Stain0(\d+)x(\d+)x")
_DEEPEST_COMMON = 2
"""Above this depth a place belongs to no single message: the body and its list of messages."""


class Origin(NamedTuple):
    """A part of a message, both counted from 0; -1 for the whole message."""

    message: int
    part: int


class Stained:
    """Stained copies of messages; a message at the same place gets the same copy, so that writers know it again."""

    def __init__(self) -> None:
        self._kept: list[tuple[Message, Message]] = []

    def of(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """Return the copies of a conversation."""
        del self._kept[len(messages) :]
        for place, message in enumerate(messages):
            if place == len(self._kept):
                self._kept.append((message, stained(message, place)))
            elif self._kept[place][0] is not message:
                self._kept[place] = (message, stained(message, place))
        return tuple(copy for _message, copy in self._kept)


def stained(message: Message, place: int) -> Message:
    """Return a message with a stain in each part."""
    return replace(message, parts=tuple(_part(part, f"Stain0{place}x{at}x") for at, part in enumerate(message.parts)))


def _part(part: Part, stain: str) -> Part:
    match part:
        case TextPart(text=text):
            return replace(part, text=stain) if text.strip() else part
        case ImagePart() | FilePart():
            return _attachment(part, stain)
        case ReasoningPart():
            blobs = {name: stain for name in ("text", "redacted_data", "encrypted", "signature") if getattr(part, name)}
            return replace(part, summary=tuple(stain for _text in part.summary), **blobs)
        case ToolCallPart(kind=kind):
            return replace(part, arguments_raw=stain if kind == "custom" else json.dumps({stain: 0}))
        case ToolResultPart(content=content):
            inner = tuple(replace(one, text=stain) if isinstance(one, TextPart) else _attachment(one, stain) for one in content)
            return replace(part, content=inner or (TextPart(text=stain),))
        case _:
            return part


def _attachment(part: ImagePart | FilePart, stain: str) -> ImagePart | FilePart:
    """Return an attachment whose base64 is the stain."""
    return part if isinstance(part, ImagePart) and part.url else replace(part, data=stain + "A" * (-len(stain) % 4))


class Origins:
    """Where parts stand in a body, learned from the stained one."""

    def __init__(self) -> None:
        self._at: dict[Path, tuple[Origin, ...]] = {}
        self._around: dict[Path, Origin] = {}

    def copy(self) -> Origins:
        """Return what may learn more without changing this."""
        other = Origins()
        other._at, other._around = dict(self._at), dict(self._around)
        return other

    def learn(self, scalars: Iterable[Scalar]) -> None:
        """Take what stands in a stained body."""
        for path, text in scalars:
            if found := tuple(Origin(int(message), int(part)) for message, part in _STAIN.findall(text)):
                self._at[path] = (*self._at.get(path, ()), *(origin for origin in found if origin not in self._at.get(path, ())))
                for depth in range(_DEEPEST_COMMON, len(path)):
                    self._surround(path[:depth], found[0])
                for origin in found:
                    self._surround(path, origin)

    def _surround(self, path: Path, origin: Origin) -> None:
        known = self._around.get(path)
        if known is None:
            self._around[path] = origin
        elif known.message != origin.message:
            self._around[path] = Origin(min(known.message, origin.message), -1)
        elif known.part != origin.part:
            self._around[path] = Origin(origin.message, -1)

    def of(self, path: Path) -> tuple[Origin, ...]:
        """Return whose place this is: usually one part; the whole message around several, of messages the first; nothing for a place of no message."""
        if exact := self._at.get(path):
            return exact
        for depth in range(len(path), _DEEPEST_COMMON - 1, -1):
            if (found := self._around.get(path[:depth])) is not None:
                return (found,)
        return ()


def ids_of(messages: Sequence[Message]) -> Mapping[Origin, str]:
    """Return the call ids of calls and results by their place."""
    return {
        Origin(place, at): part.call_id
        for place, message in enumerate(messages)
        for at, part in enumerate(message.parts)
        if isinstance(part, ToolCallPart | ToolResultPart)
    }
