"""A session whose disk fails says so at once, ends its turn, and takes nothing more."""

from __future__ import annotations

from pathlib import Path

import pytest
from typing_extensions import override

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import answer, call
from workbench.agent.saving import Saving
from workbench.conversation.events import Entry, LiveEvent, Notice, TurnFinished
from workbench.conversation.journal import Journal, MemorySink
from workbench.errors import StoreError, StoreFailed

FULL = "The disk is full."


class FillingSink(MemorySink):
    """A disk that is full from fact number `room` on."""

    def __init__(self, room: int) -> None:
        self.room = room

    @override
    def write(self, entry: Entry) -> None:
        if entry.seq > self.room:
            raise StoreFailed(FULL, message_id="store.failed")

    @override
    async def settled(self, seq: int) -> None:
        if seq >= self.room:
            raise StoreFailed(FULL, message_id="store.failed")


@pytest.mark.parametrize("room", range(4, 22))
async def test_disk_that_fills_in_a_turn_is_told_once(tmp_path: Path, room: int) -> None:
    live: list[LiveEvent] = []
    d = Dialogue(tmp_path, files={"a.txt": "one\n"}, headless="all", sink=FillingSink(room))
    d.journal.subscribe(lambda _entry: None, live=live.append)
    d.model.say(*answer("", call("write", "c1", file_path="b.txt", content="x")))
    d.model.say(*answer("Done."))
    try:
        await d.session.submit("Go")
        await d.session.submit("And more")
        d.model.say(*answer("Done again."))
    except StoreError:
        assert d.session.failure is not None
    await d.session.wait_idle()
    assert [event.text for event in live if isinstance(event, Notice)] == [FULL]
    assert d.session.failure is not None
    assert d.journal.last_seq <= room
    with pytest.raises(StoreError, match="full"):
        await d.session.submit("more")
    await d.session.aclose()
    assert not d.session.pending


async def test_session_that_is_saved_has_no_failure(tmp_path: Path) -> None:
    async with Dialogue(tmp_path) as d:
        await d.user("Hi")
        await d.answers("Hello.")
        assert d.session.failure is None
        assert len(d.facts(TurnFinished)) == 1


async def test_only_the_first_failure_counts() -> None:
    live: list[LiveEvent] = []
    journal = Journal()
    journal.subscribe(lambda _entry: None, live=live.append)
    saving = Saving(journal)
    saving.require()
    await saving.settle()
    for text in ("The first.", "The second."):
        saving.stopped(StoreFailed(text))
    assert [event.text for event in live if isinstance(event, Notice)] == ["The first."]
    with pytest.raises(StoreFailed, match=r"The first\."):
        saving.require()
