"""Turn tides into lines to print."""

from datetime import date, datetime
from typing import Iterable, List

from tidewatch.store import Tide


def next_tides(tides: Iterable[Tide], moment: datetime, count: int) -> List[Tide]:
    """Return the first ``count`` tides after a moment."""
    return [tide for tide in tides if tide.at > moment][:count]


def tides_of(tides: Iterable[Tide], day: date) -> List[Tide]:
    """Return the tides of one day."""
    return [tide for tide in tides if tide.at.date() == day]


def line(tide: Tide) -> str:
    """Return one line without its day: time, kind, height and a bar of half metres."""
    return f"{tide.at:%H:%M}  {tide.kind:<4}  {tide.metres:.2f} m  {'#' * round(tide.metres * 2)}"


def table(tides: Iterable[Tide]) -> str:
    """Return all tides as text, each day under its own heading."""
    lines: List[str] = []
    for tide in tides:
        heading = f"{tide.at:%Y-%m-%d}"
        if heading not in lines:
            lines.append(heading)
        lines.append("  " + line(tide))
    return "\n".join(lines)
