"""How an answer of Gemini ended: the provider's word and the neutral reason. An open set; every word but STOP holds calls back."""

from __future__ import annotations

from typing import Any, NamedTuple

from workbench.conversation.messages import FinishReason

CALLS_MAY_RUN = frozenset({"STOP"})
"""The only words after which tool calls may run without asking."""

_CONTENT = (
    *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
)
_FAULTS = (
    *("LANGUAGE", "OTHER", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"),
    *("NO_IMAGE", "IMAGE_OTHER"),
)
_NEUTRAL: dict[str, FinishReason] = {
    "STOP": "end",
    "MAX_TOKENS": "length",
    **dict.fromkeys(_CONTENT, "content_filter"),
    **dict.fromkeys(_FAULTS, "error"),
}
_WORDS: dict[FinishReason, str] = {
    "end": "STOP",
    "tool_use": "STOP",
    "stop_sequence": "STOP",
    "pause": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
    "refusal": "SAFETY",
    "error": "OTHER",
}
_NUMBERS = (
    *("", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
    *("MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY"),
)
"""The words by the numbers that stand for them where a client asks for ``enum-encoding=int``."""


class Trouble(NamedTuple):
    """What a word means that says that a call went wrong: the code of the Problem, and what happened."""

    code: str
    text: str


TROUBLES: dict[str, Trouble] = {
    "MALFORMED_FUNCTION_CALL": Trouble("call-malformed", "The model wrote a tool call that the provider could not read"),
    "MALFORMED_RESPONSE": Trouble("call-malformed", "The model wrote an answer that the provider could not read"),
    "UNEXPECTED_TOOL_CALL": Trouble("call-unexpected", "The model called a tool that was not offered"),
    "TOO_MANY_TOOL_CALLS": Trouble("too-many-calls", "The model called tools too often in a row"),
    "MISSING_THOUGHT_SIGNATURE": Trouble("signature-missing", "The provider misses the signature of a call in the history"),
}


def word_of(value: Any) -> str:
    """Return a finish reason as its word; empty while there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _NUMBERS[value] if 0 <= value < len(_NUMBERS) else str(value)
    return value if isinstance(value, str) and value != "FINISH_REASON_UNSPECIFIED" else ""


def neutral_reason(word: str, *, calls: bool) -> FinishReason:
    """Return the neutral reason; calls that are there make a plain stop a tool turn."""
    reason = _NEUTRAL.get(word, "unknown")
    return "tool_use" if reason == "end" and calls else reason


def finish_word(reason: FinishReason | None, word: str = "") -> str | None:
    """Return the provider's word for a neutral reason, `word` itself if it means that; None for an answer that did not end."""
    if reason in (None, "incomplete", "cancelled"):
        return None
    if word and neutral_reason(word, calls=reason == "tool_use") == reason:
        return word
    return _WORDS.get(reason, word or "OTHER") if reason else None
