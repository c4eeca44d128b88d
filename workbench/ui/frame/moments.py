"""When something was, in a word: the time today, ``yesterday``, a weekday, a date; and how long something took."""

from __future__ import annotations

import datetime

from PySide6.QtCore import QDate, QLocale

from workbench.words import _, language

_DAYS_BY_NAME = 7


def moment_text(at: float, now: float) -> str:
    """Return a moment (seconds since 1970) as a list shows it beside a title."""
    day, today = _local(at), _local(now)
    days = (today.date() - day.date()).days
    if days == 0:
        return f"{day:%H:%M}"
    if days == 1:
        return _("yesterday")
    date = QDate(day.year, day.month, day.day)
    if 1 < days < _DAYS_BY_NAME:
        return _locale().dayName(date.dayOfWeek(), QLocale.FormatType.ShortFormat)
    if day.year == today.year:
        return _locale().toString(date, _("d MMM"))
    return f"{day:%Y-%m-%d}"


def elapsed_text(seconds: float) -> str:
    """Return a length of time as a clock shows it, ``01:42`` or ``1:02:03``."""
    whole = max(0, int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes:02}:{whole % 60:02}"


def _local(at: float) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(at).astimezone()


def _locale() -> QLocale:
    return QLocale(language())
