"""Replaces secrets in text and bytes, whole or as they come in pieces, by all three layers: known value, shape, place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from workbench.redaction.known import Found, KnownValues
from workbench.redaction.marks import FINGERPRINT, MARK, mark
from workbench.redaction.places import find_places, find_secret_lines, secret_stretches
from workbench.redaction.shapes import find_shapes, open_shape

CONTEXT_BYTES = 1_024
"""So much of what was let through already is looked at again: names that stand before a value."""

LONGEST_VALUE_BYTES = 4_200
"""A value behind a telling name is waited for until it is longer than any that is looked for."""

SHORTEST_HELD_BYTES = 3
"""Fewer bytes that may begin a secret are let through, else every word would be held up; the rest of the secret is replaced all the same."""

_TELLING = re.compile(rb"key|token|secret|passw|passphrase|credential|authorization|cookie|signature|sig=|://", re.IGNORECASE)
_DONE = re.compile(rb"(?:%s|%s)\Z" % (MARK.pattern.encode(), FINGERPRINT.pattern.encode()))


class Redacted(NamedTuple):
    """A text without secrets, and how many were replaced in it."""

    text: str
    replaced: int


class RedactedBytes(NamedTuple):
    """Bytes without secrets, and how many were replaced in them."""

    data: bytes
    replaced: int


def _no_values() -> Mapping[str, str]:
    return {}


def _no_refresh(_again: bool) -> None:
    """Know nothing new."""


def _no_file(_name: str) -> bool:
    return False


class Redactor:
    """Finds secrets by value, shape and place. May be used from any thread.

    Args:
        known: gives the values known at that moment, with the name that each is called by.
        refresh: looks for new values; blocking. True looks even if it did a moment ago.
        is_secret_file: says whether a file of that name holds secrets, for diffs.
    """

    def __init__(
        self,
        known: Callable[[], Mapping[str, str]] = _no_values,
        *,
        refresh: Callable[[bool], None] = _no_refresh,
        is_secret_file: Callable[[str], bool] = _no_file,
    ) -> None:
        self._known = known
        self._is_secret_file = is_secret_file
        self._seen: tuple[dict[str, str], KnownValues] = ({}, KnownValues({}))
        self.refresh = refresh

    def look(self) -> None:
        """Look for new values if that was not done a moment ago; blocking."""
        self.refresh(False)

    def text(self, text: str, *, secret_lines: bool = False) -> Redacted:
        """Return a text without secrets; the same object if there are none.

        Args:
            text: any text.
            secret_lines: it comes from a file that holds secrets: every line ``NAME=value`` loses its value.
        """
        data, replaced = self.data(text.encode("utf-8", "surrogatepass"), secret_lines=secret_lines)
        return Redacted(data.decode("utf-8", "surrogatepass") if replaced else text, replaced)

    def data(self, data: bytes, *, secret_lines: bool = False) -> RedactedBytes:
        """Return bytes without secrets; as `text`."""
        spans = self.spans(data, secret_lines=secret_lines)
        return RedactedBytes(_replaced(data, 0, len(data), spans), len(spans)) if spans else RedactedBytes(data, 0)

    def spans(self, data: bytes, *, secret_lines: bool = False) -> list[Found]:
        """Return where secrets stand, in order and apart from each other."""
        found = list(self.values().find(data))  # the better name for a secret comes first
        if secret_lines:
            found += find_secret_lines(data)
        elif b"\n+++ " in data or b"diff --git " in data:
            for start, end in secret_stretches(data, self._is_secret_file):
                found += (Found(start + one.start, start + one.end, one.name) for one in find_secret_lines(data[start:end]))
        found += (*find_shapes(data), *find_places(data))
        return _merged(data, found)

    def values(self) -> KnownValues:
        """Return what is looked for by value now; the same object as long as nothing new is known."""
        known = dict(self._known())
        seen, values = self._seen
        if known != seen:
            values = KnownValues(known)
            self._seen = (known, values)
        return values

    def stream(self, *, secret_lines: bool = False) -> RedactingStream:
        """Return a filter for bytes that come in pieces."""
        return RedactingStream(self, secret_lines=secret_lines)


class RedactingStream:
    """Lets bytes through without secrets, wherever they are cut; holds back at most `shapes.LONGEST_PEM_BYTES` that may begin one.

    Attributes:
        replaced: how many secrets were replaced so far.
    """

    def __init__(self, redactor: Redactor, *, secret_lines: bool = False) -> None:
        self.replaced = 0
        self._redactor = redactor
        self._secret_lines = secret_lines
        self._context = b""
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Take the next bytes and return what may be shown."""
        whole = self._context + self._held + data
        return self._let_through(whole, len(whole) - self._open_tail(whole))

    def end(self) -> bytes:
        """Return what was held back."""
        whole = self._context + self._held
        return self._let_through(whole, len(whole))

    def _let_through(self, whole: bytes, cut: int) -> bytes:
        base = len(self._context)
        spans = [span for span in self._redactor.spans(whole, secret_lines=self._secret_lines) if span.end > base]
        for span in spans:
            if span.start < cut < span.end:
                cut = span.start
        cut = max(cut, base)
        shown = [span for span in spans if span.end <= cut]
        self.replaced += len(shown)
        self._context, self._held = whole[max(0, cut - CONTEXT_BYTES) : cut], whole[cut:]
        return _replaced(whole, base, cut, shown)

    def _open_tail(self, whole: bytes) -> int:
        tails = (self._redactor.values().open_tail(whole), open_shape(whole), self._open_line(whole))
        return max((tail for tail in tails if tail >= SHORTEST_HELD_BYTES), default=0)

    def _open_line(self, whole: bytes) -> int:
        """Return how much of the last line is behind a telling name, so that a value may still come or go on."""
        ended = max(whole.rfind(b"\n"), whole.rfind(b"\r")) + 1  # a progress bar goes on in the same line
        line = whole[max(ended, len(whole) - LONGEST_VALUE_BYTES) :]
        if self._secret_lines and b"=" in line:
            return len(line)
        telling = _TELLING.search(line)
        return len(line) - telling.start() if telling else 0


def _merged(data: bytes, found: Iterable[Found]) -> list[Found]:
    merged: list[Found] = []
    for span in sorted(found, key=lambda one: (one.start, -one.end)):
        if _DONE.match(data, span.start, span.end):
            continue
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Found(last.start, max(last.end, span.end), last.name)
        else:
            merged.append(span)
    return merged


def _replaced(data: bytes, start: int, end: int, spans: Iterable[Found]) -> bytes:
    pieces = []
    for span in spans:
        pieces += [data[start : span.start], mark(span.name).encode()]
        start = span.end
    pieces.append(data[start:end])
    return b"".join(pieces)
