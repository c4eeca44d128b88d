"""Costs add up exactly once each, and one that is not known makes the sum a least one instead of vanishing."""

from __future__ import annotations

import pytest

from workbench.conversation.events import Entry, ExchangeClosed
from workbench.conversation.exchange import Cost
from workbench.inspection.costs import Spent, dollars
from workbench.words import cost_words

KNOWN, UNKNOWN = Cost(total_usd=0.25, input_usd=0.2, output_usd=0.05), Cost()


def closed(number: int, cost: Cost | None) -> Entry:
    return Entry(number, 0.0, ExchangeClosed(exchange_id=f"x{number}", status=200, cost=cost))


def test_a_session_is_the_sum_of_its_exchanges() -> None:
    spent = Spent().with_facts([closed(1, KNOWN), closed(2, None), closed(3, KNOWN)])
    assert spent == (0.5, 2, 0)
    assert spent.with_cost(KNOWN, -1).with_cost(KNOWN, -1) == Spent()


def test_an_unknown_price_is_told() -> None:
    spent = Spent().with_facts([closed(1, KNOWN), closed(2, UNKNOWN)])
    assert cost_words(spent.amount, unknown=True) == "at least $0.250"
    assert cost_words("", unknown=True) == "cost unknown"
    assert cost_words("", unknown=False) == ""


@pytest.mark.parametrize(
    ("usd", "text"),
    [(0.0, "$0.0000"), (0.00001, "< $0.0001"), (0.0003, "$0.0003"), (0.0123, "$0.0123"), (0.5, "$0.500"), (1.0, "$1.00"), (1234.5, "$1,234.50")],
)
def test_an_amount_is_as_exact_as_it_tells_something(usd: float, text: str) -> None:
    assert dollars(usd) == text
