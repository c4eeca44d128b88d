"""Puts placeholders where known secrets stand in bytes that are about to be kept.

A placeholder is as long as what it replaces, so sizes, framing and the borders of chunks stay true. Forms looked for: as is, JSON- and
URL-escaped, and base64 at its three alignments (permissions specification, section 5).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

import msgspec

SHORTEST_SECRET = 8
"""Known secrets of fewer characters are not looked for: they would be found in ordinary text."""

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


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
        known = [secret for secret in secrets if len(secret) >= SHORTEST_SECRET]
        self._forms = tuple(sorted({form for secret in known for form in _forms(secret)}))
        self.longest = max(map(len, self._forms), default=0)

    def spans(self, data: bytes) -> tuple[Span, ...]:
        """Return where secrets stand, in order; overlapping ones are one span."""
        found = sorted(span for form in self._forms for span in _occurrences(form, data))
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
        start = max(0, len(data) - self.longest + 1)
        return max((_overlap(data, form, start) for form in self._forms), default=0)

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


def _occurrences(form: bytes, data: bytes) -> Iterator[Span]:
    at = data.find(form)
    while at >= 0:
        yield Span(at, len(form))
        at = data.find(form, at + 1)


def _overlap(data: bytes, form: bytes, start: int) -> int:
    """Return the length of the longest proper beginning of `form` with which `data` ends; looks from `start` on."""
    at = data.find(form[:1], start)
    while at >= 0:
        if len(data) - at < len(form) and data.startswith(form[: len(data) - at], at):
            return len(data) - at
        at = data.find(form[:1], at + 1)
    return 0


def _forms(secret: str) -> Iterator[bytes]:
    raw = secret.encode("utf-8", "surrogatepass")
    yield raw
    for ascii_only in (True, False):
        escaped = json.dumps(secret, ensure_ascii=ascii_only)[1:-1]
        yield escaped.encode("utf-8", "surrogatepass")
        yield escaped.replace("/", "\\/").encode("utf-8", "surrogatepass")
    yield from (form.encode() for form in (quote(raw), quote(raw, safe=""), quote_plus(raw)))
    for before in range(3):
        form = _base64_inside(raw, before)
        if len(form) >= SHORTEST_SECRET:
            yield form
            yield form.translate(_URL_SAFE)


def _base64_inside(raw: bytes, before: int) -> bytes:
    """Return the base64 characters that depend on `raw` alone when `before` (0–2) bytes stand before it in its group of three."""
    encoded = base64.b64encode(bytes(before) + raw)
    first = (0, 2, 3)[before]
    last = len(encoded) - (0, 3, 2)[(before + len(raw)) % 3]
    return encoded[first:last]
