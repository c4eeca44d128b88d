"""Rules about calls and their results: as many, in one content right behind the calls, in the same order, under the same names."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from workbench.conversation.checks import Edit, Finding
from workbench.dialects.findings import error, warning
from workbench.dialects.gemini.content_rules import empty_after
from workbench.dialects.gemini.parts import NAME_PATTERN, plain_name
from workbench.dialects.gemini.request_view import Item, calls_of, is_model, parts_of, results_of
from workbench.dialects.history import INTERRUPTED


class _Turn(NamedTuple):
    """A content with calls, and the results found for them.

    Attributes:
        place: of the content with the calls.
        calls: the calls.
        found: the result of each call, by the call's number.
        results: all results of the content behind, in order.
        more: places of further contents with nothing but results.
    """

    place: int
    calls: list[Item]
    found: dict[int, Item]
    results: list[Item]
    more: list[int]


def check_turns(contents: list[Any], declared: Collection[str] = ()) -> Iterator[Finding]:
    """Yield what is wrong between calls and results. Names of `declared` tools are right or wrong there."""
    taken: set[int] = set()
    seen: set[str] = set()
    times: dict[str, int] = {}
    for place in range(len(contents)):
        calls = calls_of(contents, place)
        if not calls:
            continue
        late = _late(contents, place)
        if late is not None:
            taken.add(late)
            yield error(
                "gemini.late-results",
                f"/contents/{late}",
                "Results do not follow their calls at once.",
                "Move them directly behind the calls.",
                Edit(op="move", source=f"/contents/{late}", pointer=f"/contents/{place + 1}"),
            )
            continue
        turn = _turn(contents, place, calls)
        taken |= {place + 1, *turn.more}
        yield from _of_turn(contents, turn, declared)
        yield from _ids(turn, seen, times)
    for place in set(range(len(contents))) - taken:
        for result in results_of(contents, place):
            yield _orphan(contents, place, result)


def _turn(contents: list[Any], place: int, calls: list[Item]) -> _Turn:
    behind = place + 1
    results = results_of(contents, behind) if behind < len(contents) and not is_model(contents[behind]) else []
    more: list[int] = []
    while results and behind + 1 + len(more) < len(contents):
        further = behind + 1 + len(more)
        if is_model(contents[further]) or not (only := results_of(contents, further)) or len(only) != len(parts_of(contents[further])):
            break
        more.append(further)
    everything = [*results, *(result for further in more for result in results_of(contents, further))]
    return _Turn(place, calls, _matched(calls, everything), everything, more)


def _matched(calls: list[Item], results: list[Item]) -> dict[int, Item]:
    """Return the result of each call: by id, else by name in order; the rest by position where the numbers are the same."""
    found: dict[int, Item] = {}
    taken: set[int] = set()
    for key in (_id_of, _name_of):
        waiting: dict[str, deque[int]] = {}
        for place, result in enumerate(results):
            if place not in taken and (key is _name_of or key(result)):
                waiting.setdefault(key(result), deque()).append(place)
        for number, call in enumerate(calls):
            if number not in found and (places := waiting.get(key(call))):
                found[number] = results[places[0]]
                taken.add(places.popleft())
    if len(calls) == len(results):
        left = [result for place, result in enumerate(results) if place not in taken]
        found |= dict(zip([number for number in range(len(calls)) if number not in found], left, strict=True))
    return found


def _id_of(item: Item) -> str:
    return item.wire_id


def _name_of(item: Item) -> str:
    return item.name


def _late(contents: list[Any], place: int) -> int | None:
    """Return the place of a content with results that stands too late for the calls before it."""
    for further in range(place + 1, len(contents)):
        if calls_of(contents, further):
            return None
        if results_of(contents, further):
            return further if further > place + 1 else None
    return None


def _of_turn(contents: list[Any], turn: _Turn, declared: Collection[str]) -> Iterator[Finding]:
    for number, call in enumerate(turn.calls):
        if call.name not in declared:
            yield from _name(call, turn.found.get(number))
        if number not in turn.found:
            yield _missing(turn, number, call)
        else:
            yield from _result(call, turn.found[number])
    kept = list(turn.found.values())
    for result in turn.results:
        if result not in kept:
            yield _orphan(contents, int(result.pointer.split("/")[2]), result)
    if turn.more:
        yield _split(contents, turn)
    elif list(turn.found.values()) and [turn.found[number] for number in sorted(turn.found)] != [result for result in turn.results if result in kept]:
        yield _order(turn)


def _name(call: Item, result: Item | None) -> Iterator[Finding]:
    if NAME_PATTERN.fullmatch(call.name):
        return
    named = plain_name(call.name)
    edits = [Edit(op="add", pointer=f"{item.pointer}/name", value=named) for item in (call, result) if item is not None]
    what = f"The called name {call.name!r} is not made of letters, digits and _ . : -, beginning with a letter" if call.name else "A call has no name"
    yield error("gemini.call-name", f"{call.pointer}/name", f"{what}.", "Replace the other characters, on the call and its result.", *edits)


def _missing(turn: _Turn, number: int, call: Item) -> Finding:
    made_up = {"functionResponse": {**({"id": call.wire_id} if call.wire_id else {}), "name": call.name, "response": {"error": INTERRUPTED}}}
    if turn.results:
        before = sum(earlier in turn.found for earlier in range(number))
        edit = Edit(op="add", pointer=f"/contents/{turn.place + 1}/parts/{before if not turn.more else 0}", value=made_up)
    else:
        edit = Edit(op="add", pointer=f"/contents/{turn.place + 1}", value={"role": "user", "parts": [made_up]})
    return error(
        "gemini.result-missing",
        call.pointer,
        f"The call of {call.name or 'a tool'} has no result in the content behind it; there must be as many results as calls.",
        "Add a result that says the call was interrupted.",
        edit,
    )


def _result(call: Item, result: Item) -> Iterator[Finding]:
    if result.name != call.name and NAME_PATTERN.fullmatch(call.name):
        yield error(
            "gemini.result-name",
            f"{result.pointer}/name",
            f"The result of {call.name} is called {result.name!r}.",
            "Give it the name of its call.",
            Edit(op="add", pointer=f"{result.pointer}/name", value=call.name),
        )
    if call.wire_id == result.wire_id:
        return
    pointer = f"{result.pointer}/id"
    edit = Edit(op="add", pointer=pointer, value=call.wire_id) if call.wire_id else Edit(op="remove", pointer=pointer)
    grave = error if call.wire_id and result.wire_id else warning
    yield grave("gemini.result-id", pointer, f"The id of the result of {call.name or 'a call'} is not that of its call.", "Give it the id of its call.", edit)


def _orphan(contents: list[Any], place: int, result: Item) -> Finding:
    return error(
        "gemini.orphan-result",
        result.pointer,
        f"The result of {result.name or 'a tool'} has no call before it, or the call has another result.",
        "Leave it out.",
        empty_after(contents, place, result.number),
    )


def _split(contents: list[Any], turn: _Turn) -> Finding:
    first = f"/contents/{turn.place + 1}/parts/-"
    edits: list[Edit] = []
    for place in turn.more:
        source = f"/contents/{turn.more[0]}"
        edits += [Edit(op="move", source=f"{source}/parts/0", pointer=first) for _ in parts_of(contents[place])]
        edits.append(Edit(op="remove", pointer=source))
    return warning(
        "gemini.split-results",
        f"/contents/{turn.more[0]}",
        "The results of one turn stand in several contents; some routes count only those of the first.",
        "Put all results into one content.",
        *edits,
    )


def _order(turn: _Turn) -> Finding:
    """Return the finding, with moves that put the results in front, in the order of their calls."""
    content = f"/contents/{turn.place + 1}/parts"
    wanted = [turn.found[number].number for number in sorted(turn.found)]
    now = list(range(max(result.number for result in turn.results) + 1))
    edits: list[Edit] = []
    for place, number in enumerate(wanted):
        at = now.index(number)
        if at != place:
            edits.append(Edit(op="move", source=f"{content}/{at}", pointer=f"{content}/{place}"))
            now.insert(place, now.pop(at))
    grave = warning if all(call.wire_id for call in turn.calls) else error
    return grave("gemini.result-order", content, "The results are not in the order of their calls; they are matched by position.", "Sort them.", *edits)


def _ids(turn: _Turn, seen: set[str], times: dict[str, int]) -> Iterator[Finding]:
    """Yield ids that were `seen` before; `times` says from which number on a new name of each is sought."""
    here: set[str] = set()
    for number, call in enumerate(turn.calls):
        wire_id = call.wire_id
        if wire_id and (wire_id in here or wire_id in seen):
            count = times.get(wire_id, 2)
            while (again := f"{wire_id}-{count}") in here or again in seen:
                count += 1
            times[wire_id] = count
            items = [item for item in (call, turn.found.get(number)) if item is not None]
            grave = error if wire_id in here else warning
            yield grave(
                "gemini.duplicate-call-id" if wire_id in here else "gemini.reused-call-id",
                f"{call.pointer}/id",
                f"Two calls have the id {wire_id!r}.",
                "Rename one, on the call and its result.",
                *(Edit(op="add", pointer=f"{item.pointer}/id", value=again) for item in items),
            )
            wire_id = again
        if wire_id:
            here.add(wire_id)
    seen |= here
