"""A reply as the models of each dialect give it: where thoughts stand, what is signed, and how many calls one answer can have."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import replace as replace_fields
from typing import Literal

from msgspec.structs import replace

from workbench.conversation.messages import DialectName, ReasoningPart, TextPart, ToolCallPart
from workbench.conversation.values import JsonObject
from workbench.practice.reply import Piece, Reply

ONE_CALL: tuple[DialectName, ...] = ("functions", "react")
"""Dialects in which a turn has one call: of several planned ones the first is made, the others when its result is there, if still needed."""


def asks_for_thoughts(body: JsonObject, dialect: DialectName) -> bool:
    """Say whether a request wants to be told what the model thought; Anthropic's and Google's models say it only then."""
    match dialect, body:
        case "anthropic", {"thinking": {"type": "enabled" | "adaptive"}}:
            return True
        case "gemini", {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}:
            return True
        case _:
            return dialect not in ("anthropic", "gemini", "functions")


def dressed(reply: Reply, dialect: DialectName, *, thinks: bool = True) -> Reply:
    """Return the reply as a model of this dialect would give it; `thinks` says whether the request wants to be told thoughts."""
    pieces = list(reply.pieces)
    if dialect in ONE_CALL:
        pieces = _with_one_call(pieces)
    phase: Literal["", "commentary", "final"] = "" if dialect != "react" else "commentary" if reply.calls() else "final"
    if not thinks:
        pieces = [piece for piece in pieces if not isinstance(piece, ReasoningPart)]
    return replace_fields(reply, pieces=tuple(_piece(piece, dialect, phase) for piece in pieces))


def _with_one_call(pieces: Iterable[Piece]) -> list[Piece]:
    calls = 0
    kept: list[Piece] = []
    for piece in pieces:
        calls += isinstance(piece, ToolCallPart)
        if calls < 2 or not isinstance(piece, ToolCallPart):
            kept.append(piece)
    return kept


def _piece(piece: Piece, dialect: DialectName, phase: Literal["", "commentary", "final"]) -> Piece:
    match piece:
        case TextPart():
            return replace(piece, phase=phase)
        case ReasoningPart():
            return _thought(piece, dialect)
        case ToolCallPart() if dialect == "gemini":
            return replace(piece, metadata={"thoughtSignature": _mark(piece.name + piece.arguments_raw)})
        case ToolCallPart() if dialect == "responses":
            return replace(piece, metadata={"item_id": f"fc_{_hex(piece.call_id)}"})
        case _:
            return piece


def _thought(piece: ReasoningPart, dialect: DialectName) -> ReasoningPart:
    match dialect:
        case "chat_completions" | "functions":
            return piece
        case "react":
            return replace(piece, field="thought")
        case "anthropic":
            return ReasoningPart(text=piece.text, signature=_mark(piece.text))
        case "responses":
            item_id = f"rs_{_hex(piece.text)}"
            return ReasoningPart(text=piece.text, summary=(piece.text,), encrypted=_mark(piece.text), item_id=item_id)
        case _:
            return ReasoningPart(text=piece.text)


def _mark(text: str) -> str:
    """Return what stands for a provider's signature: this server made it, and nobody else takes it."""
    return base64.b64encode(b"practice" + hashlib.sha256(text.encode("utf-8", "replace")).digest()).decode()


def _hex(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:24]
