"""Tests of the journal: numbers without gap, listeners early and late, and what happens when facts cannot be kept."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conversation.strategies import entries, events
from workbench.conversation.events import Entry, Event, LiveEvent, StepStarted, ToolOutputArrived, TurnStarted
from workbench.conversation.journal import Journal
from workbench.errors import StoreFailed


class Sink:
    """A sink that fails when told to, as a full disk does."""

    def __init__(self) -> None:
        self.taken: list[Entry] = []
        self.refuses = False
        self.lost = False

    def write(self, entry: Entry) -> None:
        """Take an entry unless told to fail."""
        if self.refuses:
            raise StoreFailed("the disk is full")
        self.taken.append(entry)

    async def settled(self, seq: int) -> None:
        """Return, or fail when told to."""
        if self.lost:
            raise StoreFailed("the disk is full")


def test_facts_are_numbered_from_one_and_carry_the_time() -> None:
    ticks = itertools.count(100)
    journal = Journal(clock=lambda: float(next(ticks)))
    assert [journal.append(TurnStarted(turn_id=name)) for name in "ab"] == [1, 2]
    assert journal.entries == [Entry(1, 100.0, TurnStarted(turn_id="a")), Entry(2, 101.0, TurnStarted(turn_id="b"))]
    assert (journal.last_seq, Journal().last_seq) == (2, 0)


def test_the_sink_has_a_fact_before_any_listener() -> None:
    sink, order = Sink(), []
    journal = Journal(sink)
    journal.subscribe(lambda entry: order.append((entry.seq, len(sink.taken))))
    journal.append(TurnStarted(turn_id="a"))
    journal.append(TurnStarted(turn_id="b"))
    assert order == [(1, 1), (2, 2)]


@settings(deadline=None, database=None, max_examples=40)
@given(st.lists(events(), max_size=10), st.integers(0, 10))
def test_a_late_listener_sees_what_an_early_one_saw(facts: list[Event], joins_at: int) -> None:
    journal = Journal()
    early: list[Entry] = []
    late: list[Entry] = []
    journal.subscribe(early.append)
    for number, fact in enumerate(facts):
        if number == joins_at:
            journal.subscribe(late.append)
        journal.append(fact)
    if joins_at >= len(facts):
        journal.subscribe(late.append)
    assert early == late == list(journal.entries)
    assert [entry.seq for entry in early] == list(range(1, len(facts) + 1))


def test_a_listener_can_join_after_a_number_it_knows() -> None:
    journal = Journal(entries=_facts(5))
    seen: list[int] = []
    journal.subscribe(lambda entry: seen.append(entry.seq), after=3)
    journal.append(TurnStarted(turn_id="x"))
    assert seen == [4, 5, 6]


@settings(deadline=None, database=None, max_examples=40)
@given(entries())
def test_a_journal_built_from_facts_goes_on_where_they_end(known: list[Entry]) -> None:
    journal = Journal(entries=known)
    assert list(journal.entries) == known
    assert journal.append(TurnStarted(turn_id="next")) == len(known) + 1


@pytest.mark.parametrize("numbers", [[2], [1, 3], [1, 1], [2, 1], [0, 1]])
def test_facts_with_a_gap_make_no_journal(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="without a gap"):
        Journal(entries=[Entry(number, 0.0, TurnStarted(turn_id="t")) for number in numbers])


def test_listeners_hear_in_the_order_they_came_and_not_after_they_left() -> None:
    journal, heard = Journal(), []
    first = journal.subscribe(lambda entry: heard.append(f"first {entry.seq}"))
    journal.subscribe(lambda entry: heard.append(f"second {entry.seq}"))
    journal.append(TurnStarted(turn_id="a"))
    first.close()
    first.close()
    journal.append(TurnStarted(turn_id="b"))
    assert heard == ["first 1", "second 1", "second 2"]


def test_closing_one_subscription_twice_leaves_the_other_of_the_same_listener() -> None:
    journal = Journal()
    heard: list[Entry] = []
    first, _second = journal.subscribe(heard.append), journal.subscribe(heard.append)
    first.close()
    first.close()
    journal.append(TurnStarted(turn_id="a"))
    assert len(heard) == 1


def test_a_listener_that_another_one_closed_does_not_hear_the_same_fact() -> None:
    journal = Journal()
    heard: list[Entry] = []
    journal.subscribe(lambda _entry: second.close())
    second = journal.subscribe(heard.append)
    journal.append(TurnStarted(turn_id="a"))
    assert heard == []


def test_live_signs_reach_live_listeners_and_are_not_kept() -> None:
    journal = Journal()
    lived: list[LiveEvent] = []
    subscription = journal.subscribe(lambda _entry: None, live=lived.append)
    journal.subscribe(lambda _entry: None)
    sign = ToolOutputArrived("c", "x")
    journal.emit(sign)
    subscription.close()
    journal.emit(sign)
    assert lived == [sign]
    assert journal.last_seq == 0


def test_a_refused_fact_is_in_no_list_and_freezes_the_journal() -> None:
    sink = Sink()
    journal = Journal(sink)
    heard: list[Entry] = []
    journal.subscribe(heard.append)
    journal.append(TurnStarted(turn_id="a"))
    sink.refuses = True
    with pytest.raises(StoreFailed):
        journal.append(TurnStarted(turn_id="b"))
    sink.refuses = False
    with pytest.raises(StoreFailed):
        journal.append(TurnStarted(turn_id="c"))
    assert [entry.seq for entry in journal.entries] == [entry.seq for entry in heard] == [1]


async def test_a_commit_that_failed_freezes_the_journal() -> None:
    sink = Sink()
    journal = Journal(sink)
    seq = journal.append(TurnStarted(turn_id="a"))
    await journal.settled(seq)
    sink.lost = True
    with pytest.raises(StoreFailed):
        await journal.settled(journal.append(TurnStarted(turn_id="b")))
    with pytest.raises(StoreFailed):
        journal.append(TurnStarted(turn_id="c"))


async def test_without_a_disk_every_fact_is_settled_at_once() -> None:
    journal = Journal()
    await journal.settled(journal.append(StepStarted(turn_id="t", step=1)))


def _facts(count: int) -> list[Entry]:
    return [Entry(number, 0.0, TurnStarted(turn_id=f"t{number}")) for number in range(1, count + 1)]
