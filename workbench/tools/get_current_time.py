"""The demonstration tool get_current_time: date and time in any time zone."""

from __future__ import annotations

import difflib
import importlib
import os
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from workbench.errors import ToolError
from workbench.tools.base import Plan, Result, ToolContext
from workbench.tools.definitions import UnplannedTool
from workbench.tools.file_targets import in_thread

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""In English whatever the locale: it is read by models."""

_ZONE_FOLDER = "/zoneinfo/"


def _now() -> datetime:
    return datetime.now(UTC)


class GetCurrentTimeTool(UnplannedTool):
    """Tells the time.

    `now` returns the present moment with its zone; another clock can be handed in.
    """

    def __init__(self, now: Callable[[], datetime] = _now) -> None:
        super().__init__("get_current_time", "none")
        self._now = now

    async def apply(self, plan: Plan, context: ToolContext) -> Result:  # noqa: ARG002
        """Tell the time, such as ``2026-11-29T20:15:00+08:00 Sunday (Asia/Shanghai)``.

        Raises:
            ToolError: ``unknown_timezone``, with similar names.
        """
        zone, name = await in_thread(_zone, str(plan.arguments.get("timezone") or ""))
        moment = self._now().astimezone(zone)
        text = f"{moment.isoformat(timespec='seconds')} {WEEKDAYS[moment.weekday()]} ({name or moment.tzname() or 'local time'})"
        return Result(text=text, facts=f"{moment:%H:%M}")


def _zone(wanted: str) -> tuple[tzinfo | None, str]:
    """Return a time zone and its name; None and the system's name for local time. Blocking."""
    if not wanted:
        return None, _local_name()
    zoneinfo = importlib.import_module("zoneinfo")
    names: set[str] = zoneinfo.available_timezones() | {"UTC"}
    name = next((name for name in names if name.casefold() == wanted.strip().casefold()), None)
    if name is None:
        raise _unknown(wanted, names)
    try:
        return (UTC if name == "UTC" else zoneinfo.ZoneInfo(name)), name
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise _unknown(wanted, names) from None


def _unknown(wanted: str, names: set[str]) -> ToolError:
    """Return the error with names that hold the word (``Shanghai``), or are spelled like it."""
    word = wanted.strip().casefold().replace(" ", "_")
    holding = sorted(name for name in names if word and word in name.casefold().rpartition("/")[2])
    folded = {name.casefold(): name for name in names}
    similar = [folded[name] for name in difflib.get_close_matches(word, folded, n=3, cutoff=0.6)]
    suggestions = tuple(dict.fromkeys([*holding, *similar]))[:3]
    advice = f"Did you mean {' or '.join(suggestions)}?" if suggestions else "Give an IANA name such as 'Asia/Shanghai' or 'UTC'."
    return ToolError("unknown_timezone", f"There is no time zone {wanted[:60]!r}.", advice, detail={"suggestions": suggestions})


def _local_name() -> str:
    """Return the IANA name of the system's zone if it can be known; empty else."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if named and not named.startswith("/"):
        return named
    place = os.path.realpath(named or "/etc/localtime")
    return place.partition(_ZONE_FOLDER)[2] if _ZONE_FOLDER in place and Path(place).is_file() else ""
