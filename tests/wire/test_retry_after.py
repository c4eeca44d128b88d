"""Waiting times: each form a provider uses, which one wins, and what is no waiting time at all."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.cases import transport_case
from workbench.wire.retry_after import MAX_DELAY_S, parse_duration_s, retry_delay_s

NOW = datetime.fromisoformat("2026-01-01T00:00:00+00:00").timestamp()
CASE = transport_case("retry-after-forms")


@pytest.mark.parametrize("index", range(len(CASE["input"]["headers"])))
def test_reported_header_gives_the_wait(index: int) -> None:
    """The case speaks of what a client does: back off where nothing is said, do not wait by itself where it is too long."""
    settings = CASE["input"]["settings"]
    delay_s = retry_delay_s(CASE["input"]["headers"][index].items(), "", NOW)
    wait_ms = settings["base_ms"] if delay_s is None else delay_s * 1000
    assert (None if wait_ms > settings["max_auto_wait_ms"] else wait_ms) == CASE["expect"]["wait_ms"][index]


GEMINI = {"error": {"code": 429, "details": [{"@type": "x/google.rpc.Help"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}]}}
OPENROUTER = {"error": {"code": 429, "metadata": {"headers": {"X-RateLimit-Reset": str(int(NOW * 1000) + 2500), "X-RateLimit-Remaining": "0"}}}}
TPM = "Rate limit reached for gpt-4o-mini on tokens per min (TPM): Limit 50000, Used 47949, Requested 3006. Please try again in 1.146s. Visit"


@pytest.mark.parametrize(
    ("headers", "body", "expected_s"),
    [
        ([("Retry-After-Ms", "84"), ("Retry-After", "9")], "", 0.084),
        ([("RETRY-AFTER", " 1.5 ")], "", 1.5),
        ([("retry-after", "Thursday, 01-Jan-26 00:00:05 GMT")], "", 5.0),
        ([("retry-after", "Thu Jan  1 00:00:05 2026")], "", 5.0),
        ([("retry-after", "Thu, 01 Jan 2026 00:00:05 -0000")], "", 5.0),
        ([("retry-after", "-3")], "", None),
        ([("retry-after", "soon"), ("x-ratelimit-reset-requests", "2s")], "", 2.0),
        ([("retry-after", "Thu, 99 Foo 99999999999999999999 00:00:05 GMT")], "", None),
        ([], json.dumps(GEMINI), 34.4),
        ([], json.dumps([GEMINI]), 34.4),
        ([], json.dumps({"error": {"details": [{"@type": "x/google.rpc.Help", "retryDelay": "34s"}]}}), None),
        ([], json.dumps({"error": {"details": None}}), None),
        ([], json.dumps({"error": {"message": TPM}}), 1.146),
        ([], "Please try again in 84ms. ", 0.084),
        ([], "try again in 2m", 120.0),
        ([], "Please try again in 1h2m3.5s.", 3723.5),
        ([], "Please try again in 20 seconds", 20.0),
        ([], "please retry after 5 minutes, 3 seconds", 303.0),
        ([], "Please retry in 48.939935699s.", 48.939935699),
        ([], "try again in 2 requests", None),
        ([], "try again in 2 months", None),
        ([], "Your account has 3s left", None),
        ([("x-ratelimit-reset-tokens", "6ms")], "", 0.006),
        ([("x-ratelimit-reset-tokens", "1m2s")], "", 62.0),
        ([("x-ratelimit-reset-requests", "23h59m"), ("x-ratelimit-reset-tokens", "6ms"), ("x-ratelimit-remaining-tokens", "0")], "", 0.006),
        ([("x-ratelimit-reset-requests", "8.64s"), ("x-ratelimit-reset-tokens", "59s"), ("x-ratelimit-remaining-tokens", "3000")], "", 59.0),
        ([("x-ratelimit-reset-requests", "23h59m")], TPM, 1.146),
        ([("X-RateLimit-Reset", str(int(NOW * 1000) + 2500))], "", 2.5),
        ([("X-RateLimit-Reset", str(int(NOW) + 7))], "", 7.0),
        ([("X-RateLimit-Reset", "12")], "", 12.0),
        ([("X-RateLimit-Reset", str(int(NOW) - 7))], "", 0.0),
        ([], json.dumps(OPENROUTER), 2.5),
        ([("retry-after", "1")], json.dumps(GEMINI), 1.0),
        ([("retry-after", "9" * 400)], "", MAX_DELAY_S),
        ([], "<html>try again in a minute</html>", None),
        ([], "[" * 100_000, None),
        ([], "x" * 70_000 + "try again in 2s", None),
        ([], "", None),
    ],
)
def test_each_form_gives_seconds(headers: list[tuple[str, str]], body: str, expected_s: float | None) -> None:
    assert retry_delay_s(headers, body, NOW) == (None if expected_s is None else pytest.approx(expected_s, abs=1e-3))


@given(st.dictionaries(st.sampled_from(["retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-remaining"]), st.text()), st.text())
def test_no_answer_of_a_server_breaks_the_reading(headers: dict[str, str], body: str) -> None:
    delay_s = retry_delay_s(headers.items(), body, NOW)
    assert delay_s is None or 0 <= delay_s <= MAX_DELAY_S


@pytest.mark.parametrize(
    ("text", "expected_s"),
    [("6ms", 0.006), ("1m2s", 62.0), ("0s", 0.0), ("1.5", 1.5), ("1h 2m", 3720.0), ("", None), ("s", None), ("5 parsecs", None), ("1s!", None)],
)
def test_durations_are_read(text: str, expected_s: float | None) -> None:
    assert parse_duration_s(text) == expected_s
