"""The items that requests and answers of the Responses dialect are made of: what each says in the neutral form, and back.

An item is told by its `type`. What is no message, reasoning or call of the client's own tools is kept whole, for its maker.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

from workbench.conversation.messages import CallKind, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.json_text import escape_halves, read_json, write_json

NAME: Final[Literal["responses"]] = "responses"
NATIVE: Final[dict[str, tuple[str, str]]] = {
    "apply_patch_call": ("apply_patch", "operation"),
    "shell_call": ("shell", "action"),
    "local_shell_call": ("local_shell", "action"),
}
"""Calls of tools that the provider defines and the client runs: the tool's name, and the member that holds the arguments."""

CALL_TYPES = ("function_call", "custom_tool_call", *NATIVE)
_NOT_SENT_BACK = frozenset({"type", "id", "status", "created_by"})
_CALL_MEMBERS = _NOT_SENT_BACK | {"call_id", "name", "arguments", "input"}
_REASONING_MEMBERS = _NOT_SENT_BACK | {"summary", "content", "encrypted_content"}
_PHASES: dict[Any, Literal["", "commentary", "final"]] = {"commentary": "commentary", "final_answer": "final"}
_PHASE_WORDS = {"commentary": "commentary", "final": "final_answer"}
_BETWEEN = "\n\n"


class CallItem(NamedTuple):
    """What a call item says.

    Attributes:
        metadata: what must go back with the call besides the neutral members, under this dialect's name.
    """

    wire_id: str
    name: str
    kind: CallKind
    arguments: str
    metadata: JsonObject


def is_call(item: JsonObject) -> bool:
    """Say whether an item is a call that the client must run. A shell in the provider's own container is none."""
    if item.get("type") not in CALL_TYPES:
        return False
    place = item.get("environment")
    return not (isinstance(place, dict) and str(place.get("type", "")).startswith("container"))


def read_call(item: JsonObject) -> CallItem:
    """Return what a call item says; members of unexpected types count as missing."""
    kind = item.get("type")
    name, where = NATIVE.get(str(kind), (text_of(item.get("name")), "input" if kind == "custom_tool_call" else "arguments"))
    said = item.get(where)
    if isinstance(said, dict) and "diff" in said:  # the diff is streamed, so it stands last
        said = {**{member: value for member, value in said.items() if member != "diff"}, "diff": said["diff"]}
    arguments = said if isinstance(said, str) else "" if said is None else write_json(said).decode()
    members = {member: value for member, value in item.items() if member not in _CALL_MEMBERS and member != where}
    if kind in NATIVE:
        members["type"] = kind
    wire_id = text_of(item.get("call_id")) or text_of(item.get("id"))
    return CallItem(wire_id, name, "custom" if kind == "custom_tool_call" else "function", arguments, {NAME: members} if members else {})


def read_reasoning(item: JsonObject) -> ReasoningPart:
    """Return a reasoning item. Its `text` is what can be read of it: the content, else the summary."""
    content, summary = texts_of(item.get("content")), texts_of(item.get("summary"))
    more = {name: value for name, value in item.items() if name not in _REASONING_MEMBERS}
    return ReasoningPart(
        text="".join(content) or _BETWEEN.join(summary),
        summary=tuple(summary),
        encrypted=encrypted if isinstance(encrypted := item.get("encrypted_content"), str) else "",
        item_id=text_of(item.get("id")),
        details=(more,) if more else (),
    )


def reasoning_item(part: ReasoningPart) -> JsonObject:
    """Return reasoning as it goes back: without its id, which a provider that keeps nothing would look for in vain."""
    item: JsonObject = {"type": "reasoning", "summary": [{"type": "summary_text", "text": clean_text(text)} for text in part.summary]}
    if part.encrypted:
        item["encrypted_content"] = part.encrypted
    if part.text and part.text != _BETWEEN.join(part.summary):
        item["content"] = [{"type": "reasoning_text", "text": clean_text(part.text)}]
    for more in part.details:
        item |= {name: value for name, value in more.items() if name not in item}
    return item


def read_item(item: JsonObject) -> list[Part]:
    """Return the parts that an item of an assistant's turn stands for; not for an item that a stream is still writing."""
    kind = item.get("type", "message")
    if kind == "message":
        phase = phase_of(item)
        return [TextPart(text=text, phase=phase) for text in texts_of(item.get("content"))]
    if kind == "reasoning":
        return [read_reasoning(item)]
    if is_call(item):
        call = read_call(item)
        raw = escape_halves(call.arguments) if call.kind == "function" else clean_text(call.arguments)
        return [ToolCallPart(call_id=call.wire_id, name=call.name, arguments_raw=raw, kind=call.kind, metadata=call.metadata)]
    return [OpaquePart(dialect=NAME, provider="", item=item)]


def call_item(call: ToolCallPart, arguments: str, *, native: bool = True) -> JsonObject:
    """Return a call as an item without id.

    Args:
        call: its `call_id` is the one for the wire.
        arguments: the argument text for the wire.
        native: it may be written as the provider's own kind of call, if it came as one.
    """
    members: Any = call.metadata.get(NAME) if native else None
    members = dict(members) if isinstance(members, dict) else {}
    kind = members.pop("type", None)
    if kind in NATIVE and (action := _object(arguments)) is not None:
        return {"type": kind, "call_id": call.call_id, "status": "completed", NATIVE[kind][1]: action, **members}
    if call.kind == "custom":
        return {"type": "custom_tool_call", "call_id": call.call_id, "name": call.name, "input": arguments, **members}
    return {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": arguments, **members}


def said_item(part: TextPart) -> JsonObject:
    """Return an assistant's text as a message item. The published schema allows a list of parts only beside an id, so it is one text."""
    item: JsonObject = {"role": "assistant", "content": clean_text(part.text)}
    return item | ({"phase": _PHASE_WORDS[part.phase]} if part.phase else {})


def phase_of(item: JsonObject) -> Literal["", "commentary", "final"]:
    """Return the phase of a message item."""
    phase = item.get("phase")
    return _PHASES.get(phase, "") if isinstance(phase, str) else ""


def texts_of(content: Any) -> list[str]:
    """Return the texts of a content member, of whatever kind: answer, refusal, summary, reasoning. Empty ones are left out."""
    if isinstance(content, str):
        return [clean_text(content)] if content else []
    found = [content_text(part) for part in content] if isinstance(content, list) else []
    return [text for text in found if text]


def content_text(part: Any) -> str:
    """Return the text of one content part; empty when it has none."""
    text = part.get("refusal" if part.get("type") == "refusal" else "text") if isinstance(part, dict) else None
    return clean_text(text) if isinstance(text, str) else ""


def is_refusal(item: JsonObject) -> bool:
    """Say whether a message item refuses to answer."""
    content = item.get("content")
    return isinstance(content, list) and any(isinstance(part, dict) and part.get("type") == "refusal" for part in content)


def text_of(value: Any) -> str:
    """Return a text; empty for anything else."""
    return clean_text(value) if isinstance(value, str) else ""


def objects(values: Any) -> Sequence[JsonObject]:
    """Return the objects of a list; nothing for anything else."""
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _object(text: str) -> JsonObject | None:
    try:
        value = read_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
