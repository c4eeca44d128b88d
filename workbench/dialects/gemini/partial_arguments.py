"""Arguments of a call that stream in pieces, each with the path of the member it belongs to (Vertex's `partialArgs`).

A piece whose path leads nowhere makes the arguments unreadable; nothing is guessed.
"""

from __future__ import annotations

import itertools
import re
from typing import Any, NamedTuple

from workbench.conversation.values import JsonObject
from workbench.dialects.json_text import write_json

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue", "string_value", "number_value", "bool_value", "null_value")
_DEEPEST = 64


class PartialArguments:
    """The arguments of one call, as far as they came."""

    def __init__(self, begun: JsonObject) -> None:
        self._value = begun
        self._odd: list[Any] = []
        self._open: set[str] = set()
        self._grown: _Growing | None = None

    def add(self, pieces: Any) -> None:
        """Take the pieces of one chunk."""
        for piece in pieces if isinstance(pieces, list) else [pieces]:
            if not isinstance(piece, dict) or not self._take(piece):
                self._odd.append(piece)

    def text(self, *, cut: bool) -> str:
        """Return the argument text: JSON, without its end if the answer was `cut` or a text in it is still open."""
        self._settle()
        written = write_json(self._value).decode()
        if self._odd:
            return f"{written} {write_json(self._odd).decode()}"
        return written[:-1] if cut or self._open else written

    def _take(self, piece: JsonObject) -> bool:
        path = piece.get("jsonPath", piece.get("json_path"))
        name = next((name for name in _VALUES if name in piece), None)
        if not isinstance(path, str) or name is None:
            return False
        value = None if name in ("nullValue", "null_value") else piece[name]
        if self._grown is not None and self._grown.path == path and path in self._open and isinstance(value, str):
            self._grown.pieces.append(value)
        elif not self._put(path, value):
            return False
        (self._open.add if piece.get("willContinue", piece.get("will_continue")) is True else self._open.discard)(path)
        return True

    def _put(self, path: str, value: Any) -> bool:
        """Put a value into its place; a text that goes on later than the one that grows now is appended to what is there."""
        self._settle()
        steps = _steps(path)
        holder: Any = _holder(self._value, steps) if steps else None
        if not steps or holder is None or not _fits(holder, steps[-1]):
            return False
        step = steps[-1]
        known = step in holder if isinstance(step, str) else step < len(holder)
        if not known and isinstance(step, int):
            holder.append(value)
        else:
            before = holder[step] if known and path in self._open else None
            holder[step] = before + value if isinstance(before, str) and isinstance(value, str) else value
        self._grown = _Growing(path, holder, step, [holder[step]]) if isinstance(value, str) else None
        return True

    def _settle(self) -> None:
        """Put the text that grew into its place."""
        if self._grown is not None:
            self._grown.holder[self._grown.step] = "".join(self._grown.pieces)
            self._grown = None


class _Growing(NamedTuple):
    """A text that comes in many pieces; they are joined once, so that long texts take linear time."""

    path: str
    holder: Any
    step: str | int
    pieces: list[str]


def _steps(path: str) -> list[str | int] | None:
    """Return the names and places of a path; None if it is none that is understood."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None or len(steps) >= _DEEPEST:
            return None
        name, place, single, double = found.groups()
        quoted = single if single is not None else double
        steps.append(int(place) if place is not None else name if name is not None else re.sub(r"\\(.)", r"\1", quoted))
        at = found.end()
    return steps


def _holder(value: Any, steps: list[str | int]) -> Any:
    """Return the object or list that the last step leads into, made where it is missing; None where another kind of value stands."""
    for step, following in itertools.pairwise(steps):
        empty: Any = [] if isinstance(following, int) else {}
        if isinstance(step, str) and isinstance(value, dict):
            value = value.setdefault(step, empty)
        elif isinstance(step, int) and isinstance(value, list) and step <= len(value):
            if step == len(value):
                value.append(empty)
            value = value[step]
        else:
            return None
    return value


def _fits(holder: Any, step: str | int) -> bool:
    """Say whether a member or an element can be put into a container there: a new element only at the end."""
    if isinstance(step, str):
        return isinstance(holder, dict)
    return isinstance(holder, list) and step <= len(holder)
