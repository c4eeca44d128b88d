"""How an answer ended: the status of the response with its reason, and the neutral reason. Only ``completed`` lets calls run."""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import FinishReason
from workbench.conversation.values import JsonObject, clean_text

COMPLETED = "completed"
_REASONS: dict[str, FinishReason] = {"max_output_tokens": "length", "content_filter": "content_filter"}
_WORDS: dict[FinishReason | None, str] = {"length": "max_output_tokens", "content_filter": "content_filter"}


def end_word(response: JsonObject, event: str = "") -> str:
    """Return the provider's word for how a response ended: its status, or the reason why it is incomplete; empty if it says none.

    Args:
        response: the response object.
        event: the last word of the type of the event it came in, which says the status where the object does not.
    """
    status = response.get("status")
    word = status if isinstance(status, str) and status not in ("", "in_progress", "queued") else event or (status if isinstance(status, str) else "")
    if word != "incomplete":
        return clean_text(word)
    details: Any = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    return clean_text(reason) if isinstance(reason, str) and reason else "incomplete"


def neutral_reason(word: str, *, calls: bool, refused: bool) -> FinishReason:
    """Return the neutral reason; calls that are there make a completed answer a tool turn."""
    match word:
        case "completed":
            return "tool_use" if calls else "refusal" if refused else "end"
        case "incomplete":
            return "length"
        case "cancelled":
            return "cancelled"
        case "in_progress" | "queued":
            return "incomplete"
        case "failed":
            return "error"
        case _:
            return _REASONS.get(word, "unknown")


def status_of(reason: FinishReason | None, word: str = "") -> tuple[str, JsonObject | None]:
    """Return status and `incomplete_details` of a response that ended for a neutral reason."""
    if reason in ("length", "content_filter"):
        return "incomplete", {"reason": word if _REASONS.get(word) == reason else _WORDS[reason]}
    if reason in ("cancelled", "error"):
        return ("cancelled" if reason == "cancelled" else "failed"), None
    if reason == "unknown" and word:
        return "incomplete", {"reason": word}
    return ("in_progress" if reason in (None, "incomplete") else COMPLETED), None
