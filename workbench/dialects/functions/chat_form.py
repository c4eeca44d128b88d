"""The neutral form on its way to and from Chat Completions' code: whose spelling is whose, calls one by one, custom calls as functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeVar

from msgspec.structs import replace

from workbench.conversation.messages import Message, RequestOptions, ToolCallPart, ToolDefinition
from workbench.dialects.json_text import write_json
from workbench.dialects.spelling import respelled

NAME: Final = "functions"
CHAT: Final = "chat_completions"

Spelled = TypeVar("Spelled", Message, ToolDefinition, RequestOptions)


def to_chat(value: Spelled) -> Spelled:
    """Return a value for chat's writers: the spelling of this dialect is theirs, any other is gone."""
    return respelled(value, NAME, CHAT)


def from_chat(value: Spelled) -> Spelled:
    """Return a value that chat's reader made, with its spelling as this dialect's."""
    return respelled(value, CHAT, NAME)


def pairs(calling: Message, answer: Message) -> Iterator[tuple[Message, Message]]:
    """Yield (turn, result) for each call of a turn that is answered, in the order of the calls; what else the turn says comes first."""
    results = {result.call_id: result for result in answer.results()}
    said = tuple(part for part in calling.parts if not isinstance(part, ToolCallPart))
    for place, call in enumerate(calling.calls()):
        turn = replace(calling, parts=(*said, as_function(call)) if not place else (as_function(call),), wire=calling.wire if not place else {})
        yield turn, replace(answer, parts=(results[call.call_id],))


def as_function(call: ToolCallPart) -> ToolCallPart:
    """Return a call as a call of a function; the free text of a custom tool becomes its one parameter `input`."""
    if call.kind == "function":
        return replace(call, metadata={}) if call.metadata else call
    return replace(call, kind="function", metadata={}, arguments_raw=write_json({"input": call.arguments_raw}).decode())
