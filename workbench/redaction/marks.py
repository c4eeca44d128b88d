"""What stands in the place of a secret.

Two kinds: in headers and addresses that people compare, the length and a fingerprint of the value; in text that goes to a model, only
what the secret is called: a short password could be guessed from its fingerprint.
"""

from __future__ import annotations

import hashlib
import re

FINGERPRINT = re.compile(r"REDACTED-\d+-[0-9a-f]{8}")
"""What `fingerprint` returns."""

MARK_BEGINS = "[REDACTED:"

MARK = re.compile(r"\[REDACTED:[A-Za-z0-9_. -]{1,40}\]")
"""What `mark` returns."""

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_. -]+")


def fingerprint(secret: str) -> str:
    """Return ``REDACTED-51-1a2b3c4d``: the secret's length in characters and the first 8 hex digits of its SHA-256."""
    digest = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"REDACTED-{len(secret)}-{digest}"


def mark(name: str) -> str:
    """Return ``[REDACTED:DB_PASSWORD]`` for a secret of that name."""
    return f"[REDACTED:{_NOT_IN_NAMES.sub('', name)[:40] or 'secret'}]"


def count_marks(text: str) -> int:
    """Return how many secrets were replaced in a text, whichever mark stands for them."""
    return len(MARK.findall(text)) + len(FINGERPRINT.findall(text))
