"""Turns as text: the parts of an assistant's message written in the form, and a text read into parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from workbench.conversation.messages import Message, Part, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.argument_text import replay_text
from workbench.dialects.json_text import read_json, write_json
from workbench.dialects.react.inputs import MISSING_ACTION, MISSING_INPUT, NO_FORM, Bound, bound, unknown_tool
from workbench.dialects.react.labels import BLANKS, quote
from workbench.dialects.react.reader import TurnReader, read_turn

WRITTEN = "react_text"
"""The key of a call's metadata under which the model's own text of the turn is kept, where ours would differ from it."""

_LINE_ENDS = re.compile(r"[\r\n]+")


class Verdict(NamedTuple):
    """The call of a turn, once all of its text is there."""

    name: str
    arguments: Bound


def verdict_of(reader: TurnReader, tools: Mapping[str, JsonObject | None]) -> Verdict | None:
    """Return the call that a read turn asks for; None if it asks for none. A broken form is a call that only brings a correction."""
    if reader.name is None:
        broken = reader.thought and not reader.answered
        return Verdict(NO_FORM, Bound("{}", "invalid_json", correction=MISSING_ACTION)) if broken else None
    if reader.input is None or not reader.name:
        return Verdict(reader.name, Bound("{}", "invalid_json", correction=MISSING_INPUT if reader.name else MISSING_ACTION))
    arguments = bound(reader.input, reader.name, tools.get(reader.name))
    if tools and reader.name not in tools:
        arguments = arguments._replace(correction=unknown_tool(reader.name, tools))
    return Verdict(reader.name, arguments)


def parts_of(text: str, call_id: str, tools: Mapping[str, JsonObject | None]) -> tuple[Part, ...]:
    """Return the parts of a turn that stands in a history; its call gets `call_id`."""
    reader, said = read_turn(text)
    parts: list[Part] = []
    begins = True
    for piece in said:
        match piece.kind, parts[-1] if parts else None:
            case "thought", ReasoningPart(text=before):
                parts[-1] = ReasoningPart(text=before + piece.text, field="thought")
            case "thought", _:
                parts.append(ReasoningPart(text=piece.text, field="thought"))
            case "text", TextPart(text=before) if not begins:
                parts[-1] = TextPart(text=before + piece.text)
            case "text", _:
                parts.append(TextPart(text=piece.text))
            case _:
                pass
        begins = piece.kind == "answer"
    if verdict := verdict_of(reader, tools):
        arguments = verdict.arguments
        parts.append(
            ToolCallPart(call_id=call_id, name=verdict.name, arguments_raw=arguments.raw, status=arguments.status, correction=arguments.correction)
        )
    return tuple(part for part in parts if not isinstance(part, ReasoningPart | TextPart) or part.text.strip(BLANKS))


def thoughts_of(message: Message) -> str:
    """Return what a turn's model thought in this dialect."""
    return "\n".join(part.text for part in message.parts if isinstance(part, ReasoningPart) and part.field == "thought" and part.text)


def said_in(message: Message) -> str:
    """Return a turn's text; parts that were apart become paragraphs."""
    return "\n\n".join(text for part in message.parts if isinstance(part, TextPart) and (text := clean_text(part.text).strip(BLANKS)))


def written(thought: str, text: str, call: ToolCallPart | None, *, faithful: bool = False) -> str:
    """Return a turn in the form: a thought and an action, or a thought and the final answer; empty if there is nothing to write.

    Args:
        thought: what was thought.
        text: what was said; beside a call it belongs to the thought.
        call: what is called.
        faithful: the call's arguments are written as they stand, broken ones too, and a thought that led to nothing: this is an answer, not a history.
    """
    if call is not None:
        thought = "\n\n".join(filter(None, (clean_text(thought).strip(BLANKS), text)))
    thinking = f"Thought: {quote(clean_text(thought).strip(BLANKS))}\n" if thought.strip(BLANKS) else ""
    if call is None:
        return f"{thinking}Final Answer: {quote(text)}" if text else thinking if faithful else ""
    if call.correction and call.name in ("", NO_FORM):
        return thinking
    return f"{thinking}{action_lines(call, faithful=faithful)}"


def action_lines(call: ToolCallPart, *, faithful: bool = False) -> str:
    """Return the two lines of a call; its argument text stays as the model wrote it where no line of it can be taken for a label."""
    if call.correction == MISSING_INPUT:
        return f"Action: {action_name(call.name)}\n"
    raw = clean_text(call.arguments_raw).strip(BLANKS)
    if call.kind == "custom":
        raw = write_json({"input": call.arguments_raw}).decode()
    elif not faithful or not raw or quote(raw) != raw:
        raw = replay_text(call.arguments_raw).strip(BLANKS)
    if "\n" in raw and quote(raw) != raw:
        raw = write_json(read_json(raw)).decode()
    return f"Action: {action_name(call.name)}\nAction Input: {raw}\n"


def action_name(name: str) -> str:
    """Return a name as it can stand on one line."""
    return _LINE_ENDS.sub("_", clean_text(name)).strip(BLANKS) or "unknown"


def own_text(message: Message, call: ToolCallPart | None, spelling: JsonObject) -> str | None:
    """Return the model's own text of a turn, if it is known and still says what the message says."""
    known: Any = spelling.get("text") or (call.metadata.get(WRITTEN) if call is not None else None)
    if not isinstance(known, str):
        return None
    return known if _gist(parts_of(known, "", {})) == _gist(message.parts) else None


def _gist(parts: Sequence[Part]) -> tuple[Any, ...]:
    """Return what a turn says, without ids; the arguments by name only, because how they are bound depends on the tools that were offered."""
    said = [(type(part).__name__, part.text.strip(BLANKS)) for part in parts if isinstance(part, TextPart)]
    thought = [part.text.strip(BLANKS) for part in parts if isinstance(part, ReasoningPart) and part.field == "thought"]
    return (said, thought, [call.name for call in parts if isinstance(call, ToolCallPart)])
