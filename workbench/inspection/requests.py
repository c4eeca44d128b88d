"""The requests of a session as a table shows them, folded from facts: which step each was for, how it ended, what it cost in time and tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from workbench.conversation.checks import Finding, RefusalExplained, RequestHeld, RequestReleased
from workbench.conversation.events import Entry, ExchangeClosed, ExchangeOpened, ModelResponded, SessionOpened, TurnStarted
from workbench.conversation.exchange import BodyRef, Cost
from workbench.conversation.messages import Usage
from workbench.inspection.costs import Spent

RequestState: TypeAlias = Literal["running", "done", "failed", "held", "unsent"]
_Fields: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RequestRow:
    """One request and what is known of its response.

    Attributes:
        opened: as it was sent.
        at: when, in seconds since 1970.
        turn: number of its turn in the session, from 1.
        closed: how it ended; None while it runs, and for good if the program ended first (`lost`).
        responded: the model's message; None if there is none.
        lost: the program ended before the response did.
        held: it was not sent: its provider would refuse it. Whatever is sent instead takes its row.
        dropped: it was held, and a person ended the turn.
        explained: the rules that the provider's refusal was matched to.
    """

    opened: ExchangeOpened
    at: float
    turn: int
    closed: ExchangeClosed | None = None
    responded: ModelResponded | None = None
    lost: bool = False
    held: RequestHeld | None = None
    dropped: bool = False
    explained: tuple[Finding, ...] = ()

    @property
    def exchange_id(self) -> str:
        """The exchange's id."""
        return self.opened.exchange_id

    @property
    def number(self) -> int:
        """The request's number in the session, from 1."""
        return self.opened.number

    @property
    def state(self) -> RequestState:
        """Whether it runs, went well or not; or waits for a person before it is sent, or never was."""
        if self.held is not None:
            return "unsent" if self.dropped or self.lost else "held"
        if self.closed is None:
            return "failed" if self.lost else "running"
        return "failed" if self.closed.failure or self.closed.error else "done"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the linter says of the request, refusals first."""
        known = {(one.rule, one.pointer) for one in self.explained}
        return (*self.explained, *(one for one in self.opened.findings if (one.rule, one.pointer) not in known))

    @property
    def status(self) -> int | None:
        """HTTP status; None if no response came, or none is known yet."""
        return self.closed.status if self.closed else None

    @property
    def usage(self) -> Usage:
        """Token counts; None in it where the provider did not say."""
        return (self.responded.message.usage if self.responded else None) or _NO_USAGE

    @property
    def cost(self) -> Cost | None:
        """What it cost; None where nothing has a price, or no answer came."""
        return self.closed.cost if self.closed else None

    @property
    def first_byte_s(self) -> float | None:
        """Seconds until the first byte of the response's body."""
        return self.closed.first_byte_s if self.closed else None

    @property
    def duration_s(self) -> float | None:
        """Seconds until the end."""
        return self.closed.duration_s if self.closed else None

    @property
    def retry_in_s(self) -> float | None:
        """It is repeated after this many seconds; None if it is not."""
        return self.closed.retry_in_s if self.closed else None

    @property
    def call_ids(self) -> tuple[str, ...]:
        """Ids of the calls that the model asked for."""
        return tuple(call.call_id for call in self.responded.message.calls()) if self.responded else ()


_NO_USAGE = Usage()
_TELLING = (ExchangeOpened, ExchangeClosed, ModelResponded, TurnStarted, SessionOpened, RequestHeld, RequestReleased, RefusalExplained)
"""Facts that say something of requests."""


class RequestChanges(NamedTuple):
    """What facts did to the list: how many rows came at the end, and the places of older rows that are others now, ascending."""

    appended: int = 0
    changed: tuple[int, ...] = ()


class Totals(NamedTuple):
    """Sums over requests; tokens as far as providers said."""

    sent: int = 0
    failed: int = 0
    duration_s: float = 0.0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    spent: Spent = Spent()

    def with_row(self, row: RequestRow, sign: int = 1) -> Totals:
        """Return the sums with one more request, or with `sign` -1 without one."""
        usage = row.usage
        return Totals(
            sent=self.sent + sign * (row.held is None),
            failed=self.failed + sign * (row.state == "failed"),
            duration_s=self.duration_s + sign * (row.duration_s or 0.0),
            input_tokens=self.input_tokens + sign * (usage.input_tokens or 0),
            cached_tokens=self.cached_tokens + sign * (usage.cached_tokens or 0),
            output_tokens=self.output_tokens + sign * (usage.output_tokens or 0),
            spent=self.spent.with_cost(row.cost, sign),
        )


