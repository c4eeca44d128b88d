"""One conversation as each dialect would send it: the body in lines, whose message and part each line is, what is lost, what is refused.

All of it is slow work for a long conversation and may be done in a thread; what an earlier request said alike is not done again.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from workbench.conversation.checks import Finding
from workbench.conversation.messages import DialectName, Message, ModelRequest
from workbench.dialects.base import Loss, Quirks
from workbench.dialects.loss_rules import RULES
from workbench.dialects.losses import Losses
from workbench.dialects.registry import dialect, names
from workbench.inspection.bodies import path_of
from workbench.inspection.json_lines import INDENT, JsonLine, JsonLines, JsonScalars, Path
from workbench.inspection.stains import Origin, Origins, Stained, ids_of

HEAD = -1
"""The block above the first message."""

LARGEST_CHECKED_BYTES = 1 << 20
"""The linter reads a body in one go; it does not look at larger ones here, but it does before each request is sent."""

OPEN_END = 40
"""So many pieces at the end of a body may still change when the conversation grows: the last calls, their results, what follows messages."""

_TURN_S = 0.004
_ID_MEMBERS = ("call_id", "tool_use_id", "tool_call_id", "id", "tool_name", "name")


class Line(NamedTuple):
    """A line of a body.

    Attributes:
        message: whose message it is, from 0; HEAD above the first.
        origin: the part it came from; None for what is of no part.
        call_id: neutral id of the call that the line names; empty if it names none.
    """

    text: str
    path: Path
    message: int
    origin: Origin | None
    call_id: str = ""


class Translation(NamedTuple):
    """A body in one dialect.

    Attributes:
        blocks: first line of each message that has lines, ascending in both; the head is not among them.
        losses: what is lost, each with the line it is told at.
        findings: what the provider would refuse, each with its line; None if the body is too large to look at here.
        pieces: the body.
    """

    name: DialectName
    path: str
    pieces: tuple[bytes, ...]
    lines: Sequence[Line]
    blocks: Sequence[tuple[int, int]]
    losses: tuple[tuple[int, Loss], ...]
    findings: tuple[tuple[int, Finding], ...] | None

    @property
    def body(self) -> bytes:
        """The exact bytes."""
        return b"".join(self.pieces)


def offered() -> tuple[DialectName, ...]:
    """Return the dialects that there are."""
    return names()


def matters(loss: Loss) -> bool:
    """Say whether the model is told less, or something else, because of a loss; otherwise only the spelling differs."""
    return RULES[loss.rule].matters


class Translator:
    """Translates one conversation, as it grows, into one dialect. Used by one thread at a time."""

    def __init__(self, name: DialectName, quirks: Quirks) -> None:
        self.name, self.quirks = name, quirks
        self._dialect = dialect(name)
        self._plain, self._marked = _Side(), _Side()
        self._writer, self._stained_writer = self._dialect.request_writer(), self._dialect.request_writer()
        self._stained, self._losses = Stained(), Losses(name, quirks)
        self._lines, self._scalars, self._origins = JsonLines(), JsonScalars(), Origins()

    def translate(self, request: ModelRequest) -> Translation:
        """Return the request in the dialect."""
        encoded = self._writer.encode(request, self.quirks)
        stained = self._stained_writer.encode(replace(request, messages=self._stained.of(request.messages)), self.quirks)
        if not (self._plain.begins_like(encoded.pieces) and self._marked.begins_like(stained.pieces)):
            self._plain, self._marked = _Side(), _Side()
            self._lines, self._scalars, self._origins = JsonLines(), JsonScalars(), Origins()
        _feed(self._lines, self._plain.settle(encoded.pieces))
        lines = self._lines.copy()
        _feed(lines, encoded.pieces[len(self._plain.settled) :])
        origins = self._learned(stained.pieces)
        shown = list(_placed(lines.lines, origins, request.messages))
        blocks = _blocks(shown)
        losses = _at_lines(tuple(self._losses.of(request)), shown, blocks)
        return Translation(self.name, encoded.path, encoded.pieces, shown, blocks, losses, self._checked(encoded.pieces, shown))

    def _learned(self, pieces: tuple[bytes, ...]) -> Origins:
        for piece in _in_turns(self._marked.settle(pieces)):
            self._origins.learn(self._scalars.feed(piece.decode()))
        origins, scalars = self._origins.copy(), self._scalars.copy()
        for piece in _in_turns(pieces[len(self._marked.settled) :]):
            origins.learn(scalars.feed(piece.decode()))
        return origins

    def _checked(self, pieces: tuple[bytes, ...], lines: Sequence[Line]) -> tuple[tuple[int, Finding], ...] | None:
        if sum(map(len, pieces)) > LARGEST_CHECKED_BYTES:
            return None
        found = [finding for finding in self._dialect.check(b"".join(pieces), self.quirks) if not _is_of_the_end(finding)]
        places: dict[Path, int] = {}
        for number, line in enumerate(lines):
            places.setdefault(line.path, number)
        return tuple((_line_of(finding.pointer, places), finding) for finding in found)


def _is_of_the_end(finding: Finding) -> bool:
    """Say whether a finding is about how the conversation ends: what a person says next is not there yet."""
    return finding.rule.partition(".")[2].startswith("ends-with")


class _Side:
    """The pieces of a body that will not change any more."""

    def __init__(self) -> None:
        self.settled: tuple[bytes, ...] = ()

    def begins_like(self, pieces: tuple[bytes, ...]) -> bool:
        """Say whether a body begins with what is settled."""
        return len(pieces) >= len(self.settled) and all(map(_same, self.settled, pieces))

    def settle(self, pieces: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """Take what will not change of a body and return what is new in that."""
        new = pieces[len(self.settled) : max(len(self.settled), len(pieces) - OPEN_END)]
        self.settled += new
        return new


def _same(one: bytes, other: bytes) -> bool:
    return one is other or one == other


def _feed(lines: JsonLines, pieces: Sequence[bytes]) -> None:
    for piece in _in_turns(pieces):
        lines.feed(piece.decode())


def _in_turns(pieces: Sequence[bytes]) -> Iterator[bytes]:
    """Yield pieces, and let the window's thread have a turn every few milliseconds: it waits for the interpreter otherwise."""
    until = time.monotonic() + _TURN_S
    for piece in pieces:
        yield piece
        if time.monotonic() > until:
            time.sleep(_TURN_S / 8)
            until = time.monotonic() + _TURN_S


