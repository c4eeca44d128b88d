"""What logs write: whole, with the traces of errors, but without secrets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from typing_extensions import override

from workbench.redaction.redactor import Redactor

MASK = "***"


class RedactingFormatter(logging.Formatter):
    """Writes lines in which no secret stands: no known one, however short, in any spelling, and nothing that looks like one.

    What is asked for the secrets must not log.

    Attributes:
        sources: give the secrets known at a moment; may be added to and taken away from.
    """

    def __init__(self, pattern: str, secrets: Callable[[], Collection[str]]) -> None:
        super().__init__(pattern)
        self.sources = [secrets]
        self._redactor = Redactor(lambda: dict.fromkeys(self._secrets(), "key"))

    @override
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        spelled = {form for secret in self._secrets() if secret for form in (secret, repr(secret)[1:-1])}
        for form in sorted(spelled, key=len, reverse=True):  # a key that begins another one would leave the rest of that
            text = text.replace(form, MASK)
        return self._redactor.text(text).text

    def _secrets(self) -> set[str]:
        return {secret for source in tuple(self.sources) for secret in source()}


@contextmanager
def known_to_logs(secrets: Callable[[], Collection[str]]) -> Iterator[None]:
    """Let every log that is written now know these secrets too, as long as the context lasts."""
    formatters = [handler.formatter for handler in logging.getLogger().handlers if isinstance(handler.formatter, RedactingFormatter)]
    for formatter in formatters:
        formatter.sources.append(secrets)
    try:
        yield
    finally:
        for formatter in formatters:
            formatter.sources.remove(secrets)
