"""A conversation as ReAct text: the messages of Chat Completions that say it, without calls and results.

Each segment (a turn with calls and what follows it, up to the next such turn) is written by itself, so that a longer conversation begins
with the bytes of the shorter one, and what did not change is not written again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from workbench.conversation.messages import DialectName, FilePart, ImagePart, Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import Quirks
from workbench.dialects.history import answered, is_error_text
from workbench.dialects.origins import made_here
from workbench.dialects.react.labels import OBSERVATION, QUESTION, quote
from workbench.dialects.react.turns import action_lines, own_text, said_in, thoughts_of, written
from workbench.dialects.spelling import spelled

_FAMILY: tuple[DialectName, ...] = ("react",)


def segments(messages: Sequence[Message]) -> Iterator[tuple[Message, ...]]:
    """Yield the messages in runs that are written without looking at each other."""
    run: list[Message] = []
    place = 0
    while place < len(messages):
        covered = _covered(messages, place)
        if run and (covered or messages[place].calls()):
            yield tuple(run)
            run = []
        if covered:
            yield tuple(messages[place : place + covered])
        else:
            run.append(messages[place])
        place += covered or 1
    if run:
        yield tuple(run)


def text_messages(segment: Sequence[Message], model: str, quirks: Quirks) -> Iterator[Message]:
    """Yield the text messages of one segment."""
    if _covered(segment, 0):
        whole = spelled(segment[0], "react")["whole"]
        yield _chat_only(segment[0], (TextPart(text=whole["text"]),), role=whole["role"])
        return
    waiting: Message | None = None
    for message in answered(segment):
        if message.role == "assistant":
            waiting = message
            yield from _turn(message, model, quirks)
        elif message.role == "tool" and waiting is not None:
            yield from _observed(waiting, message)
        elif message.role == "user":
            yield _question(message)
        else:
            yield _chat_only(message, message.parts)


def _covered(messages: Sequence[Message], place: int) -> int:
    """Return how many messages stood in one text where they were parsed, beginning at a place; 0 if this is no such place."""
    whole = spelled(messages[place], "react").get("whole")
    if whole is None:
        return 0
    rest = messages[place + 1 : place + whole["count"]]
    return int(whole["count"]) if len(rest) == whole["count"] - 1 and all(spelled(one, "react").get("within") for one in rest) else 0


def _chat_only(message: Message, parts: tuple[Part, ...], *, role: str | None = None) -> Message:
    """Return a message that chat's writer takes as its own."""
    wire = {name: spelling for name, spelling in message.wire.items() if name == "chat_completions"}
    return Message(message_id=message.message_id, role=role or message.role, parts=parts, wire=wire)  # type: ignore[arg-type]


def _turn(message: Message, model: str, quirks: Quirks) -> Iterator[Message]:
    """Yield a turn; one with several calls is written as far as its first call, the others stand between the results."""
    ours = made_here(message, _FAMILY, model, quirks.provider)
    calls = message.calls()
    call = calls[0] if calls else None
    text = own_text(message, call, spelled(message, "react")) if len(calls) < 2 and ours else None
    if text is None:
        text = written(thoughts_of(message) if ours else "", said_in(message), call)
    beside = tuple(part for part in message.parts if isinstance(part, ReasoningPart) and part.field != "thought") if ours else ()
    if text:
        yield _chat_only(message if ours else replace(message, wire={}), (*beside, TextPart(text=text)))


def _observed(turn: Message, answer: Message) -> Iterator[Message]:
    """Yield the results, each behind its call; the first call stands in the turn's own text."""
    results = {result.call_id: result for result in answer.results()}
    spellings = spelled(answer, "react").get("members", {})
    for place, call in enumerate(call for call in turn.calls() if call.call_id in results):
        if place:
            yield Message(message_id=f"{turn.message_id}-{place}", role="assistant", parts=(TextPart(text=action_lines(call)),))
        wire = {"chat_completions": spellings} if spellings else {}
        parts = _observation(call, results[call.call_id], spelled(answer, "react"))
        yield Message(message_id=answer.message_id, role="user", parts=parts, wire=wire)


def _observation(call: ToolCallPart, result: ToolResultPart, spelling: JsonObject) -> tuple[Part, ...]:
    texts = clean_text(result.text())
    failed = result.is_error and texts != call.correction and not is_error_text(texts)
    if failed:
        texts = f"Error: {texts}"
    attached = tuple(part for part in result.content if isinstance(part, ImagePart | FilePart))
    label = spelling.get("label", OBSERVATION)
    return (TextPart(text=f"{label}{quote(texts)}"), *attached)


def _question(message: Message) -> Message:
    """Return what a person said; the first text of it gets the label."""
    parts = list(message.parts)
    if not spelled(message, "react").get("bare"):
        for place, part in enumerate(parts):
            if isinstance(part, TextPart):
                parts[place] = TextPart(text=QUESTION + quote(clean_text(part.text)))
                break
    return _chat_only(message, tuple(parts))
