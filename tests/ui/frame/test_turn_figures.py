"""The gauges follow the facts of the running turn, and after a replay of the last one."""

from __future__ import annotations

import pytest

from workbench.agent.limits import Limits
from workbench.conversation.events import Entry, Event, LimitRaised, ModelResponded, StepStarted, TurnFinished, TurnStarted
from workbench.conversation.messages import Message, Usage
from workbench.ui.frame.turn_figures import TurnFigures, count_text


def responded(usage: Usage | None) -> ModelResponded:
    message = Message(message_id="m", role="assistant", parts=(), usage=usage)
    return ModelResponded(turn_id="t", step=1, exchange_id="e", message=message)


def journal(*events: Event) -> list[Entry]:
    return [Entry(seq, 100.0 + seq, event) for seq, event in enumerate(events, 1)]


FIRST = (TurnStarted(turn_id="t"), StepStarted(turn_id="t", step=1), responded(Usage(input_tokens=10, output_tokens=5)))
END = TurnFinished(turn_id="t", end="answered")


def test_running_turn_counts_steps_tokens_and_time() -> None:
    figures = TurnFigures.of(journal(*FIRST, StepStarted(turn_id="t", step=2), responded(Usage(input_tokens=7)), responded(None)))
    assert (figures.steps, figures.tokens) == (2, 22)
    assert figures.elapsed_s(111.0) == 10.0


def test_new_turn_begins_from_nothing() -> None:
    entries = journal(*FIRST, LimitRaised(turn_id="t", limit="steps", maximum=90), END, TurnStarted(turn_id="u"))
    figures = TurnFigures()
    figures.add(entries)
    assert (figures.steps, figures.tokens, figures.raised) == (0, 0, {})
    assert TurnFigures.of(entries) == figures


def test_time_stands_still_after_the_turn() -> None:
    figures = TurnFigures.of(journal(*FIRST, END))
    assert figures.elapsed_s(9_999.0) == 3.0


def test_before_the_first_turn_there_is_no_time() -> None:
    assert TurnFigures.of(journal()).elapsed_s(5.0) is None


def test_raised_limit_wins_over_the_settings() -> None:
    figures = TurnFigures.of(journal(*FIRST, LimitRaised(turn_id="t", limit="steps", maximum=90)))
    limits = Limits(steps=40)
    assert figures.maximum("steps", limits) == 90
    assert figures.maximum("tokens", limits) is None


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1000, "1k"), (1234, "1.2k"), (9960, "10k"), (44_000, "44k"), (44_321, "44.3k"), (999_999, "1M"), (1_500_000, "1.5M")],
)
def test_counts_are_short_above_a_thousand(count: int, text: str) -> None:
    assert count_text(count) == text
