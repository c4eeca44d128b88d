"""A JSON text that can be edited in place: what an edit does not touch keeps its very bytes.

Containers are taken apart only where an edit leads through them; all else stays as it was written, whatever its spacing, its
spelling of letters, or the order of its members. Argument texts, signatures and the beginnings of prompts depend on that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workbench.conversation.checks import Edit
from workbench.dialects.json_text import read_json, write_json

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NEXT = re.compile(rb'["{}\[\]]')
_WORD = re.compile(rb"[^\s,\]}]+")
_INDEX = re.compile(r"0|[1-9][0-9]*")
_MARK = b"\xef\xbb\xbf"


class EditRefused(ValueError):
    """An edit leads to nothing in this document; the text says where it ended."""


@dataclass(slots=True)
class _Item:
    """A member or element: what stands before its value (spaces, key, colon), the value, and the spaces behind it."""

    before: bytes
    value: _Node
    after: bytes = b""
    key: str = ""


@dataclass(slots=True)
class _Container:
    """An object or list that was taken apart; `end` is what stands between its last item (or its opening) and its end, and its end."""

    opening: bytes
    items: list[_Item] = field(default_factory=list)
    end: bytes = b""

    @property
    def is_list(self) -> bool:
        return self.opening == b"["


_Node: TypeAlias = "bytes | _Container"


class JsonDocument:
    """A JSON text under edit.

    Args:
        text: the text; what is no JSON refuses edits.
    """

    def __init__(self, text: bytes) -> None:
        start = _SPACE.match(text, len(_MARK) if text.startswith(_MARK) else 0).end()  # type: ignore[union-attr]  # matches always
        end = len(text.rstrip(b" \t\r\n"))
        self._head, self._tail = text[:start], text[end:]
        self._root: _Node = text[start:end]

    def apply(self, edit: Edit) -> None:
        """Carry out one edit.

        Raises:
            EditRefused: a pointer leads to nothing, or to what the edit cannot be done to; nothing was changed.
        """
        match edit.op:
            case "add":
                self._add(edit.pointer, write_json(edit.value))
            case "replace":
                self._replace(edit.pointer, write_json(edit.value))
            case "remove":
                container, place = self._place(edit.pointer)
                del container.items[place]
            case "move":
                self._move(edit.source, edit.pointer)

    def value(self, pointer: str) -> Any:
        """Return the value that stands at a pointer.

        Raises:
            EditRefused: nothing stands there.
            ValueError: what stands there is no JSON.
        """
        return read_json(_joined(self._at(pointer)))

    def pieces(self) -> tuple[bytes, ...]:
        """Return the text in pieces: each element of a list that is a member of the whole is one, with the comma before it."""
        pieces: list[bytes] = []
        rest = [self._head]
        root = self._opened_root()
        for is_element, part in _parts(root) if isinstance(root, _Container) else ((False, root),):
            if is_element:
                pieces += (b"".join(rest), part)
                rest = []
            else:
                rest.append(part)
        return tuple(piece for piece in (*pieces, b"".join(rest) + self._tail) if piece)

    def text(self) -> bytes:
        """Return the whole text."""
        return self._head + _joined(self._root) + self._tail

    def _opened_root(self) -> _Node:
        try:
            root = self._open_root()
            for item in root.items if not root.is_list else ():
                if isinstance(item.value, bytes) and item.value.startswith(b"["):
                    item.value = _opened(item.value)
        except EditRefused:
            pass
        return self._root

    def _open_root(self) -> _Container:
        if isinstance(self._root, bytes):
            self._root = _opened(self._root)
        return self._root

    def _at(self, pointer: str) -> _Node:
        if not pointer:
            return self._root
        container, place = self._place(pointer)
        return container.items[place].value

    def _place(self, pointer: str) -> tuple[_Container, int]:
        """Return the container that holds what a pointer names, and its place there."""
        container, name = self._parent(pointer)
        return container, _found(container, name, pointer)

    def _parent(self, pointer: str) -> tuple[_Container, str]:
        """Return the container in which the last name of a pointer is looked for."""
        names = pointer_names(pointer)
        if not names:
            raise EditRefused(f"{pointer!r} names the whole document")
        container = self._open_root()
        for name in names[:-1]:
            item = container.items[_found(container, name, pointer)]
            if isinstance(item.value, bytes):
                item.value = _opened(item.value)
            container = item.value
        return container, names[-1]

    def _add(self, pointer: str, value: _Node) -> None:
        container, name = self._parent(pointer)
        if not container.is_list:
            place = next((place for place, item in enumerate(container.items) if item.key == name), None)
            if place is None:
                container.items.append(_Item(_indent(container) + write_json(name) + b":", value, key=name))
            else:
                container.items[place].value = value
            return
        place = len(container.items) if name == "-" else _index(name, pointer)
        if place > len(container.items):
            raise EditRefused(f"{pointer!r} is beyond the end of its list")
        container.items.insert(place, _Item(_indent(container), value))

    def _replace(self, pointer: str, value: _Node) -> None:
        if not pointer:
            self._root = value
            return
        container, place = self._place(pointer)
        container.items[place].value = value

    def _move(self, source: str, pointer: str) -> None:
        if pointer == source:
            self._place(source)
            return
        if pointer.startswith(source + "/"):
            raise EditRefused(f"{source!r} cannot be moved into itself")
        container, place = self._place(source)
        item = container.items.pop(place)
        try:
            self._add(pointer, item.value)
        except EditRefused:
            container.items.insert(place, item)
            raise


def pointer_names(pointer: str) -> tuple[str, ...]:
    """Return the names of a JSON pointer, unescaped.

    Raises:
        EditRefused: it does not begin with a slash.
    """
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise EditRefused(f"{pointer!r} is no JSON pointer")
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in pointer[1:].split("/"))


def pointer_to(*names: str | int) -> str:
    """Return the JSON pointer with these names."""
    return "".join(f"/{str(name).replace('~', '~0').replace('/', '~1')}" for name in names)


def _found(container: _Container, name: str, pointer: str) -> int:
    if container.is_list:
        place = _index(name, pointer)
        if place >= len(container.items):
            raise EditRefused(f"{pointer!r} leads to nothing")
        return place
    for place in range(len(container.items) - 1, -1, -1):  # of equal keys the last counts, as in every reader
        if container.items[place].key == name:
            return place
    raise EditRefused(f"{pointer!r} leads to nothing")


def _index(name: str, pointer: str) -> int:
    if len(name) > 9 or not _INDEX.fullmatch(name):
        raise EditRefused(f"{pointer!r} has no place in a list")
    return int(name)


def _indent(container: _Container) -> bytes:
    """Return the spaces that a new item stands behind, as its neighbours do."""
    return _SPACE.match(container.items[-1].before)[0] if container.items else b""  # type: ignore[index]  # matches always


def _joined(node: _Node) -> bytes:
    return node if isinstance(node, bytes) else b"".join(_tokens(node))


def _tokens(container: _Container) -> Iterator[bytes]:
    yield container.opening
    for place, item in enumerate(container.items):
        if place:
            yield b","
        yield item.before
        yield _joined(item.value)
        yield item.after
    yield container.end


def _parts(root: _Container) -> Iterator[tuple[bool, bytes]]:
    """Yield the text of an object, elements of its lists apart from the rest."""
    yield False, root.opening
    for place, item in enumerate(root.items):
        yield False, (b"," if place else b"") + item.before
        if isinstance(item.value, _Container) and item.value.is_list and not root.is_list:
            yield False, item.value.opening
            for number, element in enumerate(item.value.items):
                yield True, (b"," if number else b"") + element.before + _joined(element.value) + element.after
            yield False, item.value.end
        else:
            yield False, _joined(item.value)
        yield False, item.after
    yield False, root.end


def _opened(text: bytes) -> _Container:
    """Take an object or list apart, one level deep.

    Raises:
        EditRefused: it is neither, or not well formed.
    """
    opening = text[:1]
    if opening not in (b"{", b"["):
        raise EditRefused("a pointer leads into what is neither an object nor a list")
    container = _Container(opening)
    at, closing = 1, b"}" if opening == b"{" else b"]"
    space = _spaces(text, at)
    if text[space : space + 1] == closing:
        container.end = text[at:]
        return container
    while True:
        begin, key = at, ""
        at = _spaces(text, at)
        if opening == b"{":
            end = _string_end(text, at)
            key = str(read_json(text[at:end]))
            at = _spaces(text, end)
            if text[at : at + 1] != b":":
                raise EditRefused("an object is not well formed")
            at = _spaces(text, at + 1)
        value_end = _value_end(text, at)
        behind = _spaces(text, value_end)
        container.items.append(_Item(text[begin:at], text[at:value_end], text[value_end:behind], key))
        at = behind + 1
        match text[behind : behind + 1]:
            case b",":
                continue
            case found if found == closing:
                container.end = text[behind:]
                return container
            case _:
                raise EditRefused("a list or object is not well formed")


def _spaces(text: bytes, at: int) -> int:
    return _SPACE.match(text, at).end()  # type: ignore[union-attr]  # matches always


def _string_end(text: bytes, at: int) -> int:
    found = _STRING.match(text, at)
    if found is None:
        raise EditRefused("a text is not well formed")
    return found.end()


def _value_end(text: bytes, at: int) -> int:
    """Return where the value that begins at a place ends."""
    first = text[at : at + 1]
    if first == b'"':
        return _string_end(text, at)
    if first not in (b"{", b"["):
        word = _WORD.match(text, at)
        if word is None:
            raise EditRefused("a value is missing")
        return word.end()
    depth = 0
    while True:
        found = _NEXT.search(text, at)
        if found is None:
            raise EditRefused("a list or object does not end")
        at = found.end()
        match found[0]:
            case b'"':
                at = _string_end(text, found.start())
            case b"{" | b"[":
                depth += 1
            case _:
                depth -= 1
                if not depth:
                    return at
