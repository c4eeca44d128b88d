"""What logs write: whole, with the traces of errors, but without secrets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection

from typing_extensions import override

from workbench.redaction.redactor import Redactor

MASK = "***"


class RedactingFormatter(logging.Formatter):
    """Writes lines in which no secret stands: no known one, however short, in any spelling, and nothing that looks like one.

    What is asked for the secrets must not log.
    """

    def __init__(self, pattern: str, secrets: Callable[[], Collection[str]]) -> None:
        super().__init__(pattern)
        self._secrets = secrets
        self._redactor = Redactor(lambda: dict.fromkeys(secrets(), "key"))

    @override
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        spelled = {form for secret in self._secrets() if secret for form in (secret, repr(secret)[1:-1])}
        for form in sorted(spelled, key=len, reverse=True):  # a key that begins another one would leave the rest of that
            text = text.replace(form, MASK)
        return self._redactor.text(text).text
