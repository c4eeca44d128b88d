"""A JSON body for reading: where its values stand, byte by byte, and which calls and results in it belong together.

Nothing is parsed into objects: a body of 50 MB would hold up the program for seconds, and so would every garbage collection while it is
shown. What is inside a value is found when it is asked for; only large values are looked through before, in a thread, in short steps.
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from workbench.dialects.json_document import pointer_names

Path: TypeAlias = tuple[str | int, ...]
"""The way to a value: names of members and places in arrays."""

JsonKind: TypeAlias = Literal["object", "array", "string", "number", "word"]

LARGE_BYTES = 1 << 18
"""What is inside a larger object or array is found when the body is read, not when it is opened."""

_STRING = r'"(?:[^"\\]++|\\.){0,4000}+"'  # not a long one: one match must not hold up all other threads
_FLAT = rf'[{{\[](?:[^{{}}\[\]"]++|{_STRING}){{0,4000}}+[}}\]]'
_BLANKS = re.compile(rb"[ \t\n\r]*")
_TEXT = re.compile(_STRING.encode(), re.DOTALL)
_SCALAR = re.compile(rb"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_TOKEN = re.compile(f'{_FLAT}|{_STRING}|["{{}}\\[\\]]'.encode(), re.DOTALL)
_OPEN, _QUOTE, _BACKSLASH = b"{[", ord('"'), ord("\\")
_KINDS: dict[int, JsonKind] = {ord("{"): "object", ord("["): "array", ord('"'): "string", ord("t"): "word", ord("f"): "word", ord("n"): "word"}
_BOM = b"\xef\xbb\xbf"


class NotJson(ValueError):
    """Text that is no JSON; `at` is the byte where reading ended."""

    def __init__(self, at: int) -> None:
        super().__init__(f"no JSON from byte {at:,} on")
        self.at = at


class Value(NamedTuple):
    """The bytes of one value: from its first up to, not with, `end`."""

    start: int
    end: int


class Members:
    """What is directly inside an object or an array, in order.

    Attributes:
        named: it is an object, whose members have names.
    """

    def __init__(self, *, named: bool) -> None:
        self.named = named
        self._names = array("Q")
        self._starts = array("Q")
        self._ends = array("Q")

    def __len__(self) -> int:
        return len(self._starts)

    def value(self, place: int) -> Value:
        """Return a member by its place, from 0."""
        return Value(self._starts[place], self._ends[place])

    def name_start(self, place: int) -> int:
        """Return where the name of an object's member begins, at its quotation mark."""
        return self._names[place]

    def place_at(self, offset: int) -> int | None:
        """Return which member, its name included, holds a byte; None if none does."""
        begins = self._names if self.named else self._starts
        place = bisect_right(begins, offset) - 1
        return place if place >= 0 and offset < self._ends[place] else None

    def add(self, name: int, value: Value) -> None:
        """Add a member behind the last."""
        if self.named:
            self._names.append(name)
        self._starts.append(value.start)
        self._ends.append(value.end)


