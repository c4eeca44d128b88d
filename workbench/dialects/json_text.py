"""Reading and writing JSON at the wire's edge: fast where the text is as it should be, forgiving where it is not.

Providers send NaN, half characters (lone surrogates), numbers without limit and control characters inside strings; none of these
may cost an answer.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import msgspec

_decode = msgspec.json.Decoder().decode
_encode = msgspec.json.Encoder().encode
_HALVES = re.compile("[\ud800-\udfff]")


class NotStrict(Exception):
    """A text that the fast reader does not take; `read_json` may."""


def read_strict(text: str | bytes) -> Any:
    """Return the value of a JSON text that is exactly JSON in UTF-8 and holds no half characters; five times as fast as `read_json`.

    Raises:
        NotStrict: it is not.
    """
    try:
        return _decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise NotStrict from error


def read_json(text: str | bytes) -> Any:
    """Return the value of a JSON text, taking also NaN, lone surrogates, control characters in strings and a byte order mark.

    The last of equal keys wins. Bytes that are not UTF-8 become U+FFFD.

    Raises:
        ValueError: not JSON, nested too deeply, or a number with thousands of digits.
    """
    try:
        return _decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    try:
        return json.loads(words.removeprefix("\ufeff"), strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def write_json(value: Any) -> bytes:
    """Return a value as compact UTF-8 JSON; half characters become U+FFFD, NaN and infinity null."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, RecursionError, TypeError, OverflowError):
        return json.dumps(_writable(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def escape_halves(text: str) -> str:
    r"""Return JSON text in which half characters stand as ``\udxxx``: the same value, but storable and sendable as UTF-8."""
    return _HALVES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _writable(value: Any) -> Any:
    match value:
        case str():
            return _HALVES.sub("\ufffd", value)
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple():
            return [_writable(item) for item in value]
        case dict():
            return {_writable(str(key)): _writable(item) for key, item in value.items()}
        case _:
            return value
