"""Headers as they were recorded, with what was replaced marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from tests.ui.desks import said
from tests.ui.gui import Gui
from tests.ui.inspector.exchanges import Inspected, inspected
from workbench.ui.kit.cells import Cell


def cells(at: Inspected) -> list[tuple[Cell, Cell]]:
    model = at.tab.headers.table.cells
    return [(model.cell(row, 0), model.cell(row, 1)) for row in range(model.rowCount())]


def words(at: Inspected) -> list[tuple[str, str]]:
    return [(name.text, value.text) for name, value in cells(at)]


async def test_request_and_response_of_the_practice_model(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "hello")
        await at.show("headers", at.rows[0].exchange_id)
        opened, closed = at.rows[0].opened, at.rows[0].closed
        assert closed is not None
        assert words(at) == [
            ("Request", ""),
            ("POST", opened.url),
            *opened.headers,
            ("Response", ""),
            (closed.http_version, "200"),
            *closed.headers,
        ]
        key = next(value for name, value in cells(at) if name.text.lower() == "authorization")
        assert (key.icon, key.pill) == ("eye-off", "secret replaced")
        assert "REDACTED-" in key.text
        assert sum(value.icon == "eye-off" for _name, value in cells(at)) == 1


async def test_response_that_has_not_come_or_never_came_is_told(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        exchange_id = await at.open()
        await at.show("headers", exchange_id)
        assert words(at)[-1] == ("Response", "still coming")
        at.tab.headers.table.selectRow(1)
        await at.close(exchange_id, status=None, failure="unreachable", error="Nobody answers.")
        assert words(at)[-1] == ("Response", "no response")
        assert at.tab.headers.table.currentIndex().row() == 1


async def test_replaced_key_is_shown_when_asked_for_and_hidden_again(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "hello")
        key = (await at.desk.app.practice()).key
        await at.show("headers", at.rows[0].exchange_id)
        view = at.tab.headers
        now = 100.0
        view.reveal._clock = lambda: now
        row = next(number for number, (name, _value) in enumerate(words(at)) if name.lower() == "authorization")
        view.table.selectRow(1)
        assert not view.reveal.isVisible()
        view.table.selectRow(row)
        await gui.click("Reveal…")
        assert not view.value.isVisible()
        await gui.click("Keep hidden")
        await gui.click("Reveal…")
        await gui.click("Show for 20 s")
        assert view.value.plain_text() == f"Bearer {key}"
        assert "20 seconds" in view.reveal.words.text()
        gui.keys(view.table, "Ctrl+C")
        assert key not in QApplication.clipboard().text()
        now += 19.5
        view.reveal.timer.timeout.emit()
        assert "1 second" in view.reveal.words.text()
        assert view.value.plain_text() == f"Bearer {key}"
        now += 0.5
        view.reveal.timer.timeout.emit()
        assert key not in view.value.plain_text()
        assert not view.reveal.timer.isActive()
        assert view.reveal.ask.isVisible()


async def test_shown_key_is_hidden_when_something_else_is_looked_at(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await said(gui, at.desk, "hello")
        await at.show("headers", at.rows[0].exchange_id)
        view = at.tab.headers
        row = next(number for number, (name, _value) in enumerate(words(at)) if name.lower() == "authorization")
        ways: list[Callable[[], object]] = [lambda: view.table.selectRow(1), lambda: at.tab.choose_part("body"), lambda: view.show_row(None)]
        for leave in ways:
            await at.show("headers", at.rows[0].exchange_id)
            view.show_row(at.rows[0])
            view.table.selectRow(row)
            await gui.click("Reveal…")
            await gui.click("Show for 20 s")
            assert view.reveal.is_revealed
            leave()
            assert not view.reveal.timer.isActive()
            assert (await at.desk.app.practice()).key not in view.value.plain_text()


async def test_key_that_is_not_known_any_more_cannot_be_shown(gui: Gui, tmp_path: Path) -> None:
    async with inspected(tmp_path, gui) as at:
        await at.show("headers", await at.open())
        at.tab.headers.table.selectRow(3)
        await gui.click("Reveal…")
        assert "not known any more" in at.tab.headers.reveal.words.text()
        assert not at.tab.headers.reveal.yes.isVisible()


async def test_long_or_strange_value_is_shown_whole_and_copied_as_it_is(gui: Gui, tmp_path: Path) -> None:
    long = "v" * 3000
    async with inspected(tmp_path, gui) as at:
        await at.show("headers", await at.open(headers=(("X-Long", long), ("X-Odd", "<b>a\u202eb</b>"))))
        view = at.tab.headers
        view.table.selectRow(2)
        assert view.value.isVisible()
        assert view.value.plain_text() == long
        gui.keys(view.table, "Ctrl+C")
        assert QApplication.clipboard().text() == f"X-Long: {long}"
        view.table.selectRow(3)
        assert not view.value.isVisible()
        assert words(at)[3] == ("X-Odd", "<b>a⟨U+202E⟩b</b>")
