"""A model's message as items: while it streams, piece by piece, and when it is complete.

Both ways give the same items with the same ids. Where parts begin is decided as the assembler (conversation) decides it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import assert_never

from workbench.conversation.messages import Message, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.stream import (
    CallArgumentsDelta,
    CallDone,
    CallDropped,
    CallNamed,
    CallStarted,
    OpaqueItem,
    Problem,
    ReasoningDelta,
    ReasoningDone,
    ResponseEnded,
    ResponseFailed,
    ResponseStarted,
    StreamEvent,
    TextDelta,
    UsageReported,
)
from workbench.inspection.timeline_items import Call, CallsItem, ReasoningItem, TextItem, TimelineItem


@dataclass(eq=False)
class _Words:
    """A part of text or reasoning that grows. It is shown once there is more than white space in it."""

    item: TextItem | ReasoningItem
    pieces: list[str] = field(default_factory=list)
    field: str = ""
    complete: bool = False
    begun_at: float | None = None
    shown: bool = False


@dataclass(eq=False)
class _Arguments:
    """A call whose arguments grow."""

    call: Call
    pieces: list[str] = field(default_factory=list)


class ArrivingMessage:
    """The items of one step's message.

    Pieces of text are only collected by `add`; `join` puts them into the items, once for a batch: joining at each piece would copy
    the whole text each time.

    Attributes:
        items: what is shown of the message so far, in order.
    """

    def __init__(self, *, item_id: str, turn_id: str, step: int) -> None:
        self.items: list[TimelineItem] = []
        self._id, self._turn_id, self._step = item_id, turn_id, step
        self._texts: list[TextItem] = []
        self._reasonings: list[ReasoningItem] = []
        self._box = CallsItem(item_id=f"{item_id}.calls", turn_id=turn_id, step=step)
        self._arguments: dict[int, _Arguments] = {}
        self._words: list[_Words] = []
        self._last: _Words | None = None
        self._grown: dict[str, TimelineItem] = {}

    # While it streams

    def add(self, piece: StreamEvent) -> None:
        """Take a piece of the stream. Pieces of a call whose beginning was not heard are passed over."""
        match piece:
            case TextDelta():
                self._add_text(piece)
            case ReasoningDelta():
                self._add_reasoning(piece)
            case ReasoningDone():
                self._end_reasoning(piece.part)
            case CallStarted():
                self._begin_call(piece)
            case CallNamed():
                self._name(piece.key, piece.name)
            case CallArgumentsDelta():
                self._add_arguments(piece)
            case CallDone():
                self._name(piece.key, piece.name)
            case CallDropped():
                self._drop(piece.key)
            case OpaqueItem():
                self._begin_part(None)
            case ResponseStarted() | ResponseEnded() | ResponseFailed() | UsageReported() | Problem():
                pass  # nothing of these is shown before the message is complete
            case _:
                assert_never(piece)

    def join(self, now: float | None) -> tuple[TimelineItem, ...]:
        """Put what came into the items and return those that changed. `now` is when it came, seconds since 1970, if that is known."""
        for words in self._words:
            if words.pieces and words.shown:
                words.item.text += "".join(words.pieces)
                words.pieces.clear()
                if isinstance(words.item, ReasoningItem):
                    _take_time(words, words.item, now)
        self._words = [words for words in self._words if not words.complete]
        for arguments in self._arguments.values():
            if arguments.pieces:
                arguments.call.arguments_raw += "".join(arguments.pieces)
                arguments.pieces.clear()
        grown, self._grown = tuple(self._grown.values()), {}
        return grown

    def _add_text(self, piece: TextDelta) -> None:
        if not piece.text and not piece.signature:
            return
        words = self._last
        if words is None or not isinstance(words.item, TextItem):
            words = _Words(self._text(len(self._texts)))
            self._begin_part(words)
        self._grow(words, piece.text)

    def _add_reasoning(self, piece: ReasoningDelta) -> None:
        if not piece.text:
            return
        words = self._last
        other = words is None or not isinstance(words.item, ReasoningItem) or words.complete or (piece.field and words.field not in ("", piece.field))
        if words is None or other:
            words = _Words(self._reasoning(len(self._reasonings)))
            self._begin_part(words)
        words.field = words.field or piece.field
        self._grow(words, piece.text)

    def _end_reasoning(self, part: ReasoningPart) -> None:
        words = next((one for one in reversed(self._words) if isinstance(one.item, ReasoningItem) and not one.complete), None)
        if words is None:
            words = _Words(self._reasoning(len(self._reasonings)))
            self._begin_part(words)
        words.complete = True
        words.item.done = True
        self._grown[words.item.item_id] = words.item
        said = words.item.text + "".join(words.pieces)
        words.item.text, words.pieces = "", [part.text or said or readable(part)]
        if words is self._last:
            self._show(words)

    def _begin_part(self, words: _Words | None) -> None:
        """Begin another part: text that came before is complete, reasoning may still get its last word."""
        if self._last is not None:
            self._last.item.done = True
            self._last.complete = self._last.complete or isinstance(self._last.item, TextItem)
            self._grown[self._last.item.item_id] = self._last.item
        self._last = words
        if words is not None:
            self._words.append(words)

    def _grow(self, words: _Words, text: str) -> None:
        words.pieces.append(text)
        self._grown[words.item.item_id] = words.item
        if not words.shown:
            self._show(words)

    def _show(self, words: _Words) -> None:
        if not words.shown and any(piece.strip() for piece in words.pieces):
            words.shown = True
            self.items.append(words.item)

    def _begin_call(self, piece: CallStarted) -> None:
        self._begin_part(None)
        call = Call(call_id=piece.call_id, tool=piece.name, state="arriving")
        self._arguments[piece.key] = _Arguments(call)
        if not self._box.calls:
            self.items.append(self._box)
        self._box.calls.append(call)
        self._grown[self._box.item_id] = self._box

    def _name(self, key: int, name: str) -> None:
        if key in self._arguments and self._arguments[key].call.tool != name:
            self._arguments[key].call.tool = name
            self._grown[self._box.item_id] = self._box

    def _add_arguments(self, piece: CallArgumentsDelta) -> None:
        if piece.key in self._arguments:
            self._arguments[piece.key].pieces.append(piece.text)
            self._grown[self._box.item_id] = self._box

    def _drop(self, key: int) -> None:
        dropped = self._arguments.pop(key, None)
        if dropped is None:
            return
        self._box.calls = [call for call in self._box.calls if call is not dropped.call]
        self._grown[self._box.item_id] = self._box
        if not self._box.calls:
            self.items.remove(self._box)

    # When it is complete

    def settle(self, message: Message, now: float | None) -> list[TimelineItem]:
        """Return the items of the whole message; those that were shown are the same objects, with what is final in them."""
        self.join(now)
        items: list[TimelineItem] = []
        texts = reasonings = 0
        for part in message.parts:
            match part:
                case TextPart():
                    _settle_words(self._text(texts), part.text, items)
                    texts += 1
                case ReasoningPart():
                    _settle_words(self._reasoning(reasonings), readable(part), items)
                    reasonings += 1
                case ToolCallPart():
                    if self._box not in items:
                        items.append(self._box)
                case _:
                    pass  # what only the provider understands is in the inspector
        self._box.calls = self._settled_calls(message.calls())
        _finish(items, message)
        return items

    def _settled_calls(self, parts: tuple[ToolCallPart, ...]) -> list[Call]:
        calls = [*self._box.calls, *(Call(call_id="", tool="", state="arriving") for _more in parts[len(self._box.calls) :])]
        for call, part in zip(calls, parts, strict=False):
            call.call_id, call.tool, call.state = part.call_id, part.name, "queued"
            call.arguments_raw, call.sent = part.arguments_raw, part.arguments()
        return calls[: len(parts)]

    def _text(self, number: int) -> TextItem:
        while len(self._texts) <= number:
            self._texts.append(TextItem(item_id=f"{self._id}.text{len(self._texts)}", turn_id=self._turn_id))
        return self._texts[number]

    def _reasoning(self, number: int) -> ReasoningItem:
        while len(self._reasonings) <= number:
            self._reasonings.append(ReasoningItem(item_id=f"{self._id}.reasoning{len(self._reasonings)}", turn_id=self._turn_id))
        return self._reasonings[number]


def readable(part: ReasoningPart) -> str:
    """Return what can be read of a model's reasoning; empty if its provider keeps it to itself."""
    return part.text or "\n\n".join(part.summary)


def _settle_words(item: TextItem | ReasoningItem, text: str, items: list[TimelineItem]) -> None:
    item.text, item.done = text, True
    if text.strip():
        items.append(item)


def _take_time(words: _Words, item: ReasoningItem, now: float | None) -> None:
    if now is None:
        return
    if words.begun_at is None:
        words.begun_at = now
    elif now > words.begun_at:
        item.duration_s = now - words.begun_at


def _finish(items: list[TimelineItem], message: Message) -> None:
    """Note where the answer broke off, and how many tokens the only reasoning took."""
    last = items[-1] if items else None
    if isinstance(last, TextItem):
        last.cut = message.state != "complete" or message.finish_reason == "length"
    thoughts = [item for item in items if isinstance(item, ReasoningItem)]
    if len(thoughts) == 1 and message.usage is not None:
        thoughts[0].tokens = message.usage.reasoning_tokens
