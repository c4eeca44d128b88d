"""Read tables of tides."""

import csv
from datetime import datetime
from pathlib import Path
from typing import List, NamedTuple

from tidewatch.dates import parse_date, parse_time


class Tide(NamedTuple):
    """One high or low water."""

    at: datetime
    kind: str
    metres: float


class BadTable(Exception):
    """A row that cannot be read; the sentence names file and line."""


def load(path: Path) -> List[Tide]:
    """Return the tides of a table in the order of time."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return sorted(_tide(row, f"{path}, line {rows.line_num}") for row in rows)


def _tide(row: dict, place: str) -> Tide:
    try:
        kind = row["kind"].strip()
        if kind not in ("high", "low"):
            raise ValueError(f"neither high nor low: {kind!r}")
        return Tide(datetime.combine(parse_date(row["date"]), parse_time(row["time"])), kind, float(row["metres"]))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadTable(f"{place}: {error}") from error