class RequestLog:
    """The requests of one session, in the order they were sent; replaying a journal gives the same rows.

    Attributes:
        rows: one a request.
        totals: sums over all of them.
    """

    def __init__(self) -> None:
        self.rows: list[RequestRow] = []
        self.totals = Totals()
        self._places: dict[str, int] = {}
        self._turns: dict[str, int] = {}
        self._released: RequestReleased | None = None

    def apply(self, entries: Iterable[Entry]) -> RequestChanges:
        """Take the next facts, in order, and say what changed."""
        count = len(self.rows)
        news: dict[int, _Fields] = {}
        for entry in entries:
            if isinstance(entry.event, _TELLING):
                self._take(entry, news)
        older = sorted(place for place in news if place < count)
        for place in older:
            before, self.rows[place] = self.rows[place], replace(self.rows[place], **news[place])
            self.totals = self.totals.with_row(before, -1).with_row(self.rows[place])
        for place in range(count, len(self._places)):
            self.rows.append(RequestRow(**news[place]))
            self.totals = self.totals.with_row(self.rows[place])
        return RequestChanges(len(self.rows) - count, tuple(older))

    def place_of(self, exchange_id: str) -> int | None:
        """Return the place of a request in `rows`; None if it is not there."""
        return self._places.get(exchange_id)

    def place_of_call(self, call_id: str) -> int | None:
        """Return the place of the request whose response asked for a call; None if there is none. The newest counts."""
        return next((place for place in range(len(self.rows) - 1, -1, -1) if call_id in self.rows[place].call_ids), None)

    def tries(self, row: RequestRow) -> tuple[RequestRow, ...]:
        """Return all tries of the step that a request belongs to, in order."""
        place = self._places[row.exchange_id]
        first, last = place, place + 1
        while first and self._same_step(self.rows[first - 1], row):
            first -= 1
        while last < len(self.rows) and self._same_step(self.rows[last], row):
            last += 1
        return tuple(self.rows[first:last])

    @staticmethod
    def _same_step(one: RequestRow, other: RequestRow) -> bool:
        return (one.opened.turn_id, one.opened.step) == (other.opened.turn_id, other.opened.step)

    def _take(self, entry: Entry, news: dict[int, _Fields]) -> None:
        """Fold one fact into `news`: fields of rows by their place, all of them for rows that are new."""
        match entry.event:
            case ExchangeOpened() as opened:
                news.setdefault(self._place_for(opened), {}).update(
                    {"opened": opened, "at": entry.at, "turn": self._turn(opened.turn_id), "held": None, "lost": False}
                )
            case RequestHeld(body=BodyRef() as body) as held:
                place = self._places[held.hold_id] = len(self._places)
                news[place] = {"opened": _unsent(held, body), "at": entry.at, "turn": self._turn(held.turn_id), "held": held}
            case RequestReleased(hold_id=hold_id) as released if hold_id in self._places:
                self._released = None if released.decision == "stop" else released
                news.setdefault(self._places[hold_id], {})["dropped"] = released.decision == "stop"
            case RefusalExplained(exchange_id=exchange_id) as explained if exchange_id in self._places:
                news.setdefault(self._places[exchange_id], {})["explained"] = explained.findings
            case ExchangeClosed(exchange_id=exchange_id) as closed if exchange_id in self._places:
                news.setdefault(self._places[exchange_id], {})["closed"] = closed
            case ModelResponded(exchange_id=exchange_id) as responded if exchange_id in self._places:
                news.setdefault(self._places[exchange_id], {})["responded"] = responded
            case TurnStarted(turn_id=turn_id):
                self._turn(turn_id)
            case SessionOpened(resumed=True):
                for place in range(len(self._places)):
                    if "closed" not in news.get(place, {}) and (place >= len(self.rows) or self.rows[place].state in ("running", "held")):
                        news.setdefault(place, {})["lost"] = True
            case _:
                pass

    def _turn(self, turn_id: str) -> int:
        return self._turns.setdefault(turn_id, len(self._turns) + 1)

    def _place_for(self, opened: ExchangeOpened) -> int:
        """Return the place of a request that is sent: a new one, or that of the held request it stands for."""
        released, self._released = self._released, None
        if released is not None and released.turn_id == opened.turn_id:
            self._places[opened.exchange_id] = self._places.pop(released.hold_id)
        else:
            self._places[opened.exchange_id] = len(self._places)
        return self._places[opened.exchange_id]


def _unsent(held: RequestHeld, body: BodyRef) -> ExchangeOpened:
    """Return a held request as it would have been sent."""
    return ExchangeOpened(
        exchange_id=held.hold_id,
        number=held.number,
        turn_id=held.turn_id,
        step=held.step,
        attempt=1,
        method="POST",
        url="",
        headers=(),
        body=body,
        dialect=held.dialect,
        profile=held.profile,
        model=held.model,
        findings=held.findings,
    )


def row_text(row: RequestRow) -> str:
    """Return what a request can be found by, in English: number, status, turn, step, model, failure, error, ids of its calls."""
    opened, closed = row.opened, row.closed
    words: Sequence[object] = (
        f"#{row.number}",
        row.status or "",
        f"turn {row.turn}",
        f"step {opened.step}",
        "retry" if opened.attempt > 1 else "",
        row.state,
        opened.model,
        opened.profile,
        opened.dialect,
        closed.failure if closed else "",
        closed.error if closed else "",
        row.exchange_id,
        *row.call_ids,
        *(one.rule for one in row.findings),
        "repaired" if opened.repaired else "",
    )
    return " · ".join(str(word) for word in words if word)


def is_found(text: str, words: str) -> bool:
    """Say whether `text` holds the words, in any case; words that end in a digit are not found as part of a longer number."""
    wanted = words.strip().casefold()
    ends = r"(?!\d)" if wanted[-1:].isdigit() else ""
    begins = r"(?<!\d)" if wanted[:1].isdigit() else ""
    return not wanted or re.search(begins + re.escape(wanted) + ends, text.casefold()) is not None
