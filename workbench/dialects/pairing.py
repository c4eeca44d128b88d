"""Which results of a conversation answer which calls, told part by part; `history.answered` makes the history that is sent."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.conversation.messages import Message, ToolCallPart, ToolResultPart


class Pairing:
    """What becomes of the calls and results of a conversation when each call must be answered exactly once, right after it."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._found: dict[int, list[tuple[str, int]]] = {}
        self._open: dict[str, list[tuple[int, int]]] = {}
        self._answered: set[str] = set()
        self._at = -1
        for place, message in enumerate(messages):
            if message.calls():
                self._end_turn()
                self._begin_turn(place, message)
            elif message.results():
                self._take(place, message, messages)
        self._end_turn()

    def of(self, place: int) -> Sequence[tuple[str, int]]:
        """Return (loss rule, part) of a message."""
        return self._found.get(place, ())

    def _begin_turn(self, place: int, message: Message) -> None:
        self._at, self._open, self._answered = place, {}, set()
        for part_place, part in enumerate(message.parts):
            if isinstance(part, ToolCallPart):
                self._open.setdefault(part.call_id, []).append((place, part_place))
            elif isinstance(part, ToolResultPart):
                self._tell("result-orphan", place, part_place)

    def _take(self, place: int, message: Message, messages: Sequence[Message]) -> None:
        direct = all(between.role == "tool" for between in messages[self._at + 1 : place]) and message.role == "tool"
        for part_place, part in enumerate(message.parts):
            if not isinstance(part, ToolResultPart):
                if message.role == "tool":
                    self._tell("result-orphan", place, part_place)
                continue
            if waiting := self._open.get(part.call_id):
                waiting.pop(0)
                self._answered.add(part.call_id)
                if not direct:
                    self._tell("result-moved", place, part_place)
            else:
                self._tell("result-repeated" if part.call_id in self._answered else "result-orphan", place, part_place)

    def _end_turn(self) -> None:
        for places in self._open.values():
            for place, part in places:
                self._tell("result-made-up", place, part)
        self._open = {}

    def _tell(self, rule: str, place: int, part: int) -> None:
        self._found.setdefault(place, []).append((rule, part))
