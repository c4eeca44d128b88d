"""Token counts of Gemini in the normal form, and back.

Gemini counts thoughts apart from the answer (`candidatesTokenCount` leaves them out), and cached tokens as part of the prompt.
"""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import Usage
from workbench.conversation.values import JsonObject

_COUNTS = ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "totalTokenCount")


def read_usage(raw: Any) -> Usage | None:
    """Return the normal form of `usageMetadata`; None if it counts nothing (some chunks only name a traffic type)."""
    if not isinstance(raw, dict) or all(_count(raw, name) is None for name in _COUNTS):
        return None
    prompt, answer, thoughts = (_count(raw, name) for name in _COUNTS[:3])
    cached, tools = _count(raw, "cachedContentTokenCount"), _count(raw, "toolUsePromptTokenCount")
    if prompt is not None:
        prompt = max(prompt + (tools or 0), cached or 0)
    output = None if answer is None and thoughts is None else (answer or 0) + (thoughts or 0)
    return Usage(input_tokens=prompt, output_tokens=output, reasoning_tokens=thoughts, cached_tokens=cached, raw=raw)


def write_usage(usage: Usage) -> JsonObject:
    """Return the `usageMetadata` that a server would send."""
    prompt, output, thoughts = usage.input_tokens or 0, usage.output_tokens or 0, usage.reasoning_tokens
    written: JsonObject = {"promptTokenCount": prompt, "candidatesTokenCount": max(output - (thoughts or 0), 0), "totalTokenCount": prompt + output}
    if thoughts is not None:
        written["thoughtsTokenCount"] = thoughts
    if usage.cached_tokens is not None:
        written["cachedContentTokenCount"] = usage.cached_tokens
    return written


def _count(raw: JsonObject, name: str) -> int | None:
    """Return a number of tokens; gateways write it as text or as a float."""
    value = raw.get(name)
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) < 20 and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer() and value >= 0:
        return int(value)
    return value if isinstance(value, int) and value >= 0 else None
