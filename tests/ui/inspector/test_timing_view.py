"""Times: what a try spent its time on, retries and their pauses, figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.inspection.test_requests import log_of, two_steps
from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import inspected
from workbench.conversation.exchange import Cost
from workbench.ui.inspector.stream_lanes import LABEL_INSET, label_area
from workbench.ui.inspector.timing_view import Phase, TimingView, facts_of, phases


def test_try_is_made_of_waiting_coming_and_the_pause_before_the_next() -> None:
    refused, answered, running = log_of(two_steps().recording.facts).rows
    assert phases(refused, refused, refused.at) == (Phase(0.0, 0.5, "wait"), Phase(0.5, 2.5, "pause"))
    assert phases(answered, refused, refused.at) == (Phase(0.0, 0.25, "wait"), Phase(0.25, 1.5, "stream"))
    assert phases(running, running, running.at + 3) == (Phase(0.0, 3.0, "wait"),)


def test_figures_tell_speed_where_it_is_known() -> None:
    refused, answered, running = log_of(two_steps().recording.facts).rows
    facts = dict(facts_of(answered))
    assert facts["First byte"] == "250 ms"
    assert facts["Response coming"] == "1.2 s"
    assert facts["End"] == "1.5 s"
    assert facts["Received"] == "512 bytes · 410 B/s"
    assert facts["Tokens out"] == "30 · 24 tokens/s"
    assert facts["of these reasoning"] == "4"
    assert dict(facts_of(refused))["Pause before the retry"] == "2.0 s"
    assert dict(facts_of(running))["End"] == "–"


async def test_retry_stands_below_the_try_it_repeats(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "Drill: overloaded")
        await at.show("timing", at.rows[1].exchange_id)
        waterfall = at.tab.timing.waterfall
        assert [row.number for row in waterfall._tries] == [1, 2]
        words = waterfall.accessibleDescription()
        assert words.startswith("#1 503 ")
        assert " + " in words
        refused, answered = waterfall._tries
        pause = phases(refused, refused, 0)[-1]
        assert pause.kind == "pause"
        assert phases(answered, refused, 0)[0].start_s >= pause.end_s - 0.05


async def test_running_request_grows(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        await at.show("timing", exchange_id)
        assert at.tab.timing._ticking.isActive()
        await at.close(exchange_id)
        assert not at.tab.timing._ticking.isActive()


async def test_bars_are_painted_in_their_own_shapes(gui: Gui) -> None:
    rows = log_of(two_steps().recording.facts).rows
    view = TimingView(lambda _row: rows[:2], now=lambda: rows[0].at)
    view.resize(500, 300)
    gui.show(view)
    view.show_row(rows[0])
    await gui.settle()
    one = gui.picture(view.waterfall)
    view.show_row(rows[1])
    await gui.settle()
    assert gui.picture(view.waterfall) != one
    assert view.facts.rowCount() == len(facts_of(rows[1]))
    view.show_row(None)
    assert view.facts.rowCount() == 0


async def test_legend_names_what_is_shown_and_fits(gui: Gui) -> None:
    rows = log_of(two_steps().recording.facts).rows
    view = TimingView(lambda _row: rows[:2], now=lambda: rows[0].at)
    gui.show(view)
    for width in (390, 900):
        view.resize(width, 300)
        view.show_row(rows[0])
        await gui.settle()
        places = view.waterfall._legend_places()
        assert [kind for _x, _row, kind, _words in places] == ["wait", "stream", "pause"]
        assert max(row for _x, row, _kind, _words in places) == (1 if width == 390 else 0)
    view.waterfall.show_tries(rows[1:2], rows[1].exchange_id)
    assert [kind for _x, _row, kind, _words in view.waterfall._legend_places()] == ["wait", "stream"]


def test_words_under_an_axis_stay_inside(gui: Gui) -> None:
    for x in (100.0, 300.0, 318.0):
        area = label_area("0.15 s", x, 0, 320)
        assert area.right() <= 320 - LABEL_INSET + 1
        assert area.left() < x
    assert label_area("0.15 s", 100, 0, 320).center().x() == pytest.approx(100, abs=1)


async def test_cost_is_told_with_its_price_and_an_unknown_one_is_not_nothing(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        cost = Cost(total_usd=0.0155, input_usd=0.0055, output_usd=0.01, priced_as="openai/gpt-4o", price_list="0.2.3")
        for known in (cost, Cost(), None):
            exchange_id = await at.open()
            await at.close(exchange_id, cost=known)
        told = [dict(facts_of(row)).get("Cost") for row in at.rows[-3:]]
        assert told == ["$0.0155 · $0.0055 in, $0.0100 out · price of openai/gpt-4o, list 0.2.3", "unknown: the price list does not have it", None]
        assert at.tab._totals.text().endswith(" · at least $0.0155")
