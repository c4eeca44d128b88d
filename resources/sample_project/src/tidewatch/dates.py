"""Read the dates and times that people write into tables and on the command line."""

import re
from datetime import date, datetime, time

DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
TIME = re.compile(r"(\d{1,2}):(\d{2})")


def parse_date(text: str) -> date:
    """Return the date that ``text`` holds, e.g. ``2026-03-09``."""
    match = DATE.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a date: {text!r}")
    return date(*(int(group) for group in match.groups()))


def parse_time(text: str) -> time:
    """Return the time that ``text`` holds, e.g. ``5:42``."""
    match = TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"not a time: {text!r}")
    return time(*(int(group) for group in match.groups()))


def parse_moment(text: str) -> datetime:
    """Return date and time; a date alone means its first minute."""
    day, _, clock = text.strip().partition(" ")
    return datetime.combine(parse_date(day), parse_time(clock) if clock else time())
