"""Which reasoning a dialect's provider is sent back, and by which rule the rest is left out."""

from __future__ import annotations

from workbench.conversation.messages import DialectName, Message, OpaquePart, ReasoningPart, TextPart, ToolCallPart
from workbench.dialects.base import Quirks
from workbench.dialects.spelling import spelled

CHAT_FIELDS = ("reasoning_content", "reasoning", "think_tag", "thinking_content")


def lost_reasoning(part: ReasoningPart, message: Message, name: DialectName, quirks: Quirks, *, ours: bool) -> str:
    """Return the rule by which reasoning is left out; empty if it is sent.

    Args:
        part: a part of `message`.
        message: an assistant's.
        name: the dialect that is written.
        quirks: of the provider that gets it.
        ours: that provider made the message, or nobody knows who did.
    """
    if not ours or not _is_of(part, message, name):
        sealed = part.signature or part.redacted_data or part.encrypted or part.details
        return "reasoning-foreign" if part.text or part.summary or not sealed else "reasoning-sealed"
    match name:
        case "react" if part.field == "thought":
            return ""
        case "chat_completions" | "functions" | "react":
            return "" if _is_replayed(message, name, quirks) else "reasoning-not-replayed"
        case "anthropic":
            return "" if part.signature or part.redacted_data else "reasoning-unsigned"
        case "gemini":
            return "" if part.signature else "reasoning-unsigned"
        case "responses":
            return "" if _is_followed(part, message) else "reasoning-unfollowed"
        case _:
            return ""


def _is_of(part: ReasoningPart, message: Message, name: DialectName) -> bool:
    """Say whether reasoning has the form of a dialect."""
    sealed = bool(part.redacted_data or part.encrypted or part.item_id)
    match name:
        case "chat_completions" | "functions":
            return part.field in CHAT_FIELDS
        case "responses":
            known = message.origin is not None or bool(part.encrypted or part.summary or part.item_id)
            return known and not (part.field or part.signature or part.redacted_data)
        case "anthropic" | "gemini":
            return not part.field and not part.encrypted
        case "ollama":
            return not part.field and not sealed and not part.signature
        case "react":
            return part.field in ("thought", *CHAT_FIELDS)


def _is_replayed(message: Message, name: DialectName, quirks: Quirks) -> bool:
    wanted = quirks.reasoning_replay == "always" or (quirks.reasoning_replay == "with_calls" and (bool(message.calls()) or name == "react"))
    return wanted or "reasoning" in spelled(message, name)


def _is_followed(part: ReasoningPart, message: Message) -> bool:
    """Say whether something else stands behind reasoning in its message."""
    behind = message.parts[next(place for place, other in enumerate(message.parts) if other is part) + 1 :]
    return any(isinstance(other, ToolCallPart | OpaquePart) or (isinstance(other, TextPart) and other.text != "") for other in behind)
