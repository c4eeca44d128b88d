"""Finds values that are known to be secret, in every spelling in which programs write them: as is, JSON- and URL-escaped, base64."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import quote, quote_plus

SHORTEST_SECRET = 8
"""Known secrets of fewer characters are not looked for: they would be found in ordinary text."""

_LISTED_BYTES = 512
"""The beginnings of forms up to this length are kept in a set, which makes it cheap to ask how bytes that still come may go on."""

_URL_SAFE = bytes.maketrans(b"+/", b"-_")


class Found(NamedTuple):
    """Where a secret stands, in bytes, and what it is called (see `marks.mark`)."""

    start: int
    end: int
    name: str


class KnownValues:
    """The forms of a set of secrets.

    Attributes:
        longest: length of the longest form in bytes; 0 if nothing is looked for.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        """Take values with the name that each is called by; those shorter than `SHORTEST_SECRET` are not looked for."""
        known = {form: name for value, name in names.items() if len(value) >= SHORTEST_SECRET for form in forms_of(value)}
        self._forms = tuple(sorted(known.items()))
        self.longest = max((len(form) for form in known), default=0)
        listed = [form for form in known if len(form) <= _LISTED_BYTES]
        self._beginnings = frozenset(form[:length] for form in listed for length in range(1, len(form)))
        self._listed = max(map(len, listed), default=1) - 1
        self._long = tuple(form for form in known if len(form) > _LISTED_BYTES)

    def find(self, data: bytes) -> Iterator[Found]:
        """Yield where secrets stand, in no order; they may overlap."""
        for form, name in self._forms:
            at = data.find(form)
            while at >= 0:
                yield Found(at, at + len(form), name)
                at = data.find(form, at + 1)

    def open_tail(self, data: bytes) -> int:
        """Return how many bytes at the end may be the beginning of a secret whose rest has not come yet."""
        long = max((_overlap(data, form) for form in self._long), default=0)
        for length in range(min(len(data), self._listed), long, -1):
            if data[-length:] in self._beginnings:
                return length
        return long


def forms_of(secret: str) -> Iterator[bytes]:
    """Yield the spellings of a secret; some may come twice."""
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


def _overlap(data: bytes, form: bytes) -> int:
    """Return the length of the longest proper beginning of `form` with which `data` ends."""
    at = data.find(form[:1], max(0, len(data) - len(form) + 1))
    while at >= 0:
        if data.startswith(form[: len(data) - at], at):
            return len(data) - at
        at = data.find(form[:1], at + 1)
    return 0
