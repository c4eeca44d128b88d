"""The argument text of a call: whether it is a whole JSON object, several glued together, cut off or broken, and how it is sent back.

Nothing here guesses: a text is never completed, and an object is never picked out of a broken one.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from workbench.conversation.messages import CallStatus
from workbench.dialects.json_text import NotStrict, escape_halves, read_json, read_strict, write_json

_IN_STRING = re.compile(r'["\\]')
_IN_VALUE = re.compile(r'["{}\[\]]')
_BETWEEN = re.compile(r"[^ \t\r\n]")
_EXTRA_BRACES = re.compile(r"[}\s]+")


class TopLevelScan:
    """Finds the top-level objects of a text that comes in pieces. Linear: no character is looked at twice.

    Attributes:
        ends: where each complete object ended, counted in characters from the start.
        stray: where the first character stands that belongs to no object; -1 while there is none.
    """

    def __init__(self) -> None:
        self.ends: list[int] = []
        self.stray = -1
        self._depth = 0
        self._string = False
        self._escape = False
        self._size = 0

    @property
    def closed(self) -> bool:
        """Whether the text so far is one or more complete objects and nothing else."""
        return bool(self.ends) and not self._depth and self.stray < 0

    @property
    def unclosed(self) -> bool:
        """Whether an object is open."""
        return self._depth > 0

    @property
    def in_string(self) -> bool:
        """Whether a string inside of an object is open."""
        return self._string

    def feed(self, text: str) -> None:
        """Take the next piece."""
        at = 1 if self._escape and text else 0
        self._escape = self._escape and not text
        while 0 <= at < len(text) and self.stray < 0:
            at = self._in_string(text, at) if self._string else self._in_value(text, at) if self._depth else self._between(text, at)
        self._size += len(text)

    def _in_string(self, text: str, at: int) -> int:
        match = _IN_STRING.search(text, at)
        if match is None:
            return -1
        if match[0] == '"':
            self._string = False
            return match.end()
        self._escape = match.end() == len(text)
        return match.end() + 1

    def _in_value(self, text: str, at: int) -> int:
        match = _IN_VALUE.search(text, at)
        if match is None:
            return -1
        if match[0] == '"':
            self._string = True
        else:
            self._depth += 1 if match[0] in "{[" else -1
            if not self._depth:
                self.ends.append(self._size + match.end())
        return match.end()

    def _between(self, text: str, at: int) -> int:
        match = _BETWEEN.search(text, at)
        if match is None:
            return -1
        if match[0] == "{":
            self._depth = 1
        else:
            self.stray = self._size + match.start()
        return match.end()


class Judged(NamedTuple):
    """What an argument text is.

    Attributes:
        texts: the argument text, or the texts of several calls that were glued into it.
        status: of all of them.
        repaired: something was cut away or apart.
    """

    texts: tuple[str, ...]
    status: CallStatus
    repaired: bool = False


def judge(raw: str, *, cut: bool = False, may_split: bool = False) -> Judged:
    """Say what the argument text of a finished call is.

    Args:
        raw: the text as the model wrote it.
        cut: the answer did not come to its own end, so that an empty text does not mean "no arguments".
        may_split: there is reason to think that the server glued several calls together.
    """
    if not raw.strip():
        return Judged((raw,), "truncated") if cut else Judged(("{}",), "complete")
    try:
        value = read_json(raw)
    except ValueError:
        return _judge_broken(raw, may_split)
    return Judged((raw,), "truncated" if cut and not isinstance(value, dict) else "complete")


def same_value(left: str, right: str) -> bool:
    """Say whether two argument texts mean the same."""
    if left == right:
        return True
    first = _canonical(left)
    return first is not None and first == _canonical(right)


def replay_text(raw: str) -> str:
    """Return argument text that every endpoint takes: the very text if it is an object, else an object that holds the text.

    Endpoints that hand arguments on to Anthropic, Gemini or a chat template refuse anything but an object, and then they refuse
    the whole conversation for ever.
    """
    if not raw.strip():
        return "{}"
    text = escape_halves(raw)
    try:
        if isinstance(read_strict(text), dict):
            return text
    except NotStrict:
        pass
    try:
        value = read_json(text)
    except ValueError:
        return _dump({"INVALID_JSON": raw})
    if isinstance(value, dict):  # it holds half characters, or control characters inside of strings, which strict readers refuse
        return _dump(value)
    return _inner_object(value) or _dump({"INVALID_JSON": raw})


def _judge_broken(raw: str, may_split: bool) -> Judged:
    scan = TopLevelScan()
    scan.feed(raw)
    parts = [raw[start:end].strip() for start, end in zip([0, *scan.ends], scan.ends, strict=False)]
    meanings = [_canonical(part) for part in parts]
    if not parts or None in meanings:
        return Judged((raw,), "truncated" if scan.unclosed and not scan.ends else "invalid_json")
    rest = raw[scan.ends[-1] :]
    if rest.strip():
        return Judged((parts[0],), "complete", repaired=True) if len(parts) == 1 and _EXTRA_BRACES.fullmatch(rest) else Judged((raw,), "invalid_json")
    different = (parts[0], *(part for part, meaning in zip(parts[1:], meanings[1:], strict=True) if meaning != meanings[0]))
    if len(different) > 1 and not may_split:
        return Judged((raw,), "invalid_json")
    return Judged(different, "complete", repaired=True)


def _canonical(text: str) -> str | None:
    """Return a form that is equal for equal values; None if the text is not JSON."""
    try:
        return json.dumps(read_json(text), sort_keys=True)
    except (ValueError, RecursionError):
        return None


def _inner_object(value: Any) -> str:
    """Return the object that was written as JSON inside of a JSON string; empty if it is none."""
    if not isinstance(value, str):
        return ""
    try:
        inner = read_json(value)
    except ValueError:
        return ""
    return _dump(inner) if isinstance(inner, dict) else ""


def _dump(value: Any) -> str:
    return write_json(value).decode()
