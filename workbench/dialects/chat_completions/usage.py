"""Token counts of Chat Completions in the normal form, and back.

Cached tokens are part of the prompt, reasoning tokens part of the completion; xAI alone leaves reasoning out of the completion,
which only its total shows. Nothing is ever recomputed that the provider said.
"""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import Usage
from workbench.conversation.values import JsonObject


def read_usage(raw: Any) -> Usage | None:
    """Return the normal form of a `usage` object; None if it says nothing."""
    if not isinstance(raw, dict) or not raw:
        return None
    prompt, completion = _count(raw, "prompt_tokens"), _count(raw, "completion_tokens")
    if prompt is None and completion is None:
        return None
    asked, answered = _details(raw, "prompt_tokens_details"), _details(raw, "completion_tokens_details")
    cached = _first(_count(asked, "cached_tokens"), _count(raw, "prompt_cache_hit_tokens"), _count(raw, "cached_tokens"))
    reasoning = _first(_count(answered, "reasoning_tokens"), _count(raw, "reasoning_tokens"))
    if prompt is not None and cached is not None:
        prompt = max(prompt, cached)
    return Usage(
        input_tokens=prompt,
        output_tokens=_with_reasoning(raw, completion, reasoning),
        reasoning_tokens=reasoning,
        cached_tokens=cached,
        cache_write_tokens=_count(asked, "cache_write_tokens"),
        raw=raw,
    )


def write_usage(usage: Usage) -> JsonObject:
    """Return the `usage` object a server would send."""
    prompt, completion = usage.input_tokens or 0, usage.output_tokens or 0
    written: JsonObject = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    asked = {"cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens}
    told = {name: count for name, count in asked.items() if count is not None}
    if told:
        written["prompt_tokens_details"] = told
    if usage.reasoning_tokens is not None:
        written["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return written


def _with_reasoning(raw: JsonObject, completion: int | None, reasoning: int | None) -> int | None:
    """Return the completion including reasoning; where the total shows that it was left out, add it."""
    prompt, total = _count(raw, "prompt_tokens"), _count(raw, "total_tokens")
    if completion is None or not reasoning or prompt is None or total is None:
        return completion
    return completion + reasoning if prompt + completion + reasoning == total else completion


def _details(raw: JsonObject, name: str) -> JsonObject:
    details = raw.get(name)
    return details if isinstance(details, dict) else {}


def _count(raw: JsonObject, name: str) -> int | None:
    """Return a number of tokens; some servers write it as text or as a float."""
    value = raw.get(name)
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) < 20 and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and value >= 0 else None


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
