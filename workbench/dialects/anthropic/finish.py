"""Why an answer ended: Anthropic's words and the neutral ones, and after which of them calls may run."""

from __future__ import annotations

from typing import Final

from workbench.conversation.messages import FinishReason

CALLS_MAY_RUN: Final = frozenset({"tool_use", "end_turn"})
"""The only words after which calls run; after every other one, known or not, they are held back."""

_NEUTRAL: dict[str, FinishReason] = {
    "end_turn": "end",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "stop_sequence": "stop_sequence",
    "pause_turn": "pause",
    "refusal": "refusal",
}
_WORDS: dict[FinishReason, str] = {
    "end": "end_turn",
    "tool_use": "tool_use",
    "length": "max_tokens",
    "stop_sequence": "stop_sequence",
    "pause": "pause_turn",
    "refusal": "refusal",
    "content_filter": "refusal",
}


def neutral_reason(word: str, *, calls: bool) -> FinishReason:
    """Return the neutral reason; calls that are there make a plain end a tool turn."""
    reason = _NEUTRAL.get(word, "unknown")
    return "tool_use" if calls and reason == "end" else reason


def finish_word(reason: FinishReason | None, word: str = "") -> str | None:
    """Return the word for a neutral reason, `word` itself if it means that; None for an answer that did not end."""
    if reason in (None, "incomplete", "cancelled", "error"):
        return None
    if _NEUTRAL.get(word) == reason or (word == "end_turn" and reason == "tool_use"):
        return word
    return _WORDS.get(reason, "end_turn") if reason else None
