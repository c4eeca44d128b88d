"""Figures in the chat: token counts and moments, short."""

from __future__ import annotations

import datetime
import time

from workbench.ui.frame.moments import moment_text


def tokens_text(count: int) -> str:
    """Return a count: exact under 1,000, above with one decimal and k or M."""
    if count < 1_000:
        return str(count)
    return f"{count / 1_000:.1f}k" if count < 999_950 else f"{count / 1_000_000:.1f}M"


def clock_text(at: float, now: float | None = None) -> str:
    """Return the time of day of a moment (seconds since 1970), with its day unless it is today."""
    now = time.time() if now is None else now
    clock = f"{datetime.datetime.fromtimestamp(at).astimezone():%H:%M}"
    day = moment_text(at, now)
    return clock if day == clock else f"{day} {clock}"
