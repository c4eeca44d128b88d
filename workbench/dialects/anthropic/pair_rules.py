"""Rules about calls and their results: each answered once, in the next message, first in it; ids and names as they must be."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from workbench.conversation.checks import Edit, Finding
from workbench.conversation.values import JsonObject
from workbench.dialects.anthropic.names import ID_PATTERN, NAME_PATTERN, is_server_call, is_server_result, plain_name
from workbench.dialects.anthropic.turns import Placed, Turn, drop, insert_results, leading_results
from workbench.dialects.calls import derived_id
from workbench.dialects.findings import error, warning
from workbench.dialects.history import INTERRUPTED


def check_pairs(messages: Sequence[Any], turns: Sequence[Turn]) -> Iterator[Finding]:
    """Yield what is wrong between calls and results."""
    nothing = Turn(None, [], -1, -1)
    mentions = _mentions(turns)
    for number, turn in enumerate(turns):
        following = turns[number + 1] if number + 1 < len(turns) else None
        if turn.role == "assistant":
            yield from _turn(messages, turn, following, partial(_behind, turns, mentions, number + 1))
            yield from _server_pairs(messages, turn, last=following is None)
        else:
            before = turns[number - 1] if number else nothing
            yield from _unasked(messages, turn, before if turn.role == "user" else nothing)
    yield from _ids(turns)


def _mentions(turns: Sequence[Turn]) -> dict[str, list[int]]:
    """Return the turns in which each id is called by the assistant, or answered by the user."""
    found: dict[str, list[int]] = {}
    for number, turn in enumerate(turns):
        for placed in turn.of("tool_use") if turn.role == "assistant" else turn.of("tool_result") if turn.role == "user" else ():
            call_id = placed.block.get("id" if turn.role == "assistant" else "tool_use_id")
            if isinstance(call_id, str):
                found.setdefault(call_id, []).append(number)
    return found


def _behind(turns: Sequence[Turn], mentions: dict[str, list[int]], behind: int, call_id: str) -> Iterator[Turn]:
    """Yield the turns behind a place that name an id."""
    numbers = mentions.get(call_id, [])
    for place in range(bisect_right(numbers, behind), len(numbers)):
        yield turns[numbers[place]]


def _turn(messages: Sequence[Any], turn: Turn, following: Turn | None, later: Callable[[str], Iterator[Turn]]) -> Iterator[Finding]:
    """Yield the calls of a turn that have no result, and the results that do not stand first. `later`: the turns behind the next that name an id."""
    user = following if following is not None and following.role == "user" else None
    results = user.of("tool_result") if user else []
    waiting = [result.block.get("tool_use_id") for result in results]
    for call in turn.of("tool_use"):
        call_id = call.block.get("id")
        if not isinstance(call_id, str) or not call_id:
            made = derived_id(f"{call.pointer} {call.block.get('name')}")
            yield error(
                "anthropic.call-without-id",
                call.pointer,
                "A call has no id.",
                "Give it one, on the call and its result.",
                Edit(op="add", pointer=f"{call.pointer}/id", value=made),
                *insert_results(messages, turn, following, [made_up(made)]),
            )
        elif call_id in waiting:
            waiting.remove(call_id)
        else:
            yield error(
                "anthropic.result-missing",
                call.pointer,
                f"The call {call_id!r} has no result in the next message.",
                "Add a result that says the call was interrupted.",
                *_answer(messages, turn, following, later(call_id), call_id),
            )
    if user is not None:
        yield from _order(messages, user, [call.block.get("id") for call in turn.of("tool_use")])


def made_up(call_id: str) -> JsonObject:
    """Return a result for a call that has none."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": INTERRUPTED, "is_error": True}


def _answer(messages: Sequence[Any], turn: Turn, following: Turn | None, later: Iterator[Turn], call_id: str) -> tuple[Edit, ...]:
    """Return the edits that answer a call: with the result that stands too late, or with one that is made up."""
    for other in later:
        if other.role == "assistant":
            break
        for result in other.of("tool_result") if other.role == "user" else ():
            if result.block.get("tool_use_id") == call_id:
                # first the later one, so that the earlier places keep their numbers
                return (*drop(messages, result), *insert_results(messages, turn, following, [result.block]))
    return insert_results(messages, turn, following, [made_up(call_id)])


def _order(messages: Sequence[Any], user: Turn, asked: list[Any]) -> Iterator[Finding]:
    """Yield results that stand behind something else."""
    blocks = user.blocks
    at = next((number for number, placed in enumerate(blocks) if placed.block.get("type") != "tool_result"), len(blocks))
    for placed in blocks[at:]:
        if placed.block.get("type") == "tool_result" and placed.block.get("tool_use_id") in asked:
            yield error(
                "anthropic.results-first",
                placed.pointer,
                "A result stands behind other content; results come first in the message after their calls.",
                "Move it to the front.",
                *_to_front(messages, user, placed),
            )


def _to_front(messages: Sequence[Any], user: Turn, placed: Placed) -> tuple[Edit, ...]:
    if placed.message == user.first:
        at = leading_results(messages[user.first]["content"])
        return (Edit(op="move", source=placed.pointer, pointer=f"/messages/{user.first}/content/{at}"),)
    return (*drop(messages, placed), *insert_results(messages, user, user, [placed.block]))


