"""A response as text for reading: the answer joined from its parts, or the body laid out."""

from __future__ import annotations

import json
from typing import NamedTuple

from workbench.conversation.messages import FilePart, ImagePart, Message, OpaquePart, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.conversation.values import json_bytes
from workbench.ui.inspector.text_lines import TextLines
from workbench.words import _


class Readable(NamedTuple):
    """Text with the lines of headings (from 0), and the language it is coloured as."""

    lines: TextLines
    headings: tuple[int, ...] = ()
    language: str = ""


def joined(message: Message, error: str = "") -> Readable:
    """Return an answer as people read it: each part under a heading, and at last an error in the provider's own words if there is one."""
    lines: list[str] = []
    headings: list[int] = []
    for head, text in [*map(_part, message.parts), *([(_("error, in the provider's words"), error)] if error else [])]:
        if lines:
            lines.append("")
        headings.append(len(lines))
        lines.append(head)
        lines += text.split("\n")
    if not lines:
        lines.append(_("The answer is empty."))
    return Readable(TextLines("\n".join(lines)), tuple(headings))


def _part(part: object) -> tuple[str, str]:
    match part:
        case TextPart(text=text):
            return _("text"), text
        case ReasoningPart(text=text):
            return _("reasoning"), text or _("(not readable)")
        case ToolCallPart():
            return f"{_('call')} {part.name}  {part.call_id}", _arguments(part)
        case ToolResultPart():
            return f"{_('result')} {part.name}  {part.call_id}", part.text()
        case ImagePart() | FilePart():
            return part.media_type, ""
        case OpaquePart():
            return _("item that only its provider understands"), json.dumps(part.item, ensure_ascii=False, indent=2)
        case _:
            return type(part).__name__, json_bytes(part).decode()


def _arguments(call: ToolCallPart) -> str:
    """Return the arguments laid out if they are an object, else as they came."""
    arguments = call.arguments()
    return call.arguments_raw if arguments is None else json.dumps(arguments, ensure_ascii=False, indent=2)


def language_of(data: bytes) -> str:
    """Return the language of a body, by its first character: JSON, an event stream, or a web page."""
    begun = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    if begun[:1] in (b"{", b"["):
        return "json"
    if begun.startswith((b"data:", b"event:", b":", b"id:", b"retry:")):
        return "sse"
    return "html" if begun.startswith(b"<") else ""
