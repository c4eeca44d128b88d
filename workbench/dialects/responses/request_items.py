"""The input items of a request: a repaired history, ids as the server wants them, and nothing that the dialect cannot carry.

Items go out without ids, because nothing is stored at the provider. Items of a parsed request go out as they were written, ids and
all, as long as they still say what the message says.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from workbench.conversation.messages import (
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from workbench.conversation.values import JsonObject, JsonValue, clean_text
from workbench.dialects.argument_text import replay_text
from workbench.dialects.base import Quirks
from workbench.dialects.history import answered, is_error_text
from workbench.dialects.json_text import write_json
from workbench.dialects.origins import made_here
from workbench.dialects.responses.items import CALL_TYPES, NAME, call_item, read_item, reasoning_item, said_item
from workbench.dialects.spelling import spelled
from workbench.dialects.wire_ids import WireIds

NAME_PATTERN = re.compile(r"[a-zA-Z0-9_-]{1,128}")
LONGEST_ID = 64
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^,]*)?;base64,", re.IGNORECASE)
_OUTPUTS = {"custom": "custom_tool_call_output", "apply_patch_call": "apply_patch_call_output", "shell_call": "shell_call_output"}


class ItemWriter:
    """Writes the messages of one request as items, in order."""

    def __init__(self, request: ModelRequest, quirks: Quirks) -> None:
        self._model = request.options.model
        self._quirks = quirks
        self._tools = {tool.name: tool for tool in request.tools}
        self._chained = is_chained(request)
        self._ids = WireIds(longest=LONGEST_ID)
        self._in_group: dict[str, str] = {}
        self._kinds: dict[str, str] = {}

    def copy(self) -> ItemWriter:
        """Return a writer that goes on behind the same messages."""
        other: ItemWriter = copy.copy(self)
        other._ids = self._ids.copy()
        return other

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        """Yield the items of the next messages; one message may give none or several."""
        for message in messages if self._chained else answered(messages):
            match message.role:
                case "assistant":
                    yield from self._assistant(message)
                case "tool":
                    yield from self._results(message)
                case "user" | "system":
                    yield from self._plain(message)

    def _plain(self, message: Message) -> Iterator[JsonObject]:
        raw = spelled(message, NAME).get("item")
        if isinstance(raw, dict) and plain_parts(raw.get("content")) == message.parts:
            yield raw
            return
        role = "user" if message.role == "user" else raw.get("role", self._quirks.system_role) if isinstance(raw, dict) else self._quirks.system_role
        content = self._content([part for part in message.parts if not isinstance(part, OpaquePart) or self._knows(part)])
        if content:
            yield {"role": role, "content": content}

    def _content(self, parts: Sequence[Part]) -> JsonValue:
        written = [item for part in parts if (item := content_part(part)) is not None]
        if all(item["type"] == "input_text" for item in written) and len(written) < 2:
            return "".join(str(item["text"]) for item in written)
        return list(written)

    def _assistant(self, message: Message) -> Iterator[JsonObject]:
        ours = made_here(message, (NAME,), self._model, self._quirks.provider)
        calls = message.calls()
        self._in_group = self._ids.of_calls(calls) if calls else {}
        items = [item for parts, raw in with_spelling(message) for item in self._of(parts, raw, message, ours=ours)]
        if "deepseek" in self._model.lower():
            items = _texts_first(items)
        last = max((place for place, item in enumerate(items) if item.get("type") != "reasoning"), default=-1)
        yield from items[: last + 1]  # reasoning without the item that followed it is refused

    def _of(self, parts: Sequence[Part], raw: JsonObject | None, message: Message, *, ours: bool) -> Iterator[JsonObject]:
        """Yield the items of what was one item, or is one part."""
        if raw is not None and ours:
            yield self._raw(parts, raw)
            return
        for part in parts:
            match part:
                case TextPart():
                    if part.text:
                        yield said_item(part)
                case ReasoningPart():
                    if ours and self._is_ours(part, message):
                        yield reasoning_item(part)
                case ToolCallPart():
                    yield self._call(part, ours=ours)
                case OpaquePart():
                    if ours and self._knows(part):
                        yield part.item
                case _:
                    pass

    def _raw(self, parts: Sequence[Part], raw: JsonObject) -> JsonObject:
        call = parts[0] if parts and isinstance(parts[0], ToolCallPart) else None
        if call is None:
            return raw
        sent = self._in_group[call.call_id]
        self._kinds[call.call_id] = "custom" if raw.get("type") == "custom_tool_call" else str(raw.get("type"))
        return raw if raw.get("call_id") == sent else {**raw, "call_id": sent}

    def _is_ours(self, part: ReasoningPart, message: Message) -> bool:
        """Whether reasoning is of this dialect; where nobody knows who made the message, its members tell."""
        foreign = part.field or part.signature or part.redacted_data
        return not foreign and (message.origin is not None or bool(part.encrypted or part.summary or part.item_id))

    def _knows(self, part: OpaquePart) -> bool:
        return part.dialect == NAME and (not part.provider or part.provider == self._quirks.provider)

    def _call(self, call: ToolCallPart, *, ours: bool) -> JsonObject:
        known = self._tools.get(call.name)
        kind = call.kind
        arguments = replay_text(call.arguments_raw) if kind == "function" else clean_text(call.arguments_raw)
        if kind == "custom" and known is not None and not spelled(known, NAME).get("raw"):
            kind, arguments = "function", write_json({"input": call.arguments_raw}).decode()
        name = call.name if (ours and call.name) or known or NAME_PATTERN.fullmatch(call.name) else _plain_name(call.name)
        item = call_item(replace(call, call_id=self._in_group[call.call_id], name=clean_text(name), kind=kind), arguments, native=ours)
        self._kinds[call.call_id] = "custom" if kind == "custom" else str(item["type"])
        return item

    def _results(self, message: Message) -> Iterator[JsonObject]:
        spellings: JsonObject = spelled(message, NAME).get("results", {})
        for result in message.results():
            raw = spellings.get(result.call_id)
            call_id = self._in_group.get(result.call_id, result.call_id)
            if isinstance(raw, dict) and not result.synthetic and result_content(raw) == result.content:
                yield raw if raw.get("call_id", call_id) == call_id else {**raw, "call_id": call_id}
            else:
                yield self._result(result, call_id)

    def _result(self, result: ToolResultPart, call_id: str) -> JsonObject:
        kind = self._kinds.get(result.call_id, "")
        if kind == "apply_patch_call":
            return {"type": _OUTPUTS[kind], "call_id": call_id, "status": "failed" if result.is_error else "completed", "output": clean_text(result.text())}
        if kind == "shell_call":
            ended = {"type": "exit", "exit_code": int(result.is_error)}
            return {"type": _OUTPUTS[kind], "call_id": call_id, "output": [{"stdout": clean_text(result.text()), "stderr": "", "outcome": ended}]}
        if kind == "local_shell_call":
            return {"type": "local_shell_call_output", "id": call_id, "call_id": call_id, "output": clean_text(result.text())}
        return {"type": _OUTPUTS.get(kind, "function_call_output"), "call_id": call_id, "output": _output(result)}


def is_chained(request: ModelRequest) -> bool:
    """Say whether a request goes on behind items that are kept at the provider, so that its own items are no whole history."""
    extra = request.options.extra
    if extra.get("previous_response_id") or extra.get("conversation"):
        return True
    return any(
        isinstance(part, OpaquePart) and part.dialect == NAME and part.item.get("type") == "item_reference"
        for message in request.messages
        for part in message.parts
    )


def with_spelling(message: Message) -> Iterator[tuple[Sequence[Part], JsonObject | None]]:
    """Yield the parts of a message by the item they were in, with that item if it still says the same."""
    spelling: Any = spelled(message, NAME).get("items")
    entries = spelling if isinstance(spelling, list) else []
    if sum(entry["count"] for entry in entries) != len(message.parts):
        entries = []
    at = 0
    for entry in entries:
        parts = message.parts[at : at + entry["count"]]
        at += entry["count"]
        yield parts, entry["item"] if _says(entry["item"], parts) else None
    for part in message.parts[at:]:
        yield (part,), None


def plain_parts(content: Any) -> tuple[Part, ...]:
    """Return the parts of the content of a user's or system's message item."""
    if isinstance(content, str):
        return (TextPart(text=clean_text(content)),) if content else ()
    return tuple(_part(item) for item in content if isinstance(item, dict)) if isinstance(content, list) else ()


def result_content(item: JsonObject) -> tuple[TextPart | ImagePart | FilePart, ...]:
    """Return what an output item says."""
    output = item.get("output")
    if item.get("type") == "shell_call_output" and isinstance(output, list):
        texts = [str(entry.get("stdout") or "") + str(entry.get("stderr") or "") for entry in output if isinstance(entry, dict)]
        return tuple(TextPart(text=clean_text(text)) for text in texts if text)
    return tuple(part for part in plain_parts(output) if isinstance(part, TextPart | ImagePart | FilePart))


def content_part(part: Part) -> JsonObject | None:
    """Return a part of a message or result as a content part; None for what content cannot hold."""
    match part:
        case TextPart():
            return {"type": "input_text", "text": clean_text(part.text)}
        case ImagePart():
            return {"type": "input_image", "image_url": part.url or f"data:{part.media_type};base64,{part.data}", "detail": "auto"}
        case FilePart():
            return {"type": "input_file", "filename": part.name or "file", "file_data": f"data:{part.media_type};base64,{part.data}"}
        case OpaquePart():
            return part.item if "type" in part.item else None
        case _:
            return None


def _part(item: JsonObject) -> Part:
    match item:
        case {"type": "input_text" | "output_text" | "text", "text": str() as text}:
            return TextPart(text=clean_text(text))
        case {"type": "input_image", "image_url": str() as url}:
            found = _DATA_URL.fullmatch(url[: url.find(",") + 1])
            return ImagePart(media_type=found[1], data=url[len(found[0]) :]) if found else ImagePart(media_type="", url=clean_text(url))
        case {"type": "input_file", "file_data": str() as data} if found := _DATA_URL.match(data):
            return FilePart(media_type=found[1], data=data[found.end() :], name=str(item.get("filename") or ""))
        case _:
            return OpaquePart(dialect=NAME, provider="", item=item)


def _says(item: JsonObject, parts: Sequence[Part]) -> bool:
    """Whether an item still says what the parts say; the ids of calls may have been made unique."""
    read = read_item(item)
    return [_without_id(part) for part in read] == [_without_id(part) for part in parts]


def _without_id(part: Part) -> Part:
    return replace(part, call_id="", metadata={}) if isinstance(part, ToolCallPart) else part


def _output(result: ToolResultPart) -> JsonValue:
    """Return the output of a function: a text, or a list where there are pictures. Failures say in their text that they are."""
    content = list(result.content)
    if result.is_error and not is_error_text(result.text()):
        place = next((place for place, part in enumerate(content) if isinstance(part, TextPart)), None)
        if place is None:
            content.insert(0, TextPart(text="Error: "))
        else:
            said = content[place]
            content[place] = TextPart(text=f"Error: {said.text if isinstance(said, TextPart) else ''}")
    written = [item for part in content if (item := content_part(part)) is not None]
    if all(item["type"] == "input_text" for item in written):
        return "".join(str(item["text"]) for item in written)
    return list(written)


def _texts_first(items: list[JsonObject]) -> list[JsonObject]:
    """Return the items of a turn with no text behind a call, where DeepSeek would not find the call's output; reasoning keeps its follower."""
    sorted_items: list[JsonObject] = []
    first: int | None = None
    for item in items:
        if item.get("role") == "assistant" and first is not None and sorted_items[-1].get("type") != "reasoning":
            sorted_items.insert(first, item)
            first += 1
            continue
        if first is None and item.get("type") in CALL_TYPES:
            first = len(sorted_items)
        sorted_items.append(item)
    return sorted_items


def _plain_name(name: str) -> str:
    """Return a name that every server takes, for a call that was made under a name that some refuse."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unknown"
