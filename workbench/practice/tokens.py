"""The practice model's token counts: an honest estimate, one token for four bytes of UTF-8, since a script has no tokens of its own."""

from __future__ import annotations

from typing import NamedTuple, assert_never

import msgspec

from workbench.conversation.messages import FilePart, ImagePart, ModelRequest, OpaquePart, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from workbench.practice.reply import Piece

BYTES_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4


def tokens_in_text(text: str) -> int:
    """Return the estimate for a text; 0 for an empty one."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def tokens_in(piece: Piece) -> int:
    """Return the estimate for a piece of a reply."""
    match piece:
        case TextPart() | ReasoningPart():
            return tokens_in_text(piece.text)
        case ToolCallPart():
            return tokens_in_text(piece.name) + tokens_in_text(piece.arguments_raw)
        case _:
            assert_never(piece)


def request_tokens(request: ModelRequest, size_bytes: int | None) -> int:
    """Return the estimate for a request: from its length as sent, or from its texts where that is not known."""
    if size_bytes is not None:
        return -(-size_bytes // BYTES_PER_TOKEN)
    system = sum(tokens_in_text(text) for text in request.system)
    tools = sum(tokens_in_text(tool.name + tool.description) + len(msgspec.json.encode(tool.input_schema)) // BYTES_PER_TOKEN for tool in request.tools)
    return system + tools + sum(TOKENS_PER_MESSAGE + sum(_part_tokens(part) for part in message.parts) for message in request.messages)


def _part_tokens(part: Part) -> int:
    match part:
        case TextPart() | ReasoningPart():
            return tokens_in_text(part.text)
        case ToolCallPart():
            return tokens_in_text(part.name) + tokens_in_text(part.arguments_raw)
        case ToolResultPart():
            return sum(_part_tokens(inner) for inner in part.content)
        case ImagePart() | FilePart():
            return len(part.data) // BYTES_PER_TOKEN
        case OpaquePart():
            return 0
        case _:
            assert_never(part)


class Limited(NamedTuple):
    """Pieces of a reply, and whether the limit cut something off."""

    pieces: tuple[Piece, ...]
    cut: bool


def cut_to_tokens(pieces: tuple[Piece, ...], at_most: int | None) -> Limited:
    """Return what fits into a number of output tokens; the piece in which they run out is cut, what follows is gone."""
    if at_most is None:
        return Limited(pieces, cut=False)
    kept: list[Piece] = []
    left = max(0, at_most)
    for piece in pieces:
        needed = tokens_in(piece)
        if needed > left:
            if (part := _shorter(piece, left * BYTES_PER_TOKEN)) is not None:
                kept.append(part)
            return Limited(tuple(kept), cut=True)
        kept.append(piece)
        left -= needed
    return Limited(tuple(kept), cut=False)


def _shorter(piece: Piece, size_bytes: int) -> Piece | None:
    match piece:
        case ToolCallPart():
            size_bytes -= len(piece.name.encode("utf-8", "replace"))
            return msgspec.structs.replace(piece, arguments_raw=_head(piece.arguments_raw, size_bytes)) if size_bytes > 0 else None
        case TextPart() | ReasoningPart():
            return msgspec.structs.replace(piece, text=_head(piece.text, size_bytes)) if size_bytes > 0 else None
        case _:
            assert_never(piece)


def _head(text: str, size_bytes: int) -> str:
    return text.encode("utf-8", "replace")[: max(0, size_bytes)].decode("utf-8", "ignore")
