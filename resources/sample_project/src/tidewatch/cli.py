"""The command line: ``tidewatch next`` and ``tidewatch day``."""

import argparse
import sys
from datetime import datetime
from pathlib import Path
from typing import List, Optional

from tidewatch.dates import parse_date, parse_moment
from tidewatch.report import next_tides, table, tides_of
from tidewatch.store import BadTable, load


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="tidewatch", description="Tell when the water is high or low next.")
    commands = parser.add_subparsers(dest="command", required=True)
    upcoming = commands.add_parser("next", help="the next tides")
    upcoming.add_argument("table", type=Path)
    upcoming.add_argument("--from", dest="moment", type=parse_moment, help='such as "2026-03-09 12:00"; now, if left out')
    upcoming.add_argument("--count", type=int, default=4)
    day = commands.add_parser("day", help="the tides of one day")
    day.add_argument("table", type=Path)
    day.add_argument("day", type=parse_date)
    return parser


def main(arguments: Optional[List[str]] = None) -> int:
    """Run one command; return the exit code."""
    chosen = build_parser().parse_args(arguments)
    try:
        tides = load(chosen.table)
    except (OSError, BadTable) as error:
        print(error, file=sys.stderr)
        return 1
    if chosen.command == "next":
        found = next_tides(tides, chosen.moment or datetime.now(), chosen.count)
    else:
        found = tides_of(tides, chosen.day)
    print(table(found) or "no tides in the table for that")
    return 0
