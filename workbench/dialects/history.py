"""A history that every provider takes: each call answered exactly once, right after it, and no result without its call.

A conversation breaks that rule whenever a turn is stopped, a program dies, a message is edited away or a window is cut. What is
made up here says so (`synthetic`); what is dropped had no call to belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from workbench.conversation.messages import Message, Part, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject

INTERRUPTED = "The tool call was interrupted; its outcome is unknown."
CUT_OFF = "The tool call was cut off before it was complete and did not run. Write it again, in smaller parts if it is long."
NOT_JSON = "The arguments of the tool call are not a JSON object, so it did not run."


def answered(messages: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages, each with calls followed at once by one tool message that answers all of them.

    Results are looked for up to the next message with calls, so that equal ids in different turns stay apart; the first result of a
    call counts. Results stay in the order they were given, unless some must be made up: then all stand in the order of the calls.
    """
    for place, message in enumerate(messages):
        if message.role == "tool":
            continue
        if not calls_tools(message):
            yield _without_results(message)
            continue
        calling = _with_own_ids(_without_results(message))
        yield calling
        yield _answer(calling, calling.calls(), _until_next_calls(messages, place + 1))


def is_error_text(text: str) -> bool:
    """Say whether a text names itself an error, as results of failed calls must where there is no flag for it."""
    return text.startswith("Error") and not text[5:6].isalnum()


def calls_tools(message: Message) -> bool:
    """Say whether a message calls tools: only the assistant does, whatever else a read request may have put elsewhere."""
    return message.role == "assistant" and bool(message.calls())


def _without_results(message: Message) -> Message:
    """Return the message without what its role cannot hold: results, and calls that are not the assistant's."""
    unfit = ToolResultPart if message.role == "assistant" else (ToolResultPart, ToolCallPart)
    if not any(isinstance(part, unfit) for part in message.parts):
        return message
    return replace(message, parts=tuple(part for part in message.parts if not isinstance(part, unfit)))


def _until_next_calls(messages: Sequence[Message], start: int) -> Iterator[Message]:
    for place in range(start, len(messages)):
        if calls_tools(messages[place]):
            return
        if messages[place].results():
            yield messages[place]


def _answer(message: Message, calls: Sequence[ToolCallPart], sources: Iterable[Message]) -> Message:
    open_calls = {call.call_id: call for call in calls}
    results: list[ToolResultPart] = []
    found: list[Message] = []
    times: dict[str, int] = {}
    for source in sources:
        for result in source.results():
            times[result.call_id] = times.get(result.call_id, 0) + 1
            call_id = _own_id(result.call_id, times[result.call_id])
            if open_calls.pop(call_id, None) is not None:
                results.append(replace(result, call_id=call_id))
                if source not in found[-1:]:
                    found.append(source)
    if open_calls:
        given = {result.call_id: result for result in results}
        results = [given.get(call.call_id) or _made_up(call) for call in calls]
    if len(found) == 1:
        return replace(found[0], role="tool", parts=tuple(results))
    return Message(message_id=f"{message.message_id}-results", role="tool", parts=tuple(results), synthetic=not found, wire=_joined(found))


def _own_id(call_id: str, times: int) -> str:
    return call_id if times == 1 else f"{call_id}#{times}"


def _with_own_ids(message: Message) -> Message:
    """Return the message with an id of its own for each call."""
    seen: dict[str, int] = {}
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            seen[part.call_id] = seen.get(part.call_id, 0) + 1
            part = replace(part, call_id=_own_id(part.call_id, seen[part.call_id]))
        parts.append(part)
    return replace(message, parts=tuple(parts)) if any(count > 1 for count in seen.values()) else message


def _made_up(call: ToolCallPart) -> ToolResultPart:
    reason = CUT_OFF if call.status == "truncated" else NOT_JSON if call.status == "invalid_json" else INTERRUPTED
    return ToolResultPart(call_id=call.call_id, name=call.name, content=(TextPart(text=reason),), is_error=True, decision="cancelled", synthetic=True)


def _joined(messages: Iterable[Message]) -> JsonObject:
    """Return the spellings of several messages, of which only those of single results still mean something."""
    joined: JsonObject = {}
    for message in messages:
        for dialect, spelling in message.wire.items():
            results = joined.setdefault(dialect, {"results": {}})["results"]
            results.update(spelling.get("results", {}))
    return joined
