"""Rules about calls and their results: each call answered once, right after it, under an id that is its own, and how each fault is mended."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.base import Quirks
from workbench.dialects.calls import derived_id
from workbench.dialects.findings import error, warning
from workbench.dialects.history import INTERRUPTED

LONGEST_ID = 40
_MISTRAL_ID = re.compile(r"[a-zA-Z0-9]{9}")


@dataclass(slots=True)
class _Call:
    """A call: its message and place there, its id (None without one), and where its result is, if it has one; `late` if not directly behind."""

    message: int
    number: int
    call_id: str | None
    result: int | None = None
    late: bool = False
    repeats: tuple[int, ...] = ()

    @property
    def pointer(self) -> str:
        return f"/messages/{self.message}/tool_calls/{self.number}"


@dataclass(slots=True)
class _Turn:
    """A message with calls; `end` is the place behind the results that follow it directly."""

    message: int
    calls: list[_Call]
    end: int


class _Used(set[str | None]):
    """The ids of a request, and from which number on a new one is sought for each: an id that every turn has is not tried anew from the first."""

    def __init__(self, ids: Iterable[str | None]) -> None:
        super().__init__(ids)
        self.times: dict[str, int] = {}


class _Pairs:
    """Which result belongs to which call; each belongs to the nearest earlier turn that has an open call of its id."""

    def __init__(self, messages: Sequence[JsonObject]) -> None:
        self.turns: list[_Turn] = []
        self.orphans: list[tuple[int, Any]] = []
        self.repeated: list[tuple[int, str | None]] = []
        for place, message in enumerate(messages):
            if message.get("role") == "tool":
                self._take(place, _text(message.get("tool_call_id")))
            elif message.get("role") == "assistant" and isinstance(message.get("tool_calls"), list) and message["tool_calls"]:
                written = enumerate(message["tool_calls"])  # what is no call has a shape to be mended by a person first
                calls = [_Call(place, number, id_of(call)) for number, call in written if isinstance(call, dict)]
                self.turns.append(_Turn(place, calls, place + 1))

    def _take(self, place: int, call_id: str | None) -> None:
        for age, turn in enumerate(reversed(self.turns)):
            direct = age == 0 and turn.end == place
            same = [call for call in turn.calls if call.call_id == call_id]
            if waiting := next((call for call in same if call.result is None), None):
                waiting.result, waiting.late = place, not direct
                turn.end += direct
                return
            if same and direct:
                same[0].repeats += (place,)
                self.repeated.append((place, call_id))
                turn.end += 1
                return
        if self.turns and self.turns[-1].end == place:
            self.turns[-1].end += 1
        self.orphans.append((place, call_id))


def check_pairs(messages: Sequence[JsonObject], quirks: Quirks) -> Iterator[Finding]:
    """Yield what is wrong with calls, results and ids; `messages` holds an empty object where there is none."""
    pairs = _Pairs(messages)
    found: list[tuple[int, Finding]] = []
    for turn in pairs.turns:
        for call in turn.calls:
            if call.result is None or call.late:
                found.append((turn.message, _unanswered(call, turn)))
            if call.result is not None and call.late:
                found.append((call.result, _late(call, turn)))
    found += ((place, _repeated(place, call_id)) for place, call_id in pairs.repeated)
    found += ((place, _orphan(place, call_id)) for place, call_id in pairs.orphans)
    yield from (finding for _, finding in sorted(found, key=lambda one: one[0]))
    yield from _ids(pairs, quirks)


def id_of(call: Any) -> str | None:
    """Return a call's id; None if it has none."""
    return _text(call.get("id")) if isinstance(call, dict) else None


def made_up(call_id: str) -> JsonObject:
    """Return the result of a call whose own result is missing."""
    return {"role": "tool", "tool_call_id": call_id, "content": INTERRUPTED}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _unanswered(call: _Call, turn: _Turn) -> Finding:
    return error(
        "chat.unanswered-call",
        call.pointer,
        f"The call {call.call_id!r} is not answered by a tool message directly after it.",
        "Move its result here." if call.late else "Add a result that says the call was interrupted.",
        *(_moved(call, turn) if call.late else _added(call.call_id, turn)),
    )


def _late(call: _Call, turn: _Turn) -> Finding:
    return error(
        "chat.late-result",
        f"/messages/{call.result}",
        f"The result of {call.call_id!r} does not follow its call at once.",
        "Move it directly behind the call.",
        *_moved(call, turn),
    )


