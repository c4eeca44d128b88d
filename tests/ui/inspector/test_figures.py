"""Figures as people read them."""

from __future__ import annotations

import pytest

from tests.inspection.test_requests import log_of, two_steps
from workbench.ui.inspector.figures import failure_words, figure, one_line, purpose, rate, seconds, size, status_words


@pytest.mark.parametrize(
    ("value", "words"), [(None, "–"), (0.0, "0 ms"), (0.009, "9 ms"), (0.61, "610 ms"), (2.44, "2.4 s"), (99.94, "1 min 40 s"), (725, "12 min 5 s")]
)
def test_times(value: float | None, words: str) -> None:
    assert seconds(value) == words


def test_counts_and_sizes() -> None:
    assert (figure(None), figure(0), figure(13252)) == ("–", "0", "13,252")
    assert (size(1), size(61204)) == ("1 byte", "61,204 bytes")
    assert (rate(100, 0.0), rate(1000, 1.0), rate(50_000_000, 2.0)) == ("", "1,000 B/s", "25,000 kB/s")


def test_requests_are_named_by_turn_step_and_try() -> None:
    rows = log_of(two_steps().recording.facts).rows
    assert [purpose(row) for row in rows] == ["turn 1 · step 1", "turn 1 · step 1, retry", "turn 1 · step 2"]
    assert [status_words(row) for row in rows] == ["429", "200", "…"]
    assert [failure_words(row) for row in rows] == ["rate limit", "", ""]


def test_foreign_text_stays_on_one_line_and_hides_nothing() -> None:
    assert one_line("a\nb\u202ec") == "a⏎b⟨U+202E⟩c"
    assert one_line("x" * 500, 10) == "x" * 10 + "…"
