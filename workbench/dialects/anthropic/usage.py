"""Token counts: Anthropic tells the uncached part of the input apart from what was read from and written to its cache."""

from __future__ import annotations

from typing import Any

from workbench.conversation.messages import Usage
from workbench.conversation.values import JsonObject

_INPUT = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


def merged(earlier: JsonObject, later: JsonObject) -> JsonObject:
    """Return the counts of a stream after another report: what it says wins, but for nulls, and zeros where more was told before.

    Counts are running totals; servers that only claim to be Anthropic tell the true input in the last report alone.
    """
    told = {name: value for name, value in later.items() if value is not None and not (_is_zero(value) and earlier.get(name))}
    return {**earlier, **told}


def read_usage(raw: JsonObject, *, final: bool = True) -> Usage:
    """Return the normal form of a `usage` object; before the end of a stream its number of output tokens is only a placeholder."""
    counts = [_count(raw, name) for name in _INPUT]
    known = [count for count in counts if count is not None]
    details = raw.get("output_tokens_details")
    return Usage(
        input_tokens=sum(known) if known else None,
        output_tokens=_count(raw, "output_tokens") if final else None,
        reasoning_tokens=_count(details, "thinking_tokens") if isinstance(details, dict) else None,
        cached_tokens=counts[1],
        cache_write_tokens=counts[2],
        raw=raw,
    )


def write_usage(usage: Usage | None) -> JsonObject:
    """Return the `usage` object a server would send; all zeros where nothing is known, as it must be there."""
    if usage is None:
        return {"input_tokens": 0, "output_tokens": 0}
    cached, written = usage.cached_tokens, usage.cache_write_tokens
    told: JsonObject = {"input_tokens": max(0, (usage.input_tokens or 0) - (cached or 0) - (written or 0))}
    if written is not None:
        told["cache_creation_input_tokens"] = written
    if cached is not None:
        told["cache_read_input_tokens"] = cached
    told["output_tokens"] = usage.output_tokens or 0
    if usage.reasoning_tokens is not None:
        told["output_tokens_details"] = {"thinking_tokens": usage.reasoning_tokens}
    return told


def _count(raw: JsonObject, name: str) -> int | None:
    """Return a number of tokens; None for what is none."""
    value = raw.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _is_zero(value: Any) -> bool:
    return value == 0 and not isinstance(value, bool)
