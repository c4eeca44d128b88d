"""Content blocks that people and tools give: text, pictures, documents; written here, and the contents of results."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from workbench.conversation.messages import FilePart, ImagePart, OpaquePart, Part, TextPart, ToolResultPart
from workbench.conversation.values import JsonObject, JsonValue, clean_text
from workbench.dialects.anthropic.names import NAME

NO_OUTPUT = "(no output)"


def content_block(part: Part, provider: str) -> JsonObject | None:
    """Return a block of a user message; None for what says nothing, or what only somebody else understands."""
    match part:
        case TextPart():
            return {"type": "text", "text": clean_text(part.text)} if part.text.strip() else None
        case ImagePart():
            source = {"type": "url", "url": part.url} if part.url else {"type": "base64", "media_type": part.media_type, "data": part.data}
            return {"type": "image", "source": source}
        case FilePart():
            return _document(part)
        case OpaquePart():
            ours = part.dialect == NAME and (not part.provider or part.provider == provider)
            return dict(part.item) if ours and "type" in part.item else None
        case _:
            return None


def result_content(result: ToolResultPart, spelling: JsonObject, provider: str) -> JsonValue:
    """Return what a result says: a text, or blocks where one text cannot hold it. Nothing at all is said in words."""
    if "raw" in spelling:
        raw: JsonValue = spelling["raw"]
        return raw
    if spelling.get("content") in ("empty", "absent") and not result.content:
        return ""
    blocks = [_with_members(block, spelling, place) for place, part in enumerate(result.content) if (block := content_block(part, provider)) is not None]
    if spelling.get("content") == "list":
        return list(blocks)
    if not blocks:
        return NO_OUTPUT
    if len(blocks) == 1 and set(blocks[0]) == {"type", "text"}:
        return str(blocks[0]["text"])
    return list(blocks)


def texts_of(parts: Iterable[Part]) -> list[str]:
    """Return the texts among parts."""
    return [part.text for part in parts if isinstance(part, TextPart)]


def _with_members(block: JsonObject, spelling: JsonObject, place: int) -> JsonObject:
    members = spelling.get("parts", {}).get(str(place))
    return {**block, **members} if members else block


def _document(part: FilePart) -> JsonObject:
    named: JsonObject = {"title": part.name} if part.name else {}
    if part.media_type.startswith("text/"):
        try:
            words = base64.b64decode(part.data, validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            words = ""
        if words:
            return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": words}, **named}
    return {"type": "document", "source": {"type": "base64", "media_type": part.media_type, "data": part.data}, **named}