def _moved(call: _Call, turn: _Turn) -> tuple[Edit, ...]:
    return (Edit(op="move", source=f"/messages/{call.result}", pointer=f"/messages/{turn.end}"),)


def _added(call_id: str | None, turn: _Turn) -> tuple[Edit, ...]:
    """Return the edit that makes up a result; a call without an id gets both at once, see `_no_id`."""
    return (Edit(op="add", pointer=f"/messages/{turn.end}", value=made_up(call_id)),) if call_id is not None else ()


def _repeated(place: int, call_id: str | None) -> Finding:
    return error("chat.duplicate-result", f"/messages/{place}", f"The call {call_id!r} has two results.", "Keep the first.", _removed(place))


def _orphan(place: int, call_id: Any) -> Finding:
    text = f"The result of {call_id!r} has no call before it."
    return error("chat.orphan-result", f"/messages/{place}", text, "Leave the result out.", _removed(place))


def _removed(place: int) -> Edit:
    return Edit(op="remove", pointer=f"/messages/{place}")


def _ids(pairs: _Pairs, quirks: Quirks) -> Iterator[Finding]:
    used = _Used(call.call_id for turn in pairs.turns for call in turn.calls)
    seen: set[str] = set()
    for turn in pairs.turns:
        here: set[str] = set()
        for call in turn.calls:
            if call.call_id is None:
                yield _no_id(call, turn, used, quirks)
                continue
            yield from _form(call, used, quirks)
            if call.call_id in here:
                text = f"Two calls of one turn have the id {call.call_id!r}."
                yield error("chat.duplicate-call-id", f"{call.pointer}/id", text, "Rename one, and its result.", *_renamed(call, used, quirks))
            elif call.call_id in seen:
                yield warning(
                    "chat.reused-call-id",
                    f"{call.pointer}/id",
                    f"The id {call.call_id!r} was used in an earlier turn; some servers take the wrong result for it.",
                    "Rename it on the call and its result.",
                    *_renamed(call, used, quirks),
                )
            here.add(call.call_id)
        seen |= here


def _no_id(call: _Call, turn: _Turn, used: _Used, quirks: Quirks) -> Finding:
    new = _new_id(f"{call.message} {call.number}", used, quirks)
    naming = Edit(op="add", pointer=f"{call.pointer}/id", value=new)
    if call.result is None:
        answering = Edit(op="add", pointer=f"/messages/{turn.end}", value=made_up(new))
    else:
        answering = Edit(op="add", pointer=f"/messages/{call.result}/tool_call_id", value=new)
    return error("chat.no-call-id", f"{call.pointer}/id", "A call has no id.", "Give it one, on the call and its result.", naming, answering)


def _form(call: _Call, used: _Used, quirks: Quirks) -> Iterator[Finding]:
    call_id = call.call_id or ""
    if quirks.call_id_format == "mistral":
        if not _MISTRAL_ID.fullmatch(call_id):
            text = f"The call id {call_id!r} must be nine letters or digits for Mistral."
            yield error("chat.mistral-id", f"{call.pointer}/id", text, "Map it, on the call and its result.", *_renamed(call, used, quirks))
    elif len(call_id) > LONGEST_ID:
        text = f"The call id has {len(call_id)} characters, at most {LONGEST_ID} are allowed."
        yield error("chat.call-id-length", f"{call.pointer}/id", text, "Shorten it, on the call and its result.", *_renamed(call, used, quirks))


def _renamed(call: _Call, used: _Used, quirks: Quirks) -> Iterator[Edit]:
    """Yield the edits that give a call and its results an id of their own."""
    new = _new_id(call.call_id or "", used, quirks)
    yield Edit(op="replace", pointer=f"{call.pointer}/id", value=new)
    for place in (*((call.result,) if call.result is not None else ()), *call.repeats):
        yield Edit(op="replace", pointer=f"/messages/{place}/tool_call_id", value=new)


def _new_id(call_id: str, used: _Used, quirks: Quirks) -> str:
    """Return an id that nothing else has, made of the old one; the same for the same conversation."""
    new, again = "", used.times.get(call_id, 1)
    while not new or new in used:
        text = call_id if again == 1 else f"{call_id} {again}"
        mistral = quirks.call_id_format == "mistral"
        new = hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()[:9] if mistral else derived_id(text)
        again += 1
    used.add(new)
    used.times[call_id] = again
    return new
