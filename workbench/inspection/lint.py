"""What a finding means in a request: the message it speaks of, and what its repair changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.messages import ModelRequest
from workbench.dialects.json_text import read_json
from workbench.dialects.repairs import with_edits

_LISTS = ("messages", "input", "contents")
_CALL_IDS = ("id", "call_id", "tool_call_id", "tool_use_id")
_RESULT_KINDS = ("tool_result", "function_call_output", "custom_tool_call_output")
_LONGEST_EXCERPT = 1200
_SHORT, _AROUND = 400, 4


class Change(NamedTuple):
    """What a repair does to the part of the body that it touches: JSON before and after, laid out for reading; empty where there is none."""

    pointer: str
    before: str
    after: str


class Spot(NamedTuple):
    """What a finding speaks of in the conversation: a message of `ModelRequest.messages` by its place, and a call in it if there is one."""

    message: int
    call_id: str = ""
    is_result: bool = False


def change_of(body: bytes, finding: Finding) -> Change | None:
    """Return what the repair of a finding changes; None if it has none, or does not fit this body.

    Args:
        body: the request's bytes.
        finding: one about this body.
    """
    if not finding.edits:
        return None
    edited = with_edits(body, finding.edits)
    if edited.skipped:
        return None
    pointer = _common(finding.edits)
    return Change(pointer, *_where_they_differ(_laid_out(read_json(body), pointer), _laid_out(read_json(edited.body), pointer)))


def spot_of(body: bytes, finding: Finding, request: ModelRequest) -> Spot | None:
    """Return what a finding speaks of in a conversation; None if it is about no message, or about one that is not there any more.

    The item of the body is found again by the ids of its calls, else by its words.
    """
    try:
        value = read_json(body)
    except ValueError:
        return None
    steps = finding.pointer.split("/")[1:]
    if len(steps) < 2 or steps[0] not in _LISTS or not isinstance(value, dict):
        return None
    whole = item = _below(value.get(steps[0]), steps[1])
    for step in steps[2:]:
        below = _below(item, step)
        item = below if isinstance(below, dict | list) else item
    return _by_ids(item, request) or _by_ids(whole, request) or _by_words(whole, request)


def _by_ids(item: Any, request: ModelRequest) -> Spot | None:
    found = next(_ids_in(item), None)
    if found is None:
        return None
    call_id, is_result = found
    for place, message in enumerate(request.messages):
        parts = message.results() if is_result else message.calls()
        if any(call_id in (part.call_id, getattr(part, "wire_id", "")) for part in parts):
            return Spot(place, call_id, is_result)
    return None


def _ids_in(item: Any) -> Iterator[tuple[str, bool]]:
    """Yield the ids of calls in a piece of a body, and whether each stands on a result."""
    if isinstance(item, dict):
        is_result = item.get("role") in ("tool", "function") or item.get("type") in _RESULT_KINDS
        for name in _CALL_IDS:
            if isinstance(call_id := item.get(name), str) and call_id:
                yield call_id, is_result or name in ("tool_call_id", "tool_use_id")
        for value in item.values():
            yield from _ids_in(value)
    elif isinstance(item, list):
        for value in item:
            yield from _ids_in(value)


def _by_words(item: Any, request: ModelRequest) -> Spot | None:
    words = max(_words_in(item), key=len, default="")
    for place in range(len(request.messages) - 1, -1, -1):
        if words and words in (request.messages[place].text(), request.messages[place].reasoning()):
            return Spot(place)
    return None


def _words_in(item: Any) -> Iterator[str]:
    match item:
        case str():
            yield item
        case dict():
            for value in item.values():
                yield from _words_in(value)
        case list():
            for value in item:
                yield from _words_in(value)
        case _:
            pass


def _common(edits: tuple[Edit, ...]) -> str:
    """Return the pointer to the smallest piece that holds all that the edits touch: what stands around each of them."""
    touched = [place for edit in edits for place in (edit.pointer, edit.source) if place]
    around = [place.split("/")[:-1] for place in touched]
    common = around[0]
    for steps in around[1:]:
        common = common[: next((n for n, (one, other) in enumerate(zip(common, steps, strict=False)) if one != other), min(len(common), len(steps)))]
    return "/".join(common)


def _below(value: Any, step: str) -> Any:
    if isinstance(value, list):
        return value[int(step)] if step.isdecimal() and int(step) < len(value) else None
    return value.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(value, dict) else None


def _laid_out(value: Any, pointer: str) -> str:
    for step in pointer.split("/")[1:]:
        value = _below(value, step)
    return json.dumps(value, ensure_ascii=False, indent=2)


def _where_they_differ(before: str, after: str) -> tuple[str, str]:
    """Return both texts, long ones without the lines that are alike at their beginning and end, but for a few."""
    if max(len(before), len(after)) <= _SHORT:
        return before, after
    sides = before.split("\n"), after.split("\n")
    least = min(map(len, sides))
    alike = next((line for line in range(least) if sides[0][line] != sides[1][line]), least)
    behind = next((line for line in range(least - alike) if sides[0][-1 - line] != sides[1][-1 - line]), least - alike)
    first, last = max(0, alike - _AROUND), max(0, behind - _AROUND)
    return _clipped(sides[0], first, last), _clipped(sides[1], first, last)


def _clipped(lines: Sequence[str], first: int, last: int) -> str:
    text = "\n".join((*(["…"] if first else []), *lines[first : len(lines) - last], *(["…"] if last else [])))
    return text if len(text) <= _LONGEST_EXCERPT else text[:_LONGEST_EXCERPT] + "…"
