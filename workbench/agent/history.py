"""The messages that go to the model next, folded from the journal's facts, and always legal: each call is answered exactly once, right after.

Pure: the same facts give the same messages, byte for byte, which prompt caches rely on. Nothing is repaired in the journal; a crash
shows there as it was, and here a call without its result gets one that says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from workbench.agent.outcomes import finished, interrupted
from workbench.conversation.events import Entry, ModelResponded, StepPlace, ToolFinished, ToolStarted, UserMessageAdded
from workbench.conversation.messages import Message, ToolCallPart, ToolResultPart


def history(entries: Iterable[Entry]) -> tuple[Message, ...]:
    """Return the messages of a session's facts, as they would be sent."""
    folded = History()
    for entry in entries:
        folded.add(entry)
    return folded.messages()


class History:
    """Folds facts one by one; `add` may be a journal's listener.

    Attributes:
        call_ids: every call id that was used, so that no new call takes an old one's.
    """

    def __init__(self) -> None:
        self.call_ids: set[str] = set()
        self._messages: list[Message] = []
        self._open: dict[str, ToolCallPart] = {}
        self._results: dict[str, ToolResultPart] = {}
        self._started: set[str] = set()
        self._place = StepPlace("", 0)

    def add(self, entry: Entry) -> None:
        """Take the next fact."""
        match entry.event:
            case ModelResponded(message=message):
                self._close()
                self._place = StepPlace(entry.event.turn_id, entry.event.step)
                self._add_answer(message)
            case ToolStarted(call_id=call_id):
                self._started.add(call_id)
            case ToolFinished(call_id=call_id, result=result):
                if call_id in self._open:
                    self._results.setdefault(call_id, result)
            case UserMessageAdded(message=message) if message.role == "tool":
                self._add_results(message)
            case UserMessageAdded(message=message):
                self._close()
                self._messages.append(message)
            case _:
                pass

    def messages(self) -> tuple[Message, ...]:
        """Return the messages to send; open calls are answered by what is known of them."""
        closing = self.closing(self._closing_id())
        return tuple(self._messages) if closing is None else (*self._messages, closing)

    @property
    def unanswered(self) -> tuple[ToolCallPart, ...]:
        """The calls of the newest answer that have no result, in order."""
        return tuple(call for call_id, call in self._open.items() if call_id not in self._results)

    @property
    def place(self) -> StepPlace:
        """Turn and step of the newest answer."""
        return self._place

    def has_started(self, call_id: str) -> bool:
        """Say whether a call's tool was started."""
        return call_id in self._started

    def closing(self, message_id: str, *, created_at: float = 0.0) -> Message | None:
        """Return the message that answers all open calls, in call order; None if none is open."""
        if not self._open:
            return None
        results = tuple(self._results.get(call_id) or self._missing(call) for call_id, call in self._open.items())
        return Message(message_id=message_id, role="tool", parts=results, created_at=created_at)

    def _add_answer(self, message: Message) -> None:
        if not message.parts:
            return  # an answer without content is refused by most providers, and says nothing
        self._messages.append(message)
        self._open = {call.call_id: call for call in message.calls()}
        self._results = {}
        self.call_ids.update(self._open)

    def _add_results(self, message: Message) -> None:
        """Take the results of open calls, each once and in call order; orphans are dropped, missing ones made up."""
        for result in message.results():
            if result.call_id in self._open:
                self._results[result.call_id] = result
        closing = self.closing(message.message_id, created_at=message.created_at)
        if closing is not None:
            self._messages.append(replace(message, parts=closing.parts))
        self._open, self._results = {}, {}

    def _close(self) -> None:
        """Answer what is still open before another message comes."""
        closing = self.closing(self._closing_id())
        if closing is not None:
            self._messages.append(replace(closing, synthetic=True))
        self._open, self._results = {}, {}

    def _closing_id(self) -> str:
        return f"{self._messages[-1].message_id}_results" if self._messages else ""

    def _missing(self, call: ToolCallPart) -> ToolResultPart:
        return finished(call, self._place, interrupted(running=call.call_id in self._started)).result
