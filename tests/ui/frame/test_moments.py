"""A moment is said as people say it, in their language."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import pytest

from workbench.ui.frame.moments import elapsed_text, moment_text
from workbench.words import choose_language

NOW = datetime.datetime(2026, 3, 12, 15, 0).astimezone()  # a Thursday


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    choose_language("en")
    yield
    choose_language("en")


def said(*, days: int = 0, hours: int = 0) -> str:
    return moment_text((NOW - datetime.timedelta(days=days, hours=hours)).timestamp(), NOW.timestamp())


def test_moments_in_english() -> None:
    assert said(hours=1) == "14:00"
    assert said(days=1) == "yesterday"
    assert said(days=3) == "Mon"
    assert said(days=10) == "2 Mar"
    assert said(days=400) == "2025-02-05"


def test_weekday_in_chinese() -> None:
    choose_language("zh_CN")
    assert said(days=3) == "周一"


def test_moment_that_is_still_to_come_is_a_date_and_no_weekday() -> None:
    assert said(days=-3) == "15 Mar"


@pytest.mark.parametrize(("seconds", "text"), [(0, "00:00"), (102.9, "01:42"), (3723, "1:02:03"), (-5, "00:00")])
def test_elapsed_time_is_shown_as_a_clock_does(seconds: float, text: str) -> None:
    assert elapsed_text(seconds) == text