def _unasked(messages: Sequence[Any], turn: Turn, before: Turn) -> Iterator[Finding]:
    """Yield results without a call right before them, and second results."""
    asked = [call.block.get("id") for call in before.of("tool_use")] if before.role == "assistant" else []
    answered: set[Any] = set()
    for result in turn.of("tool_result"):
        call_id = result.block.get("tool_use_id")
        known = call_id if isinstance(call_id, str) else None
        if known in asked:
            asked.remove(known)
            answered.add(known)
        elif known in answered:
            yield error(
                "anthropic.result-repeated", result.pointer, f"The call {known!r} has more than one result.", "Keep the first.", *drop(messages, result)
            )
        else:
            yield error(
                "anthropic.result-orphan",
                result.pointer,
                f"The result of {call_id!r} has no call in the message before it.",
                "Leave the result out.",
                *drop(messages, result),
            )
    for call in turn.of("tool_use"):
        yield error("anthropic.call-place", call.pointer, "A call stands in a message that is not the assistant's.", "Leave it out.", *drop(messages, call))


def _server_pairs(messages: Sequence[Any], turn: Turn, *, last: bool) -> Iterator[Finding]:
    """Yield calls and results of the provider's own tools that are not a pair, and calls of ours before them."""
    called = [placed.block.get("id") for placed in turn.blocks if is_server_call(placed.block)]
    answers = [placed.block["tool_use_id"] for placed in turn.blocks if is_server_result(placed.block)]
    for placed in turn.blocks:
        lone = is_server_call(placed.block) and placed.block.get("id") not in answers and not last
        if lone or (is_server_result(placed.block) and placed.block["tool_use_id"] not in called):
            yield error(
                "anthropic.server-call-alone",
                placed.pointer,
                "A call of one of the provider's own tools and its result go together, or not at all.",
                "Leave it out.",
                *drop(messages, placed),
            )
    for placed in turn.of("tool_result"):
        yield error(
            "anthropic.result-orphan", placed.pointer, "A result stands in a message of the assistant.", "Leave the result out.", *drop(messages, placed)
        )
    yield from _calls_last(turn)


def _calls_last(turn: Turn) -> Iterator[Finding]:
    """Yield calls that stand before a server tool; only inside of a run between two thinking blocks can they be moved."""
    run: list[Placed] = []
    for placed in [*turn.blocks, None]:
        if placed is not None and placed.block.get("type") not in ("thinking", "redacted_thinking") and (not run or placed.message == run[0].message):
            run.append(placed)
            continue
        servers = [number for number, each in enumerate(run) if is_server_call(each.block) or is_server_result(each.block)]
        for each in run[: servers[-1]] if servers else ():
            if each.block.get("type") == "tool_use":
                move = Edit(op="move", source=each.pointer, pointer=f"/messages/{each.message}/content/{run[-1].number}")
                yield error(
                    "anthropic.calls-last", each.pointer, "A call stands before a tool of the provider; calls come last.", "Move it behind them.", move
                )
        run = [placed] if placed is not None and placed.block.get("type") not in ("thinking", "redacted_thinking") else []


def _ids(turns: Sequence[Turn]) -> Iterator[Finding]:
    """Yield ids that are used twice or have other letters than they may, and such names."""
    seen: set[str] = set()
    for number, turn in enumerate(turns):
        if turn.role != "assistant":
            continue
        results = turns[number + 1].of("tool_result") if number + 1 < len(turns) and turns[number + 1].role == "user" else []
        for call in turn.of("tool_use"):
            call_id, name = call.block.get("id"), call.block.get("name")
            if isinstance(call_id, str) and call_id:
                mine = [result for result in results if result.block.get("tool_use_id") == call_id]
                if call_id in seen:
                    same = [other for other in turn.of("tool_use") if other.block.get("id") == call_id]
                    mine = mine[same.index(call) :][:1]
                    told = warning if same.index(call) == 0 else error  # used again in a later turn, it was seen to be taken
                    yield told("anthropic.id-twice", f"{call.pointer}/id", f"The id {call_id!r} is used by an earlier call.", _RENAME, *_renamed(call, mine))
                elif not ID_PATTERN.fullmatch(call_id):
                    yield error(
                        "anthropic.id-letters",
                        f"{call.pointer}/id",
                        f"The id {call_id!r} is not made of 1 to 64 letters, digits, underscores and hyphens.",
                        _RENAME,
                        *_renamed(call, mine[:1]),
                    )
                seen.add(call_id)
            if not isinstance(name, str) or not NAME_PATTERN.fullmatch(name):
                yield error(
                    "anthropic.call-name",
                    f"{call.pointer}/name",
                    f"The called name {name!r} is not made of 1 to 128 letters, digits, underscores and hyphens.",
                    "Replace the other characters.",
                    Edit(op="add", pointer=f"{call.pointer}/name", value=plain_name(name if isinstance(name, str) else "")),
                )


def _renamed(call: Placed, results: Sequence[Placed]) -> Iterator[Edit]:
    fresh = derived_id(f"{call.pointer} {call.block.get('id')}")
    yield Edit(op="replace", pointer=f"{call.pointer}/id", value=fresh)
    for result in results:
        yield Edit(op="replace", pointer=f"{result.pointer}/tool_use_id", value=fresh)


_RENAME = "Rename it, on the call and its result."
