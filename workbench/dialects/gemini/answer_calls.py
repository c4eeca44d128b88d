"""The calls of one Gemini answer: mostly whole in one part, sometimes opened, filled in pieces, and closed, or not closed at all."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from workbench.conversation.stream import StreamEvent
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import Quirks
from workbench.dialects.calls import CallPiece, CallTable
from workbench.dialects.gemini.partial_arguments import PartialArguments
from workbench.dialects.gemini.parts import member


class AnswerCalls:
    """Takes `functionCall` objects in order; what a call is, `finish` says."""

    def __init__(self, quirks: Quirks, tools: Collection[str]) -> None:
        self._table = CallTable(split_glued=quirks.split_glued_arguments, tools=tools)
        self._slot = 0
        self._open: PartialArguments | None = None

    def __len__(self) -> int:
        return len(self._table)

    def take(self, call: dict[str, Any], signature: str, frame: int, events: list[StreamEvent], seed: str) -> None:
        """Take one `functionCall`. A name begins a call and closes the one before it; an empty one closes the open call."""
        name, wire_id = _word(call.get("name")), _word(call.get("id"))
        arguments, pieces = call.get("args"), member(call, "partialArgs")
        goes_on = member(call, "willContinue") is True
        if name or self._open is None:
            if not (name or wire_id or arguments or pieces):
                return  # it closes a call that is closed already
            self._close(frame, events)
            self._slot += 1
            opener = CallPiece(slot=self._slot, wire_id=wire_id, name=name, metadata=_metadata(wire_id, signature), seed=seed)
            if pieces is None and not goes_on:
                self._table.take(opener._replace(arguments={} if arguments is None else arguments), frame, events)
                return
            self._table.take(opener, frame, events)
            self._open = PartialArguments(dict(arguments) if isinstance(arguments, dict) else {})
        elif signature or wire_id:
            self._table.take(CallPiece(slot=self._slot, metadata=_metadata(wire_id, signature), seed=seed), frame, events)
        if pieces is not None:
            self._open.add(pieces)
        elif not goes_on:
            self._close(frame, events)

    def finish(self, events: list[StreamEvent], *, cut: bool) -> bool:
        """Append the final word on each call; say whether the answer turned out to be cut off inside a call."""
        self._close(-1, events, cut=cut)
        return self._table.finish(events, cut=cut)

    def _close(self, frame: int, events: list[StreamEvent], *, cut: bool = False) -> None:
        if self._open is not None:
            text = self._open.text(cut=cut)
            self._open = None
            self._table.take(CallPiece(slot=self._slot, arguments=text), frame, events)


def _metadata(wire_id: str, signature: str) -> JsonObject | None:
    """Return what goes back with the call: the id if the provider gave one, and the signature."""
    known = {"id": wire_id, "thoughtSignature": signature}
    return {name: value for name, value in known.items() if value} or None


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value if value.isascii() else clean_text(value)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