class JsonBody:
    """A body as JSON. Reading may be done in a thread; after that it may be asked from any.

    Attributes:
        data: the bytes.
        root: the whole value.
    """

    def __init__(self, data: bytes) -> None:
        """Read a body.

        Raises:
            NotJson: it is none.
        """
        self.data = data
        self._known: dict[int, Members] = {}
        start = _skip(data, len(_BOM) if data.startswith(_BOM) else 0)
        self.root = Value(start, _end_of(data, start))
        behind = _skip(data, self.root.end)
        if behind != len(data):
            raise NotJson(behind)
        self._look_through(self.root)

    def kind(self, value: Value) -> JsonKind:
        """Return what a value is."""
        return _KINDS.get(self.data[value.start], "number")

    def members(self, value: Value) -> Members:
        """Return what is inside an object or an array; of anything else nothing.

        Raises:
            NotJson: it is broken; cannot happen to what was read without an error.
        """
        if self.data[value.start] not in _OPEN:
            return Members(named=False)
        return self._known.get(value.start) or _members(self.data, value)

    def has_members(self, value: Value) -> bool:
        """Say whether there is anything in a value."""
        return self.data[value.start] in _OPEN and _skip(self.data, value.start + 1) < value.end - 1

    def name(self, members: Members, place: int) -> str | int:
        """Return the name of a member, or its place in an array."""
        if not members.named:
            return place
        start = members.name_start(place)
        return self.text(Value(start, _text_end(self.data, start)))

    def text(self, value: Value, longest: int | None = None) -> str:
        """Return the characters of a string, or any other value as it is written; of a longer string only its first `longest` characters or some more."""
        raw = self.data[value.start : value.end if longest is None else min(value.end, value.start + 12 * longest + 2)]
        if not raw.startswith(b'"'):
            return raw.decode("utf-8", "replace")
        if len(raw) < value.end - value.start:
            return _beginning(raw)
        text: str = json.loads(raw.decode("utf-8", "replace"), strict=False)
        return text

    def find(self, path: Path) -> Value | None:
        """Return the value that a path leads to; None if there is none."""
        value = self.root
        for step in path:
            members = self.members(value)
            place = step if isinstance(step, int) else next((n for n in range(len(members)) if self.name(members, n) == step), len(members))
            if members.named != isinstance(step, str) or not 0 <= place < len(members):
                return None
            value = members.value(place)
        return value

    def path_at(self, offset: int) -> Path:
        """Return the way to the innermost value that holds a byte, or whose name does."""
        path: list[str | int] = []
        value = self.root
        while (place := (members := self.members(value)).place_at(offset)) is not None:
            path.append(self.name(members, place))
            value = members.value(place)
            if offset < value.start:
                break
        return tuple(path)

    def _look_through(self, value: Value) -> None:
        """Find what is inside large values, and check what is inside the others."""
        pending = [value]
        while pending:
            value = pending.pop()
            if value.end - value.start <= LARGE_BYTES or self.data[value.start] not in _OPEN:
                _check(self.data, value)
                continue
            members = self._known[value.start] = _members(self.data, value)
            pending += (members.value(place) for place in range(len(members)))


class CallLinks(NamedTuple):
    """Where the ids of calls and of their results stand in a request, by id; a call may have no result, a result no call."""

    calls: dict[str, Path]
    results: dict[str, Path]

    def partner(self, call_id: str, path: Path) -> Path | None:
        """Return where the other one of a call and its result stands; None if it is not there, or `path` is not one of the two."""
        if self.calls.get(call_id) == path:
            return self.results.get(call_id)
        return self.calls.get(call_id) if self.results.get(call_id) == path else None


_LISTS = ("messages", "input", "contents")
_ID = re.compile(rb'(?<!\\)"(?:id|call_id|tool_call_id|tool_use_id)"[ \t\n\r]*+:[ \t\n\r]*+(?=")')
_WINDOW_BYTES = 1 << 20
_NAME_BYTES = 256  # more than the longest name that is looked for, with the blanks behind it


def call_links(body: JsonBody) -> CallLinks:
    """Return which ids of calls and results stand where in a request of any dialect."""
    links = CallLinks({}, {})
    for name in _LISTS:
        items = body.find((name,)) if body.kind(body.root) == "object" else None
        for found in _ids(body.data, items) if items else ():
            path = body.path_at(found.start())
            place = _side(body, path, links)
            if place is not None:
                start = found.end()
                place.setdefault(body.text(Value(start, _text_end(body.data, start))), path)
    return links


def _ids(data: bytes, items: Value) -> Iterator[re.Match[bytes]]:
    for start, end in _windows(items.start, items.end):
        yield from (found for found in _ID.finditer(data, start, min(items.end, end + _NAME_BYTES)) if found.start() < end)


def _side(body: JsonBody, path: Path, links: CallLinks) -> dict[str, Path] | None:
    """Return whether an id is that of a call or of a result, by the object it stands in; None for all other ids."""
    match path:
        case (_, int(), "tool_calls", int(), "id"):
            return links.calls
        case (_, int(), "tool_call_id") | (_, int(), "content", int(), "tool_use_id"):
            return links.results
        case (_, int(), "content", int(), "id"):
            return links.calls if _type_of(body, path[:-1]) == "tool_use" else None
        case (_, int(), "call_id"):
            return links.results if _type_of(body, path[:-1]).endswith("_output") else links.calls
        case _:
            return None


