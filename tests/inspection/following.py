"""Reads a timeline as a view does: believes nothing but the Changes, and finds out when they are wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from workbench.conversation.events import Entry, LiveEvent
from workbench.conversation.journal import Journal
from workbench.inspection.timeline import Timeline
from workbench.inspection.timeline_items import CallsItem, TimelineItem

NOT_REPLAYED = {"revision", "duration_s"}
"""What a replay cannot know or repeat: how often an item changed, and when live signs came."""


class Recording:
    """Everything a front end hears of a journal, in order: facts and live signs."""

    def __init__(self, journal: Journal) -> None:
        self.heard: list[Entry | LiveEvent] = []
        self._subscription = journal.subscribe(self.heard.append, live=self.heard.append)

    def close(self) -> None:
        self._subscription.close()

    @property
    def facts(self) -> list[Entry]:
        return [event for event in self.heard if isinstance(event, Entry)]


class Follower:
    """A view that keeps its own list by the Changes alone."""

    def __init__(self) -> None:
        self.timeline = Timeline()
        self.shown: list[TimelineItem] = []
        self._looks: list[Any] = []

    def take(self, arrived: Sequence[Entry | LiveEvent], now: float | None = None) -> None:
        """Apply a batch, and check that the Changes say exactly what it did."""
        changes = self.timeline.apply(arrived, now=now)
        items = self.timeline.items
        if changes.removed_from is not None:
            assert changes.removed_from < len(self.shown)
            del self.shown[changes.removed_from :], self._looks[changes.removed_from :]
        assert all(place < len(self.shown) for place in changes.changed)
        assert list(changes.changed) == sorted(set(changes.changed))
        self.shown += items[len(items) - changes.appended :] if changes.appended else []
        assert [id(item) for item in self.shown] == [id(item) for item in items]
        for place, seen in enumerate(self._looks):
            assert place in changes.changed or seen == look(items[place], revision=True), f"item {place} changed unsaid"
        self._looks = [look(item, revision=True) for item in items]
        assert len({item.item_id for item in items}) == len(items)
        assert not changes or bool(changes)
        self._check_calls()

    def _check_calls(self) -> None:
        for place, item in enumerate(self.timeline.items):
            for call in item.calls if isinstance(item, CallsItem) else ():
                if call.state != "arriving":
                    assert self.timeline.call(call.call_id) is call
                    assert self.timeline.place_of(call.call_id) == place


def look(item: TimelineItem, *, revision: bool = False) -> dict[str, Any]:
    """Return everything a view could show of an item."""
    left_out = set() if revision else NOT_REPLAYED
    return {"kind": type(item).__name__} | {name: value for name, value in _plain(item).items() if name not in left_out}


def looks(items: Iterable[TimelineItem]) -> list[dict[str, Any]]:
    """Return everything a view could show, apart from what only a live session knows."""
    return [look(item) for item in items]


def replayed(facts: Iterable[Entry]) -> Timeline:
    """Return the timeline of a journal that is read anew."""
    timeline = Timeline()
    timeline.apply(list(facts))
    return timeline


def batches(heard: Sequence[Entry | LiveEvent], sizes: Iterable[int]) -> list[list[Entry | LiveEvent]]:
    """Cut what was heard into batches of the given sizes, again and again."""
    cut: list[list[Entry | LiveEvent]] = []
    pattern, at, turn = list(sizes), 0, 0
    while at < len(heard):
        size = max(1, pattern[turn % len(pattern)])
        cut.append(list(heard[at : at + size]))
        at, turn = at + size, turn + 1
    return cut


def check_batches(heard: Sequence[Entry | LiveEvent], *patterns: Sequence[int]) -> Timeline:
    """Follow what was heard in several batchings; each must end where a replay of the facts alone ends. Return that."""
    alone = replayed(event for event in heard if isinstance(event, Entry))
    for pattern in patterns or ((1,), (3, 1, 7), (len(heard) or 1,)):
        follower = Follower()
        for number, batch in enumerate(batches(heard, pattern)):
            follower.take(batch, now=1000.0 + number / 60)
        assert looks(follower.timeline.items) == looks(alone.items), f"batches of {pattern}"
    return alone


def _plain(value: Any) -> Any:
    return {field.name: _deep(getattr(value, field.name)) for field in dataclasses.fields(value)}


def _deep(value: Any) -> Any:
    if isinstance(value, list):
        return [_deep(one) for one in value]
    return _plain(value) if dataclasses.is_dataclass(value) else value
