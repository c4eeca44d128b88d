"""The table's model: rows come, change, pass and leave the filter one by one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from tests.inspection.test_requests import two_steps
from tests.ui.gui import Gui
from workbench.conversation.events import Entry
from workbench.inspection.requests import RequestLog
from workbench.ui.inspector.requests_model import Column, RequestsModel


class Shown:
    """A model that follows facts, and what it told while doing so."""

    def __init__(self) -> None:
        self.log = RequestLog()
        self.model = RequestsModel(clock=lambda: 1_700_000_012.34)
        self.tester = QAbstractItemModelTester(self.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
        self.model.show_log(self.log)
        self.resets = 0
        self.model.modelReset.connect(self._count_reset)

    def _count_reset(self) -> None:
        self.resets += 1

    def take(self, facts: list[Entry]) -> None:
        self.model.take(self.log.apply(facts))

    def words(self, column: Column) -> list[str]:
        return [str(self.model.index(row, column).data(Qt.ItemDataRole.DisplayRole)) for row in range(self.model.rowCount())]


async def test_cells_say_what_is_known(gui: Gui) -> None:
    shown = Shown()
    shown.take(two_steps().recording.facts)
    assert shown.words(Column.NUMBER) == ["#1", "#2", "#3"]
    assert shown.words(Column.STATUS) == ["429", "200", "running"]
    assert shown.words(Column.WHAT) == ["turn 1 · step 1, rate limit", "turn 1 · step 1, retry", "turn 1 · step 2"]
    assert shown.words(Column.FIRST) == ["–", "250 ms", "–"]
    assert shown.words(Column.TIME) == ["500 ms", "1.5 s", "12.3 s"]
    assert shown.words(Column.IN) == ["–", "1,200", "–"]
    assert shown.words(Column.CACHED) == ["–", "200", "–"]
    assert shown.words(Column.OUT) == ["–", "30", "–"]


async def test_facts_one_by_one_never_make_the_table_anew(gui: Gui) -> None:
    whole, single = Shown(), Shown()
    facts = two_steps().recording.facts
    whole.take(facts)
    for fact in facts:
        single.take([fact])
    assert single.resets == 0
    for column in Column:
        assert single.words(column) == whole.words(column)


async def test_filter_follows_what_becomes_of_a_request(gui: Gui) -> None:
    shown = Shown()
    shown.model.set_filter("", only_errors=True)
    facts = two_steps().recording.facts
    resets = shown.resets
    for fact in facts:
        shown.take([fact])
    assert shown.words(Column.NUMBER) == ["#1"]
    assert shown.resets == resets
    shown.model.set_filter("running", only_errors=False)
    assert shown.words(Column.NUMBER) == ["#3"]
    wire = two_steps()
    wire.close(status=200)
    shown.take([entry for entry in wire.recording.facts if entry.seq > facts[-1].seq])
    assert shown.words(Column.NUMBER) == []
    shown.model.set_filter("rate LIMIT", only_errors=False)
    assert shown.words(Column.NUMBER) == ["#1"]


async def test_running_time_is_counted_up_and_nothing_else_is_touched(gui: Gui) -> None:
    shown = Shown()
    shown.take(two_steps().recording.facts)
    changed: list[tuple[int, int]] = []
    shown.model.dataChanged.connect(lambda first, last: changed.append((first.row(), last.column())))
    assert shown.model.tick()
    assert changed == [(2, Column.TIME)]
    wire = two_steps()
    wire.close()
    shown.take(wire.recording.facts[-1:])
    assert not shown.model.tick()


async def test_rows_are_found_through_the_filter(gui: Gui) -> None:
    shown = Shown()
    shown.take(two_steps().recording.facts)
    shown.model.set_filter("step 2", only_errors=False)
    assert shown.model.row_of("x3") == 0
    assert shown.model.row(0).number == 3
    assert shown.model.row_of("x1") is None
    assert shown.model.row_of("x9") is None


async def test_widest_figures_are_known(gui: Gui) -> None:
    shown = Shown()
    assert shown.model.widest(Column.IN) == "1,000"
    shown.take(two_steps().recording.facts)
    assert (shown.model.widest(Column.IN), shown.model.widest(Column.NUMBER)) == ("1,200", "#10")
