"""The list of requests: one row each, the same live and replayed, found by words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.inspection.test_timeline_practice import practice
from tests.inspection.wire import Wire
from workbench.conversation.checks import Edit, Finding, RefusalExplained, RequestHeld, RequestReleased
from workbench.conversation.events import Entry, Event, ExchangeClosed, ExchangeOpened, SessionOpened, TurnStarted
from workbench.conversation.messages import Usage
from workbench.conversation.stream import CallDone, CallStarted, ResponseEnded, ResponseStarted, TextDelta, UsageReported
from workbench.inspection.requests import RequestLog, Totals, is_found, row_text

TOO_FAST: dict[str, Any] = {"failure": "rate_limit", "error": "Slow down.", "message_id": "provider.refused", "retry_in_s": 2.0, "duration_s": 0.5}


def two_steps() -> Wire:
    """A turn: a first request that is refused and repeated, then one that asks for a call, then the answer is under way."""
    wire = Wire()
    wire.begin()
    wire.close(status=429, **TOO_FAST)
    wire.open(attempt=2)
    wire.pieces(ResponseStarted(), CallStarted(key=0, call_id="call_abc", name="read"))
    wire.pieces(CallDone(key=0, call_id="call_abc", name="read", arguments_raw="{}"))
    wire.pieces(UsageReported(usage=Usage(input_tokens=1200, cached_tokens=200, output_tokens=30, reasoning_tokens=4)), ResponseEnded(finish_reason="tool_use"))
    wire.close(first_byte_s=0.25, duration_s=1.5, size_bytes=512)
    wire.respond()
    wire.begin()
    return wire


def log_of(entries: list[Entry]) -> RequestLog:
    log = RequestLog()
    log.apply(entries)
    return log


def test_each_request_is_a_row_with_what_became_of_it() -> None:
    refused, answered, running = log_of(two_steps().recording.facts).rows
    assert (refused.number, refused.opened.step, refused.opened.attempt, refused.status, refused.state) == (1, 1, 1, 429, "failed")
    assert (refused.retry_in_s, refused.closed and refused.closed.message_id) == (2.0, "provider.refused")
    assert (answered.opened.attempt, answered.state, answered.first_byte_s, answered.duration_s) == (2, "done", 0.25, 1.5)
    assert (answered.usage.input_tokens, answered.usage.cached_tokens, answered.usage.output_tokens, answered.usage.reasoning_tokens) == (1200, 200, 30, 4)
    assert answered.call_ids == ("call_abc",)
    assert (running.number, running.opened.step, running.state, running.status, running.usage) == (3, 2, "running", None, Usage())
    assert {row.turn for row in (refused, answered, running)} == {1}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_batches_of_any_size_give_the_same_rows_and_tell_every_change(size: int) -> None:
    facts = two_steps().recording.facts
    log = RequestLog()
    shown: list[object] = []
    for at in range(0, len(facts), size):
        changes = log.apply(facts[at : at + size])
        assert all(place < len(shown) for place in changes.changed)
        for place in changes.changed:
            shown[place] = log.rows[place]
        shown += log.rows[len(log.rows) - changes.appended :] if changes.appended else []
        assert shown == log.rows
    assert log.rows == log_of(facts).rows


def test_tries_of_one_step_are_found_together() -> None:
    log = log_of(two_steps().recording.facts)
    assert [row.number for row in log.tries(log.rows[1])] == [1, 2]
    assert [row.number for row in log.tries(log.rows[2])] == [3]


def test_request_is_found_by_its_call() -> None:
    log = log_of(two_steps().recording.facts)
    assert log.place_of_call("call_abc") == 1
    assert log.place_of_call("call_xyz") is None
    assert log.place_of("x2") == 1
    assert log.place_of("x9") is None


def test_response_that_the_program_did_not_live_to_see_counts_as_failed() -> None:
    wire = two_steps()
    wire.fact(SessionOpened(session_id="s", workspace="/ws", program_version="1", resumed=True))
    row = log_of(wire.recording.facts).rows[-1]
    assert (row.state, row.lost, row.closed) == ("failed", True, None)


def test_turns_are_counted() -> None:
    wire = two_steps()
    wire.close()
    wire.fact(TurnStarted(turn_id="u"))
    wire.open()
    facts = wire.recording.facts
    opened = facts[-1].event
    assert isinstance(opened, ExchangeOpened)
    moved = facts[-1]._replace(event=replace(opened, turn_id="u"))
    assert [row.turn for row in log_of([*facts[:-1], moved]).rows] == [1, 1, 1, 2]


def test_totals_add_up_what_is_known() -> None:
    assert log_of(two_steps().recording.facts).totals == Totals(3, 1, 2.0, 1200, 200, 30)
    assert RequestLog().totals == Totals()


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("", [1, 2, 3]),
        ("429", [1]),
        ("step 1", [1, 2]),
        ("STEP 2", [3]),
        ("retry", [2]),
        ("call_abc", [2]),
        ("slow down", [1]),
        ("running", [3]),
        ("29", []),
        ("#3", [3]),
    ],
)
def test_requests_are_found_by_words(words: str, numbers: list[int]) -> None:
    rows = log_of(two_steps().recording.facts).rows
    assert [row.number for row in rows if is_found(row_text(row), words)] == numbers


def test_number_is_not_found_inside_a_longer_one() -> None:
    assert is_found("step 2 · 400", "step 2")
    assert not is_found("step 21 · 4001", "step 2")
    assert not is_found("step 21 · 4001", "400")


async def test_a_drill_of_the_practice_model_shows_both_tries(tmp_path: Path) -> None:
    async with practice(tmp_path) as session:
        await session.turn("Drill: overloaded")
        log = log_of(session.recording.facts)
    assert [(row.state, row.opened.attempt, row.opened.step) for row in log.rows] == [("failed", 1, 1), ("done", 2, 1)]
    refused, answered = log.rows
    assert refused.retry_in_s is not None
    assert isinstance(refused.closed, ExchangeClosed)
    assert refused.closed.error
    assert answered.usage.output_tokens


def test_text_deltas_alone_change_no_row() -> None:
    wire = two_steps()
    log = log_of(wire.recording.facts)
    before = list(log.rows)
    wire.pieces(TextDelta(text="x"))
    assert not log.apply([])[0]
    assert log.rows == before


REMOVED = Edit(op="remove", pointer="/messages/2")
FAULT = Finding(rule="chat.call-name", severity="error", pointer="/messages/2", message="The name is refused.", edits=(REMOVED,))


def held_turn(*then: Event) -> list[Entry]:
    """A turn whose second request is held back, and what comes then."""
    wire = Wire()
    wire.begin()
    wire.close(duration_s=0.5)
    wire.respond()
    opened = next(entry.event for entry in wire.recording.facts if isinstance(entry.event, ExchangeOpened))
    held = RequestHeld(hold_id="hold_1", turn_id=opened.turn_id, step=2, findings=(FAULT,), mends=True, number=2, model="m", body=opened.body)
    released = [replace(event, turn_id=opened.turn_id) if isinstance(event, RequestReleased | ExchangeOpened) else event for event in then]
    for event in (held, *released):
        wire.fact(event)
    return wire.recording.facts


def sent(**fields: Any) -> ExchangeOpened:
    opened = next(entry.event for entry in two_steps().recording.facts if isinstance(entry.event, ExchangeOpened))
    return replace(opened, exchange_id="ex_sent", number=2, step=2, attempt=1, **fields)


def test_a_held_request_is_a_row_that_was_not_sent() -> None:
    log = log_of(held_turn())
    _first, held = log.rows
    assert (held.state, held.number, held.opened.step, held.findings) == ("held", 2, 2, (FAULT,))
    assert (log.totals.sent, log.totals.failed) == (1, 0)
    assert log.place_of("hold_1") == 1
    assert is_found(row_text(held), "call-name")


def test_what_is_sent_instead_takes_the_row_of_the_held_request() -> None:
    released = RequestReleased(hold_id="hold_1", turn_id="", decision="repair")
    log = log_of(held_turn(released, sent(repaired=("chat.call-name",))))
    _first, row = log.rows
    assert (row.exchange_id, row.state, row.findings, row.opened.repaired) == ("ex_sent", "running", (), ("chat.call-name",))
    assert (log.place_of("ex_sent"), log.place_of("hold_1")) == (1, None)
    assert log.totals.sent == 2


def test_a_held_request_that_is_given_up_stays_as_unsent() -> None:
    log = log_of(held_turn(RequestReleased(hold_id="hold_1", turn_id="", decision="stop"), sent()))
    assert [row.state for row in log.rows] == ["done", "unsent", "running"]


def test_a_held_request_is_lost_with_the_program() -> None:
    log = log_of(held_turn(SessionOpened(session_id="s", workspace="/w", program_version="1", resumed=True)))
    assert [row.state for row in log.rows] == ["done", "unsent"]


def test_a_refusal_that_was_explained_stands_before_the_other_findings() -> None:
    other = Finding(rule="chat.many-tools", severity="warning", pointer="/tools", message="Many.")
    opened = sent(findings=(other, FAULT))
    log = log_of(held_turn(opened, RefusalExplained(exchange_id="ex_sent", findings=(FAULT,))))
    assert log.rows[-1].findings == (FAULT, other)
