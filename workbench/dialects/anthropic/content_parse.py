"""Pictures, documents and results of a parsed request, as parts; what has no neutral form stays as it was."""

from __future__ import annotations

import base64
from typing import Any

from workbench.conversation.messages import FilePart, ImagePart, Part, TextPart, ToolResultPart
from workbench.conversation.values import JsonObject, clean_text


def content_part(block: dict[str, Any]) -> tuple[Part, JsonObject] | None:
    """Return a text, picture or document with its further members; None for any other block."""
    match block:
        case {"type": "text", "text": str() as text, **more}:
            return TextPart(text=clean_text(text)), _named(more)
        case {"type": "image", "source": {"type": "base64", "media_type": str() as kind, "data": str() as data, **rest}, **more} if not rest and data:
            return ImagePart(media_type=kind, data=data), _named(more)
        case {"type": "image", "source": {"type": "url", "url": str() as url, **rest}, **more} if not rest and url:
            return ImagePart(media_type="", url=clean_text(url)), _named(more)
        case {"type": "document", "source": {"type": "base64", "media_type": str() as kind, "data": str() as data, **rest}, **more} if not rest:
            return _document(kind, data, more) if not kind.startswith("text/") else None
        case {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": str() as words, **rest}, **more} if not rest and words:
            return _document("text/plain", base64.b64encode(clean_text(words).encode()).decode(), more)
        case _:
            return None


def result_part(block: dict[str, Any], names: dict[str, str]) -> tuple[ToolResultPart, JsonObject]:
    """Return a result, and how it was spelled; `names` are those of the calls by id."""
    call_id = block.get("tool_use_id")
    known = clean_text(call_id) if isinstance(call_id, str) else ""
    spelling: JsonObject = {}
    content = _result_content(block.get("content"), spelling)
    if "content" not in block:
        spelling["content"] = "absent"
    if block.get("is_error") is False:
        spelling["is_error"] = False
    if members := {name: value for name, value in block.items() if name not in ("type", "tool_use_id", "content", "is_error")}:
        spelling["members"] = members
    return ToolResultPart(call_id=known, name=names.get(known, ""), content=content, is_error=block.get("is_error") is True), spelling


def _result_content(content: Any, spelling: JsonObject) -> tuple[TextPart | ImagePart | FilePart, ...]:
    if content is None or content == "":
        spelling["content"] = "empty"
        return ()
    if isinstance(content, str):
        if not content.strip():
            spelling["raw"] = content
        return (TextPart(text=clean_text(content)),)
    spelling["content"] = "list"
    parts: list[TextPart | ImagePart | FilePart] = []
    members: JsonObject = {}
    for block in content if isinstance(content, list) else ():
        read = content_part(block) if isinstance(block, dict) else None
        if read is None or not isinstance(read[0], TextPart | ImagePart | FilePart) or (isinstance(read[0], TextPart) and not read[0].text.strip()):
            spelling["raw"] = content
            continue
        if read[1]:
            members[str(len(parts))] = read[1]
        parts.append(read[0])
    if not isinstance(content, list):
        spelling["raw"] = content
    if members and "raw" not in spelling:
        spelling["parts"] = members
    return tuple(parts)


def _document(kind: str, data: str, more: dict[Any, Any]) -> tuple[Part, JsonObject]:
    title = more.get("title")
    named = isinstance(title, str) and bool(title)
    rest = {str(name): value for name, value in more.items() if not (named and name == "title")}
    return FilePart(media_type=kind, data=data, name=clean_text(title) if named else ""), rest  # type: ignore[arg-type]


def _named(more: dict[Any, Any]) -> JsonObject:
    return {str(name): value for name, value in more.items()}