class _Found(NamedTuple):
    """A line, to whose block it belongs, and the parts that stand in it."""

    line: JsonLine
    message: int
    origins: tuple[Origin, ...]


def _placed(lines: Sequence[JsonLine], origins: Origins, messages: Sequence[Message]) -> Iterator[Line]:
    """Yield the lines with whose they are.

    A line of no part belongs to the message before it as long as it stands in the list of messages, then to what follows the last message.
    """
    ids = ids_of(messages)
    found = list(_with_blocks(lines, origins, len(messages)))
    named = _naming(found, ids)
    for number, (line, message, parts) in enumerate(found):
        yield Line(" " * (INDENT * line.depth) + line.text, line.path, message, parts[0] if parts else None, named.get(number, ""))


def _with_blocks(lines: Sequence[JsonLine], origins: Origins, behind: int) -> Iterator[_Found]:
    current, inside = HEAD, None
    for line in lines:
        parts = origins.of(line.path)
        if parts:
            current, inside = max(current, parts[0].message), line.path[0]
        elif inside is not None and (len(line.path) < 2 or line.path[0] != inside):
            current = behind
        yield _Found(line, current, parts)


def _naming(found: Sequence[_Found], ids: Mapping[Origin, str]) -> dict[int, str]:
    """Return which lines name which call: of each call and result the one with its id, else with its name, else the first."""
    best: dict[Origin, tuple[float, int]] = {}
    for number, (line, _message, parts) in enumerate(found):
        origin = next((part for part in parts if part in ids), None)
        if origin is not None:
            best[origin] = min(best.get(origin, (99.0, 0)), (_rank(line), number))
    return {number: ids[origin] for origin, (_rank_of, number) in best.items()}


def _rank(line: JsonLine) -> float:
    member = line.path[-1] if line.path else ""
    if member in _ID_MEMBERS:
        return _ID_MEMBERS.index(str(member))
    named = next((place + 0.5 for place, name in enumerate(_ID_MEMBERS) if f'"{name}":' in line.text), None)
    return named if named is not None else 50.0 if line.text.rstrip(",")[-1:] in ("{", "[", "}", "]") else 45.0


def _blocks(lines: Sequence[Line]) -> list[tuple[int, int]]:
    blocks: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        if line.message != HEAD and (not blocks or blocks[-1][0] != line.message):
            blocks.append((line.message, number))
    return blocks


def _at_lines(losses: Sequence[Loss], lines: Sequence[Line], blocks: Sequence[tuple[int, int]]) -> tuple[tuple[int, Loss], ...]:
    """Return each loss with its line: that of its part, or of its message if nothing is left of the part; -1 for the whole request."""
    first: dict[Origin, int] = {}
    for number, line in enumerate(lines):
        if line.origin is not None:
            first.setdefault(line.origin, number)
    starts = [message for message, _line in blocks]

    def line_of(loss: Loss) -> int:
        if loss.message < 0:
            return -1
        known = first.get(Origin(loss.message, loss.part))
        block = max(0, bisect_right(starts, loss.message) - 1)
        return known if known is not None else blocks[block][1] if blocks else -1

    return tuple((line_of(loss), loss) for loss in losses)


def _line_of(pointer: str, places: Mapping[Path, int]) -> int:
    """Return the line of what a JSON pointer points at, or of what is around it."""
    way = path_of(pointer)
    return next((places[way[:depth]] for depth in range(len(way), -1, -1) if way[:depth] in places), 0)
