"""The Dialects tab on real sessions: panes that scroll together, one call followed across them, losses that lead to their places."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.agent.dialogue import Dialogue
from tests.agent.scripted_model import call
from tests.ui.desks import Told, desk_in
from tests.ui.gui import Gui
from tests.ui.plain_text import assert_plain
from workbench.app import ModelChoice, OpenSession
from workbench.inspection.translations import offered
from workbench.providers.profiles import practice_profile
from workbench.ui.desk import Desk
from workbench.ui.inspector.dialect_text import DialectText
from workbench.ui.inspector.dialects_tab import DialectsTab
from workbench.ui.inspector.lost_list import NARROW
from workbench.ui.kit.theme import theme
from workbench.words import choose_language

PAIR = ("chat_completions", "gemini")
FILES = {"a.txt": "one\n", "b.txt": "two\n"}


class Shown:
    """A tab over a dialogue."""

    def __init__(self, gui: Gui, dialogue: Dialogue, desk: Desk, size: tuple[int, int], names: Sequence[str]) -> None:
        self.gui, self.dialogue, self.desk = gui, dialogue, desk
        self.told = Told(desk)
        profile = practice_profile("http://127.0.0.1:1/v1", ("practice",))
        stand = SimpleNamespace(session=dialogue.session, choice=ModelChoice(profile, "practice"))
        desk.bridge.attach(cast("OpenSession", stand))
        self.tab = DialectsTab(desk.bridge, desk)
        self.tab.restore(names)
        self.tab.resize(*size)
        gui.show(self.tab).activateWindow()

    async def settled(self) -> None:
        """Wait until the panes show what would go out now."""
        self.desk.bridge.flush()
        await self.gui.settle()
        await self.gui.until(lambda: self.tab.is_settled)

    def text(self, place: int) -> DialectText:
        return self.tab.panes[place].text

    def rows(self, place: int) -> list[str]:
        return self.text(place).plain_text().split("\n")

    def lost(self) -> list[str]:
        """Return what the list below says, a line each."""
        model = self.tab.lost.table.cells
        rows = [[model.cell(row, column) for column in range(3)] for row in range(model.rowCount())]
        return [" | ".join(cell.text or cell.pill for cell in row) for row in rows]


@asynccontextmanager
async def shown(gui: Gui, folder: Path, *, size: tuple[int, int] = (700, 720), names: Sequence[str] = PAIR) -> AsyncIterator[Shown]:
    async with desk_in(folder) as desk, Dialogue(folder, files=FILES) as dialogue:
        tab = Shown(gui, dialogue, desk, size, names)
        await tab.settled()
        try:
            yield tab
        finally:
            await tab.settled()
            desk.bridge.attach(None)


async def talked(on: Shown) -> None:
    await on.dialogue.user("Read both.")
    await on.dialogue.streams("", call("read", "x1111", file_path="a.txt"), call("read", "y2222", file_path="b.txt"))
    await on.dialogue.answers("Done.")
    await on.settled()


async def test_the_same_message_stands_in_the_same_row_of_each_pane(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await talked(on)
        first, second = on.rows(0), on.rows(1)
        assert len(first) == len(second)
        assert first[1].strip().startswith('"model"')
        for words in ("Read", "Done"):
            at = [next(row for row, text in enumerate(rows) if words in text) for rows in (first, second)]
            message = [on.tab.panes[place].text._at(row)[1] for place, row in enumerate(at)]
            assert message[0] == message[1]
        assert on.tab.panes[0]._note.text() == "as sent"
        assert on.tab.panes[1]._note.text() == "translated"


async def test_panes_scroll_together(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await talked(on)
        on.text(0).verticalScrollBar().setValue(7)
        assert on.text(1).verticalScrollBar().value() == 7
        on.text(1).verticalScrollBar().setValue(3)
        assert on.text(0).verticalScrollBar().value() == 3


async def test_one_call_is_followed_in_all_panes(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await talked(on)
        row = on.text(0).row_of_call("y2222", result=False)
        assert row is not None
        on.text(0).go_to(row)
        metrics = theme.mh
        point = QPoint(80, 8 + (row - on.text(0).verticalScrollBar().value()) * metrics + 4)
        gui.click_at(on.text(0).viewport(), point)
        assert {text._chosen for text in (on.text(0), on.text(1))} == {"y2222"}
        for pane, other in ((0, "x1111"), (1, "x1111")):
            text = on.text(pane)
            mine, theirs = text.row_of_call("y2222", result=False), text.row_of_call(other, result=False)
            assert mine is not None
            assert theirs is not None
            text.go_to(mine)
            assert text._washes()[mine] == "accent_tint"
            assert text._washes().get(theirs) != "accent_tint"
        gui.click_at(on.text(0).viewport(), QPoint(80, 8 + (row - on.text(0).verticalScrollBar().value()) * metrics + 4))
        assert on.text(1)._chosen == ""


async def test_the_pointer_shows_the_call_in_the_other_pane(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await talked(on)
        row = on.text(0).row_of_call("x1111", result=False)
        assert row is not None
        on.text(0).go_to(row)
        point = QPoint(80, 8 + (row - on.text(0).verticalScrollBar().value()) * theme.mh + 4)
        QTest.mouseMove(on.text(0).viewport(), point + QPoint(1, 1))
        QTest.mouseMove(on.text(0).viewport(), point)
        await gui.until(lambda: on.text(1)._under[0] == "x1111")


async def test_enter_follows_the_call_at_the_caret(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await talked(on)
        row = on.text(1).row_of_call("x1111", result=True)
        assert row is not None
        on.text(1).go_to(row)
        gui.keys(on.text(1), "Return")
        assert on.text(0)._chosen == "x1111"


async def test_a_loss_is_told_and_leads_to_its_place(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path, names=["chat_completions", "functions"]) as on:
        if "functions" not in offered():
            pytest.skip("there is no such dialect")
        await talked(on)
        assert "calls-serialised | Only one call fits into a turn here: the calls follow each other, each with its result. | harmless" in on.lost()
        place = next(row for row, words in enumerate(on.lost()) if words.startswith("calls-serialised"))
        table = on.tab.lost.table
        table.setCurrentIndex(table.cells.index(place, 0))
        gui.keys(table, "Return")
        row = on.text(1).lines.line_at(on.text(1)._caret)
        assert "calls-serialised: Only one call" in on.text(1).words_of(row)
        assert on.text(1)._washes()[row] == "level2_tint"
        assert "calls-serialised" in on.text(1).caret_line()


async def test_panes_follow_the_conversation_and_keep_their_place(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        await talked(on)
        on.text(0).verticalScrollBar().setValue(9)
        await on.dialogue.user("And now?")
        await on.dialogue.answers("Nothing.")
        await on.settled()
        assert any("Nothing." in row for row in on.rows(1))
        assert on.text(0).verticalScrollBar().value() == 9


async def test_dialects_are_chosen_by_pills_and_one_stays(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        chosen: list[list[str]] = []
        on.tab.choice_changed.connect(chosen.append)
        await gui.click("Google Gemini")
        await on.settled()
        assert chosen == [["chat_completions"]]
        assert [pane.name for pane in on.tab.panes] == ["chat_completions"]
        await gui.click("Chat Completions")
        assert on.tab.choice.chosen() == ["chat_completions"]
        on.tab.choice.pills[0].setFocus()
        gui.keys(on.tab.choice.pills[0], "Right")
        assert on.tab.choice.pills[1].hasFocus()
        gui.keys(on.tab.choice.pills[1], "Space")
        await on.settled()
        assert len(on.tab.panes) == 2


async def test_what_was_left_chosen_comes_back_and_odd_names_do_not(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path, names=["gemini", "nonsense"]) as on:
        assert [pane.name for pane in on.tab.panes] == ["gemini"]
        on.tab.restore([])
        assert "chat_completions" in on.tab.choice.chosen()
        assert len(on.tab.choice.chosen()) == 2
        await on.settled()


async def test_a_body_is_copied_as_it_would_be_sent(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        on.tab.panes[1]._copy()
        assert QApplication.clipboard().text().encode() == on.tab.panes[1].body
        assert on.told.last == "Copied as Google Gemini."


async def test_a_narrow_tab_shows_sentences_instead_of_rules(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path, size=(390, 600)) as on:
        await talked(on)
        assert on.tab.width() < NARROW
        assert on.tab.lost.table.isColumnHidden(0)
        for pill in on.tab.choice.pills:
            assert pill.geometry().right() < on.tab.width()
        assert on.text(0).columns() >= 10


async def test_a_tab_that_is_not_in_sight_does_not_work(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        before = on.tab._shown
        on.tab.hide()
        await on.dialogue.user("Hello")
        await on.dialogue.answers("Hi.")
        on.desk.bridge.flush()
        await gui.settle()
        assert on.tab._shown is before
        on.tab.show()
        await gui.until(lambda: any("Hi." in row for row in on.rows(0)))


@pytest.mark.parametrize("language", ["en", "zh_CN"])
async def test_the_tab_has_no_fault_in_any_language_and_theme(gui: Gui, tmp_path: Path, language: str) -> None:
    theme.use("dark", choose_language(language), 1.0)
    try:
        async with shown(gui, tmp_path) as on:
            await talked(on)
            assert_plain(on.tab)
            gui.picture(on.tab)
    finally:
        theme.use("light", choose_language("en"), 1.0)


async def test_without_a_folder_it_says_what_to_do(gui: Gui, tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        tab = gui.show(DialectsTab(desk.bridge, desk))
        assert "Open a folder" in tab._words.text()
        assert tab._words.isVisible()


async def test_it_opens_at_the_newest_prompt_and_keeps_its_place_while_there_is_none_newer(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        for number in range(12):
            await on.dialogue.user(f"Question {number}?")
            await on.dialogue.answers("It is so. " * 40)
        on.tab.hide()
        await on.settled()
        on.tab.show()
        await on.settled()

        def top(place: int) -> int:
            return on.text(place).verticalScrollBar().value()

        assert [on.text(place)._at(top(place))[1] for place in (0, 1)] == [22, 22]
        on.text(0).verticalScrollBar().setValue(5)
        on.tab.hide()
        on.tab.show()
        await on.settled()
        assert [top(0), top(1)] == [5, 5]
        await on.dialogue.user("One more?")
        await on.settled()
        assert top(0) == 5
        on.tab.hide()
        on.tab.show()
        await on.settled()
        assert on.text(0)._at(top(0))[1] == 24


async def test_its_place_is_kept_when_panes_come_and_lines_are_wrapped_anew(gui: Gui, tmp_path: Path) -> None:
    async with shown(gui, tmp_path) as on:
        for number in range(12):
            await on.dialogue.user(f"Question {number}?")
            await on.dialogue.answers("It is so. " * 40)
        on.tab.hide()
        on.tab.show()
        await on.settled()

        def messages() -> set[int]:
            return {pane.text._at(pane.text.verticalScrollBar().value())[1] for pane in on.tab.panes}

        assert messages() == {22}
        on.tab.resize(460, 720)
        await on.settled()
        assert messages() == {22}
        await gui.click("Anthropic Messages")
        await gui.click("ReAct text")
        await on.settled()
        assert len(on.tab.panes) == 4
        assert messages() == {22}
        assert len({pane.text.verticalScrollBar().value() for pane in on.tab.panes}) == 1
