"""The content blocks of an answer, from their starts, deltas and stops: text, thinking, calls, and what only the provider understands."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from workbench.conversation.messages import OpaquePart, ReasoningPart
from workbench.conversation.stream import OpaqueItem, ReasoningDelta, ReasoningDone, StreamEvent, TextDelta
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.anthropic.names import NAME, is_server_call
from workbench.dialects.calls import CallPiece, CallTable
from workbench.dialects.json_text import read_json
from workbench.dialects.surrogates import HalfJoiner

_Kind: TypeAlias = Literal["text", "thinking", "tool_use", "opaque"]
_DIRECT = {"type": "direct"}


@dataclass(slots=True)
class _Block:
    """A block that may get more; `item` is what came in its start."""

    kind: _Kind
    slot: int
    item: JsonObject
    begun: bool = False
    thought: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    signature: str = ""
    citations: list[Any] = field(default_factory=list)
    half: HalfJoiner = field(default_factory=HalfJoiner)


class OpenBlocks:
    """The blocks of one answer. At most one block is open that is no call; a new block closes it.

    Args:
        tell: says a problem once.
        split_glued, tools: see `CallTable`.

    Attributes:
        calls: the calls; each block is a slot of its own, whatever index its server gave it.
        count: how many blocks there were.
        has_opaque: something came that only the provider understands.
    """

    def __init__(self, tell: Callable[[str, str, int, list[StreamEvent]], None], *, split_glued: bool, tools: Collection[str]) -> None:
        self.calls = CallTable(split_glued=split_glued, tools=tools)
        self.count = 0
        self.has_opaque = False
        self._tell = tell
        self._open: _Block | None = None
        self._newest: _Block | None = None
        self._by_index: dict[int, _Block] = {}
        self._text: list[str] = []

    def text(self) -> str:
        """Return all text so far."""
        return "".join(self._text)

    def start(self, index: Any, item: JsonObject, frame: int, events: list[StreamEvent], seed: str) -> None:
        """Take the start of a block, with all that it brings."""
        self.close(frame, events)
        block = self._newest = _Block(_kind_of(item), self.count, item)
        self.count += 1
        if isinstance(index, int):
            self._by_index[index] = block
        match block.kind:
            case "tool_use":
                self._call(block, frame, events, seed)
                return
            case "text":
                self._say(block, item.get("text"), frame, events)
                citations = item.get("citations")
                block.citations = list(citations) if isinstance(citations, list) else []
            case "thinking":
                self._think(block, item.get("thinking"), frame, events)
                self._sign(block, item.get("signature"))
            case "opaque":
                pass
        self._open = block

    def delta(self, index: Any, delta: JsonObject, frame: int, events: list[StreamEvent], seed: str) -> None:
        """Take more of a block; a delta that fits no block begins one, kinds that are not known are left out."""
        block = self._by_index.get(index) if isinstance(index, int) else self._newest
        match delta.get("type"):
            case "text_delta":
                self._say(self._current("text", block, frame, events), delta.get("text"), frame, events)
            case "thinking_delta":
                self._think(self._current("thinking", block, frame, events), delta.get("thinking"), frame, events)
            case "signature_delta":
                self._sign(self._current("thinking", block, frame, events), delta.get("signature"))
            case "citations_delta":
                self._current("text", block, frame, events).citations.append(delta.get("citation"))
            case "input_json_delta":
                self._argue(block, delta.get("partial_json"), frame, events, seed)
            case "compaction_delta" if block is not None and isinstance(delta.get("content"), str):
                block.item = {**block.item, "content": str(block.item.get("content") or "") + delta["content"]}
            case _:
                pass

    def stop(self, index: Any, frame: int, events: list[StreamEvent]) -> None:
        """Take the stop of a block."""
        if self._open is not None and self._by_index.get(index if isinstance(index, int) else -1, self._open) is self._open:
            self.close(frame, events)

    def close(self, frame: int, events: list[StreamEvent], *, cut: bool = False) -> None:
        """Close the open block; `cut` when it is not whole, so that its signature counts for nothing."""
        block, self._open = self._open, None
        if block is None:
            return
        match block.kind:
            case "text":
                self._end_text(block, frame, events)
            case "thinking":
                _end_thinking(block, frame, events, cut=cut)
            case "opaque":
                self._end_opaque(block, frame, events, cut=cut)
            case "tool_use":
                pass

    def _current(self, kind: Literal["text", "thinking"], block: _Block | None, frame: int, events: list[StreamEvent]) -> _Block:
        """Return the open block of a kind, a new one if what is open is something else."""
        if block is None or block is not self._open or block.kind != kind:
            self.close(frame, events)
            block = self._open = _Block(kind, self.count, {})
            self.count += 1
        return block

    def _say(self, block: _Block, said: Any, frame: int, events: list[StreamEvent]) -> None:
        text = block.half.feed(said) if isinstance(said, str) else ""
        if text:
            self._text.append(text)
            events.append(TextDelta(text=text, begins=not block.begun, frame=frame))
            block.begun = True

    def _think(self, block: _Block, thought: Any, frame: int, events: list[StreamEvent]) -> None:
        text = block.half.feed(thought) if isinstance(thought, str) else ""
        if text:
            block.thought.append(text)
            events.append(ReasoningDelta(text=text, frame=frame))

    def _sign(self, block: _Block, signature: Any) -> None:
        block.signature += clean_text(signature) if isinstance(signature, str) else ""

    def _end_text(self, block: _Block, frame: int, events: list[StreamEvent]) -> None:
        if half := block.half.finish():
            self._text.append(half)
            events.append(TextDelta(text=half, begins=not block.begun, frame=frame))
            block.begun = True
        if block.citations and block.begun:
            events.append(_opaque({"citations": block.citations}, frame))

    def _end_opaque(self, block: _Block, frame: int, events: list[StreamEvent], *, cut: bool) -> None:
        item, text = block.item, "".join(block.pieces)
        if item.get("type") == "redacted_thinking":
            data = item.get("data")
            if isinstance(data, str) and data and not cut:
                events.append(ReasoningDone(part=ReasoningPart(redacted_data=clean_text(data)), frame=frame))
            return
        if text.strip():
            try:
                item = {**item, "input": read_json(text)}
            except ValueError:
                cut = True
        if cut and is_server_call(item):
            self._tell("server-call-broken", "A call of one of the provider's own tools came broken and was left out.", frame, events)
        elif isinstance(item.get("type"), str):
            self.has_opaque = True
            events.append(_opaque(item, frame))

    def _call(self, block: _Block, frame: int, events: list[StreamEvent], seed: str) -> None:
        item = block.item
        wire_id, name = item.get("id"), item.get("name")
        metadata = {member: item[member] for member in ("caller", "toolset_name") if item.get(member) not in (None, _DIRECT)}
        piece = CallPiece(
            slot=block.slot,
            wire_id=clean_text(wire_id) if isinstance(wire_id, str) else "",
            name=clean_text(name) if isinstance(name, str) else "",
            arguments=item.get("input") or None,
            metadata=metadata or None,
            seed=f"{block.slot} {seed}",
        )
        self.calls.take(piece, frame, events)

    def _argue(self, block: _Block | None, partial: Any, frame: int, events: list[StreamEvent], seed: str) -> None:
        if not isinstance(partial, str) or not partial:
            return
        if block is not None and block.kind == "opaque":
            block.pieces.append(partial)
        else:
            self.calls.take(CallPiece(slot=block.slot if block else -1, arguments=partial, seed=seed), frame, events)


def _kind_of(item: JsonObject) -> _Kind:
    match item.get("type"):
        case "text":
            return "text"
        case "thinking":
            return "thinking"
        case "tool_use":
            return "tool_use"
        case _:
            return "opaque"


def _end_thinking(block: _Block, frame: int, events: list[StreamEvent], *, cut: bool) -> None:
    if half := block.half.finish():
        block.thought.append(half)
        events.append(ReasoningDelta(text=half, frame=frame))
    text, signature = "".join(block.thought), "" if cut else block.signature
    if text or signature:
        events.append(ReasoningDone(part=ReasoningPart(text=text, signature=signature), frame=frame))


def _opaque(item: JsonObject, frame: int) -> OpaqueItem:
    return OpaqueItem(part=OpaquePart(dialect=NAME, provider="", item=item), frame=frame)
