"""Figures and short phrases of the inspector, as people read them."""

from __future__ import annotations

import datetime

from workbench.conversation.exchange import Cost
from workbench.inspection.costs import dollars
from workbench.inspection.requests import RequestRow
from workbench.permissions.visible import visible
from workbench.words import _, duration, many, marked

NONE = "–"
"""Stands where a figure is not known, or there is none."""

_FAILURES = dict(
    zip(
        ("rate_limit", "overloaded", "quota", "auth", "unreachable", "broken", "stopped", "too_large"),
        marked("rate limit", "overloaded", "quota used up", "key refused", "unreachable", "cut off", "stopped", "too large"),
        strict=True,
    )
) | dict(
    zip(
        ("context_too_long", "bad_request", "server", "unreadable", "unknown"),
        marked("context too long", "bad request", "server error", "unreadable answer", "error"),
        strict=True,
    )
)


def seconds(value: float | None) -> str:
    """Return a length of time as `duration` does; a dash if it is not known."""
    return NONE if value is None else duration(value)


def exact_seconds(value: float) -> str:
    """Return a time in thousandths of a second, without its unit."""
    return f"{value:.3f}"


def figure(value: int | None) -> str:
    """Return a number with separators."""
    return NONE if value is None else f"{value:,}"


def size(value: int) -> str:
    """Return a number of bytes."""
    return many("{n:,} byte", "{n:,} bytes", value)


def rate(size_bytes: int, duration_s: float) -> str:
    """Return bytes a second; empty when it took no time."""
    if duration_s <= 0:
        return ""
    per_s = size_bytes / duration_s
    return _("{rate} B/s").format(rate=f"{per_s:,.0f}") if per_s < 10_000 else _("{rate} kB/s").format(rate=f"{per_s / 1000:,.0f}")


def cost_figures(cost: Cost) -> str:
    """Return what an exchange cost, in and out, and by which price."""
    if cost.total_usd is None:
        return _("unknown: the price list does not have it")
    parts = _("{input} in, {output} out").format(input=dollars(cost.input_usd or 0.0), output=dollars(cost.output_usd or 0.0))
    price = _("price of {model}, list {version}").format(model=visible(cost.priced_as), version=cost.price_list)
    return f"{dollars(cost.total_usd)} · {parts} · {price}"


def clock(at: float) -> str:
    """Return the time of day of a moment, local, in thousandths of a second."""
    return datetime.datetime.fromtimestamp(at).astimezone().strftime("%H:%M:%S.%f")[:-3]


def purpose(row: RequestRow) -> str:
    """Return what a request was for: ``turn 1 · step 2, retry``."""
    words = _("turn {turn} · step {step}").format(turn=row.turn, step=row.opened.step)
    if row.opened.repaired:
        words = _("{request}, repaired").format(request=words)
    match row.opened.attempt:
        case 1:
            return words
        case 2:
            return _("{request}, retry").format(request=words)
        case attempt:
            return _("{request}, retry {n}").format(request=words, n=attempt - 1)


def failure_words(row: RequestRow) -> str:
    """Return in a few words why a request failed; empty if it did not."""
    if row.state in ("held", "unsent"):
        return _("held back") if row.state == "held" else _("not sent")
    if row.lost:
        return _("no end recorded")
    if row.closed is None or row.state != "failed":
        return ""
    return _(_FAILURES.get(row.closed.failure, _FAILURES["unknown"]))


def status_words(row: RequestRow) -> str:
    """Return a request's status in one word."""
    if row.state == "running":
        return "…"
    return NONE if row.status is None else str(row.status)


def one_line(text: str, longest: int = 400) -> str:
    """Return foreign text on one line, with what is hidden in it made visible."""
    return visible(text[:longest]) + ("…" if len(text) > longest else "")