def _type_of(body: JsonBody, path: Path) -> str:
    value = body.find((*path, "type"))
    return body.text(value) if value else ""


def path_words(path: Path) -> str:
    """Return a way to a value as people write it: ``messages[2].content[0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _members(data: bytes, value: Value) -> Members:
    named = data[value.start : value.start + 1] == b"{"
    members = Members(named=named)
    at = _skip(data, value.start + 1)
    if data[at : at + 1] in (b"}", b"]"):
        return members
    while True:
        name = at
        if named:
            at = _skip(data, _text_end(data, at))
            _expect(data, at, b":")
            at = _skip(data, at + 1)
        end = _end_of(data, at)
        members.add(name, Value(at, end))
        at = _skip(data, end)
        if at == value.end - 1:
            return members
        _expect(data, at, b",")
        at = _skip(data, at + 1)


def _skip(data: bytes, at: int) -> int:
    found = _BLANKS.match(data, at)
    return found.end() if found else at


def _expect(data: bytes, at: int, character: bytes) -> None:
    if data[at : at + 1] != character:
        raise NotJson(at)


def _text_end(data: bytes, at: int) -> int:
    """Return where the string that begins at a byte ends."""
    if found := _TEXT.match(data, at):
        return found.end()
    _expect(data, at, b'"')
    while (at := data.find(b'"', at + 1)) > 0:
        escape = at
        while data[escape - 1] == _BACKSLASH:
            escape -= 1
        if (at - escape) % 2 == 0:
            return at + 1
    raise NotJson(len(data))


def _end_of(data: bytes, at: int) -> int:
    """Return where the value that begins at a byte ends."""
    first = data[at : at + 1]
    if first and first in _OPEN:
        return _closing(data, at)
    if first == b'"':
        return _text_end(data, at)
    found = _SCALAR.match(data, at)
    if found is None or not found[0]:
        raise NotJson(at)
    return found.end()


def _closing(data: bytes, at: int) -> int:
    """Return where an object or array ends. Small flat ones and strings inside are passed over at once."""
    depth = 0
    while True:
        for found in _TOKEN.finditer(data, at):
            first, last = data[found.start()], data[found.end() - 1]
            if found.end() - found.start() > 1:
                at = found.end()
            elif first == _QUOTE:
                at = _text_end(data, found.start())
            else:
                depth += 1 if last in _OPEN else -1
                at = found.end()
            if not depth:
                return at
            if first == _QUOTE and at > found.end():
                break  # go on behind a long string
        else:
            raise NotJson(len(data))


def _check(data: bytes, value: Value) -> None:
    """Raise NotJson if something is wrong inside a value."""
    if value.end - value.start > LARGE_BYTES:  # a string: where it ends was found by its own rules
        return
    raw = data[value.start : value.end]
    try:
        msgspec.json.decode(raw, type=msgspec.Raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):  # it refuses half characters (\ud800), which are JSON
        fault = _fault(raw)
        if fault is not None:
            raise NotJson(value.start + fault) from None


def _fault(raw: bytes) -> int | None:
    """Return at which byte a text is no JSON, by the standard library; None if it is."""
    text = raw.decode("utf-8", "replace")
    try:
        json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return len(text[: error.pos].encode())
    except (ValueError, RecursionError):
        return 0
    return None


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _beginning(raw: bytes) -> str:
    """Return the characters of a string of which only the first bytes are here; an escape that was cut is left out."""
    for cut in range(len("\\u0000")):
        try:
            text: str = json.loads(raw[: len(raw) - cut].decode("utf-8", "replace") + '"', strict=False)
        except ValueError:
            continue
        return text
    return ""


def _windows(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield stretches of a megabyte: one search over fifty would hold up all other threads."""
    yield from ((at, min(end, at + _WINDOW_BYTES)) for at in range(start, end, _WINDOW_BYTES))


def path_of(pointer: str) -> Path:
    """Return the way that a JSON pointer (RFC 6901) names; steps of digits are places in arrays."""
    names = pointer_names(pointer) if pointer.startswith("/") else ()
    return tuple(int(name) if name.isdecimal() else name for name in names)
