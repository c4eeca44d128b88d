"""What exchanges cost together: sums of what is known, and how many have a price that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from workbench.conversation.events import Entry, ExchangeClosed
from workbench.conversation.exchange import Cost


class Spent(NamedTuple):
    """A sum of costs.

    Attributes:
        usd: what is known of it, in US dollars.
        known: how many exchanges are in it.
        unknown: how many have a price that is not known; they are not in the sum, which is then a least one.
    """

    usd: float = 0.0
    known: int = 0
    unknown: int = 0

    @property
    def amount(self) -> str:
        """What is known of it, as text; empty if nothing is."""
        return dollars(self.usd) if self.known else ""

    def with_cost(self, cost: Cost | None, sign: int = 1) -> Spent:
        """Return the sum with one more exchange, or with `sign` -1 without one; None, which has no price, changes nothing."""
        if cost is None:
            return self
        if cost.total_usd is None:
            return self._replace(unknown=self.unknown + sign)
        known = self.known + sign
        return Spent(self.usd + sign * cost.total_usd if known else 0.0, known, self.unknown)

    def with_facts(self, entries: Iterable[Entry]) -> Spent:
        """Return the sum with what facts tell of ended exchanges."""
        spent = self
        for entry in entries:
            if isinstance(entry.event, ExchangeClosed):
                spent = spent.with_cost(entry.event.cost)
        return spent


def dollars(usd: float) -> str:
    """Return an amount of money: cents from a dollar on, below it three digits that tell something, ``$0.0123``."""
    if usd >= 0.9995:
        return f"${usd:,.2f}"
    if 0 < usd < 0.00005:
        return "< $0.0001"
    return f"${usd:.4f}" if usd < 0.0995 else f"${usd:.3f}"
