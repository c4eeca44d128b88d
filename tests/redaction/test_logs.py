"""Log lines, arguments and traces of errors hold no secret."""

from __future__ import annotations

import logging
import sys

from workbench.redaction.logs import RedactingFormatter

KEY = "canary-key-1f0e"
TOKEN = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"  # noqa: S105 - nobody's


def _line(message: str, *arguments: object) -> str:
    try:
        int(f"{KEY} and {TOKEN}")
    except ValueError:
        record = logging.LogRecord("n", logging.ERROR, __file__, 1, message, arguments, sys.exc_info())
    return RedactingFormatter("%(levelname)s %(message)s", lambda: (KEY, "pin1")).format(record)


def test_message_arguments_and_trace_are_without_secrets() -> None:
    text = _line("sent %s to %r: Authorization: Bearer %s", KEY, {"key": KEY, "other": TOKEN}, "a1b2c3d4e5f6g7h8")
    assert text.startswith("ERROR sent *** to {'key': '***', 'other': '[REDACTED:GitHub token]'}: Authorization: Bearer [REDACTED:header]")
    assert "*** and [REDACTED:GitHub token]" in text
    assert "test_logs.py" in text


def test_short_secrets_are_hidden_too() -> None:
    assert _line("the code is pin1").startswith("ERROR the code is ***")
