"""Puts tool calls together from their pieces: which piece belongs to which call, what a call is when the answer has ended.

The servers that claim to speak Chat Completions disagree on nearly everything here: indices are missing, always 0, or change; ids are
empty, repeated or new on every piece; names come late, in pieces or again and again. The rules are those of the wire specification,
section 13; the indices and ids are hints, a call is finished only by the end of the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from workbench.conversation.messages import CallKind
from workbench.conversation.stream import CallArgumentsDelta, CallDone, CallDropped, CallNamed, CallStarted, Problem, StreamEvent
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.argument_text import Judged, TopLevelScan, judge, same_value
from workbench.dialects.json_text import escape_halves, write_json

_JUNK = "<|"


class CallPiece(NamedTuple):
    """What one piece of the stream says about a call; everything may be missing.

    Id and name hold no half characters.

    Attributes:
        slot: the place the server gave it (`index`), a hint.
        wire_id: its id; empty means "unchanged".
        name: its name or a part of it; empty means "unchanged".
        arguments: more argument text, or the whole arguments as a value (some servers send an object); None for nothing.
        metadata: members that only the provider understands.
        seed: text of the frame it came in; an id that must be made up is derived from it, so that reading the same bytes again gives
            the same ids.
    """

    slot: int | None = None
    wire_id: str = ""
    name: str = ""
    arguments: Any = None
    kind: CallKind = "function"
    metadata: JsonObject | None = None
    seed: str = ""


@dataclass(slots=True)
class _Call:
    key: int
    call_id: str
    wire_id: str
    index: int | None
    kind: CallKind
    seed: str
    name: str = ""
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    named: int = 0
    whole: bool = False
    metadata: JsonObject = field(default_factory=dict)
    scan: TopLevelScan = field(default_factory=TopLevelScan)
    scanned: int = 0

    @property
    def clean_name(self) -> str:
        """The name without what weak parsers of harmony-trained models leave on it."""
        return self.name.partition(_JUNK)[0].strip()

    def scan_all(self) -> TopLevelScan:
        """Return the scan of all argument text so far; each piece is looked at once."""
        for piece in self.pieces[self.scanned :]:
            self.scan.feed(piece)
        self.scanned = len(self.pieces)
        return self.scan

    def text(self) -> str:
        """Return the argument text so far."""
        return "".join(self.pieces)


class CallTable:
    """The calls of one answer, in order of appearance.

    Args:
        split_glued: the server is known to glue several calls into one argument text.
        tools: the names that were offered, as far as they are known; they decide whether a name comes in pieces.
    """

    def __init__(self, *, split_glued: bool = False, tools: Collection[str] = ()) -> None:
        self._split_glued = split_glued
        self._tools = frozenset(tools)
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int, _Call] = {}
        self._ids: set[str] = set()
        self._next_key = 0

    def __len__(self) -> int:
        return len(self._calls)

    def take(self, piece: CallPiece, frame: int, events: list[StreamEvent]) -> None:
        """Take the next piece and append what it means to `events`."""
        call = self._find(piece)
        if call is None:
            if not (piece.wire_id or piece.name or piece.arguments):
                return
            call = self._open(piece, frame, events)
        else:
            self._identify(call, piece, frame, events)
        if piece.metadata:
            call.metadata.update(piece.metadata)
        if piece.arguments is not None:
            _add_arguments(call, piece.arguments, frame, events)

    def settle(self, slot: int, arguments: str, frame: int, events: list[StreamEvent]) -> None:
        """Take the final argument text of the call at a slot, where the dialect says it apart from the pieces; it counts instead of them."""
        call = self._by_index.get(slot)
        if call is not None and call.text() != arguments:
            _replace_arguments(call, arguments, frame, events)

    def finish(self, events: list[StreamEvent], *, cut: bool) -> bool:
        """Append the final word on each call; say whether the answer turned out to be cut off inside a call.

        Args:
            events: where to.
            cut: the answer did not come to an end of its own.
        """
        truncated = False
        by_id: dict[str, list[_Call]] = {}
        for call in self._calls:
            earlier = by_id.setdefault(call.wire_id, []) if call.wire_id else []
            if any(_is_repeat(call, known) for known in earlier):
                events.append(CallDropped(key=call.key))
                continue
            earlier.append(call)
            verdict = self._judge(call, cut)
            truncated |= verdict.status == "truncated"
            events.extend(self._final(call, verdict))
        return truncated

    def _find(self, piece: CallPiece) -> _Call | None:
        if piece.wire_id:
            return self._find_by_id(piece)
        if piece.slot is not None:
            return self._find_by_index(piece, piece.slot)
        last = self._calls[-1] if self._calls else None
        if last is None or (piece.name and last.name and self._begins_another(last, piece)):
            return None
        return last

    def _find_by_id(self, piece: CallPiece) -> _Call | None:
        at_index = None if piece.slot is None else self._by_index.get(piece.slot)
        known = at_index if at_index and at_index.wire_id == piece.wire_id else self._by_id.get(piece.wire_id)
        if known is not None:
            return None if piece.name and self._uses_id_again(known, piece) else known
        if at_index is None:
            return None
        if not at_index.wire_id:
            return at_index if not piece.name or piece.name == at_index.name else None
        return at_index if not piece.name and not at_index.scan_all().closed else None

    def _find_by_index(self, piece: CallPiece, index: int) -> _Call | None:
        call = self._by_index.get(index)
        if call is None:
            last = self._calls[-1] if self._calls else None
            return last if last and not piece.name and last.scan_all().unclosed else None
        renamed = piece.name and call.name and piece.name != call.name
        return None if renamed and self._is_another(call, piece) else call

    def _uses_id_again(self, call: _Call, piece: CallPiece) -> bool:
        """Whether a named piece is another call under an id that was used before (some servers count them from 0 in each turn)."""
        if piece.slot is not None and call.index is not None and piece.slot != call.index:
            return call.scan_all().closed
        return _is_object_text(piece.arguments) and self._is_another(call, piece)

    def _begins_another(self, call: _Call, piece: CallPiece) -> bool:
        """Whether a named piece without id and index begins a new call, not goes on with the last one."""
        return bool(piece.arguments) and self._is_another(call, piece) if piece.name == call.name else self._is_another(call, piece)

    def _is_another(self, call: _Call, piece: CallPiece) -> bool:
        """Whether a named piece is another call: the known one is complete, and the piece does not just repeat it."""
        if not call.scan_all().closed:
            return False
        return not (piece.name == call.name and (not piece.arguments or same_value(call.text(), _text_of(piece.arguments))))

    def _open(self, piece: CallPiece, frame: int, events: list[StreamEvent]) -> _Call:
        call = _Call(self._next_key, "", piece.wire_id, piece.slot, piece.kind, piece.seed)
        self._next_key += 1
        call.call_id = self._unused_id(call.wire_id, call.key, call.seed)
        self._calls.append(call)
        if call.wire_id:
            self._by_id[call.wire_id] = call
        if piece.slot is not None:
            self._by_index[piece.slot] = call
        call.name = piece.name
        call.named = 1 if piece.name else 0
        shown = call.wire_id if call.wire_id != call.call_id else ""
        events.append(CallStarted(key=call.key, call_id=call.call_id, wire_id=shown, name=call.clean_name, kind=call.kind, frame=frame))
        return call

    def _unused_id(self, wire_id: str, key: int, seed: str) -> str:
        call_id = wire_id if wire_id and wire_id not in self._ids else derived_id(f"{key} {seed}")
        self._ids.add(call_id)
        return call_id

    def _identify(self, call: _Call, piece: CallPiece, frame: int, events: list[StreamEvent]) -> None:
        """Take an id or a name that came late, again or in pieces. The local id stays, it is known outside by now."""
        if piece.wire_id and not call.wire_id:
            call.wire_id = piece.wire_id
            self._by_id[piece.wire_id] = call
        if not piece.name:
            return
        if not call.name:
            call.name = piece.name
            call.named = 1
            events.append(CallNamed(key=call.key, name=call.clean_name, frame=frame))
        elif piece.name == call.name:
            call.named += 1
        elif name := self._longer_name(call, piece.name):
            call.name = name
            events.append(CallNamed(key=call.key, name=call.clean_name, frame=frame))

    def _longer_name(self, call: _Call, piece: str) -> str:
        """Return the new name when a call is named again and differently; empty when the first name stays."""
        joined = call.name + piece
        if self._tools:
            if call.name in self._tools and joined not in self._tools:
                return ""
            if piece in self._tools:
                return piece
        if piece.startswith(call.name):
            return piece
        return "" if call.pieces else joined

    def _judge(self, call: _Call, cut: bool) -> Judged:
        if call.kind == "custom":
            return Judged((call.text(),), "truncated" if cut else "complete")
        verdict = judge(call.text(), cut=cut, may_split=self._split_glued or call.named > 1)
        return verdict if call.clean_name or verdict.status == "truncated" else verdict._replace(status="invalid_json")

    def _final(self, call: _Call, verdict: Judged) -> Iterator[StreamEvent]:
        yield from _problems(call, verdict)
        for place, text in enumerate(verdict.texts):
            if place:
                call = self._split_off(call)
                yield CallStarted(key=call.key, call_id=call.call_id, name=call.clean_name, kind=call.kind)
            yield CallDone(
                key=call.key,
                call_id=call.call_id,
                name=call.clean_name,
                arguments_raw=escape_halves(text) if call.kind == "function" else clean_text(text),
                kind=call.kind,
                status=verdict.status,
                wire_id=call.wire_id if call.wire_id != call.call_id else "",
                repaired=verdict.repaired,
                metadata=call.metadata,
            )

    def _split_off(self, call: _Call) -> _Call:
        other = _Call(self._next_key, "", "", None, call.kind, call.seed, name=call.name)
        self._next_key += 1
        other.call_id = self._unused_id("", other.key, call.seed)
        return other


def derived_id(seed: str) -> str:
    """Return a call id made from `seed`: ``call_`` and 24 hex digits, which fits every provider's limit but Mistral's."""
    return "call_" + hashlib.sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _add_arguments(call: _Call, arguments: Any, frame: int, events: list[StreamEvent]) -> None:
    if not isinstance(arguments, str):
        if not call.whole:
            call.whole = True
            _replace_arguments(call, write_json(arguments).decode(), frame, events)
        return
    if not arguments or call.whole or _repeats(call, arguments):
        return
    call.pieces.append(arguments)
    call.size += len(arguments)
    events.append(CallArgumentsDelta(key=call.key, text=_storable(call, arguments), frame=frame))


def _replace_arguments(call: _Call, text: str, frame: int, events: list[StreamEvent]) -> None:
    if not call.pieces:
        events.append(CallArgumentsDelta(key=call.key, text=_storable(call, text), frame=frame))
    call.pieces = [text]
    call.size = len(text)
    call.scan = TopLevelScan()
    call.scanned = 0


def _repeats(call: _Call, piece: str) -> bool:
    """Whether a piece that looks like a whole object says again what is already complete."""
    if not call.pieces or call.kind != "function" or not piece.lstrip().startswith("{"):
        return False
    if call.size > 2 * len(piece) + 64:  # keeps the work linear: a repeat is about as long as what it repeats
        return False
    return call.scan_all().closed and same_value(call.text(), piece)


def _is_repeat(call: _Call, earlier: _Call) -> bool:
    return call.clean_name == earlier.clean_name and same_value(call.text(), earlier.text())


def _problems(call: _Call, verdict: Judged) -> Iterator[Problem]:
    name = call.clean_name
    if not name:
        yield Problem(code="call-without-name", text="A tool call came without a name; it cannot run.")
    if verdict.repaired:
        what = f"{len(verdict.texts)} calls were glued into one" if len(verdict.texts) > 1 else "something stood after the object"
        yield Problem(code="arguments-repaired", text=f"The arguments of {name or 'a call'} were taken apart: {what}.")
    elif verdict.status == "invalid_json":
        yield Problem(code="arguments-broken", text=f"The arguments of {name or 'a call'} are not JSON; the call cannot run.")


def _storable(call: _Call, text: str) -> str:
    return text if text.isascii() else escape_halves(text) if call.kind == "function" else clean_text(text)


def _is_object_text(arguments: Any) -> bool:
    return isinstance(arguments, dict) or (isinstance(arguments, str) and arguments.lstrip().startswith("{"))


def _text_of(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else write_json(arguments).decode()
