"""How an answer ended: the provider's word and the neutral reason. The words are an open set; an unknown one holds calls back."""

from __future__ import annotations

from workbench.conversation.messages import FinishReason

CALLS_MAY_RUN = frozenset({"stop", "tool_calls", "function_call"})
"""The only words after which tool calls may run without asking; every other word, known or not, holds them back."""

_NEUTRAL: dict[str, FinishReason] = {
    "stop": "end",
    "end_turn": "end",
    "eos": "end",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "refusal": "refusal",
    "error": "error",
    "network_error": "error",
}
_WORDS: dict[FinishReason, str] = {
    "end": "stop",
    "stop_sequence": "stop",
    "refusal": "stop",
    "pause": "stop",
    "tool_use": "tool_calls",
    "length": "length",
    "content_filter": "content_filter",
    "error": "error",
}


def neutral_reason(word: str, *, calls: bool, refused: bool) -> FinishReason:
    """Return the neutral reason; calls that are there make a plain stop a tool turn, and a refusal is one even if it "stopped"."""
    reason = _NEUTRAL.get(word, "unknown")
    if reason in ("end", "tool_use"):
        return "tool_use" if calls else "refusal" if refused else reason
    return reason


def finish_word(reason: FinishReason | None, word: str = "") -> str | None:
    """Return the provider's word for a neutral reason, `word` itself if it means that; None for an answer that did not end."""
    if reason in (None, "incomplete", "cancelled"):
        return None
    if word and _NEUTRAL.get(word, "unknown") == reason:
        return word
    return _WORDS.get(reason, word or "unknown") if reason else None
