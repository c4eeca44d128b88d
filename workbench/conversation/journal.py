"""The numbered record of a session: facts are appended once, in order, and everyone else reads them from here.

The journal lives on one event loop. It keeps its entries in memory and hands each to a sink, which makes it durable; those who must
not go on before a fact is durable await `settled`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from workbench.conversation.events import Entry, Event, LiveEvent
from workbench.errors import StoreFailed

Listener = Callable[[Entry], None]
LiveListener = Callable[[LiveEvent], None]


class JournalSink(Protocol):
    """Makes entries durable."""

    def write(self, entry: Entry) -> None:
        """Take an entry; returns at once.

        Raises:
            StoreFailed: an earlier commit failed; nothing more is taken.
        """
        ...

    async def settled(self, seq: int) -> None:
        """Return when the entry `seq` and all before it are durable.

        Raises:
            StoreFailed: the commit that held it failed.
        """
        ...


class MemorySink:
    """A sink for sessions that are not stored: every entry counts as durable at once."""

    def write(self, entry: Entry) -> None:
        """Take an entry."""

    async def settled(self, seq: int) -> None:
        """Return at once."""


class Subscription:
    """A listener's place in a journal; `close` ends it at once and may be called twice."""

    def __init__(self, listener: Listener, live: LiveListener | None, subscriptions: list[Subscription]) -> None:
        self._listener = listener
        self._live = live
        self._subscriptions = subscriptions

    def close(self) -> None:
        """Stop listening; even an entry that is being handed out does not arrive any more."""
        if self in self._subscriptions:
            self._subscriptions.remove(self)

    def hear(self, entry: Entry) -> None:
        """Hand over a fact (called by the journal)."""
        if self in self._subscriptions:
            self._listener(entry)

    def hear_live(self, event: LiveEvent) -> None:
        """Hand over a live sign (called by the journal)."""
        if self._live and self in self._subscriptions:
            self._live(event)


class Journal:
    """The facts of one session.

    `append` numbers a fact, hands it to the sink and then to the listeners, in the order they subscribed. Called only on the loop's
    thread. Listeners must not raise and must not append. `entries` are the facts to go on from, numbered from 1 without a gap.
    """

    def __init__(self, sink: JournalSink | None = None, entries: Iterable[Entry] = (), *, clock: Callable[[], float] = time.time) -> None:
        self._sink: JournalSink = sink or MemorySink()
        self._entries: list[Entry] = list(entries)
        self._clock = clock
        self._subscriptions: list[Subscription] = []
        self._frozen: StoreFailed | None = None
        if any(entry.seq != expected for expected, entry in enumerate(self._entries, start=1)):
            raise ValueError("the facts of a journal are numbered from 1 without a gap")

    @property
    def entries(self) -> Sequence[Entry]:
        """All facts so far, in order; do not change."""
        return self._entries

    @property
    def last_seq(self) -> int:
        """Number of the last fact; 0 if there is none."""
        return self._entries[-1].seq if self._entries else 0

    def append(self, event: Event) -> int:
        """Write a fact and return its number.

        Raises:
            StoreFailed: a commit failed earlier; the fact was not taken and no listener saw it.
        """
        if self._frozen:
            raise self._frozen
        entry = Entry(self.last_seq + 1, self._clock(), event)
        self._hand_to_sink(entry)
        self._entries.append(entry)
        for subscription in tuple(self._subscriptions):
            subscription.hear(entry)
        return entry.seq

    def emit(self, event: LiveEvent) -> None:
        """Tell the live listeners; nothing is kept."""
        for subscription in tuple(self._subscriptions):
            subscription.hear_live(event)

    async def settled(self, seq: int) -> None:
        """Return when the fact `seq` is durable.

        Raises:
            StoreFailed: it never will be; the journal takes nothing more.
        """
        try:
            await self._sink.settled(seq)
        except StoreFailed as error:
            self._frozen = error
            raise

    def subscribe(self, listener: Listener, *, live: LiveListener | None = None, after: int = 0) -> Subscription:
        """Give `listener` every fact with a number above `after`: first those that exist, at once, then each new one."""
        for entry in self._entries[after:]:
            listener(entry)
        subscription = Subscription(listener, live, self._subscriptions)
        self._subscriptions.append(subscription)
        return subscription

    def _hand_to_sink(self, entry: Entry) -> None:
        try:
            self._sink.write(entry)
        except StoreFailed as error:
            self._frozen = error
            raise
