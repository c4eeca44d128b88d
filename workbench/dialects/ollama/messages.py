"""The messages of a request to Ollama: content is a text, pictures stand beside it, arguments are objects, results follow in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, Self

from workbench.conversation.messages import (
    DialectName,
    FilePart,
    ImagePart,
    Message,
    ModelRequest,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from workbench.conversation.values import JsonObject, clean_text
from workbench.dialects.base import Quirks
from workbench.dialects.history import answered, is_error_text
from workbench.dialects.ollama.response import call_object
from workbench.dialects.origins import made_here
from workbench.dialects.spelling import spelled

NAME: Final[Literal["ollama"]] = "ollama"
_MAKERS: tuple[DialectName, ...] = (NAME,)


class MessageWriter:
    """Writes the messages of one request, in order; each call is answered right behind its turn, in the order of the calls."""

    def __init__(self, request: ModelRequest, quirks: Quirks) -> None:
        self._model = request.options.model
        self._quirks = quirks

    def copy(self) -> Self:
        """Return a writer that goes on behind the same messages: itself, it remembers none."""
        return self

    def write(self, messages: Sequence[Message]) -> Iterator[JsonObject]:
        """Yield the wire form of the next messages."""
        calls: tuple[ToolCallPart, ...] = ()
        for message in answered(messages):
            match message.role:
                case "assistant":
                    calls = message.calls()
                    yield from _assistant(message, self._model, self._quirks)
                case "tool":
                    yield from _results(message, calls)
                case "user" | "system":
                    yield from _plain(message)


def _plain(message: Message) -> Iterator[JsonObject]:
    spelling = spelled(message, NAME)
    written: JsonObject = {"role": message.role, **_content(message.parts, spelling)}
    if written.get("content") or "images" in written or "content" in spelling:
        yield written | spelling.get("members", {})


def _content(parts: Sequence[Part], spelling: JsonObject) -> JsonObject:
    """Return content and pictures; what is neither is named in the text."""
    texts = [text for part in parts if (text := _text(part))]
    pictures = [part.data for part in parts if isinstance(part, ImagePart) and part.data]
    content = {"absent": {}, "null": {"content": None}}.get(str(spelling.get("content")), {"content": ""})
    if texts:
        content = {"content": "\n\n".join(texts)}
    return {**content, "images": pictures} if pictures else content


def _text(part: Part) -> str:
    match part:
        case TextPart():
            return clean_text(part.text)
        case ImagePart() if part.url:
            return f"[picture: {part.url}]"
        case FilePart():
            return f"[file that could not be attached: {part.name or part.media_type}]"
        case _:
            return ""


def _assistant(message: Message, model: str, quirks: Quirks) -> Iterator[JsonObject]:
    ours = made_here(message, _MAKERS, model, quirks.provider)
    spelling = spelled(message, NAME) if ours else {}
    texts = [part for part in message.parts if isinstance(part, TextPart)]
    whole = message.origin is None or message.origin.dialect == NAME
    joined = [TextPart(text="".join(part.text for part in texts))] if whole else texts
    written: JsonObject = {"role": "assistant", **_content(joined, spelling)}
    pictures = [part.data for part in message.parts if isinstance(part, ImagePart) and part.data]
    if pictures:
        written["images"] = pictures
    thought = _thought(message) if ours else ""
    if thought or spelling.get("thinking") == "empty":
        written["thinking"] = thought
    calls = message.calls()
    if calls:
        written["tool_calls"] = [_call(call, spelling.get("calls", {}).get(call.call_id, {})) for call in calls]
    if not calls and not written.get("content") and not pictures:
        return  # a turn that says nothing teaches the model to say nothing
    yield written | spelling.get("members", {})


def _thought(message: Message) -> str:
    """Return the thinking that Ollama gave: it has neither a field of chat's nor a signature."""
    parts = [part for part in message.parts if isinstance(part, ReasoningPart) and not part.field]
    return "".join(clean_text(part.text) for part in parts if not (part.signature or part.encrypted or part.redacted_data or part.item_id))


def _call(call: ToolCallPart, spelling: JsonObject) -> JsonObject:
    function = call_object(call) | spelling.get("function", {})
    return {"function": function, **spelling.get("members", {})}


def _results(message: Message, calls: Sequence[ToolCallPart]) -> Iterator[JsonObject]:
    spellings = spelled(message, NAME).get("results", {})
    given = {result.call_id: result for result in message.results()}
    for call in calls:
        if (result := given.get(call.call_id)) is not None:
            yield _result(result, call.name, spellings.get(call.call_id, {}))


def _result(result: ToolResultPart, name: str, spelling: JsonObject) -> JsonObject:
    content = _content(result.content, spelling)
    if result.is_error and not is_error_text(str(content.get("content") or "")):
        content["content"] = f"Error: {content.get('content') or ''}"
    named = {} if spelling.get("tool_name") == "absent" else {"tool_name": clean_text(name)}
    return {"role": "tool", **named, **content, **spelling.get("members", {})}
