"""The Requests tab over real sessions: rows as they come, filter, choice, columns by width, thousands of rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut

from tests.pace import not_hung, steps
from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected
from tests.ui.plain_text import assert_plain
from workbench.conversation.events import ExchangeClosed
from workbench.ui.inspector.requests_model import Column
from workbench.ui.inspector.requests_table import RequestsTable


def words(table: RequestsTable, column: Column) -> list[str]:
    return [str(table.requests.index(row, column).data(Qt.ItemDataRole.DisplayRole)) for row in range(table.requests.rowCount())]


def chosen(at: Inspected) -> str | None:
    row = at.tab.table.row
    return None if row is None else row.exchange_id


async def test_turn_of_the_practice_model_is_listed_request_by_request(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "read README.md")
        table = at.tab.table
        assert words(table, Column.NUMBER) == ["#1", "#2"]
        assert words(table, Column.STATUS) == ["200", "200"]
        assert words(table, Column.WHAT) == ["turn 1 · step 1", "turn 1 · step 2"]
        assert all(figure not in ("–", "0") for column in (Column.IN, Column.OUT) for figure in words(table, column))
        assert at.inspector.tabs.counts[1] == "2"
        assert chosen(at) == at.rows[0].exchange_id, "what was chosen first stays chosen"


async def test_drill_shows_the_refused_try_and_the_retry(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "Drill: rate limit")
        assert words(at.tab.table, Column.STATUS) == ["429", "200"]
        assert words(at.tab.table, Column.WHAT) == ["turn 1 · step 1, rate limit", "turn 1 · step 1, retry"]
        at.tab.which.choose(1)
        assert words(at.tab.table, Column.NUMBER) == ["#1"]
        assert at.tab._totals.text().startswith("2 sent · 1 failed")


async def test_running_request_counts_up_and_keeps_the_choice_when_it_ends(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        first = await at.open()
        table = at.tab.table
        assert words(table, Column.STATUS) == ["running"]
        second = await at.open(step=2)
        at.inspector.show_request(second)
        await at.close(first, status=500, failure="server", error="Broken.")
        assert words(table, Column.STATUS) == ["500", "running"]
        assert chosen(at) == second
        before = words(table, Column.TIME)[1]
        await gui.until(lambda: words(table, Column.TIME)[1] != before)
        assert table._ticking.isActive()
        await at.close(second)
        await gui.until(lambda: not table._ticking.isActive())


async def test_filter_finds_and_shows_again_what_it_left_out(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        ids = [await at.exchange(), await at.exchange(status=500, failure="server", error="Broken."), await at.exchange()]
        gui.type(at.tab.filter.edit, "500")
        assert words(at.tab.table, Column.NUMBER) == ["#2"]
        assert chosen(at) == ids[1]
        at.inspector.show_request(ids[2])
        assert at.tab.filter.text() == ""
        assert chosen(at) == ids[2]
        gui.type(at.tab.filter.edit, "nothing like it")
        assert at.tab.table.requests.rowCount() == 0
        assert chosen(at) is None
        assert not at.tab._copy.isEnabled()


async def test_another_session_has_other_requests(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "hello")
        first = at.opened.session.session_id
        assert await at.desk.new_session()
        await gui.settle()
        assert at.tab.table.requests.rowCount() == 0
        assert at.inspector.tabs.counts[1] == ""
        assert await at.desk.open_session(first)
        await gui.settle()
        assert words(at.tab.table, Column.NUMBER) == ["#1"]
        assert chosen(at) is not None


@pytest.mark.parametrize(
    ("width", "gone"),
    [
        (936, {Column.FINDING}),
        (560, {Column.MODEL, Column.FINDING}),
        (390, {Column.MODEL, Column.FIRST, Column.CACHED, Column.FINDING}),
    ],
)
async def test_columns_fall_away_when_it_gets_narrow(gui: Gui, tmp_path: Path, width: int, gone: set[Column]) -> None:
    async with inspected(tmp_path, gui, width=width) as at:
        await said(gui, at.desk, "hello")
        assert at.inspector.width() == width
        table = at.tab.table
        assert {column for column in Column if table.isColumnHidden(column)} == gone
        assert table.columnWidth(Column.WHAT) >= 90
        assert table.horizontalScrollBar().maximum() == 0


async def test_keys_go_through_the_rows_and_find_goes_to_the_open_side(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        ids = [await at.exchange() for _ in range(3)]
        at.inspector.show_request(ids[0])
        at.tab.table.setFocus()
        gui.keys(at.tab.table, "Down")
        assert chosen(at) == ids[1]
        at.tab.choose_part("response")
        at.tab._focus_search()
        assert at.tab.response.search.edit.hasFocus()
        at.tab.choose_part("timing")
        at.tab._focus_search()
        assert at.tab.filter.edit.hasFocus()


async def test_find_key_belongs_to_the_tab_while_the_keyboard_is_in_it(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await at.exchange()
        taken: list[bool] = []
        shortcut = QShortcut(QKeySequence("Ctrl+F"), at.inspector)
        shortcut.activated.connect(lambda: taken.append(True))
        for part in (at.tab.table, at.tab.filter.edit, at.tab.body.tree.rows):
            part.setFocus()
            gui.keys(part, "Ctrl+F")
            assert at.tab.body.search.edit.hasFocus()
        assert taken == []
        at.inspector.tabs.buttons[0].setFocus()
        gui.keys(at.inspector.tabs.buttons[0], "Ctrl+F")
        assert taken == [True]


async def test_unknown_sides_requests_and_calls_change_nothing(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange = await at.exchange()
        assert not at.tab.show_request("x99")
        assert not at.tab.show_call("call_99")
        assert chosen(at) == exchange
        with pytest.raises(ValueError, match="tokens"):
            at.tab.choose_part("tokens")


async def test_hidden_tab_reads_nothing_until_it_is_seen(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        at.inspector.choose_tab("messages")
        await at.exchange([b'{"a":1}'])
        assert at.tab.body._row is None
        at.inspector.choose_tab("requests")
        await gui.until(lambda: at.tab.body.raw.plain_text() == '{"a":1}')


async def test_hidden_tab_counts_requests_and_tells_of_them_when_it_is_seen(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        at.inspector.choose_tab("messages")
        counts: list[int] = []
        at.tab.counted.connect(counts.append)
        await said(gui, at.desk, "hello")
        await said(gui, at.desk, "Drill: overloaded")
        assert counts[-1] == at.tab.sent == len(at.tab.log.rows) > 2
        assert at.tab.table.requests.rowCount() == at.tab.sent
        await at.exchange()
        at.inspector.choose_tab("requests")
        assert at.tab.table.requests.rowCount() == at.tab.sent == counts[-1]
        assert f"{counts[-1]} sent" in at.tab._totals.text()
        at.desk.bridge.attach(None)
        assert (counts[-1], at.tab._totals.text(), at.tab.table.requests.rowCount()) == (0, "", 0)


async def cost_of_one_more(at: Inspected) -> int:
    """Let a request come and go; return in how many steps it was shown."""
    number = len(at.rows) + 1
    opened = replace(at.rows[0].opened, exchange_id=f"x{number}", number=number, turn_id=f"t{number}", step=1)
    at.opened.session.journal.append(opened)
    cost = steps(at.desk.bridge.flush)
    at.opened.session.journal.append(ExchangeClosed(exchange_id=opened.exchange_id, status=200, duration_s=0.1))
    cost += steps(at.desk.bridge.flush) + steps(at.tab.table.viewport().repaint)
    await at.gui.settle()
    return cost


async def test_one_more_request_costs_the_same_after_five_thousand(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await at.exchange()
        opened, body = at.rows[0].opened, at.opened.store.keep_body([b"[]"])
        journal = at.opened.session.journal
        costs = []
        for count in (100, 5000):
            for number in range(len(at.rows) + 1, count + 1):
                fact = replace(opened, exchange_id=f"x{number}", number=number, turn_id=f"t{number // 5}", step=number % 5 + 1, body=body)
                journal.append(fact)
                journal.append(ExchangeClosed(exchange_id=f"x{number}", status=200, duration_s=0.1))
            with not_hung(3):
                await at.flush()
            assert at.tab.table.requests.rowCount() == count
            costs.append(await cost_of_one_more(at))
        assert 0 < costs[1] < 2 * costs[0], costs
        at.tab.filter.set_text("step 3")
        assert at.tab.table.requests.rowCount() == 1000


async def test_everything_has_a_name_and_is_plain(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await at.exchange([b'{"messages":[]}'])
        for part in ("body", "headers", "stream", "response", "timing"):
            at.tab.choose_part(part)
            await gui.settle()
        assert_plain(at.tab)
