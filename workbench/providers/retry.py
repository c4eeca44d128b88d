"""When an HTTP request may be repeated, and after how long.

Only requests are repeated, never tools: by the time a tool could have run, something was shown and no repeat is allowed. The classes
and waits are those of the wire specification, section 12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

TRANSIENT = frozenset({"rate_limit", "overloaded", "server", "unreachable", "broken"})

NEVER = frozenset({"quota"})
"""What no header makes worth repeating: the money is used up."""


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How often and how patiently a request is repeated.

    Attributes:
        attempts: the most tries of one step, the first included.
        base_s: wait before the second try, doubled for each further one.
        longest_s: a provider that asks for more than this is not waited for; the turn ends with its sentence.
    """

    attempts: int = 4
    base_s: float = 1.0
    longest_s: float = 120.0


def wait_before_retry_s(
    policy: RetryPolicy, *, kind: str, attempt: int, told_s: float | None, should_retry: bool | None, jitter: Callable[[], float]
) -> float | None:
    """Return the seconds to wait before try number ``attempt + 1``; None if there shall be none.

    Args:
        policy: the bounds.
        kind: class of the failure.
        attempt: number of the try that failed, from 1.
        told_s: what the provider asked for.
        should_retry: the provider's ``x-should-retry``, which overrides the class, but for money that is used up; None if it sent none.
        jitter: gives a number from 0 to 1, so that many clients do not come back at the same moment.
    """
    wanted = kind in TRANSIENT if should_retry is None else should_retry and kind not in NEVER
    if not wanted or attempt >= policy.attempts:
        return None
    if told_s is not None:
        return told_s if told_s <= policy.longest_s else None
    return float(min(policy.base_s * 2 ** (attempt - 1) * (0.75 + jitter() / 2), policy.longest_s))
