"""Puts placeholders where known secrets stand in bytes that are about to be kept.

A placeholder is as long as what it replaces, so sizes, framing and the borders of chunks stay true. Forms looked for: as is, JSON- and
URL-escaped, and base64 at its three alignments (permissions specification, section 5).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import msgspec

from workbench.redaction.known import KnownValues


class Span(NamedTuple):
    """A replaced stretch of bytes."""

    start: int
    length: int


class Masks:
    """The forms of a set of known secrets.

    Attributes:
        longest: length of the longest form in bytes; 0 if nothing is looked for.
    """

    def __init__(self, secrets: Collection[str] = ()) -> None:
        self._values = KnownValues(dict.fromkeys(secrets, ""))
        self.longest = self._values.longest

    def spans(self, data: bytes) -> tuple[Span, ...]:
        """Return where secrets stand, in order; overlapping ones are one span."""
        found = sorted(Span(start, end - start) for start, end, _name in self._values.find(data))
        merged: list[Span] = []
        for span in found:
            if merged and span.start < sum(merged[-1]):
                start = merged[-1].start
                merged[-1] = Span(start, max(sum(merged[-1]), sum(span)) - start)
            else:
                merged.append(span)
        return tuple(merged)

    def open_tail(self, data: bytes) -> int:
        """Return how many bytes at the end may be the beginning of a secret whose rest has not come yet."""
        return self._values.open_tail(data)

    def json(self, data: bytes) -> bytes:
        """Return JSON with the secrets inside its strings replaced; the same object if there are none.

        Raises:
            msgspec.DecodeError: a secret was found, and `data` is not JSON.
        """
        if not self.spans(data):
            return data
        return msgspec.json.encode(self._in_strings(msgspec.json.decode(data)))

    def _in_strings(self, value: Any) -> Any:
        match value:
            case str():
                raw = value.encode()
                return masked(raw, self.spans(raw)).decode("utf-8", "replace")
            case list():
                return [self._in_strings(item) for item in value]
            case dict():
                return {self._in_strings(key): self._in_strings(item) for key, item in value.items()}
            case _:
                return value


class MaskSource:
    """Gives the masks of the secrets known now; rebuilt only when the secrets changed."""

    def __init__(self, secrets: Callable[[], Collection[str]]) -> None:
        self._secrets = secrets
        self._known: frozenset[str] = frozenset()
        self._masks = Masks()

    def current(self) -> Masks:
        """Return the masks; the same object as long as the secrets are the same."""
        known = frozenset(self._secrets())
        if known != self._known:
            self._known, self._masks = known, Masks(known)
        return self._masks


def masked(data: bytes, spans: Sequence[Span]) -> bytes:
    """Return `data` with each span replaced by ``REDACTED`` and as many ``*`` as it takes to keep the length."""
    if not spans:
        return data
    copy = bytearray(data)
    for start, length in spans:
        copy[start : start + length] = b"REDACTED".ljust(length, b"*")
    return bytes(copy)


def cut_spans(spans: Sequence[Span], start: int, length: int) -> tuple[Span, ...]:
    """Return the part of `spans` that lies in the window, counted from the window's start."""
    cut = (Span(max(span.start, start) - start, min(sum(span), start + length) - max(span.start, start)) for span in spans)
    return tuple(span for span in cut if span.length > 0)
