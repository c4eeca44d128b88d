"""What goes to the model next, row by row: system text, tools, each message and each part of it, with calls tied to their results.

Rows of messages that stand are made once; only what is open, arrives or waits in line is made anew. No provider tells how it cuts text
into tokens, so the figures are estimates by a stated rule, scaled to what the provider counted for the last request if it said so.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from workbench.conversation.events import Entry, ExchangeOpened, ModelResponded, StepStarted, TurnFinished
from workbench.conversation.messages import Message, ModelRequest, ToolCallPart, ToolDefinition
from workbench.inspection.estimates import Scale, size_of_text, size_of_tool
from workbench.inspection.outgoing_rows import (
    BAR_ROLES,
    BarRole,
    CallOf,
    Pair,
    Row,
    arriving_rows,
    hint_rows,
    message_rows,
    open_rows,
    said_rows,
    why_missing,
)
from workbench.inspection.timeline_items import TimelineItem


class Asked(NamedTuple):
    """A request that was sent: its number in the session and the model it asked."""

    number: int
    model: str


class Counted(NamedTuple):
    """What the provider counted for the last request that was answered.

    Attributes:
        request: number of the request.
        input_tokens: of all that went out.
        cached_tokens: how many of these came from the provider's cache; None if it did not say.
    """

    request: int
    input_tokens: int
    cached_tokens: int | None


class Outgoing:
    """The rows of the next request of one session; `take` facts as they come, then `show` what goes out.

    Attributes:
        number: of the request that goes out next.
        awaits_answer: a request is out and its answer is not whole.
        system: the system text, one entry a block.
        tools: the tools as the model is told of them.
        missing: how many results are not there yet.
        behind: the rows of the newest messages are not made yet, see `show`.
    """

    def __init__(self) -> None:
        self.number = 1
        self.awaits_answer = False
        self.system: tuple[str, ...] = ()
        self.tools: tuple[ToolDefinition, ...] = ()
        self.missing = 0
        self.behind = False
        self._model = ""
        self._asked: dict[str, Asked] = {}
        self._answers: dict[str, Asked] = {}
        self._messages: list[Message] = []
        self._closing: tuple[Message, ...] = ()
        self._starts: list[int] = []
        self._sums_before: list[float] = []
        self._largest: list[float] = []
        self._with_usage: list[int] = []
        self._most_lane = 0
        self._settled: list[Row] = [Row("system", "system"), Row("tools", "tools")]
        self._tail: list[Row] = []
        self._pairs: dict[str, Pair] = {}
        self._tail_pairs: dict[str, Pair] = {}
        self._sums: dict[BarRole, float] = dict.fromkeys(BAR_ROLES, 0.0)

    # What comes

    def take(self, entries: Iterable[Entry]) -> None:
        """Note what facts say of requests: which number the next one has, and whether one is out."""
        for entry in entries:
            match entry.event:
                case StepStarted():
                    self.awaits_answer = True
                case ExchangeOpened() as opened:
                    self._asked[opened.exchange_id] = Asked(opened.number, opened.model)
                    self.number = opened.number + 1
                case ModelResponded() as responded:
                    self.awaits_answer = False
                    if responded.exchange_id in self._asked:
                        self._answers[responded.message.message_id] = self._asked[responded.exchange_id]
                case TurnFinished():
                    self.awaits_answer = False
                case _:
                    pass

    def show(
        self, request: ModelRequest, call_of: CallOf, arriving: Sequence[TimelineItem] = (), in_line: Sequence[str] = (), *, most: int | None = None
    ) -> int:
        """Bring the rows up to date and return the first that may be another one than before.

        Args:
            request: what would go out now; open calls in it are answered somehow.
            call_of: gives a call by its id.
            arriving: what has come of the answer that streams.
            in_line: what a person said meanwhile and did not go out yet.
            most: the rows of at most so many messages are made anew; it is `behind` then, if there are more, and shown again it goes on.
        """
        self._tail, self._tail_pairs = [], {}
        head = self._show_heads(request)
        first = self._show_messages(request.messages, call_of, most)
        if not self.behind:
            self._closing = request.messages[len(self._messages) :]
            self._show_tail(call_of, arriving, in_line)
        return first if head is None else head

    def show_tail(self, call_of: CallOf, arriving: Sequence[TimelineItem] = (), in_line: Sequence[str] = ()) -> int:
        """Do as `show` when the request is known to be the same, such as while its answer streams; the cost does not grow with the session."""
        if not self.behind:
            self._tail, self._tail_pairs = [], {}
            self._show_tail(call_of, arriving, in_line)
        return len(self._settled)

    # What is shown

    def __len__(self) -> int:
        return len(self._settled) + len(self._tail)

    def __getitem__(self, place: int) -> Row:
        """Return a row.

        Raises:
            IndexError: there is none.
        """
        return self._settled[place] if place < len(self._settled) else self._tail[place - len(self._settled)]

    def pair(self, call_id: str) -> Pair | None:
        """Return where a call and its result stand; None if the call is not among the rows."""
        return self._tail_pairs.get(call_id) or self._pairs.get(call_id)

    def message_at(self, place: int) -> tuple[int, int]:
        """Return the first row of the message that a row belongs to, and the row after its last."""
        begin, end = place, place + 1
        while begin > 0 and self[begin].kind == "part":
            begin -= 1
        while end < len(self) and self[end].kind == "part":
            end += 1
        return begin, end

    def sizes(self) -> dict[BarRole, float]:
        """Return the size of all rows of each role."""
        sums = dict(self._sums)
        for row in self._tail:
            sums[row.role] += row.size
        return sums

    def largest(self) -> float:
        """Return the size of the largest part of a message; 0 if there is none."""
        return max(self._largest[-1] if self._largest else 0.0, max((row.size for row in self._tail), default=0.0))

    def lanes(self) -> int:
        """Return how many columns the brackets need."""
        return 1 + max(self._most_lane, max((row.lane for row in self._tail), default=0))

    def counted(self) -> Counted | None:
        """Return what the provider counted for the last answered request; None if it did not, or if another model gets the next one."""
        if not self._with_usage:
            return None
        answer = self._messages[self._with_usage[-1]]
        asked = self._answers.get(answer.message_id)
        if asked is None or asked.model != self._model or answer.usage is None or not answer.usage.input_tokens:
            return None
        return Counted(asked.number, answer.usage.input_tokens, answer.usage.cached_tokens)

    def sent_before(self) -> float:
        """Return the size of what went out with the request of `counted` too; 0 without one."""
        return 0.0 if self.counted() is None else self._settled[0].size + self._settled[1].size + self._sums_before[self._with_usage[-1]]

    def tokens(self) -> int:
        """Return the estimated tokens of all that goes out: what the provider counted last time, and what came since."""
        counted, size = self.counted(), sum(self.sizes().values())
        return self.scale().tokens(size) if counted is None else counted.input_tokens + self.scale().tokens(size - self.sent_before())

    def scale(self) -> Scale:
        """Return what makes tokens of sizes."""
        counted = self.counted()
        return Scale() if counted is None else Scale.fitted(self.sent_before(), counted.input_tokens)

    # How rows are kept

    def _show_heads(self, request: ModelRequest) -> int | None:
        """Show system text and tools; return the first row that changed, None if none did."""
        first = None
        self._model = request.options.model
        if request.tools != self.tools:
            self.tools, first = request.tools, 1
            self._replace(1, Row("tools", "tools", size=sum(map(size_of_tool, self.tools))))
        if request.system != self.system:
            self.system, first = request.system, 0
            self._replace(0, Row("system", "system", size=sum(map(size_of_text, self.system))))
        return first

    def _show_tail(self, call_of: CallOf, arriving: Sequence[TimelineItem], in_line: Sequence[str]) -> None:
        for message in self._closing:
            self._add(open_rows(message, self._next_number(), self._lane, call_of))
        self.missing = sum(bool(row.missing) for row in self._tail)
        if self.awaits_answer:
            self._add(arriving_rows(arriving, self._next_number()))
        for words in in_line:
            self._add(said_rows(words, self._next_number()))
        if not self.awaits_answer and not self.missing and not in_line:
            self._add(hint_rows(self._next_number()))

    def _replace(self, place: int, row: Row) -> None:
        self._sums[row.role] += row.size - self._settled[place].size
        self._settled[place] = row

    def _show_messages(self, messages: Sequence[Message], call_of: CallOf, most: int | None) -> int:
        """Show the messages that will not change any more; return the first row that is new."""
        same = min(len(self._messages), len(messages))
        if not all(map(operator.is_, self._messages, messages)):
            same = next(n for n in range(same) if self._messages[n] is not messages[n])
        if same < len(self._messages):
            self._forget(same)
        begin = len(self._settled)
        self.behind = most is not None and same + most < len(messages)
        for message in messages[same : same + most] if most is not None else messages[same:]:
            if message is messages[-1] and any(why_missing(part, call_of) for part in message.parts):
                break
            self._settle(message)
        return begin

    def _settle(self, message: Message) -> None:
        begin = len(self._settled)
        before = self._sums_before[-1] + sum(row.size for row in self._settled[self._starts[-1] :]) if self._starts else 0.0
        largest = self._largest[-1] if self._largest else 0.0
        if message.usage is not None and message.usage.input_tokens:
            self._with_usage.append(len(self._messages))
        self._messages.append(message)
        for place, row in enumerate(message_rows(message, len(self._messages), self._lane), begin):
            self._settled.append(row)
            self._sums[row.role] += row.size
            largest = max(largest, row.size)
            self._most_lane = max(self._most_lane, row.lane)
            self._note_pair(self._pairs, row, place)
        self._starts.append(begin)
        self._sums_before.append(before)
        self._largest.append(largest)

    def _forget(self, keep: int) -> None:
        """Take back the messages from the one at `keep` on: the history was rewritten."""
        for row in self._settled[self._starts[keep] :]:
            self._sums[row.role] -= row.size
            if (pair := self._pairs.pop(row.call_id, None)) is not None and pair.call < self._starts[keep]:
                self._pairs[row.call_id] = Pair(pair.call, None)
        del self._settled[self._starts[keep] :]
        for values in (self._messages, self._starts, self._sums_before, self._largest):
            del values[keep:]
        self._with_usage = [place for place in self._with_usage if place < keep]

    def _add(self, rows: Iterator[Row]) -> None:
        for row in rows:
            self._note_pair(self._tail_pairs, row, len(self))
            self._tail.append(row)

    def _note_pair(self, pairs: dict[str, Pair], row: Row, place: int) -> None:
        if not row.call_id:
            return
        if isinstance(row.part, ToolCallPart):
            pairs[row.call_id] = Pair(place, None)
        elif (known := self.pair(row.call_id)) is not None:
            pairs[row.call_id] = Pair(known.call, place)

    def _lane(self, call_id: str) -> int:
        known = self.pair(call_id)
        return self[known.call].lane if known is not None else 0

    def _next_number(self) -> int:
        return len(self._messages) + 1 + sum(row.kind == "message" for row in self._tail)


def tools_text(tools: Sequence[ToolDefinition]) -> str:
    """Return the tools as indented JSON, each with name, description and schema."""
    told = [{"name": tool.name, "description": tool.description, "input_schema": tool.input_schema} for tool in tools]
    return json.dumps(told, ensure_ascii=False, indent=2)
