"""How long a provider asks to wait before the next try, in every form that providers use.

The forms are those of the wire specification, section 12. Nothing here decides whether to wait: a caller compares the answer
with the longest wait it accepts without asking.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any

MAX_DELAY_S = 30 * 86_400.0
"""No answer is longer; a server that says more means "not today"."""

_BODY_CHARACTERS = 65_536  # where an error says how long to wait is near its beginning; a whole HTML page is not searched
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s?(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])", re.IGNORECASE)
_IN_WORDS = re.compile(r"(?:try again|retry|retrying)\s(?:in|after)\s((?:\d+(?:\.\d+)?\s?[a-z]+[\s,]{0,2}){1,4})", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_EPOCH_S, _EPOCH_MS = 1e9, 1e12  # numbers from here on are points in time, not durations


def retry_delay_s(headers: Iterable[tuple[str, str]], body_text: str, now: float) -> float | None:
    """Return the seconds to wait that an error response asks for, from 0 to ``MAX_DELAY_S``; None if it does not say.

    What is said about this very failure wins over the general state of a limit: ``retry-after-ms``, ``retry-after`` (seconds
    or a date), RetryInfo in the body, "try again in 1m2.5s" in the body, then the reset times of exhausted limits.

    Args:
        headers: the response's pairs, names in any case.
        body_text: the response's body, JSON or not.
        now: the present time in seconds since the epoch, against which dates are measured; a date in the past gives 0.
    """
    body = _json(body_text)
    fields = _fields(headers, body)
    for delay in _candidates(fields, body, body_text, now):
        if delay is not None:
            return min(max(delay, 0.0), MAX_DELAY_S)
    return None


def parse_duration_s(text: str) -> float | None:
    """Return the seconds of ``6ms``, ``1m2s``, ``34.07s``, ``20 seconds`` or a bare number of seconds; None for anything else."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return float(text)
    parts = list(_DURATION.finditer(text))
    left_over = _DURATION.sub("", text).strip(" ,")
    return sum(float(part[1]) * _UNITS_S[_unit(part[2].lower())] for part in parts) if parts and not left_over else None


def _candidates(fields: dict[str, str], body: Any, body_text: str, now: float) -> Iterator[float | None]:
    yield _scaled(fields.get("retry-after-ms", ""), 0.001)
    yield _seconds_or_date(fields.get("retry-after", ""), now)
    yield _retry_info(body)
    yield _in_words(body_text)
    yield _limit_resets(fields, now)


def _scaled(text: str, factor: float) -> float | None:
    return float(text) * factor if _NUMBER.fullmatch(text.strip()) else None


def _seconds_or_date(text: str, now: float) -> float | None:
    from email.utils import parsedate_to_datetime  # 5 ms to import, and few errors carry a date

    if (seconds := _scaled(text, 1.0)) is not None:
        return seconds
    try:
        date = parsedate_to_datetime(text.strip())
    except (ValueError, OverflowError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now


def _retry_info(body: Any) -> float | None:
    """Return Google's ``retryDelay``: one of the error's details is of type ``google.rpc.RetryInfo``."""
    details = _get(_get(body, "error"), "details")
    for detail in details if isinstance(details, list) else []:
        delay = _get(detail, "retryDelay")
        if isinstance(delay, str) and str(_get(detail, "@type")).endswith("RetryInfo"):
            return parse_duration_s(delay)
    return None


def _in_words(body_text: str) -> float | None:
    found = _IN_WORDS.search(body_text[:_BODY_CHARACTERS])
    if found is None:
        return None
    parts = list(_DURATION.finditer(found[1]))
    return sum(float(part[1]) * _UNITS_S[_unit(part[2].lower())] for part in parts) if parts else None


def _limit_resets(fields: dict[str, str], now: float) -> float | None:
    """Return when the limits that are used up start anew; if none says that it is, the latest of all."""
    resets = {name: delay for name, text in fields.items() if "ratelimit-reset" in name if (delay := _reset(text, now)) is not None}
    used_up = [delay for name, delay in resets.items() if fields.get(name.replace("reset", "remaining")) == "0"]
    return max(used_up or resets.values(), default=None)


def _reset(text: str, now: float) -> float | None:
    number = _scaled(text, 1.0)
    if number is None:
        return parse_duration_s(text)
    if number >= _EPOCH_MS:
        return number / 1000 - now
    return number - now if number >= _EPOCH_S else number


def _fields(headers: Iterable[tuple[str, str]], body: Any) -> dict[str, str]:
    """Return headers by lower-case name; OpenRouter repeats those of the provider behind it in the body."""
    repeated = _get(_get(_get(body, "error"), "metadata"), "headers")
    inner = [(name, value) for name, value in repeated.items() if isinstance(value, str)] if isinstance(repeated, dict) else []
    return {name.lower(): value for name, value in [*inner, *headers]}


def _unit(word: str) -> str:
    if word.startswith(("ms", "milli")):
        return "ms"
    return word[0]


def _get(value: Any, key: str) -> Any:
    if isinstance(value, list) and len(value) == 1:  # Gemini wraps an error in a list of one
        value = value[0]
    return value.get(key) if isinstance(value, dict) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None
