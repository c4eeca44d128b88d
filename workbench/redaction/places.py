"""Finds secrets by the place where they stand in a text: behind a header's name, in an address, behind a name that says so.

Source code is full of such names, so what stands there must look like a key: a template, a variable, a word or a test's password stays.
In lines of a file that is known to hold secrets (`secret_lines`) every value goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workbench.redaction.known import Found

_HEADER_NAMES = b"authorization x-api-key api-key x-goog-api-key x-auth-token x-access-token x-amz-security-token subscription-key".split()
_COOKIE_NAMES = b"cookie".split()
_SECRET_NAMES = b"password passwd secret token api_key apikey access_key private_key credential passphrase".split()

_HEADER = re.compile(
    rb"(?i)[a-z-]{6,24}[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?:(?:bearer|basic|token|digest|apikey|key)[ \t]{1,3})?(?P<value>[A-Za-z0-9._~+/=-]{8,4096})"
)
_COOKIE = re.compile(rb"cookie[\"']?:[ \t]{1,3}(?P<value>[A-Za-z0-9_.-]{1,64}=[^\r\n\"']{8,4096})", re.IGNORECASE)
_ASSIGNED = re.compile(
    rb"[A-Za-z0-9_.-]{4,48}[\"']?[ \t]{0,3}(?:=>|:=|=|:)[ \t]{0,3}(?P<quote>[\"'])?(?P<value>[^\s\"'`,;(){}<>\[\]$|&\\]{8,513})(?P<end>[\s\"'`,;)&}\\]|\Z)?"
)
_USER_INFO = re.compile(rb"://[^\s/?#@:\"'<>]{0,128}:(?P<value>[^\s/?#@\"'<>{}$*]{6,256})@")
_QUERY = re.compile(
    rb"[?&](?:[a-z]{1,16}[_-])?(?:key|token|secret|password|sig|signature|credential|api_?key)=(?P<value>[^?&\s\"'<>#;{}$\\]{8,2048})", re.IGNORECASE
)
_SECRET_LINE = re.compile(
    rb"^[ \t]*(?:[^\s:=]{1,200}:)?(?:\d{1,7}[:\t-] ?)?[+\-> ]?[ \t]{0,8}(?:export |set |# ?)?"
    rb"(?P<name>[A-Za-z_][A-Za-z0-9_.-]{0,63})[ \t]*=[ \t]*(?P<value>[^\s\\][^\r\n]{2,4000})",
    re.MULTILINE,
)
_DIFF_GIT = re.compile(rb"^diff --git \"?a/([^\r\n]{1,500}?)\"? \"?b/([^\r\n]{1,500})", re.MULTILINE)
_DIFF_PLAIN = re.compile(rb"^--- ([^\r\n\t]{1,500})[^\r\n]{0,100}\r?\n\+\+\+ ([^\r\n\t]{1,500})", re.MULTILINE)
_IDENTIFIERS = re.compile(rb"[A-Za-z_][A-Za-z_0-9]*(?:[.:/-][A-Za-z_][A-Za-z_0-9]*)*")
_ORDINARY = re.compile(rb"(?:[a-z][a-z-]*://|[./~])[^\s]*|\d[\d.:_]*[a-zA-Z%]{0,3}", re.IGNORECASE)
_ENTROPY_BYTES = 16


def find_places(data: bytes) -> Iterator[Found]:
    """Yield where secrets stand behind headers, in addresses and behind telling names, in no order."""
    lowered = data.lower()
    for name in _HEADER_NAMES:
        yield from _behind(data, lowered, name, _HEADER, "header")
    for name in _COOKIE_NAMES:
        yield from _behind(data, lowered, name, _COOKIE, "cookie")
    for name in _SECRET_NAMES:
        yield from _behind(data, lowered, name, _ASSIGNED, name.decode())
    yield from _behind(data, data, b"://", _USER_INFO, "password")
    for name in (b"key=", b"token=", b"secret=", b"password=", b"sig=", b"signature=", b"credential="):
        yield from _queries(data, lowered, name)


def find_secret_lines(data: bytes) -> Iterator[Found]:
    """Yield the values of all lines ``NAME=value``, whatever they look like: for what a file of secrets is shown by."""
    for found in _SECRET_LINE.finditer(data):
        start, end = found.span("value")
        yield Found(start, end, found["name"].decode())


def secret_stretches(data: bytes, is_secret: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a diff that show files which hold secrets by their name."""
    pattern = _DIFF_GIT if b"diff --git " in data else _DIFF_PLAIN
    files = [(found.start(), found.groups()) for found in pattern.finditer(data)]
    for number, (start, names) in enumerate(files):
        if any(is_secret(name.decode("utf-8", "replace").strip('"')) for name in names if name):
            yield start, files[number + 1][0] if number + 1 < len(files) else len(data)


def is_random(value: bytes) -> bool:
    """Say whether a value looks like a key: long or of many kinds of characters, no identifier, path, address or number."""
    digits = sum(byte in b"0123456789" for byte in value)
    upper, lower = value.lower() != value, value.upper() != value
    if not digits or not (upper or lower) or _ORDINARY.fullmatch(value):
        return False
    if _IDENTIFIERS.fullmatch(value) and (digits < 3 or b"." in value):
        return False
    return len(value) >= _ENTROPY_BYTES or (upper and lower and len(value) >= 10)


def _behind(data: bytes, lowered: bytes, anchor: bytes, pattern: re.Pattern[bytes], name: str) -> Iterator[Found]:
    at = lowered.find(anchor)
    while at >= 0:
        found = pattern.match(data, at)
        if found and found.groupdict().get("end", b"") is not None and _counts(anchor, found["value"]):
            yield Found(*found.span("value"), name)
        at = lowered.find(anchor, found.end() if found else at + len(anchor))  # not into what was read: the cost stays that of a search


def _queries(data: bytes, lowered: bytes, anchor: bytes) -> Iterator[Found]:
    at = lowered.find(anchor)
    while at >= 0:
        begin = max(lowered.rfind(b"?", max(0, at - 24), at), lowered.rfind(b"&", max(0, at - 24), at))
        found = _QUERY.match(data, begin) if begin >= 0 else None
        if found and is_random(found["value"]):
            yield Found(*found.span("value"), "query")
        at = lowered.find(anchor, max(at + len(anchor), found.end() if found else 0))


def _counts(anchor: bytes, value: bytes) -> bool:
    return is_random(value) or (anchor == b"://" and _is_password(value))


def _is_password(value: bytes) -> bool:
    """Say whether a password in an address is meant to be one: examples are words."""
    return any(byte in b"0123456789" for byte in value) or len(value) > _ENTROPY_BYTES
