"""Panes beside each other: equal rows for equal messages, circles with equal numbers, and what one pane has and another leaves out."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.dialects.drawn_conversations import conversations
from tests.inspection.test_translations import asked, turn
from workbench.conversation.messages import ModelRequest
from workbench.dialects.base import NORM, Quirks
from workbench.dialects.registry import names
from workbench.inspection.side_by_side import FILLER, side_by_side
from workbench.inspection.translations import HEAD, Translator

HARD = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@given(conversations(), st.lists(st.sampled_from(names()), min_size=1, max_size=3, unique=True), st.integers(10, 90))
@HARD
def test_the_same_message_begins_in_the_same_row(request_drawn: ModelRequest, chosen: list[str], columns: int) -> None:
    translations = [Translator(name, NORM).translate(request_drawn) for name in names() if name in chosen]
    shown = side_by_side(translations, request_drawn, [columns + 7 * place for place in range(len(translations))])
    starts = dict(shown.starts)
    assert len({len(side.lines) for side in shown.sides}) == 1
    for side in shown.sides:
        rows = side.text.decode().split("\n")
        assert len(rows) == len(side.lines) == len(side.in_string)
        for message, line in side.translation.blocks:
            assert side.rows[line] == starts[message]
            assert shown.message_at(starts[message]) == message
            assert starts[message] in shown.rows_of(message)
        assert [number for number in dict.fromkeys(side.lines) if number != FILLER] == list(range(len(side.translation.lines)))
        for row, number in enumerate(side.lines):
            assert (rows[row] == "") == (number == FILLER)
            assert side.begins(row) == (number != FILLER and side.rows[number] == row)


def test_calls_are_numbered_in_the_order_they_were_made() -> None:
    request = asked(*turn(1), *turn(2))
    shown = side_by_side([Translator("chat_completions", NORM).translate(request)], request, [60])
    assert shown.numbers == {"call_1": 1, "call_2": 2}
    assert shown.message_at(0) == HEAD
    assert shown.rows_of(99) == range(0)


def test_what_one_pane_has_and_another_leaves_out_is_told_in_the_first() -> None:
    if "anthropic" not in names():
        pytest.skip("there is no second dialect")
    request = asked(*turn(1))
    chat = Translator("chat_completions", Quirks(reasoning_replay="with_calls")).translate(request)
    shown = side_by_side([chat, Translator("anthropic", NORM).translate(request)], request, [60, 60])
    ((row, told),) = shown.sides[0].elsewhere.items()
    assert "reasoning_content" in shown.sides[0].text.decode().split("\n")[row]
    assert [(pane, loss.rule) for pane, loss in told] == [(1, "reasoning-foreign")]
    assert not shown.sides[1].elsewhere
