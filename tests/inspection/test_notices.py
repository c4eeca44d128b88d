"""How a turn ended is told with its level, the provider's words where it failed, and what was stopped with it."""

from __future__ import annotations

from typing import get_args

import pytest

from workbench.conversation.events import ExchangeClosed, TurnEnd, TurnFinished
from workbench.inspection.notices import turn_end_of

CLOSED = ExchangeClosed(exchange_id="x1", status=400, error="No.", original="{}")


@pytest.mark.parametrize("end", get_args(TurnEnd))
def test_only_a_failed_turn_points_at_its_exchange_and_only_a_stopped_one_counts_calls(end: TurnEnd) -> None:
    item = turn_end_of(TurnFinished(turn_id="t", end=end, text="So."), "7", 1.0, CLOSED, 2)
    assert (item.exchange_id, item.original) == (("x1", "{}") if end == "failed" else ("", ""))
    assert item.stopped_calls == (2 if end == "stopped" else 0)
    assert item.level == {"failed": "error", "stopped": "info"}.get(end, "warning")
    assert (item.kind, item.end, item.text, item.item_id) == ("turn_end", end, "So.", "7")


def test_a_turn_that_failed_before_its_request_has_no_exchange() -> None:
    assert turn_end_of(TurnFinished(turn_id="t", end="failed", text="So."), "7", 1.0, None, 0).exchange_id == ""
