"""The `content` member of a message: a text, or a list of parts where one text cannot hold what is said."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workbench.conversation.messages import DialectName, FilePart, ImagePart, Message, OpaquePart, Part, TextPart
from workbench.conversation.values import JsonObject, JsonValue, clean_text

CHAT_FAMILY: tuple[DialectName, ...] = ("chat_completions", "functions")


def content_of(parts: Iterable[Part], spelling: JsonObject) -> JsonValue:
    """Return the content that says `parts`; what it cannot hold (calls, reasoning) is left out."""
    written = [item for part in parts if (item := content_part(part)) is not None]
    if spelling.get("content") == "list":
        return listed(written, spelling)
    if not written and spelling.get("content") == "null":
        return None
    if len(written) < 2 and all(item["type"] == "text" for item in written):
        return "".join(str(item["text"]) for item in written)
    return list(written)


def listed(written: list[JsonObject], spelling: JsonObject) -> JsonValue:
    """Return content parts with the members that they had where they were parsed."""
    members = spelling.get("parts", {})
    return [_with_members(item, members.get(str(place), {})) for place, item in enumerate(written)]


def content_part(part: Part) -> JsonObject | None:
    """Return one part of a content list; None for what content cannot hold."""
    match part:
        case TextPart():
            return {"type": "text", "text": clean_text(part.text)}
        case ImagePart():
            return {"type": "image_url", "image_url": {"url": part.url or f"data:{part.media_type};base64,{part.data}"}}
        case FilePart():
            return {"type": "file", "file": {"filename": part.name or "file", "file_data": f"data:{part.media_type};base64,{part.data}"}}
        case OpaquePart():
            return dict(part.item) if "type" in part.item else None
        case _:
            return None


def joined_text(message: Message) -> str:
    """Return an assistant's text as one string. Blocks that another dialect kept apart become paragraphs."""
    texts = [clean_text(part.text) for part in message.parts if isinstance(part, TextPart) and part.text]
    if message.origin is None or message.origin.dialect in CHAT_FAMILY:
        return "".join(texts)
    joined = ""
    for text in texts:
        joined += text if not joined or joined[-1].isspace() or text[0].isspace() else f"\n\n{text}"
    return joined


def _with_members(item: JsonObject, members: dict[str, Any]) -> JsonObject:
    joined = dict(item)
    for name, value in members.items():
        known = joined.get(name)
        joined[name] = {**known, **value} if isinstance(value, dict) and isinstance(known, dict) else value
    return joined
